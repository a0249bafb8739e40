//! The words that a user adds to a client's command line, as far as its permissions are in them.

use std::ffi::OsString;

/// Words of a command line, without invalid UTF-8: none of our options has any.
pub(crate) struct Words(Vec<String>);

impl Words {
    pub(crate) fn new(words: &[OsString]) -> Self {
        let words = words.iter().map(|word| word.to_string_lossy().into_owned());
        Self(words.collect())
    }

    /// True if one of these stands there alone.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.0.iter().any(|word| names.contains(&word.as_str()))
    }

    /// The values of an option: `--name VALUE`, `--name=VALUE`, and of a single letter `-nVALUE`.
    pub(crate) fn values(&self, names: &[&str]) -> Vec<&str> {
        self.collect(names, false)
    }

    /// The values of an option that takes every word up to the next option; each may hold several, with commas or
    /// blanks between them outside parentheses.
    pub(crate) fn lists(&self, names: &[&str]) -> Vec<String> {
        self.collect(names, true)
            .into_iter()
            .flat_map(parts)
            .collect()
    }

    fn collect(&self, names: &[&str], is_variadic: bool) -> Vec<&str> {
        let mut values = Vec::new();
        let mut takes = 0;
        for word in &self.0 {
            if takes > 0 && !(is_variadic && word.starts_with('-')) {
                values.push(word.as_str());
                takes -= usize::from(!is_variadic);
                continue;
            }
            takes = usize::from(names.contains(&word.as_str()));
            if takes == 0 {
                values.extend(names.iter().find_map(|name| value_within(word, name)));
            }
        }
        values
    }
}

/// The value in the same word as the option.
fn value_within<'w>(word: &'w str, name: &str) -> Option<&'w str> {
    let rest = word.strip_prefix(name)?;
    match rest.strip_prefix('=') {
        Some(value) => Some(value),
        None if !name.starts_with("--") && !rest.is_empty() => Some(rest),
        None => None,
    }
}

/// The rules in one word, as `Bash(git *),Edit`.
fn parts(word: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let split = word.split(|char| {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(char, ',' | ' ')
    });
    split
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Words {
        Words::new(&text.split('|').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_found_however_they_are_written() {
        let words = words("--mode|plan|-s|read-only|--mode=auto|-sall|--modes|x|--mode");
        assert_eq!(words.values(&["--mode"]), ["plan", "auto"]);
        assert_eq!(words.values(&["-s", "--sandbox"]), ["read-only", "all"]);
        assert!(words.has(&["--modes"]) && !words.has(&["plan2"]));
    }

    #[test]
    fn a_list_ends_at_the_next_option() {
        let words = words("--allow|Bash(git *)|Edit,Write|-x|Read|--allow=Bash(a, b) Glob");
        assert_eq!(
            words.lists(&["--allow"]),
            ["Bash(git *)", "Edit", "Write", "Bash(a, b)", "Glob"]
        );
    }
}
