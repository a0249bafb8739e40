//! The command of a hook: whether it is one of ours, and where in it the program stands.

use std::ops::Range;

use super::entry::is_our_program;
use crate::profile::options;

/// The range and the path of the program, both with its options, in a command that runs a hook of ours and does nothing
/// else. None of any other command.
pub(crate) fn our_program(command: &str) -> Option<(Range<usize>, String)> {
    let mut words = words(command)?.into_iter();
    // Variables that a person sets for it stand before it.
    let mut program = words.find(|word| !is_assignment(&word.text))?;
    let is_ours = is_our_program(&program.text);
    let words: Vec<Word> = words.collect();
    let (options, command) = words.split_at(options::length(&words));
    for option in options {
        program.text += &format!(" {}", option.text);
        program.range.end = option.range.end;
    }
    (is_ours && command.first()?.text == "hook").then_some((program.range, program.text))
}

/// True if a command runs a hook of ours, in any folder, and does nothing else.
pub(crate) fn is_ours(command: &str) -> bool {
    our_program(command).is_some()
}

struct Word {
    text: String,
    range: Range<usize>,
}

impl AsRef<str> for Word {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

/// The words of one simple command; none of anything that is more. A backslash before a letter stands for itself:
/// Windows' paths have them.
fn words(command: &str) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut word: Option<Word> = None;
    let mut quote = None;
    let mut chars = command.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        if quote.is_none() && char.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let own = word.get_or_insert_with(|| Word {
            text: String::new(),
            range: at..at,
        });
        match (quote, char) {
            (None, '\'' | '"') => quote = Some(char),
            (Some(open), _) if char == open => quote = None,
            (Some('\''), _) => own.text.push(char),
            (_, '$' | '`') => return None,
            (None, '|' | '&' | ';' | '<' | '>' | '(' | ')') => return None,
            (_, '\\')
                if chars
                    .peek()
                    .is_some_and(|(_, next)| !next.is_alphanumeric()) =>
            {
                own.text.extend(chars.next().map(|(_, next)| next));
            }
            _ => own.text.push(char),
        }
        own.range.end = chars.peek().map_or(command.len(), |(next, _)| *next);
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty()
        && name
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || char == '_')
}

#[cfg(test)]
mod tests {
    use waynote_system::shell::quoted;

    use super::*;

    #[test]
    fn commands_of_ours_are_known_wherever_the_program_is() {
        for (ours, program) in [
            ("waynote hook codex SessionStart", "waynote"),
            (
                "/opt/bin/waynote hook claude-code SessionStart --agent x",
                "/opt/bin/waynote",
            ),
            (
                "'/opt/way note/waynote' hook claude-code SessionStart",
                "'/opt/way note/waynote'",
            ),
            (
                "\"/opt/way note/waynote\" hook codex",
                "\"/opt/way note/waynote\"",
            ),
            (
                "/opt/way\\ note/waynote hook codex",
                "/opt/way\\ note/waynote",
            ),
            (
                "C:\\bin\\waynote.exe hook vscode SessionStart",
                "C:\\bin\\waynote.exe",
            ),
            (
                "waynote --store https://notes.example/s/a hook codex",
                "waynote --store https://notes.example/s/a",
            ),
            (
                "waynote --agent codex --set style=faithful hook codex SessionStart",
                "waynote --agent codex --set style=faithful",
            ),
            (
                "waynote --agent 'a hook' hook codex",
                "waynote --agent 'a hook'",
            ),
            ("A=1 WAYNOTE_AGENT='x y' waynote hook codex", "waynote"),
        ] {
            let found = our_program(ours).map(|(range, _)| &ours[range]);
            assert_eq!(found, Some(program), "{ours}");
        }
        for other in [
            "say done",
            "waynote context",
            "waynote --agent hook codex",
            "my-waynote hook x",
            "/x/waynotes hook y",
            "echo waynote hooked",
            "echo waynote hook codex",
            "cd /x && waynote hook codex SessionStart",
            "waynote hook codex SessionStart | tee log",
            "waynote hook codex $(date)",
            "'waynote hook codex",
            "",
        ] {
            assert_eq!(our_program(other), None, "{other}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_quoted_program_is_known_again(folder in "[ -~é]{0,20}") {
            let program = format!("/{folder}/waynote");
            let command = format!("{} hook codex SessionStart", quoted(&program));
            let found = our_program(&command);
            let (range, found) = found.unwrap();
            proptest::prop_assert_eq!(&command[range], quoted(&program));
            proptest::prop_assert_eq!(found, program);
        }

        #[test]
        fn no_command_panics(command in "\\PC*") {
            let _ = our_program(&command);
        }
    }
}
