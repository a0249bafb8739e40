//! The output of a hook, with exactly the keys that its client reads. The types can also parse it, strictly, so that
//! `doctor` can check a hook's answer against the form that the client expects.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The limit of clients in bytes: they cut longer texts, drop them, or put them into a file. Claude Code and Cursor count
/// 10,000 UTF-16 units, which are never more than bytes; Codex 2,500 tokens of four bytes.
pub(crate) const MAX_BYTES: usize = 10_000;

/// The form that Claude Code, Codex and Gemini CLI share.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NestedForm<'t> {
    #[serde(rename = "hookSpecificOutput", borrow)]
    specific: Specific<'t>,
    /// The client shows it to the person, never to the model.
    #[serde(
        rename = "systemMessage",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    shown: Option<Cow<'t, str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Specific<'t> {
    #[serde(rename = "hookEventName")]
    event: Cow<'t, str>,
    #[serde(rename = "additionalContext")]
    context: Cow<'t, str>,
}

/// The form of both of VS Code's own harnesses: Copilot's reads the text above, the local one the text within.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TwiceForm<'t> {
    #[serde(rename = "additionalContext")]
    context: Cow<'t, str>,
    #[serde(rename = "hookSpecificOutput", borrow)]
    specific: Specific<'t>,
}

/// Cursor's form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FlatForm<'t> {
    additional_context: Cow<'t, str>,
}

/// Antigravity's form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepsForm<'t> {
    #[serde(rename = "injectSteps", borrow)]
    steps: [Step<'t>; 1],
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step<'t> {
    #[serde(rename = "ephemeralMessage")]
    message: Cow<'t, str>,
}

/// The form of a hook's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `hookSpecificOutput` with the event and the text.
    Nested,
    /// As `Nested`, beside a line for the person.
    Shown,
    /// As `Nested`, and the text above it as `additionalContext`.
    Twice,
    /// `additional_context` alone.
    Flat,
    /// A message among the `injectSteps`.
    Steps,
    /// The text as it is.
    Text,
    /// The client takes no text from hooks.
    None,
}

impl Form {
    /// The answer that adds a text at an event; `event` is the client's own name for it. The person sees `line`, where the
    /// client can show one.
    pub(crate) fn adding(self, event: &str, text: &str, line: Option<&str>) -> String {
        let context = Cow::Borrowed(text);
        let specific = Specific {
            event: event.into(),
            context: context.clone(),
        };
        let json = match self {
            Self::Text => return text.to_owned(),
            Self::None => return String::new(),
            Self::Flat => serde_json::to_string(&FlatForm {
                additional_context: context,
            }),
            Self::Steps => serde_json::to_string(&StepsForm {
                steps: [Step { message: context }],
            }),
            Self::Nested | Self::Shown => serde_json::to_string(&NestedForm {
                specific,
                shown: line.filter(|_| self == Self::Shown).map(Cow::Borrowed),
            }),
            Self::Twice => serde_json::to_string(&TwiceForm { context, specific }),
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
            Self::Flat | Self::Steps | Self::Nested | Self::Shown | Self::Twice => "{}\n",
        }
    }

    /// Reads an answer as the client of that title does, and gives the text that it adds; else why it would not accept it.
    pub(crate) fn read(self, title: &str, event: &str, answer: &str) -> Result<String, String> {
        let unread = |error| format!("the answer is not what {title} reads: {error}");
        let specific = match self {
            Self::Text | Self::None => return Ok(answer.to_owned()),
            _ if answer.trim() == "{}" => return Ok(String::new()),
            Self::Flat => {
                let read: FlatForm<'_> = serde_json::from_str(answer).map_err(unread)?;
                return Ok(read.additional_context.into_owned());
            }
            Self::Steps => {
                let StepsForm { steps: [step] } = serde_json::from_str(answer).map_err(unread)?;
                return Ok(step.message.into_owned());
            }
            Self::Nested | Self::Shown => {
                let read: NestedForm<'_> = serde_json::from_str(answer).map_err(unread)?;
                if self == Self::Nested && read.shown.is_some() {
                    return Err(format!("{title} reads no `systemMessage`"));
                }
                Ok(read.specific)
            }
            Self::Twice => serde_json::from_str(answer).map(|read: TwiceForm<'_>| read.specific),
        };
        let Specific { event: of, context } = specific.map_err(unread)?;
        if of != event {
            return Err(format!(
                "the answer is for `{of}`, {title} asked for `{event}`"
            ));
        }
        if context.len() > MAX_BYTES {
            return Err(format!("the text is over {MAX_BYTES} bytes"));
        }
        Ok(context.into_owned())
    }
}

/// The form of an answer at the end of a turn, with which the agent goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// `decision` is `block`, with a reason for the agent.
    Block,
    /// `decision` is `deny`, with a reason for the agent.
    Deny,
    /// `followup_message`.
    Followup,
    /// The client takes none.
    None,
}

impl Ending {
    /// The answer that gives the agent a text.
    pub(crate) fn saying(self, text: &str) -> String {
        let answer = match self {
            Self::Block => serde_json::json!({ "decision": "block", "reason": text }),
            Self::Deny => serde_json::json!({ "decision": "deny", "reason": text }),
            Self::Followup => serde_json::json!({ "followup_message": text }),
            Self::None => return String::new(),
        };
        format!("{answer}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [Form; 6] = [
        Form::Steps,
        Form::Nested,
        Form::Shown,
        Form::Twice,
        Form::Flat,
        Form::Text,
    ];

    #[test]
    fn answers_are_read_as_they_were_written() {
        let text = "## Notes\n\n\"quoted\" \u{1F600} {\"hookSpecificOutput\":{}}\n";
        for form in FORMS {
            let answer = form.adding("SessionStart", text, Some("waynote: 1 note, 9 tokens"));
            assert_eq!(answer.contains("9 tokens"), form == Form::Shown);
            assert_eq!(form.read("client", "SessionStart", &answer).unwrap(), text);
            assert_eq!(
                form.read("client", "SessionStart", form.nothing()).unwrap(),
                ""
            );
        }
    }

    #[test]
    fn a_key_too_many_is_no_answer() {
        let is_read =
            |form: Form, answer: &str| form.read("client", "SessionStart", answer).is_ok();
        assert!(!is_read(Form::Nested, r#"{"additionalContext": "x"}"#));
        assert!(!is_read(
            Form::Nested,
            &Form::Twice.adding("SessionStart", "x", None)
        ));
        let shown = Form::Shown.adding("SessionStart", "x", Some("1 note"));
        assert!(!is_read(Form::Nested, &shown));
        let other = Form::Nested.adding("SubagentStart", "x", None);
        assert!(!is_read(Form::Nested, &other));
        assert!(!is_read(Form::Flat, &other));
        let long = |bytes| Form::Nested.adding("SessionStart", &"x".repeat(bytes), None);
        assert!(is_read(Form::Nested, &long(MAX_BYTES)));
        assert!(!is_read(Form::Nested, &long(MAX_BYTES + 1)));
    }
}
