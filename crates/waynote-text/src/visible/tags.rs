//! Tags that agent clients put around what they say themselves. A note that holds one could end the client's own, or
//! look as if the client, the system or the user had said it.

use std::borrow::Cow;

use super::{is_ignorable, is_line_end};

/// The names of such tags, in lower case, between blanks.
const NAMES: &[&str] = &[
    // Claude Code
    "bash-input bash-stderr bash-stdout command-args command-contents command-message command-name function_calls",
    "function_result function_results ide_diagnostics ide_opened_file ide_selection invoke new-diagnostics",
    "persisted-output task-notification tool_use_error user-memory-input",
    // Codex
    "apps_instructions collaboration_mode environment_context model_switch permissions personality_spec",
    "plugins_instructions realtime_conversation skill skills_instructions subagent_notification turn_aborted",
    "user_action user_shell_command",
    // Cursor
    "additional_data attached_files open_and_recently_viewed_files project_layout user_info user_query user_rules",
    // Gemini CLI
    "extension_context global_context loaded_context project_context session_context state_snapshot",
    "untrusted_context",
    // opencode, Goose
    "available_skills env info-msg skill_content",
    // VS Code
    "attachment attachments conversation-summary editorcontext environment_info repomemory sessionmemory",
    "tool_references usermemory userrequest workspace_info",
    // Chat templates of models
    "assistant developer human system thinking tool_call tool_response tool_result tool_use user",
];

/// Parts of names that clients use for tags of many kinds: `system-reminder`, `user-prompt-submit-hook`, `hook_context`,
/// `local-command-stdout`, `user_instructions`, `reminderInstructions`.
const PARTS: &[&str] = &[
    "reminder",
    "instruction",
    "hook",
    "local-command",
    "system-",
    "system_",
    "antml",
    "workspace_rules",
];

/// The tags that are broken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    All,
    /// Those that can be nothing else: markup has tags such as `<user>`, too, and a model may write the text back.
    Clients,
}

/// The text with the `<` of each such tag written `&lt;`.
pub(super) fn broken(text: &str, which: Broken) -> Cow<'_, str> {
    let (mut out, mut after) = (String::new(), 0);
    let brackets = text.match_indices('<').map(|(at, _)| at);
    for at in brackets.filter(|at| is_tag(&text[..*at], &text[at + 1..], which)) {
        out.push_str(&text[after..at]);
        out.push_str("&lt;");
        after = at + 1;
    }
    if after == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[after..]);
    Cow::Owned(out)
}

/// True if a `<` begins such a tag, or a mark of a turn such as `<|im_start|>`.
fn is_tag(before: &str, rest: &str, which: Broken) -> bool {
    const LONGEST: usize = 48;
    // A reader of the text sees the same name with such characters in it.
    let seen = rest.chars().filter(|char| !is_ignorable(*char));
    let is_blank =
        |char: &char| *char != '\n' && (matches!(char, ' ' | '\t') || is_line_end(*char));
    let mut rest = seen
        .skip_while(|char| is_blank(char) || matches!(char, '/' | '\\'))
        .peekable();
    let is_mark = rest.next_if_eq(&'|').is_some();
    let is_name = |char: &char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | ':');
    let typed: String = std::iter::from_fn(|| rest.next_if(is_name))
        .take(LONGEST)
        .collect();
    if is_mark {
        return !typed.is_empty() && rest.next() == Some('|') && rest.next() == Some('>');
    }
    // `<user@host>` is an address, and `<system.web>` an element of a configuration.
    if typed.is_empty() || matches!(rest.peek(), Some('@' | '.')) {
        return false;
    }
    let name = typed.to_ascii_lowercase();
    if which == Broken::Clients && !name.contains(['-', '_', ':']) {
        return false;
    }
    // `Vec<User>` is a type.
    let is_type = before.ends_with(|char: char| char.is_alphanumeric()) && typed != name;
    let mut names = NAMES.iter().flat_map(|names| names.split(' '));
    names.any(|of| of == name) && !is_type || PARTS.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_broken_in_any_spelling() {
        for (text, shown) in [
            ("<system-reminder>", "&lt;system-reminder>"),
            ("</System-Reminder >", "&lt;/System-Reminder >"),
            ("< / system_reminder", "&lt; / system_reminder"),
            (
                "<system-reminder id=\"1\"/>",
                "&lt;system-reminder id=\"1\"/>",
            ),
            ("<\\/system-reminder>", "&lt;\\/system-reminder>"),
            ("<user-prompt-submit-hook>", "&lt;user-prompt-submit-hook>"),
            (
                "<hook_context>x</hook_context>",
                "&lt;hook_context>x&lt;/hook_context>",
            ),
            ("<environment_context>", "&lt;environment_context>"),
            (
                "<permissions instructions>",
                "&lt;permissions instructions>",
            ),
            ("<user_query>", "&lt;user_query>"),
            ("<local-command-stdout>", "&lt;local-command-stdout>"),
            ("<|im_start|>system", "&lt;|im_start|>system"),
            ("é<system>", "é&lt;system>"),
            ("<sys\u{ad}tem>", "&lt;sys\u{ad}tem>"),
            (
                "<\r/\u{200d}user_\u{fe0f}query>",
                "&lt;\r/\u{200d}user_\u{fe0f}query>",
            ),
        ] {
            assert_eq!(broken(text, Broken::All), shown);
        }
    }

    #[test]
    fn markup_stays_where_only_tags_of_clients_are_broken() {
        for text in [
            "<user>bob</user>",
            "<system>",
            "<hooks>",
            "<skill name=\"x\">",
            "<think>",
        ] {
            assert_eq!(broken(text, Broken::Clients), text);
        }
        for text in ["<system-reminder>", "</user_query>", "<|im_start|>"] {
            assert!(broken(text, Broken::Clients).starts_with("&lt;"), "{text}");
        }
    }

    #[test]
    fn other_text_in_angle_brackets_stays() {
        for text in [
            "Vec<User>::new()",
            "<div class=\"system\">",
            "a < b && c > d",
            "x |> f <| y",
            "<user@example.com>",
            "<system.web>",
            "<U+202E>",
            "<",
        ] {
            assert_eq!(broken(text, Broken::All), text);
        }
    }
}
