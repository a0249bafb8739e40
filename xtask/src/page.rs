//! The page in a real browser. Chromium and its driver come from the system's packages, axe-core from npm; missing
//! ones are listed as not checked.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::watched;
use kit::registries::{apt_install, npm, quietly, target};
use kit::steps::cargo;
use kit::unchecked::not_checked;

/// Finds what keeps people from using a page.
const AXE: &str = "axe-core@4.14.1";

/// The browser's tests. Of the whole workspace, which is built: one package alone has other features.
const TESTS: [&str; 6] = ["test", "--workspace", "--test", "main", "--", "--ignored"];

/// Runs the browser's tests, with what they need installed first.
pub(crate) fn run() -> Result<()> {
    let mut tests = cargo(&TESTS);
    tests.arg("browser");
    if let Err(why) = browser() {
        not_checked(
            "the page in a browser (`suite::browser` of waynote-server)",
            why,
        );
        return Ok(());
    }
    match axe() {
        Ok(axe) => {
            tests.env("WAYNOTE_AXE", axe);
        }
        Err(why) => not_checked(&format!("{AXE} of npm, on every view of the page"), why),
    }
    watched::tests("page", tests)
}

/// Chromium and its driver, installed if that can be done here.
fn browser() -> Result<(), String> {
    let is_there = || {
        let says = |program: &str| quietly(Command::new(program).arg("--version"));
        says("chromium").and_then(|()| says("chromedriver"))
    };
    if is_there().is_ok() {
        return Ok(());
    }
    apt_install(&["chromium", "chromium-driver"])?;
    is_there()
}

/// The file of axe-core.
fn axe() -> Result<PathBuf, String> {
    let folder = target().join("npm/axe");
    npm(&folder, &[AXE])?;
    Ok(folder.join("node_modules/axe-core/axe.min.js"))
}
