//! A person's acts inside a loop: an agent writes there, and only a person answers.

use waynote::error::PersonalAct;
use waynote::moved::{MoveOptions, relocate};
use waynote::{
    Ancestor, Change, Forget, UndoScope, Writer, loops, person, redo_last, session_state, undo_last,
};

use super::*;
use crate::values::{keep, key, save};

/// A stamp in a person's name, by a process below these of the machine of [`holder`].
fn below(pids: &[u32], agent: Option<&str>) -> Stamp {
    let above = pids.iter().map(|pid| Ancestor {
        pid: *pid,
        start: 7,
    });
    let writer = Writer::new("here", "b", None, above.collect());
    let stamp = Stamp::new(at(5).now, name("person"));
    stamp.by(writer.agent(agent.map(name)))
}

fn author(store: &dyn LocalStore, of: &str) -> String {
    store.get(&key(of)).unwrap().unwrap().author.to_string()
}

fn is_refused<T>(written: &waynote::Result<T>, expected: PersonalAct) -> bool {
    matches!(written, Err(Error::Loop(LoopError::NotAPerson { act })) if *act == expected)
}

pub(crate) fn what_is_written_in_a_persons_name_inside_a_loop_is_the_agents(
    store: &dyn LocalStore,
) {
    let run = begin(store, 1, None, &[]).unwrap();
    let inside = below(&[30, 1, 20], Some("agent:a"));
    let write = |of: &str, stamp: &Stamp| store.apply(&[save(key(of), "text")], stamp);
    write("inside", &inside).unwrap();
    write("outside", &below(&[30, 2], Some("agent:a"))).unwrap();
    let elsewhere = Writer::new("there", "b", None, vec![Ancestor { pid: 1, start: 7 }]);
    write("elsewhere", &inside.clone().by(elsewhere)).unwrap();
    let authors = ["inside", "outside", "elsewhere"].map(|of| author(store, of));
    assert_eq!(authors, ["agent:a", "person", "person"]);
    // By what its loop told it, where its processes cannot be seen.
    let told = inside.clone().by(below(&[], Some("agent:b")).writer);
    let lease = waynote::event::EventAddress {
        session: run.session().clone(),
        number: run.lease(),
    };
    write("told", &told.inside(lease)).unwrap();
    assert_eq!(author(store, "told"), "agent:b");
    // An agent replaces no text that it has not read.
    write("persons", &at(5)).unwrap();
    let unread = store.apply(&[save(key("persons"), "other")], &inside);
    assert!(
        matches!(unread, Err(Error::OthersText { .. })),
        "{unread:?}"
    );
    let pair = [(key("persons"), key("moved"))];
    let moved = relocate(store, &pair, MoveOptions::default(), &inside);
    assert!(matches!(moved, Err(Error::OthersText { .. })), "{moved:?}");
    // The last change is looked for by the author that counts.
    let reach = UndoScope::new(name("a"), Vec::new());
    let undone = undo_last(store, &reach, &inside).unwrap();
    assert_eq!(undone.applied.address, key("inside"));
    redo_last(store, &reach, &inside).unwrap();
    assert_eq!(person::author(&store, &inside).unwrap(), name("agent:a"));
    run.end(EndReason::Interrupted, None, &at(6)).unwrap();
    write("after", &inside).unwrap();
    assert_eq!(author(store, "after"), "person");
}

pub(crate) fn a_person_who_is_named_is_refused_inside_a_loop(store: &dyn LocalStore) {
    keep(store, &["zero"]);
    let run = begin(store, 1, None, &[]).unwrap();
    run.start_iteration(None, &at(2)).unwrap();
    let (inside, outside) = (below(&[1], None), below(&[2], None));
    let forget = Forget::new(key("k0"));
    let before = store.version().unwrap();
    for written in [
        store
            .apply(&[Change::pin(key("k0"), true)], &inside)
            .map(drop),
        complete(store, &name("s"), Some(1), "done", &inside),
        store.would_forget(&forget, &inside).map(drop),
        store.forget(&forget, &inside).map(drop),
    ] {
        assert!(is_refused(&written, PersonalAct::Write));
    }
    assert_eq!(store.version().unwrap(), before);
    store
        .apply(&[Change::pin(key("k0"), true)], &outside)
        .unwrap();
    store.forget(&forget, &outside).unwrap();
}

