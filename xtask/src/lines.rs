//! `cargo xtask lines`: the lines of code of each part, without blank lines and comments, beside their limits in
//! `xtask/caps.toml`.
//!
//! Tests are folders and files of that name, files that only a `#[cfg(test)]` declares, and `#[cfg(test)]` modules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

const TEST: &str = "#[cfg(test)]";

/// Lines of code, or the most that there may be.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lines {
    product: usize,
    tests: usize,
}

/// `xtask/caps.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Caps {
    /// What each part may have, by its folder.
    parts: BTreeMap<String, Lines>,
    /// What all folders below `crates` and `examples` may have together.
    sum: Lines,
}

/// Prints the lines of each part beside their limits.
///
/// # Errors
///
/// If a part or the sum is over its limit, or a part has none.
pub(crate) fn check() -> Result<()> {
    let caps: Caps = toml::from_str(include_str!("../caps.toml")).context("xtask/caps.toml")?;
    let parts = counted()?;
    let mut sum = Lines::default();
    let mut over = Vec::new();
    println!(
        "{:<32}{:>8}{:>8}{:>8}{:>8}",
        "lines of code", "product", "limit", "tests", "limit"
    );
    for (name, lines) in &parts {
        let Some(cap) = caps.parts.get(name) else {
            over.push(format!("{name} has no limit"));
            continue;
        };
        row(name, *lines, *cap, &mut over);
        if name != "tools" && name != "xtask" {
            sum.product += lines.product;
            sum.tests += lines.tests;
        }
    }
    row("crates and examples", sum, caps.sum, &mut over);
    let unused = caps.parts.keys().filter(|name| !parts.contains_key(*name));
    over.extend(unused.map(|name| format!("{name} has a limit but no code")));
    ensure!(
        over.is_empty(),
        "xtask/caps.toml: {}. Take code away, or raise the limit there and say what for",
        over.join("; ")
    );
    Ok(())
}

/// Prints a part, and adds what is over its limit.
fn row(name: &str, lines: Lines, cap: Lines, over: &mut Vec<String>) {
    println!(
        "{name:<32}{:>8}{:>8}{:>8}{:>8}",
        lines.product, cap.product, lines.tests, cap.tests
    );
    for (kind, lines, cap) in [
        ("product", lines.product, cap.product),
        ("tests", lines.tests, cap.tests),
    ] {
        if lines > cap {
            over.push(format!(
                "{name} has {lines} lines of {kind}, {cap} are allowed"
            ));
        }
    }
}

/// The lines of each part: a crate, all examples, all tools, xtask.
fn counted() -> Result<BTreeMap<String, Lines>> {
    let listed = Command::new("git").args(["ls-files", "*.rs"]).output()?;
    ensure!(
        listed.status.success(),
        "`git ls-files` failed: the lines of a checkout are counted"
    );
    let listed = String::from_utf8(listed.stdout)?;
    let mut files = Vec::new();
    // A file that is deleted but not committed yet has no lines.
    for path in listed.lines().filter(|path| Path::new(path).exists()) {
        files.push((path, fs::read_to_string(path)?));
    }
    let for_tests: BTreeSet<String> = files
        .iter()
        .flat_map(|(path, text)| declared_for_tests(path, text))
        .collect();
    let mut parts: BTreeMap<String, Lines> = BTreeMap::new();
    for (path, text) in &files {
        let (product, tests) = lines(text, is_test(path, &for_tests));
        let part = parts.entry(part(path)).or_default();
        part.product += product;
        part.tests += tests;
    }
    Ok(parts)
}

/// `crates/NAME`, or the first folder of a path.
fn part(path: &str) -> String {
    let depth = if path.starts_with("crates/") { 2 } else { 1 };
    path.split('/').take(depth).collect::<Vec<_>>().join("/")
}

