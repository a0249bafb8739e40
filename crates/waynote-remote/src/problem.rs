//! The other side's errors (RFC 9457) as errors of the library.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use waynote::{Error, ErrorClass, Note, wire};

/// An error as a server of waynote, or a proxy before it, tells it.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Problem {
    #[serde(rename = "type")]
    reference: String,
    title: String,
    status: u16,
    pub(crate) detail: String,
    hint: Option<String>,
    kind: String,
    #[serde(deserialize_with = "if_known")]
    class: Option<ErrorClass>,
    #[serde(deserialize_with = "if_known")]
    current: Option<Box<Note>>,
    fields: Option<Value>,
}

impl Problem {
    /// The library's error with these fields; none if this version does not know it. `store` is the URL of the store,
    /// in place of a path.
    pub(crate) fn known(&self, store: &str) -> Option<Error> {
        wire::error(self.fields.as_ref()?, self.current.clone(), store)
    }

    /// The error in the words of the other side.
    pub(crate) fn in_its_words(self) -> Error {
        // The name of the reference gives the kind too.
        let named = self.reference.rsplit([':', '/']).next().unwrap_or_default();
        Error::Remote {
            kind: match self.kind.as_str() {
                "" if named.is_empty() => "problem".into(),
                "" => named.to_owned(),
                _ => self.kind,
            },
            class: self.class.unwrap_or_else(|| class_of(self.status)),
            message: match self.detail.as_str() {
                "" => self.title,
                _ => self.detail,
            },
            advice: self.hint,
        }
    }
}

/// Leaves out a value that only a later version knows: the words of the problem remain.
fn if_known<'de, T: DeserializeOwned, D: Deserializer<'de>>(of: D) -> Result<Option<T>, D::Error> {
    let value = Value::deserialize(of)?;
    Ok(serde_json::from_value(value).ok())
}

/// The class for a status, where nothing else is known.
fn class_of(status: u16) -> ErrorClass {
    match status {
        401 | 403 => ErrorClass::Denied,
        404 | 410 => ErrorClass::NotFound,
        409 | 412 => ErrorClass::Conflict,
        413 | 422 => ErrorClass::Limit,
        429 | 503 => ErrorClass::Busy,
        400..500 => ErrorClass::Invalid,
        _ => ErrorClass::Unreachable,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_problem_of_a_later_version_is_an_error_in_its_words() {
        let of = |problem: Value| serde_json::from_value::<Problem>(problem).unwrap();
        let problem = of(json!({
            "type": "urn:waynote:problem:tired", "title": "tired", "status": 503, "detail": "the store is tired",
            "hint": "let it sleep", "kind": "tired", "class": "sleepy", "fields": { "kind": "tired", "hours": 8 },
        }));
        assert!(problem.known("https://notes.example/s/main").is_none());
        let error = problem.in_its_words();
        assert_eq!(error.to_string(), "the store is tired");
        assert_eq!((error.kind(), error.class()), ("tired", ErrorClass::Busy));
        assert_eq!(error.advice().as_deref(), Some("let it sleep"));
        // Any HTTP server may send this.
        let error = of(json!({ "type": "about:blank", "title": "Not Found", "status": 404 }));
        let error = error.in_its_words();
        assert_eq!(
            (error.kind(), error.to_string()),
            ("blank", "Not Found".into())
        );
        assert_eq!(error.class(), ErrorClass::NotFound);
    }
}
