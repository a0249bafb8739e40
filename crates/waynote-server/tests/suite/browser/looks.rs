//! The look of the views, wide and narrow, in light and in dark; and the keyboard in each.

use serde_json::{Value, json};

use super::super::driver::{Browser, Look, TAB};
use super::super::support::start;
use super::{LIVE, filled, url};

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
fn every_view_fits_and_is_usable_in_light() {
    every_view_fits_and_is_usable(1280, 900, false);
}

// Two tests, so that two browsers share the work.
#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn every_view_fits_and_is_usable_in_dark_on_a_phone() {
    every_view_fits_and_is_usable(390, 844, true);
}

fn every_view_fits_and_is_usable(width: u32, height: u32, is_dark: bool) {
    let (server, empty) = (filled(), start());
    let browser = Browser::open(Look {
        width,
        height,
        is_dark,
        has_script: true,
    });
    for (name, path) in [
        (
            "now",
            "?agent=builder&place=~/projects/shop&session=nightly&budget=400",
        ),
        (
            "then",
            "?agent=builder&place=~/projects/shop&session=nightly&at=2026-05-19T06:30:00Z",
        ),
        ("notes", "notes?note=agent:builder%23flaky-tests"),
        ("edit", "notes/edit?note=agent:builder%23commit-style"),
        ("new", "notes/new?in=agent:builder"),
        ("worth", "notes?show=worth"),
        ("sessions", "sessions?session=nightly"),
        ("changes", "notes?show=changes"),
        (
            "revisions",
            "notes/history?note=agent:builder%23flaky-tests",
        ),
    ] {
        browser.go(&url(&server, path));
        browser.wait(LIVE);
        let over = browser.run(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        assert_eq!(over, 0, "{name}");
        browser.is_usable();
        browser.shot(&format!("{name}-{width}"));
        every_control_is_reached_and_seen(&browser, name);
        // Empty ones are as wide as any.
        if !path.contains("note=") {
            browser.go(&url(&empty, path));
            browser.is_usable();
        }
    }
    browser.has_no_complaints();
}

fn every_control_is_reached_and_seen(browser: &Browser, view: &str) {
    // A form begins in its first field, from which a person may also go back.
    browser.run(TO_THE_TOP);
    let mut names = Vec::new();
    while names.len() <= 150 {
        browser.press(TAB);
        let focused = browser.run(FOCUSED);
        if focused == Value::Null {
            break;
        }
        let name = focused[0].as_str().unwrap().to_owned();
        assert_eq!(focused[1], true, "{view}: {name} is not seen");
        assert_eq!(focused[2], true, "{view}: {name} does not look focused");
        names.push(name);
    }
    assert!(names[0].contains("Skip to the content"), "{names:?}");
    assert_eq!(browser.run(LEFT), json!([]), "{view}: {names:?}");
}
