//! Everything that a person can do on the page, each in a real browser.

use waynote::{EntryType, SessionLog, Store};
use waynote_server::Rights;

use super::super::driver::{Browser, Look, WIDE};
use super::super::support::start;
use super::{filled, note, save, url};

const FLAKY: &str = "agent:builder#flaky-tests";

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn a_note_is_written_edited_pinned_and_deleted() {
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
    let written = note(&server, made).unwrap();
    assert_eq!(written.content.as_text(), Some("First *text*."));
    assert_eq!(written.author.as_str(), "person");

    browser.click("[data-key-e]");
    browser.fill("textarea", " Second.");
    browser.wait_for("First text. Second.");
    browser.click("button[value=save]");
    browser.wait_for("Saved.");
    assert_eq!(note(&server, made).unwrap().revision, 2);

    browser.click("[data-key-p]");
    browser.wait_for("Pinned:");
    assert!(note(&server, made).unwrap().pinned);
    browser.click("[data-key-p]");
    browser.wait_for("Unpinned:");
    assert!(!note(&server, made).unwrap().pinned);

    menu(&browser, "Undo the last change");
    browser.wait_for("Undone: the ");
    assert!(note(&server, made).unwrap().pinned);
    menu(&browser, "Redo");
    browser.wait_for("Redone.");
    assert!(!note(&server, made).unwrap().pinned);

    menu(&browser, "Delete");
    browser.wait_for("Deleted.");
    assert!(note(&server, made).is_none());
    browser.click(".notice button");
    browser.wait_for("Undone: the ");
    assert!(note(&server, made).is_some());
    browser.has_no_complaints();
}

