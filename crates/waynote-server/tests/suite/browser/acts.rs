//! Everything that a person can do on the page, in a real browser.

use waynote_server::Rights;

use super::super::driver::{Browser, ESCAPE, Look, WIDE};
use super::super::page::{note, save};
use super::{LIVE, filled, url};

const FLAKY: &str = "agent:builder#flaky-tests";

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn a_person_writes_answers_and_signs_in() {
    let server = filled();
    let browser = Browser::open(WIDE);
    browser.go(&url(&server, "notes?in=agent:builder"));
    browser.click(".head a.primary");
    browser.fill("[name=key]", "made-here");
    browser.fill("textarea", "First *text*.");
    browser
        .wait("return document.querySelector('[data-preview-of=text] em')?.textContent === 'text'");
    browser.click("button[value=save]");
    browser.wait_for("Saved.");
    let made = "agent:builder#made-here";
    assert_eq!(note(&server, made).unwrap().author.as_str(), "person");
    browser.click("[data-key-p]");
    browser.wait_for("Pinned:");
    for (item, says) in [
        ("undo", "Undone: the "),
        ("redo", "Redone."),
        ("delete", "Deleted."),
    ] {
        browser.click("details.menu summary");
        browser.click(&format!(".menu-items form[action$='notes/{item}'] button"));
        browser.wait_for(says);
    }
    assert!(note(&server, made).is_none());
    browser.click(".notice button");
    browser.wait_for("Undone: the ");
    assert!(note(&server, made).unwrap().pinned);
    browser.go(&url(
        &server,
        "notes/history?note=agent:builder%23flaky-tests",
    ));
    browser.click("[data-key=r1] button");
    browser.wait_for("Restored.");
    assert_eq!(note(&server, FLAKY).unwrap().revision, 3);

    browser.go(&url(&server, "sessions?session=migrate-db"));
    browser.wait_for("1 needs an answer");
    browser.fill(".ask textarea", "Yes: drop it.");
    browser.click(".ask button");
    browser.wait_for("Answered.");
    assert!(!browser.says("needs an answer"));

    let token = server.token("laptop", Rights::Write);
    browser.go(&url(&server, "notes"));
    browser.is_usable();
    browser.fill("[name=token]", &token);
    browser.click("form.sign-in button");
    browser.wait_for("as laptop");
    browser.click(".rail form button");
    browser.wait("return !!document.querySelector('form.sign-in')");
    browser.has_no_complaints();
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn everything_works_without_a_script() {
    let server = filled();
    let browser = Browser::open(Look {
        has_script: false,
        ..WIDE
    });
    browser.go(&url(&server, "sessions"));
    browser.fill(".ask textarea", "Yes, drop it.");
    browser.click(".ask button");
    browser.wait_for_source("Answered.");
    browser.go(&url(&server, "notes"));
    browser.fill("[name=q]", "flaky");
    browser.click("form.bar button");
    browser.click("[data-list] a");
    browser.wait_for_source("checkout::");
    browser.click("header a.btn");
    browser.fill("textarea", "More. ");
    browser.click("button[value=save]");
    browser.wait_for_source("Saved.");
    browser.click("[data-key-p]");
    browser.wait_for_source("Pinned:");
    browser.click("details.menu summary");
    browser.click("form[action$='notes/delete'] button");
    browser.wait_for_source("Deleted.");
    browser.click(".notice button");
    browser.wait_for_source("Undone: the ");
    assert_eq!(note(&server, FLAKY).unwrap().revision, 6);
    browser.go(&url(&server, "?agent=builder&place=~/projects/shop"));
    browser.wait_for_source("## Pinned notes");
    browser.click("[data-live=steps] a");
    browser.wait_for_source("What a run read then");
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn a_note_is_found_written_and_pinned_without_a_pointer() {
    let server = filled();
    let browser = Browser::open(WIDE);
    browser.go(&url(&server, ""));
    browser.wait(LIVE);
    browser.press("/");
    browser.wait("return document.activeElement.name === 'q'");
    browser.press("drifts");
    browser.wait("return document.querySelectorAll('[data-list] > a').length === 1");
    // From the field into the list.
    browser.press(ESCAPE);
    browser.press("j");
    browser.wait("return !!document.querySelector('.reader .prose')");
    browser.press("p");
    browser.wait_for("Pinned:");
    browser.press("e");
    browser.wait("return document.activeElement.tagName === 'TEXTAREA'");
    browser.press("From the keyboard. ");
    browser.click("button[value=save]");
    browser.wait_for("Saved.");
    let written = note(&server, FLAKY).unwrap();
    assert!(written.pinned && written.content.shown().contains("From the keyboard."));
    // The fields of a new note are those of the typed kind.
    browser.go(&url(&server, "notes/new"));
    browser.wait("return document.activeElement.name === 'scope'");
    let seen = "return ['key', 'kind', 'iteration'].filter((name) => document.querySelector(`[name=${name}]`).checkVisibility())";
    browser.press("session:nightly");
    assert_eq!(browser.run(seen), serde_json::json!(["kind", "iteration"]));
    browser.has_no_complaints();
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn others_changes_appear_and_what_is_typed_is_not_lost() {
    let server = filled();
    let browser = Browser::open(WIDE);
    for path in ["notes", "?agent=builder&place=~/projects/shop"] {
        browser.go(&url(&server, path));
        browser.wait(LIVE);
        let key = format!("news-{}", path.len());
        save(&server, &key, "something new", "agent:builder");
        browser.wait_for(&key);
    }
    browser.go(&url(
        &server,
        "notes/edit?note=agent:builder%23flaky-tests&base=2",
    ));
    browser.wait(LIVE);
    browser.run(
        "const area = document.querySelector('textarea'); area.focus(); area.select(); return 1",
    );
    browser.press("my own **text**");
    save(&server, "flaky-tests", "their text", "agent:builder");
    browser.wait_for("changed this note");
    let typed = "return document.querySelector('textarea').value";
    assert_eq!(browser.run(typed), "my own **text**");
    browser.click("form.write button.primary");
    browser.wait_for("This note was changed meanwhile");
    assert!(browser.says("their text"));
    assert_eq!(browser.run(typed), "my own **text**");
    browser.shot("conflict");
    browser.is_usable();
    browser.click("form.write button.primary");
    browser.wait_for("Saved.");
    let text = note(&server, FLAKY).unwrap().content;
    assert_eq!(text.as_text(), Some("my own **text**"));
    browser.has_no_complaints();
}

/// Texts that a browser might interpret.
const TRICKS: &str = "<script>window.caught = 1</script>\n\n<img src=x onerror=window.caught=2> <svg/onload=window.caught=3>\n\n\
    [b](JaVaScRiPt:window.caught=5) <javascript:window.caught=6>\n\n\
    </textarea></pre></main><script>window.caught=7</script><iframe srcdoc='<script>parent.caught=8</script>'></iframe>\n\n\
    ```\"><script>window.caught=9\n</code></pre><script>window.caught=10</script>\n```\n\n\
    <base href=//evil.example/> <meta http-equiv=refresh content=0;url=//evil.example>\n\n\
    <form action=//evil.example><button>x</button></form> \" ' onmouseover=window.caught=11 <!-- ]]> --> &lt;b&gt;";

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn a_note_full_of_tricks_is_shown_as_text() {
    let server = filled();
    let browser = Browser::open(WIDE);
    save(&server, "tricks", TRICKS, "agent:<b>x</b>");
    for path in "?agent=builder&place=~ notes?note=agent:builder%23tricks notes?q=caught
            notes?q=%22%3E%3Cscript%3Ewindow.caught=14%3C/script%3E notes/edit?note=agent:builder%23tricks
            notes/text?note=agent:builder%23tricks notes?show=changes notes/history?note=agent:builder%23tricks"
        .split_whitespace()
    {
        browser.go(&url(&server, path));
        let found = browser.run(
            "const bad = [...document.querySelectorAll('main script, main style, main iframe, main img, main base, main meta, \
             main [onload], main [onerror], main [onmouseover], [href^=\"javascript:\" i], form[action*=evil]')]; \
             return [window.caught ?? null, bad.map((of) => of.outerHTML), location.host]",
        );
        let host = format!("{}", server.address);
        assert_eq!(found, serde_json::json!([null, [], host]), "{path}");
    }
    browser.has_no_complaints();
}
