//! What a hook prints, with exactly the keys that its client reads. The types can also parse what they write, strictly,
//! so that `doctor` can check a hook's answer against the form that the client expects.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The limit of Claude Code and Codex, in UTF-16 units: they cut longer texts, or put them into a file.
pub(crate) const MAX_UNITS: usize = 10_000;

/// The length of a text as clients count it.
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
    event: Cow<'t, str>,
    #[serde(rename = "additionalContext")]
    context: Cow<'t, str>,
}

/// Cursor's form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Flat<'t> {
    additional_context: Cow<'t, str>,
}

/// The form of a hook's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `hookSpecificOutput` with the event and the text.
    Nested,
    /// `additional_context` alone.
    Flat,
    /// The text as it is.
    Text,
    /// The client takes no text from hooks.
    None,
}

impl Form {
    /// The answer that adds a text at an event; `event` is the client's own name for it.
    pub(crate) fn adding(self, event: &str, text: &str) -> String {
        let json = match self {
            Self::Text => return text.to_owned(),
            Self::None => return String::new(),
            Self::Flat => serde_json::to_string(&Flat {
                additional_context: text.into(),
            }),
            Self::Nested => serde_json::to_string(&Nested {
                specific: Specific {
                    event: event.into(),
                    context: text.into(),
                },
            }),
        };
        match json {
            Ok(json) => json + "\n",
            Err(_) => self.nothing().to_owned(),
        }
    }

    /// The answer that adds nothing.
    pub(crate) fn nothing(self) -> &'static str {
        match self {
            Self::Text | Self::None => "",
            Self::Flat | Self::Nested => "{}\n",
        }
    }

    /// Reads an answer as the client does, and gives the text that it adds.
    pub(crate) fn read(self, event: &str, answer: &str) -> Result<String, NotRead> {
        match self {
            Self::Text | Self::None => Ok(answer.to_owned()),
            _ if answer.trim() == "{}" => Ok(String::new()),
            Self::Flat => {
                let read: Flat<'_> = serde_json::from_str(answer)?;
                Ok(read.additional_context.into_owned())
            }
            Self::Nested => {
                let Nested { specific } = serde_json::from_str(answer)?;
                if specific.event != event {
                    return Err(NotRead::OtherEvent(specific.event.into_owned()));
                }
                if units(&specific.context) > MAX_UNITS {
                    return Err(NotRead::TooLong);
                }
                Ok(specific.context.into_owned())
            }
        }
    }
}

/// Why a client would not accept an answer.
#[derive(Debug)]
pub(crate) enum NotRead {
    /// It has another form.
    Form(serde_json::Error),
    /// It is the answer to another event.
    OtherEvent(String),
    /// Its text is over [`MAX_UNITS`].
    TooLong,
}

impl From<serde_json::Error> for NotRead {
    fn from(error: serde_json::Error) -> Self {
        Self::Form(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [Form; 3] = [Form::Nested, Form::Flat, Form::Text];

    #[test]
    fn answers_are_read_as_they_were_written() {
        let text = "## Notes\n\n\"quoted\" \u{1F600} {\"hookSpecificOutput\":{}}\n";
        for form in FORMS {
            let answer = form.adding("SessionStart", text);
            assert_eq!(form.read("SessionStart", &answer).unwrap(), text);
            assert_eq!(form.read("SessionStart", form.nothing()).unwrap(), "");
        }
    }

    #[test]
    fn a_key_too_many_is_no_answer() {
        let is_read = |form: Form, answer: &str| form.read("SessionStart", answer).is_ok();
        assert!(!is_read(Form::Nested, r#"{"additionalContext": "x"}"#));
        let other = Form::Nested.adding("SubagentStart", "x");
        assert!(!is_read(Form::Nested, &other));
        assert!(!is_read(Form::Flat, &other));
        let long = |units| Form::Nested.adding("SessionStart", &"x".repeat(units));
        assert!(is_read(Form::Nested, &long(MAX_UNITS)));
        assert!(!is_read(Form::Nested, &long(MAX_UNITS + 1)));
    }
}