/// The files and folders of the modules that a file declares for tests only.
fn declared_for_tests(path: &str, text: &str) -> Vec<String> {
    let file = Path::new(path);
    let folder = file.parent().unwrap_or(Path::new(""));
    let own = folder.join(file.file_stem().unwrap_or_default());
    let mut declared = Vec::new();
    for (_, after) in text
        .match_indices(TEST)
        .map(|(at, _)| text.split_at(at + TEST.len()))
    {
        let line = after
            .lines()
            .map(str::trim)
            .find(|line| !line.is_empty() && !line.starts_with("#["));
        let name = line.and_then(|line| line.split_once("mod ")?.1.strip_suffix(';'));
        for folder in name.iter().flat_map(|_| [folder, &own]) {
            let module = folder.join(name.unwrap_or_default()).display().to_string();
            declared.extend([format!("{module}.rs"), format!("{module}/")]);
        }
    }
    declared
}

fn is_test(path: &str, for_tests: &BTreeSet<String>) -> bool {
    let name = path
        .rsplit('/')
        .next()
        .unwrap_or(path)
        .trim_end_matches(".rs");
    let named = ["test", "tests"].contains(&name)
        || name.starts_with("tests_")
        || name.ends_with("_test")
        || name.ends_with("_tests");
    named
        || path.contains("/tests/")
        || path.contains("waynote-test")
        || for_tests.contains(path)
        || for_tests
            .iter()
            .any(|of| of.ends_with('/') && path.starts_with(of.as_str()))
}

/// The lines of product and of tests in a file.
fn lines(text: &str, is_test: bool) -> (usize, usize) {
    let (mut product, mut tests) = (0, 0);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim().starts_with(TEST) && !is_test {
            let mut code = 1;
            while lines
                .peek()
                .is_some_and(|line| line.trim().starts_with("#["))
            {
                lines.next();
                code += 1;
            }
            let module = lines.peek().copied().unwrap_or_default();
            if module.contains("mod ") && module.ends_with('{') {
                let indent = module.len() - module.trim_start().len();
                let end = format!("{}}}", " ".repeat(indent));
                tests += lines
                    .by_ref()
                    .take_while(|line| *line != end)
                    .filter(|line| is_code(line))
                    .count();
                continue;
            }
            product += code;
        } else if is_code(line) {
            product += 1;
        }
    }
    if is_test {
        (0, product + tests)
    } else {
        (product, tests)
    }
}

fn is_code(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_no_code_and_test_modules_are_tests() {
        let text = "//! A crate.\n\nfn a() {\n    // Why.\n    b();\n}\n\n#[cfg(test)]\nmod tests {\n    fn c() {\n    }\n}\nfn d() {}\n";
        assert_eq!(lines(text, false), (4, 3));
        assert_eq!(lines(text, true), (0, 9));
    }

    #[test]
    fn a_part_over_its_limit_is_named_and_each_part_has_one() {
        let caps: Caps = toml::from_str(include_str!("../caps.toml")).unwrap();
        assert_eq!(part("crates/waynote/src/lib.rs"), "crates/waynote");
        for path in [
            "tools/kit/src/lib.rs",
            "examples/a/src/main.rs",
            "xtask/src/main.rs",
        ] {
            assert!(caps.parts.contains_key(&part(path)), "{path}");
        }
        let (lines, cap) = (
            Lines {
                product: 3,
                tests: 1,
            },
            Lines {
                product: 2,
                tests: 1,
            },
        );
        let mut over = Vec::new();
        row("crates/a", lines, cap, &mut over);
        assert_eq!(over, ["crates/a has 3 lines of product, 2 are allowed"]);
    }

    #[test]
    fn a_module_declared_for_tests_is_one_with_all_below_it() {
        let declared =
            declared_for_tests("a/src/store.rs", "#[cfg(test)]\nmod fixture;\nmod rows;\n")
                .into_iter()
                .collect();
        assert!(is_test("a/src/store/fixture.rs", &declared));
        assert!(is_test("a/src/store/fixture/rows.rs", &declared));
        assert!(!is_test("a/src/store/rows.rs", &declared));
        assert!(is_test("a/tests/suite/main.rs", &declared));
    }
}
