//! The command of a hook: whether it is one of ours, and its program.

use waynote_system::shell::quoted;

use super::entry::is_our_program;

/// The program of a command that runs a hook of ours and does nothing else.
pub(crate) fn our_program(command: &str) -> Option<String> {
    let mut words = shlex::split(command)?.into_iter();
    // Variables that a person sets for it stand before it.
    let program = words.find(|word| !is_assignment(word))?;
    let words: Vec<String> = words.collect();
    let is_more = |word: &String| {
        matches!(word.as_str(), "&" | "&&")
            || word.contains(['|', ';', '<', '>', '`'])
            || word.contains("$(")
    };
    let is_hook = words.iter().any(|word| word == "hook") && !words.iter().any(is_more);
    (is_hook && is_our_program(&program)).then_some(program)
}

/// A command of ours with the program of another one. What a person added to it stays.
pub(crate) fn with_program_of(command: &str, other: &str) -> String {
    let (Some(own), Some(now)) = (our_program(command), our_program(other)) else {
        return command.to_owned();
    };
    if own == now {
        return command.to_owned();
    }
    let forms = [quoted(&own), format!("'{own}'"), format!("\"{own}\""), own];
    let form = forms.iter().find(|form| command.contains(*form));
    match form {
        Some(form) => command.replacen(form, &quoted(&now), 1),
        None => other.to_owned(),
    }
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
                "/opt/way note/waynote",
            ),
            ("\"/opt/$x (y)/waynote\" hook codex", "/opt/$x (y)/waynote"),
            (
                "waynote --store 'https://notes.example/s/a?b=c&d=e' hook codex",
                "waynote",
            ),
            ("A=1 WAYNOTE_AGENT='x y' waynote hook codex", "waynote"),
        ] {
            assert_eq!(our_program(ours).as_deref(), Some(program), "{ours}");
        }
        for other in [
            "say done",
            "waynote context",
            "my-waynote hook x",
            "/x/waynotes hook y",
            "echo waynote hook codex",
            "cd /x && waynote hook codex SessionStart",
            "waynote hook codex SessionStart | tee log",
            "waynote hook codex; date",
            "waynote hook codex && date",
            "waynote hook codex $(date)",
            "'waynote hook codex",
            "",
        ] {
            assert_eq!(our_program(other), None, "{other}");
        }
    }

    #[test]
    fn a_program_that_moved_leaves_the_rest_of_a_command_as_it_is() {
        for (command, now) in [
            (
                "A=1 '/old dir/waynote' hook codex --budget 5",
                "A=1 /new/waynote hook codex --budget 5",
            ),
            ("waynote hook codex", "/new/waynote hook codex"),
            (
                "/o\\ x/waynote hook codex",
                "/new/waynote hook codex SessionStart",
            ),
        ] {
            let other = "/new/waynote hook codex SessionStart";
            assert_eq!(with_program_of(command, other), now);
        }
    }
}
