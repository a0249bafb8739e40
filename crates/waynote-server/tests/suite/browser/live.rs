//! Changes by others while a person types.

use std::time::Instant;

use waynote::Reader;

use super::super::driver::{Browser, WIDE};
use super::super::support;
use super::{LIVE, filled, save, url};

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn a_change_by_somebody_else_appears_without_a_reload() {
    let server = filled();
    let browser = Browser::open(WIDE);
    for path in [
        "notes",
        "notes?show=changes",
        "?agent=builder&place=~/projects/shop",
    ] {
        browser.go(&url(&server, path));
        browser.wait(LIVE);
        let key = format!("news-{}", path.len());
        save(&server, &key, "something new");
        let written = Instant::now();
        browser.wait_for(&key);
        // The aim is a second. A busy machine may take longer.
        println!("{path}: after {:?}", written.elapsed());
    }
    browser.has_no_complaints();
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn what_is_typed_is_not_lost_and_a_conflict_shows_both_texts() {
    let server = filled();
    let browser = Browser::open(WIDE);
    browser.go(&url(
        &server,
        "notes/edit?note=agent:builder%23flaky-tests&base=2",
    ));
    browser.wait(LIVE);
    browser.run(
        "const area = document.querySelector('textarea'); area.focus(); area.select(); return 1",
    );
    browser.press("my own **text**");
    browser.wait(
        "return document.querySelector('[data-preview-of=text] strong')?.textContent === 'text'",
    );
    save(&server, "flaky-tests", "their text");
    browser.wait_for("changed this note");
    assert_eq!(
        browser.run("return document.querySelector('textarea').value"),
        "my own **text**"
    );
    browser.run("document.querySelector('form.write').requestSubmit(); return 1");
    browser.wait_for("Somebody else changed this note");
    assert!(browser.says("their text"));
    assert_eq!(
        browser.run("return document.querySelector('textarea').value"),
        "my own **text**"
    );
    browser.shot("conflict");
    browser.is_usable();
    browser.run("document.querySelector('form.write button.primary').click(); return 1");
    browser.wait_for("Saved.");
    let note = server
        .store
        .get(&"agent:builder#flaky-tests".parse().unwrap())
        .unwrap();
    assert_eq!(note.unwrap().content.as_text(), Some("my own **text**"));
    // The search field keeps the typed text while the list changes.
    browser.go(&url(&server, "notes"));
    browser.wait(LIVE);
    browser.press("/");
    browser.press("flaky");
    browser.wait("return document.querySelectorAll('[data-list] > a').length === 1");
    save(&server, "more-flaky", "a flaky thing");
    browser.wait_for("more-flaky");
    assert_eq!(browser.run("return document.activeElement.value"), "flaky");
    browser.has_no_complaints();
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn keys_slider_and_lights_work() {
    let server = filled();
    let browser = Browser::open(WIDE);
    browser.go(&url(&server, "notes"));
    browser.wait(LIVE);
    browser.press("?");
    browser.wait("return document.querySelector('#keys').open");
    browser.run("document.querySelector('#keys').close(); return 1");
    browser.press("j");
    browser.wait("return document.querySelectorAll('[data-list] [aria-current]').length === 1 && !!document.querySelector('.reader h2')");
    let first = browser.run("return document.querySelector('.reader h2').textContent");
    browser.press("j");
    browser.wait(&format!(
        "return document.querySelector('.reader h2').textContent !== {first}"
    ));
    browser.go(&url(&server, "notes?note=agent:builder%23flaky-tests"));
    browser.wait(LIVE);
    browser.press("p");
    browser.wait_for("Pinned:");
    browser.press("e");
    browser.wait("return !!document.querySelector('textarea')");

    browser.go(&url(
        &server,
        "?agent=builder&place=~/projects/shop&session=nightly",
    ));
    let now = browser.run("return document.querySelector('#block').textContent");
    browser.run("const range = document.querySelector('[type=range]'); range.value = 2; range.dispatchEvent(new Event('input', { bubbles: true })); return 1");
    browser.wait(&format!(
        "return document.querySelector('#block')?.textContent !== {now}"
    ));
    assert!(browser.says("since"));
    browser.go(&url(
        &server,
        "?agent=builder&place=~/projects/shop&session=nightly",
    ));
    browser.run("document.querySelector('tr[data-claim=\"1\"]').dispatchEvent(new MouseEvent('mouseover', { bubbles: true })); return 1");
    browser.wait("return document.querySelectorAll('mark.on').length === 1 && document.querySelector('mark.on').dataset.claim === '1'");
    let text = browser.run("return document.querySelector('#block').textContent");
    let request = waynote::context::Request::new(
        "builder".parse().unwrap(),
        "~/projects/shop".parse().unwrap(),
        support::now(),
    )
    .session("nightly".parse::<waynote::Name>().unwrap())
    .tools(waynote::context::ReaderTools::new(
        "note_show",
        "note_search",
    ));
    assert_eq!(
        text,
        waynote::context::render(&*server.store, &request)
            .unwrap()
            .text,
        "byte for byte"
    );
    browser.has_no_complaints();
}
