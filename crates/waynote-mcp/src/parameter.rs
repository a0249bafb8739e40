//! A parameter of a tool. The schema that clients see and the check of what they send are made from it.

use serde_json::{Value, json};

/// A parameter of a tool.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) is_required: bool,
    /// The description for a model; empty if the name says enough.
    pub(crate) about: &'static str,
}

/// The type of a parameter's value.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A text. An empty value of an optional parameter counts as absent: models send empty texts for arguments they
    /// leave out.
    Text,
    /// A text that is taken as it is, even where it is empty.
    Verbatim,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number from there on.
    Number(i64),
    Flag,
    /// A list of texts.
    Texts,
    /// Two whole numbers.
    Range,
}

/// A parameter that must be given.
pub(crate) const fn required(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter {
        name,
        kind,
        is_required: true,
        about,
    }
}

/// A parameter that may be left away.
pub(crate) const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter {
        name,
        kind,
        is_required: false,
        about,
    }
}

impl Parameter {
    /// The JSON schema that clients see.
    pub(crate) fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text | Kind::Verbatim => json!({ "type": "string" }),
            Kind::Word(words) => json!({ "type": "string", "enum": words }),
            Kind::Number(least) => json!({ "type": "integer", "minimum": least }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Kind::Range => {
                json!({ "type": "array", "items": { "type": "integer" }, "minItems": 2, "maxItems": 2 })
            }
        };
        if !self.about.is_empty() {
            schema["description"] = self.about.into();
        }
        schema
    }
}
