//! `cargo xtask lines`: the lines of code of each crate, without blank lines and comments.
//!
//! Tests are folders and files of that name, files that only a `#[cfg(test)]` declares, and `#[cfg(test)]` modules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

const TEST: &str = "#[cfg(test)]";

/// The lines of code of one crate, or of all.
#[derive(Clone, Copy, Default)]
struct Lines {
    product: usize,
    tests: usize,
}

/// Prints the figures of each crate and of each program for contributors, and their sums.
pub(crate) fn print() -> Result<()> {
    let listed = Command::new("git").args(["ls-files", "*.rs"]).output()?;
    ensure!(
        listed.status.success(),
        "`git ls-files` failed: the lines of a checkout are counted"
    );
    let listed = String::from_utf8(listed.stdout)?;
    let mut files = Vec::new();
    for path in listed.lines() {
        files.push((path, fs::read_to_string(path)?));
    }
    let for_tests: BTreeSet<String> = files
        .iter()
        .flat_map(|(path, text)| declared_for_tests(path, text))
        .collect();
    let mut crates: BTreeMap<String, Lines> = BTreeMap::new();
    for (path, text) in &files {
        let name = path
            .split('/')
            .take_while(|part| !["src", "tests"].contains(part));
        let name = name
            .filter(|part| !part.ends_with(".rs"))
            .collect::<Vec<_>>()
            .join("/");
        let (product, tests) = lines(text, is_test(path, &for_tests));
        let sum = crates.entry(name).or_default();
        sum.product += product;
        sum.tests += tests;
    }
    let (mut all, mut tools) = (Lines::default(), 0);
    println!("{:<32}{:>8}{:>8}", "", "product", "tests");
    for (name, Lines { product, tests }) in &crates {
        println!("{name:<32}{product:>8}{tests:>8}");
        if name.starts_with("crates/") {
            all.product += product;
            all.tests += tests;
        } else {
            tools += product + tests;
        }
    }
    println!("{:<32}{:>8}{:>8}", "crates", all.product, all.tests);
    println!("{:<32}{tools:>8}", "xtask, tools and the rest");
    Ok(())
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
