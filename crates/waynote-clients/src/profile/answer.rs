//! The output of a hook, with exactly the keys that its client reads. It can also be read, strictly, so that `doctor` can
//! check a hook's answer against the form that the client expects.

use serde_json::Value;

/// The limit of clients in bytes: they cut longer texts, drop them, or put them into a file. Claude Code and Cursor count
/// 10,000 UTF-16 units, which are never more than bytes; Codex 2,500 tokens of four bytes.
pub(crate) const MAX_BYTES: usize = 10_000;

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
        let (event, context) = (Value::from(event), Value::from(text));
        let specific = format!(
            r#""hookSpecificOutput":{{"hookEventName":{event},"additionalContext":{context}}}"#
        );
        let members = match self {
            Self::Text => return text.to_owned(),
            Self::None => return String::new(),
            Self::Flat => format!(r#""additional_context":{context}"#),
            Self::Steps => format!(r#""injectSteps":[{{"ephemeralMessage":{context}}}]"#),
            Self::Twice => format!(r#""additionalContext":{context},{specific}"#),
            Self::Nested => specific,
            Self::Shown => match line {
                Some(line) => format!(r#"{specific},"systemMessage":{}"#, Value::from(line)),
                None => specific,
            },
        };
        format!("{{{members}}}\n")
    }

    /// The answer that adds nothing.
    pub(crate) fn nothing(self) -> &'static str {
        match self {
            Self::Text | Self::None => "",
            Self::Flat | Self::Steps | Self::Nested | Self::Shown | Self::Twice => "{}\n",
        }
    }

    /// Reads an answer as the client of that title does, and gives the text that it adds; else why it would not accept it:
    /// it has to be exactly what is written for that text.
    pub(crate) fn read(self, title: &str, event: &str, answer: &str) -> Result<String, String> {
        let place = match self {
            Self::Text | Self::None => return Ok(answer.to_owned()),
            _ if answer.trim() == "{}" => return Ok(String::new()),
            Self::Flat => "/additional_context",
            Self::Steps => "/injectSteps/0/ephemeralMessage",
            Self::Nested | Self::Shown | Self::Twice => "/hookSpecificOutput/additionalContext",
        };
        let unread = || format!("the answer is not what {title} reads at `{event}`: {answer:.200}");
        let read: Value = serde_json::from_str(answer).map_err(|_| unread())?;
        let text = read.pointer(place).and_then(Value::as_str);
        let text = text.ok_or_else(unread)?;
        let written = self.adding(event, text, read["systemMessage"].as_str());
        if serde_json::from_str(&written).is_ok_and(|written: Value| written != read) {
            return Err(unread());
        }
        if text.len() > MAX_BYTES {
            return Err(format!("the text is over {MAX_BYTES} bytes"));
        }
        Ok(text.to_owned())
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
