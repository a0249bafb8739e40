//! What a tool is: its name, what it takes, what it does to notes. The schema that clients see and the check of what
//! they send are made from the same list of parameters.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use crate::call::Call;
use crate::reply::{Refusal, Reply};

/// A tool.
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    /// What a model is told.
    pub(crate) about: &'static str,
    pub(crate) parameters: &'static [Parameter],
    pub(crate) effect: Effect,
    /// The schema of its structured replies, if it gives any.
    pub(crate) output: Option<fn() -> Value>,
    pub(crate) run: fn(&mut Call<'_>) -> Result<Reply, Refusal>,
}

/// A parameter of a tool.
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) is_required: bool,
    /// What a model is told; nothing where the name says it.
    pub(crate) about: &'static str,
}

/// What a parameter takes.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number from there on.
    Number(i64),
    Flag,
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

/// What a tool does to notes. Nothing is destroyed by any: `undo` brings all back. Still, a client asks its user sooner
/// about what changes a text than about what adds one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Reads,
    /// Only adds; again adds again.
    Adds,
    /// Changes what is there; again changes nothing more.
    Sets,
    /// Changes what is there, and takes texts away.
    Overwrites,
    /// The same, and doing it again may do more, or fail.
    Edits,
}

impl Spec {
    /// As clients see it.
    pub(crate) fn listed(&self) -> Tool {
        let mut properties = JsonObject::new();
        let mut required = Vec::new();
        for parameter in self.parameters {
            properties.insert(parameter.name.into(), parameter.schema());
            if parameter.is_required {
                required.push(parameter.name);
            }
        }
        let mut schema = JsonObject::new();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), properties.into());
        if !required.is_empty() {
            schema.insert("required".into(), json!(required));
        }
        schema.insert("additionalProperties".into(), false.into());
        let mut tool =
            Tool::new(self.name, self.about, schema).with_annotations(self.annotations());
        if let Some(Value::Object(output)) = self.output.map(|output| output()) {
            tool = tool.with_raw_output_schema(output.into());
        }
        tool
    }

    /// Only what differs from the protocol's defaults, but for what tells apart tools that change notes.
    fn annotations(&self) -> ToolAnnotations {
        let closed = ToolAnnotations::new().open_world(false);
        match self.effect {
            Effect::Reads => closed.read_only(true),
            Effect::Adds => closed.destructive(false),
            Effect::Sets => closed.destructive(false).idempotent(true),
            Effect::Overwrites => closed.destructive(true).idempotent(true),
            Effect::Edits => closed.destructive(true),
        }
    }
}

impl Parameter {
    fn schema(&self) -> Value {
        let mut schema = match self.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Word(words) => json!({ "type": "string", "enum": words }),
            Kind::Number(least) => json!({ "type": "integer", "minimum": least }),
            Kind::Flag => json!({ "type": "boolean" }),
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
