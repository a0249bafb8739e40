//! Why a tool refused a call, and what its reply is made of. A reply is one plain text: some clients forward only the
//! structured content if there is any, and some forward only the first of several texts.

use rmcp::ErrorData;
use waynote::ErrorClass;

use crate::hints;

/// A refusal: the refused request, the reason, and a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The family of the error.
    pub class: ErrorClass,
    /// The refused request, and the reason.
    pub what: String,
    /// The hint; empty if there is none.
    pub hint: String,
}

impl Refusal {
    /// A refusal of an invalid request.
    pub fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            class: ErrorClass::Invalid,
            what: what.into(),
            hint: hint.into(),
        }
    }

    /// A refusal in one sentence, without a hint.
    pub(crate) fn only(what: impl Into<String>) -> Self {
        Self::new(what, "")
    }

    /// A refusal of a valid request for something that does not exist.
    pub(crate) fn not_found(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            class: ErrorClass::NotFound,
            ..Self::new(what, hint)
        }
    }

    /// As a model reads it. Clients keep replies, so credentials from the request are masked.
    pub(crate) fn text(&self) -> String {
        let text = match self.hint.as_str() {
            "" => self.what.clone(),
            hint => format!("{}\n{hint}", self.what),
        };
        plain(&text)
    }

    /// As an error of the protocol, for requests other than tool calls.
    pub(crate) fn error(&self) -> ErrorData {
        let text = self.text();
        match self.class {
            ErrorClass::Invalid => ErrorData::invalid_params(text, None),
            ErrorClass::NotFound => ErrorData::resource_not_found(text, None),
            ErrorClass::Conflict
            | ErrorClass::Refused
            | ErrorClass::Limit
            | ErrorClass::Blocked => ErrorData::invalid_request(text, None),
            // Damaged, busy, unreachable, denied, and the kinds that later versions add.
            _ => ErrorData::internal_error(text, None),
        }
    }
}

/// The result of a tool, which a model may write back: as it is, without hidden characters, credentials and tags that
/// only clients write.
pub(crate) fn plain(text: &str) -> String {
    waynote::visible::plain(&waynote::secrets::masked(text))
}

/// Any other text as a model reads it: like a note in the block, with all controls as codes.
pub(crate) fn for_model(text: &str) -> String {
    waynote::visible::for_model(&waynote::secrets::masked(text))
}

/// The refusal for an error of the library.
impl From<waynote::Error> for Refusal {
    fn from(error: waynote::Error) -> Self {
        Self {
            class: error.class(),
            what: waynote::visible::lines(&error.to_string()),
            hint: hints::hint(&error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_decides_the_protocols_code() {
        let code = |class| {
            let refusal = Refusal {
                class,
                ..Refusal::only("it")
            };
            refusal.error().code.0
        };
        let all = [
            (ErrorClass::Invalid, -32602),
            (ErrorClass::NotFound, -32002),
            (ErrorClass::Conflict, -32600),
            (ErrorClass::Refused, -32600),
            (ErrorClass::Limit, -32600),
            (ErrorClass::Blocked, -32600),
            (ErrorClass::Damaged, -32603),
            (ErrorClass::Busy, -32603),
            (ErrorClass::Unreachable, -32603),
            (ErrorClass::Denied, -32603),
        ];
        for (class, expected) in all {
            assert_eq!(code(class), expected, "{class:?}");
        }
        let missing = waynote::Error::NotFound { what: "x".into() };
        let refusal = Refusal::from(missing);
        assert_eq!(refusal.error().code.0, -32002);
        assert_eq!(refusal.text(), "there is no x\nnote_list shows what exists");
    }
}