pub(crate) fn only_a_person_stops_a_loop(store: &dyn LocalStore) {
    let stops = |stamp: &Stamp| loops::stop(store, &name("s"), &|_| Some(false), stamp);
    let by = || session_state::stop_requested(store, &name("s")).unwrap();
    let (inside, outside) = (below(&[1], Some("agent:a")), below(&[2], None));
    let none = |stopped: waynote::Result<()>| matches!(stopped, Err(Error::Loop(LoopError::NoLoop { session })) if session == name("s"));
    assert!(none(stops(&outside)));
    let run = begin(store, 1, None, &[]).unwrap();
    assert!(is_refused(&stops(&inside), PersonalAct::Stop));
    assert_eq!(by(), None);
    stops(&outside).unwrap();
    let events = store.events(&name("s"), None, 9).unwrap().len();
    // The same request is one event.
    stops(&outside).unwrap();
    assert_eq!(store.events(&name("s"), None, 9).unwrap().len(), events);
    assert_eq!(by(), Some(name("person")));
    run.end(EndReason::Interrupted, None, &at(6)).unwrap();
    assert!(none(stops(&outside)));
    // The next loop is another one, and a dead one is none.
    let _next = begin(store, 2, None, &[]).unwrap();
    assert_eq!(by(), None);
    assert!(none(loops::stop(
        store,
        &name("s"),
        &|_| Some(true),
        &outside
    )));
}

pub(crate) fn an_archived_session_leaves_the_list(store: &dyn LocalStore) {
    let (inside, outside) = (below(&[1], Some("agent:a")), below(&[2], None));
    let archive = |archives, stamp: &Stamp| loops::archive(store, &name("s"), archives, stamp);
    let counts = || {
        let listed = SessionLog::listed(store).unwrap().len();
        (listed, SessionLog::sessions(store).unwrap().len())
    };
    assert!(matches!(
        archive(true, &outside),
        Err(Error::NotFound { .. })
    ));
    let run = begin(store, 1, None, &[]).unwrap();
    assert!(is_refused(&archive(true, &inside), PersonalAct::Archive));
    assert!(is_refused(&archive(false, &inside), PersonalAct::Archive));
    run.end(EndReason::Interrupted, None, &at(6)).unwrap();
    for (archives, listed) in [(true, 0), (true, 0), (false, 1), (false, 1), (true, 0)] {
        archive(archives, &outside).unwrap();
        assert_eq!(counts(), (listed, 1), "{archives}");
    }
    // The next event puts it back; its iterations go on.
    let run = begin(store, 2, None, &[]).unwrap();
    assert_eq!(counts(), (1, 1));
    run.end(EndReason::Interrupted, None, &at(7)).unwrap();
    store.forget(&Forget::session(name("s")), &outside).unwrap();
    assert_eq!(counts(), (0, 1), "a forgotten session leaves the list");
    assert!(store.verify().unwrap().is_clean());
}

pub(crate) fn only_a_person_answers(store: &dyn LocalStore) {
    let run = begin(store, 1, None, &[]).unwrap();
    let iteration = run.start_iteration(None, &at(2)).unwrap();
    let ask = AgentSignal::Blocked("which port?".into());
    signal(store, &name("s"), Some(iteration), &ask, &at(3)).unwrap();
    let answer = [waynote::event::SessionEvent::Answered {
        answer: "8080".into(),
    }];
    let answers = |stamp: &Stamp| store.record(&name("s"), &answer, None, stamp);
    let agent = |stamp: Stamp| Stamp {
        author: name("agent:a"),
        ..stamp
    };
    let of_token = Stamp {
        is_agents: true,
        ..agent(at(4))
    };
    for stamp in [
        agent(below(&[1], None)),
        below(&[1], Some("agent:a")),
        of_token,
    ] {
        assert!(is_refused(&answers(&stamp), PersonalAct::Answer));
    }
    let act = PersonalAct::Administer;
    assert!(is_refused(
        &person::only(&store, &below(&[1], None), act),
        act
    ));
    person::only(&store, &below(&[2], None), act).unwrap();
    let outside = agent(below(&[2], None));
    loops::answer(store, &name("s"), " 8080\n", &outside).unwrap();
    // The same answer again changes nothing.
    loops::answer(store, &name("s"), "8080", &outside).unwrap();
    // With the answer to a question, a loop in the loop's agent does not begin.
    let is_dead = |_: &ProcessIdentity| Some(true);
    let start = LoopStart::new(holder(9), "/p", &is_dead).answer("8080");
    let begun = Loop::begin(store, name("t"), start, &below(&[1], Some("agent:a")));
    assert!(is_refused(&begun.map(drop), PersonalAct::Answer));
}
