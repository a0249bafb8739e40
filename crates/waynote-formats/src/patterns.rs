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
    let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
    let magic = pattern.find(['*', '?', '[', '{', '!']);
    let plain = &pattern[..magic.unwrap_or(pattern.len())];
    plain
        .rsplit_once('/')
        .map_or("", |(directory, _)| directory)
}

/// A paragraph that names the patterns, if there are any.
pub(crate) fn line(patterns: &[String]) -> String {
    let patterns = patterns.iter().map(|pattern| format!("`{pattern}`"));
    match patterns.collect::<Vec<_>>() {
        patterns if patterns.is_empty() => String::new(),
        patterns => format!("\n\nApplies to: {}", patterns.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_a_directory() {
        for (patterns, expected) in [
            ("src/**", Some("src")),
            ("src/pay/**/*,src/api/*.ts", Some("src")),
            ("/src/pay.rs", Some("src")),
            ("src/a*/x", Some("src")),
            ("srcs/x,src/y", None),
            ("**/*.ts", None),
            ("../out/**", None),
            ("", None),
        ] {
            let all: Vec<String> = patterns.split(',').map(str::to_owned).collect();
            assert_eq!(directory(&all), expected, "{patterns}");
        }
    }
}
