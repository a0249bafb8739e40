//! The page without a pointer: the keyboard reaches every control, focus is visible, and the control works.

use serde_json::Value;

use super::super::driver::{Browser, ENTER, ESCAPE, Look, TAB, WIDE};
use super::{LIVE, filled, note, url};

/// The element with the focus: a name for it, and whether it is on the screen and looks focused.
const FOCUSED: &str = "
    const of = document.activeElement;
    if (!of || of === document.body) return null;
    const box = of.getBoundingClientRect();
    const isSeen = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
    const marks = (it) => { const style = getComputedStyle(it); return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 || style.boxShadow.includes('0px 0px 0px 1px'); };
    const isMarked = marks(of) || marks(of.closest('.field') ?? of);
    of.dataset.reached = '1';
    return [of.tagName + ' ' + (of.getAttribute('aria-label') || of.name || of.textContent.trim().slice(0, 30)), isSeen, isMarked];";

/// Moves the focus before the first control.
const TO_THE_TOP: &str = "
    const top = document.createElement('i');
    top.tabIndex = -1;
    document.body.prepend(top);
    top.focus();
    top.remove();
    return 1";

/// The controls that the keyboard has not reached. A field's list of suggestions and folded parts do not count.
const LEFT: &str = "
    return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex=\"0\"]')]
        .filter((of) => of.checkVisibility({ checkVisibilityCSS: true }) && !of.dataset.reached && of.tabIndex >= 0)
        .map((of) => of.outerHTML.slice(0, 80))";

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn every_control_is_reached_and_seen() {
    let server = filled();
    for (width, height) in [(1280, 900), (390, 844)] {
        let browser = Browser::open(Look {
            width,
            height,
            ..WIDE
        });
        for path in "?agent=builder&place=~/projects/shop&session=nightly
                notes?note=agent:builder%23flaky-tests notes/edit?note=agent:builder%23commit-style
                notes?show=worth sessions?session=nightly
                notes/history?note=agent:builder%23flaky-tests notes?show=changes"
            .split_whitespace()
        {
            browser.go(&url(&server, path));
            browser.wait(LIVE);
            // A form begins in its first field, from which a person may also go back.
            browser.run(TO_THE_TOP);
            let mut names = Vec::new();
            loop {
                browser.press(TAB);
                let focused = browser.run(FOCUSED);
                if focused == Value::Null || names.len() > 150 {
                    break;
                }
                let name = focused[0].as_str().unwrap().to_owned();
                assert_eq!(focused[1], true, "{path} at {width}: {name} is not seen");
                assert_eq!(
                    focused[2], true,
                    "{path} at {width}: {name} does not look focused"
                );
                names.push(name);
            }
            assert!(names[0].contains("Skip to the content"), "{names:?}");
            assert_eq!(
                browser.run(LEFT),
                serde_json::json!([]),
                "{path} at {width}: {names:?}"
            );
        }
        browser.has_no_complaints();
    }
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn a_note_is_found_written_and_pinned_without_a_pointer() {
    let server = filled();
    let browser = Browser::open(WIDE);
    browser.go(&url(&server, "notes"));
    browser.wait(LIVE);
    browser.press("/");
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
    browser.press_with_control(ENTER);
    browser.wait_for("Saved.");
    let written = note(&server, "agent:builder#flaky-tests").unwrap();
    assert!(written.pinned && written.content.shown().contains("From the keyboard."));
    browser.has_no_complaints();
}

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn keys_and_forms_lead_into_their_field() {
    let server = filled();
    let browser = Browser::open(WIDE);
    browser.go(&url(&server, ""));
    browser.wait(LIVE);
    browser.press("/");
    browser.wait("return document.activeElement.name === 'q'");
    browser.press("drifts");
    browser.wait("return document.querySelectorAll('[data-list] > a').length === 1");
    browser.wait_for("1 hit");

    browser.go(&url(&server, "notes/new"));
    browser.wait("return document.activeElement.name === 'scope'");
    // The fields are those of the typed kind.
    let seen = "return ['key', 'kind', 'iteration'].filter((name) => document.querySelector(`[name=${name}]`).checkVisibility())";
    assert_eq!(browser.run(seen), serde_json::json!(["key"]));
    browser.press("session:nightly");
    assert_eq!(browser.run(seen), serde_json::json!(["kind", "iteration"]));
    browser.fill("[name=kind]", "tip");
    browser.fill("textarea", "Use the VPN.");
    browser.click("button[value=save]");
    browser.wait_for("Saved.");
    browser.go(&url(&server, "notes/new?in=agent:builder"));
    browser.wait("return document.activeElement.name === 'key'");
    browser.has_no_complaints();
}
