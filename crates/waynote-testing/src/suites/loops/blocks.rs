//! The blocks that iterations were given, made again.

use waynote::context::{Budget, IterationBlock, Request, Style, render};
use waynote::forget::Forget;
use waynote::session_state::iteration_start;
use waynote::{Content, EntryType, LocalStore, Places, SessionLog};

use super::{DONE, at, begin, ended, name};
use crate::values::{place, save};

fn write(store: &dyn LocalStore, place: &str, text: &str) {
    let content = Content::text(text).unwrap();
    Places::new(store)
        .write(&place.parse().unwrap(), content, &at(2))
        .unwrap();
}

pub(crate) fn the_block_of_an_iteration_is_made_again_as_it_was(store: &dyn LocalStore) {
    let log = SessionLog::new(store, name("s"));
    write(store, "~/work", "the wall is wet");
    let mut by_ci = at(2);
    by_ci.author = name("agent:ci");
    store
        .apply(&[save("agent:builder#own".parse().unwrap(), "own")], &by_ci)
        .unwrap();
    let run = begin(store, 1, None, &[]).unwrap();
    let mut given = Vec::new();
    for style in [Style::Stable, Style::Faithful, Style::Stable] {
        let number = run.next_iteration().unwrap();
        let asked = Request::new(name("builder"), place("~/work"), at(5).now)
            .author(name("agent:ci"))
            .session(name("s"))
            .iteration(number)
            .style(style)
            .budget(Budget::of(if style == Style::Stable { 60 } else { 0 }));
        let block = render(store, &asked).unwrap();
        let record = IterationBlock::new(&asked, &block);
        run.start_iteration(record, &at(5)).unwrap();
        given.push((number, block.for_agent()));
        let tip = Content::text(format!("tip {number} {}", "word ".repeat(30))).unwrap();
        log.add(EntryType::Tip, Some(number), tip, &at(6)).unwrap();
        run.end_iteration(number, ended(DONE, 1), &at(7)).unwrap();
    }
    run.start_iteration(None, &at(8)).unwrap();
    write(store, "~/work", "the wall is dry");
    let again = |number| {
        let (began, block) = iteration_start(store, &name("s"), number).unwrap().unwrap();
        let block = block.unwrap();
        let request = block.request(name("s"), number, began);
        block.again(store, &request).unwrap()
    };
    for (number, text) in &given {
        assert!(text.contains("the wall is wet"), "{text}");
        assert!(!text.contains("agent:ci"), "{text}");
        let (block, is_same) = again(*number);
        assert_eq!((&block.text, is_same), (text, true));
    }
    // As an older version recorded it; and one that never began.
    let (_, block) = iteration_start(store, &name("s"), 4).unwrap().unwrap();
    assert_eq!(block, None);
    assert_eq!(iteration_start(store, &name("s"), 5).unwrap(), None);
    let forget = Forget::new("place:~/work".parse::<waynote::Address>().unwrap()).revision(Some(1));
    store.forget(&forget, &at(9)).unwrap();
    let (block, is_same) = again(1);
    assert!(!is_same && !block.text.contains("wet"), "{}", block.text);
}