/// Opens the menu of a note, and chooses the item that begins with this text.
fn menu(browser: &Browser, item: &str) {
    browser.click("details.menu summary");
    browser.wait("return document.querySelector('details.menu').open");
    let place = browser.run(&format!(
        "return [...document.querySelectorAll('.menu-items > *')].findIndex((of) => of.textContent.trim().startsWith('{item}')) + 1"
    ));
    assert!(place.as_u64() > Some(0), "{item}");
    let item = format!(".menu-items > :nth-child({place})");
    let inner = format!("{item} button");
    match browser.find_all(&inner).is_empty() {
        true => browser.click(&item),
        false => browser.click(&inner),
    }
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn an_old_revision_is_restored_from_the_history() {
    let server = filled();
    let browser = Browser::open(WIDE);
    browser.go(&url(
        &server,
        "notes/history?note=agent:builder%23flaky-tests",
    ));
    browser.wait_for("the clock of the test server drifts");
    browser.click("[data-key=r1] button");
    browser.wait_for("Restored.");
    let restored = note(&server, FLAKY).unwrap();
    assert_eq!(restored.revision, 3);
    assert!(!restored.content.shown().contains("drifts"));
    browser.go(&url(&server, "notes?show=changes"));
    browser.wait_for("restore");
    browser.has_no_complaints();
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn a_question_is_answered() {
    let server = filled();
    let browser = Browser::open(WIDE);
    browser.go(&url(&server, "sessions?session=migrate-db"));
    browser.wait_for("1 needs an answer");
    assert_eq!(
        browser.run("return document.title"),
        "(1) Sessions · notes · waynote"
    );
    browser.fill(".ask textarea", "Yes: drop it.");
    browser.click(".ask button");
    browser.wait_for("Answered.");
    assert!(!browser.says("needs an answer"));
    assert_eq!(
        browser.run("return document.title"),
        "Sessions · notes · waynote"
    );
    let session = "migrate-db".parse().unwrap();
    assert!(waynote::loops::is_answered_by(&*server.store, &session, "Yes: drop it.").unwrap());
    browser.has_no_complaints();
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn a_token_signs_in() {
    let server = filled();
    let browser = Browser::open(WIDE);
    let token = server.token("laptop", Rights::Write);
    browser.go(&url(&server, "notes"));
    browser.wait("return !!document.querySelector('form.sign-in')");
    browser.is_usable();
    browser.fill("[name=token]", &token);
    browser.click("form.sign-in button");
    browser.wait_for("as laptop");
    browser.click(".rail form button");
    browser.wait("return !!document.querySelector('form.sign-in')");
    browser.has_no_complaints();
}

/// Texts that a browser might interpret.
const TRICKS: &str = "<script>window.caught = 1</script>\n\n<img src=x onerror=window.caught=2> <svg/onload=window.caught=3>\n\n\
    [link](javascript:window.caught=4) [b](JaVaScRiPt:window.caught=5) <javascript:window.caught=6>\n\n\
    </textarea></pre></main><script>window.caught=7</script><iframe srcdoc='<script>parent.caught=8</script>'></iframe>\n\n\
    ```\"><script>window.caught=9\n</code></pre><script>window.caught=10</script>\n```\n\n\
    <style>* { display: none }</style> <base href=//evil.example/> <meta http-equiv=refresh content=0;url=//evil.example>\n\n\
    <form action=//evil.example><button>x</button></form> \" ' onmouseover=window.caught=11 {{7*7}} ${7*7} <!-- ]]> --> &lt;b&gt;";

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn a_note_full_of_tricks_is_shown_as_text() {
    let server = start();
    let browser = Browser::open(WIDE);
    save(&server, "tricks", TRICKS);
    let store: &dyn Store = &*server.store;
    let log = SessionLog::new(store, "tricks".parse().unwrap());
    let content = waynote::Content::text(TRICKS).unwrap();
    let stamp = super::stamp("2026-08-01T11:59:00Z", "agent:<b>x</b>");
    log.add(EntryType::Tip, Some(1), content, &stamp).unwrap();
    for path in "?agent=builder&place=~&session=tricks
            ?agent=builder&place=~&session=tricks&style=faithful
            ?agent=%3Cscript%3Ewindow.caught=12%3C/script%3E&prompt=%22%3E%3Cscript%3Ewindow.caught=13%3C/script%3E
            notes notes?note=agent:builder%23tricks notes?q=caught
            notes?q=%22%3E%3Cscript%3Ewindow.caught=14%3C/script%3E notes/edit?note=agent:builder%23tricks
            notes/text?note=agent:builder%23tricks sessions?session=tricks notes?show=changes
            notes/history?note=agent:builder%23tricks"
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
        if path.contains("note=") && !path.contains("text") {
            assert!(browser.run("return document.body.innerText + (document.querySelector('textarea')?.value ?? '')").to_string().contains("window.caught = 1"), "{path}");
        }
    }
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
    browser.click("button[value=preview]");
    browser.wait_for_source("More. ");
    browser.click("button[value=save]");
    browser.wait_for_source("Saved.");
    assert_eq!(note(&server, FLAKY).unwrap().revision, 3);
    browser.click("[data-key-p]");
    browser.wait_for_source("Pinned:");
    browser.click("details.menu summary");
    browser.click("form[action$='notes/delete'] button");
    browser.wait_for_source("Deleted.");
    browser.click(".notice button");
    browser.wait_for_source("Undone: the ");
    assert!(note(&server, FLAKY).is_some());
    browser.go(&url(&server, "?agent=builder&place=~/projects/shop"));
    browser.wait_for_source("## Pinned notes");
    browser.click("[data-live=steps] a");
    browser.wait_for_source("What a run read then");
    browser.go(&url(
        &server,
        "notes/history?note=agent:builder%23commit-style",
    ));
    browser.wait_for_source("Imperative mood");
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn on_a_phone_a_session_that_is_tapped_is_shown() {
    let server = filled();
    for number in 0..25 {
        super::session(&server, &format!("loop-{number}"), 1, None);
    }
    let browser = Browser::open(Look {
        width: 390,
        height: 844,
        ..WIDE
    });
    browser.go(&url(&server, "sessions?session=loop-3"));
    // Every point of its row is the link.
    let at_its_end = "
        const row = document.querySelector('tr[data-key=migrate-db]');
        row.scrollIntoView({ block: 'center' });
        const cell = row.children[2].getBoundingClientRect();
        return document.elementFromPoint(cell.right - 4, cell.bottom - 4)?.textContent";
    assert_eq!(browser.run(at_its_end), "migrate-db");
    browser.click("tr[data-key=migrate-db] a");
    browser.wait(
        "const of = document.querySelector('#session-title'); const top = of?.getBoundingClientRect().top; \
         return of?.textContent === 'migrate-db' && top >= 0 && top < innerHeight / 2",
    );
    browser.click("#session .back");
    browser.wait(
        "return document.querySelector('#sessions').getBoundingClientRect().top < innerHeight / 2",
    );
    // Without the script, the link's fragment does the same.
    let href = browser
        .run("return document.querySelector('tr[data-key=migrate-db] a').getAttribute('href')");
    assert_eq!(href, "/s/notes/sessions?session=migrate-db#session");
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn what_is_typed_and_cannot_be_used_is_said_at_once() {
    let server = filled();
    let browser = Browser::open(WIDE);
    browser.go(&url(&server, "?agent=builder&place=~/projects/shop"));
    browser.fill("[name=budget]", "x");
    browser.wait_for("`2000x` is not a budget of this page.");
    assert!(!browser.says("Rust workspace"));
    browser.run("const of = document.querySelector('[name=budget]'); of.value = '400'; of.dispatchEvent(new Event('input', { bubbles: true })); return 1");
    browser.wait_for("of 400 tokens");
    browser.wait_for("Rust workspace");
    browser.complains_only("status of 400");
}
