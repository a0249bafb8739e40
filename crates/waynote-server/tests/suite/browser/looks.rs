//! The look of the views, at three widths, in light and in dark.

use super::super::driver::{Browser, Look};
use super::super::support::start;
use super::{LIVE, filled, url};

#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn every_view_fits_and_is_usable_in_light() {
    every_view_fits_and_is_usable(false);
}

// Two tests, so that two browsers share the work.
#[test]
#[ignore = "needs a browser: cargo xtask test page"]
fn every_view_fits_and_is_usable_in_dark() {
    every_view_fits_and_is_usable(true);
}

fn every_view_fits_and_is_usable(is_dark: bool) {
    let server = filled();
    let empty = start();
    for (width, height) in [(1280, 900), (768, 1000), (390, 844)] {
        {
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
                    "?agent=builder&place=~/projects/shop&session=nightly&at=2026-08-01T04:00:00Z",
                ),
                ("notes", "notes?note=agent:builder%23flaky-tests"),
                ("list", "notes?in=agent:builder"),
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
                let over = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
                assert_eq!(over, 0, "{name} at {width}");
                if width != 768 {
                    browser.is_usable();
                }
                let scheme = if is_dark { "dark" } else { "light" };
                browser.shot(&format!("{name}-{width}-{scheme}"));
                // Empty ones are as wide as any.
                if !path.contains("note=") && (width == 390) == is_dark && width != 768 {
                    browser.go(&url(&empty, path));
                    browser.is_usable();
                    browser.shot(&format!("{name}-{width}-{scheme}-empty"));
                }
            }
            browser.has_no_complaints();
        }
    }
}
