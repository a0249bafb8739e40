//! What a hook prints: each client's own schema, to the key. The types read what they write, strictly, so that `doctor` can hold
//! a hook's answer against the schema of the client that asked.

use serde::{Deserialize, Serialize};

use super::{Client, Event};

/// Longer texts are cut by the clients or put into a file: Claude Code's and Codex's limit, in UTF-16 units.
pub(crate) const MOST_UNITS: usize = 10_000;

/// How long a text is for a client.
pub(crate) fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// The form that Claude Code, Codex, Gemini CLI and VS Code share.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nested<'t> {
    #[serde(rename = "hookSpecificOutput", borrow)]
    specific: Specific<'t>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Specific<'t> {
    #[serde(rename = "hookEventName")]
    event: std::borrow::Cow<'t, str>,
    #[serde(rename = "additionalContext")]
    context: std::borrow::Cow<'t, str>,
}

/// Cursor's form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Flat<'t> {
    additional_context: std::borrow::Cow<'t, str>,
}

/// The answer that adds a text.
pub(crate) fn adding(client: Client, event: Event, text: &str) -> String {
    let json = match client {
        // Its plugin takes the text as it is.
        Client::Opencode => return text.to_owned(),
        // It takes no text from hooks.
        Client::Goose => return String::new(),
        Client::Cursor => serde_json::to_string(&Flat {
            additional_context: text.into(),
        }),
        Client::ClaudeCode | Client::Codex | Client::Gemini | Client::Vscode => {
            serde_json::to_string(&Nested {
                specific: Specific {
                    event: event.word(client).unwrap_or_default().into(),
                    context: text.into(),
                },
            })
        }
    };
    match json {
        Ok(json) => json + "\n",
        Err(_) => nothing(client).to_owned(),
    }
}

/// The answer that adds nothing.
pub(crate) fn nothing(client: Client) -> &'static str {
    match client {
        Client::Opencode | Client::Goose => "",
        _ => "{}\n",
    }
}

/// Reads an answer as the client does, and gives the text that it adds.
pub(crate) fn read(client: Client, event: Event, answer: &str) -> Result<String, String> {
    let wrong = |error: serde_json::Error| {
        format!("the answer is not what {} reads: {error}", client.title())
    };
    match client {
        Client::Opencode | Client::Goose => Ok(answer.to_owned()),
        _ if answer.trim() == "{}" => Ok(String::new()),
        Client::Cursor => {
            let read: Flat<'_> = serde_json::from_str(answer).map_err(wrong)?;
            Ok(read.additional_context.into_owned())
        }
        _ => {
            let read: Nested<'_> = serde_json::from_str(answer).map_err(wrong)?;
            let expected = event.word(client).unwrap_or_default();
            if read.specific.event != expected {
                return Err(format!(
                    "the answer is for `{}`, {} asked for `{expected}`",
                    read.specific.event,
                    client.title()
                ));
            }
            if units(&read.specific.context) > MOST_UNITS {
                return Err(format!("the text is over {MOST_UNITS} characters"));
            }
            Ok(read.specific.context.into_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_were_written() {
        let text = "## Notes\n\n\"quoted\" \u{1F600} {\"hookSpecificOutput\":{}}\n";
        for client in Client::ALL {
            let Some(event) = Event::of_block(client) else {
                continue;
            };
            let answer = adding(client, event, text);
            assert_eq!(read(client, event, &answer).unwrap(), text);
            assert_eq!(read(client, event, nothing(client)).unwrap(), "");
        }
    }

    #[test]
    fn a_key_too_many_is_no_answer() {
        let answer = r#"{"additionalContext": "x"}"#;
        assert!(read(Client::Codex, Event::SessionStart, answer).is_err());
        let answer = adding(Client::Codex, Event::SubagentStart, "x");
        assert!(read(Client::Codex, Event::SessionStart, &answer).is_err());
        assert!(read(Client::Cursor, Event::SessionStart, &answer).is_err());
        let long = adding(Client::Codex, Event::SessionStart, &"x".repeat(10_001));
        assert!(read(Client::Codex, Event::SessionStart, &long).is_err());
    }
}
