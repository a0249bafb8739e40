//! The patterns of files that a rule is for: `src/**/*.ts`.

use std::path::{Component, Path};

/// The directory that all the files are in, below the one that the patterns start from; none if that is the whole
/// project, or if a pattern leads out of it.
pub(crate) fn directory(patterns: &[String]) -> Option<&str> {
    let mut all = patterns.iter().map(|pattern| directory_of(pattern));
    let first = all.next()?;
    let common = all.fold(first, |common, next| {
        let mut shared = common;
        while !Path::new(next).starts_with(shared) {
            shared = shared.rsplit_once('/').map_or("", |(above, _)| above);
        }
        shared
    });
    let is_inside = Path::new(common)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    (is_inside && !common.is_empty()).then_some(common)
}

/// The directory before the first part of a pattern that is a pattern itself, or the last part: a file.
fn directory_of(pattern: &str) -> &str {
    let pattern = start(pattern);
    let magic = pattern.find(['*', '?', '[', '{', '!']);
    let plain = &pattern[..magic.unwrap_or(pattern.len())];
    plain
        .rsplit_once('/')
        .map_or("", |(directory, _)| directory)
}

fn start(pattern: &str) -> &str {
    pattern.trim_start_matches("./").trim_start_matches('/')
}

/// A line that names the patterns; none where the directory says it all.
pub(crate) fn line(patterns: &[String], directory: Option<&str>) -> Option<String> {
    let is_whole = |pattern: &String| {
        let rest = directory.and_then(|directory| start(pattern).strip_prefix(directory));
        matches!(rest, Some("/" | "/**" | "/**/*"))
    };
    if patterns.iter().all(is_whole) {
        return None;
    }
    let patterns: Vec<String> = patterns
        .iter()
        .map(|pattern| format!("`{pattern}`"))
        .collect();
    Some(format!("Applies to: {}", patterns.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_a_directory_or_are_named() {
        for (patterns, expected) in [
            ("src/**", "src"),
            ("src/**/*.ts", "src: Applies to: `src/**/*.ts`"),
            (
                "src/pay/**/*, src/api/*.ts",
                "src: Applies to: `src/pay/**/*`, `src/api/*.ts`",
            ),
            ("/src/pay.rs", "src: Applies to: `/src/pay.rs`"),
            ("src/a*/x", "src: Applies to: `src/a*/x`"),
            ("srcs/x,src/y", ": Applies to: `srcs/x`, `src/y`"),
            ("**/*.ts", ": Applies to: `**/*.ts`"),
            ("../out/**", ": Applies to: `../out/**`"),
            ("", ""),
        ] {
            let all: Vec<String> = patterns
                .split(',')
                .map(|one| one.trim().to_owned())
                .collect();
            let all = if patterns.is_empty() { Vec::new() } else { all };
            let directory = directory(&all);
            let line = line(&all, directory).map(|line| format!(": {line}"));
            let said = format!(
                "{}{}",
                directory.unwrap_or_default(),
                line.unwrap_or_default()
            );
            assert_eq!(said, expected, "{patterns}");
        }
    }
}
