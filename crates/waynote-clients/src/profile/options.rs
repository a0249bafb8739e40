//! The options of the program that stand before its command, in the files of clients.

/// The option that names a store.
pub(crate) const STORE: &str = "--store";

/// The option that sets a setting which has no option of its own: `--set NAME=VALUE`.
const SET: &str = "--set";

/// The options that take no value.
const ALONE: [&str; 2] = ["--attach", "--json"];

/// How many of the words behind a program are its options: those before its command.
pub(crate) fn length<T: AsRef<str>>(words: &[T]) -> usize {
    let mut length = 0;
    while let Some(word) = words.get(length).map(AsRef::as_ref)
        && word.starts_with("--")
    {
        length += words_of(word);
    }
    length.min(words.len())
}

/// The value of an option.
pub(super) fn value<'w>(words: &'w [String], option: &str) -> Option<&'w str> {
    let mut all = all(words);
    all.find_map(|(_, name, value)| (name == option).then_some(value))
}

/// The options with this one, in the place of one with the same name.
pub(super) fn with(words: &[String], option: &str, value: &str) -> Vec<String> {
    let setting = |value: &str| (option == SET).then(|| value.split('=').next().map(str::to_owned));
    let mut all = all(words);
    let old = all.find(|(_, name, old)| *name == option && setting(old) == setting(value));
    let old = old.map_or(words.len()..words.len(), |(at, ..)| {
        at..(at + words_of(&words[at])).min(words.len())
    });
    let mut words = words.to_vec();
    words.splice(old, [option.to_owned(), value.to_owned()]);
    words
}

/// Each option: where it stands, its name and its value.
fn all(words: &[String]) -> impl Iterator<Item = (usize, &str, &str)> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let at = next;
        let word = words.get(at)?;
        next += words_of(word);
        let (name, value) = match word.split_once('=') {
            Some(joined) => joined,
            None => (word.as_str(), words.get(at + 1).map_or("", String::as_str)),
        };
        Some((at, name, value))
    })
}

/// How many words an option has that begins with this one.
fn words_of(word: &str) -> usize {
    match ALONE.contains(&word) || word.contains('=') {
        true => 1,
        false => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn options_end_where_the_command_begins() {
        for (text, expected) in [
            ("", 0),
            ("mcp", 0),
            ("mcp --agent x", 0),
            ("--agent hook hook codex", 2),
            ("--agent=hook hook codex", 1),
            ("--json --store a=b --set style=faithful mcp", 5),
            ("--agent", 1),
        ] {
            assert_eq!(length(&words(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_second_value_takes_the_place_of_the_first() {
        let told =
            |text: &str, option: &str, value: &str| with(&words(text), option, value).join(" ");
        assert_eq!(told("", "--agent", "a"), "--agent a");
        assert_eq!(
            told("--agent a --session s", "--agent", "b"),
            "--agent b --session s"
        );
        assert_eq!(
            told("--json --agent=a --attach", "--agent", "b"),
            "--json --agent b --attach"
        );
        assert_eq!(
            told("--set style=stable --set budget=5", "--set", "budget=9"),
            "--set style=stable --set budget=9"
        );
        assert_eq!(
            told("--set style=stable", "--set", "budget=9"),
            "--set style=stable --set budget=9"
        );
        assert_eq!(told("--agent", "--agent", "b"), "--agent b");
        assert_eq!(value(&words("--agent a --store s"), STORE), Some("s"));
        assert_eq!(value(&words("--agent --store"), STORE), None);
    }
}
