//! The library's public surface, as a file that a review sees change.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use public_api::{Builder, MINIMUM_NIGHTLY_RUST_VERSION};

use kit::steps::cargo;

const SNAPSHOT: &str = "crates/waynote/public-api.txt";

/// Compares the surface with the file.
pub(crate) fn check() -> Result<()> {
    println!("== public API");
    let Some(now) = surface()? else {
        return Ok(());
    };
    let then = std::fs::read_to_string(SNAPSHOT).context(SNAPSHOT)?;
    let differs = lines_apart(&then, &now);
    ensure!(
        differs.is_empty(),
        "the public API differs from {SNAPSHOT}:\n{}\nLook at each line, then run `cargo xtask docs`",
        differs.join("\n")
    );
    println!("== public API: passed, {} items", now.lines().count());
    Ok(())
}

/// Rewrites the file.
pub(crate) fn write() -> Result<()> {
    match surface()? {
        Some(now) => std::fs::write(SNAPSHOT, now).context(SNAPSHOT),
        None => Ok(()),
    }
}

/// A line for each public item; none where this Rust describes crates in another form than the one that is understood.
fn surface() -> Result<Option<String>> {
    let json = described()?;
    let built = Builder::from_rustdoc_json(&json)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .omit_auto_derived_impls(true)
        .build();
    match built {
        Ok(api) => Ok(Some(api.to_string())),
        Err(why) => {
            let why = format!("{why} (known: Rust of {MINIMUM_NIGHTLY_RUST_VERSION})");
            kit::unchecked::not_checked("the public API", why);
            Ok(None)
        }
    }
}

/// The crate described as JSON, which stable compilers do only when they are told that they may.
fn described() -> Result<PathBuf> {
    let target = kit::registries::target().join("public-api");
    let mut rustdoc = cargo(&["rustdoc", "--quiet", "--package", "waynote", "--lib"]);
    rustdoc
        .arg("--target-dir")
        .arg(&target)
        .args(["--", "-Z", "unstable-options", "--output-format", "json"])
        .env("RUSTC_BOOTSTRAP", "1");
    ensure!(rustdoc.status()?.success(), "rustdoc failed");
    Ok(Path::new(&target).join("doc/waynote.json"))
}

/// The lines that only one of two texts has, in order.
fn lines_apart(then: &str, now: &str) -> Vec<String> {
    let only = |of: &str, sign: char, other: &str| {
        let other: std::collections::HashSet<&str> = other.lines().collect();
        let lines = of.lines().filter(|line| !other.contains(line));
        lines
            .map(|line| format!("{sign} {line}"))
            .collect::<Vec<_>>()
    };
    let mut all = only(then, '-', now);
    all.extend(only(now, '+', then));
    all
}
