//! The definition of a tool: its name, its parameters, its effect on notes.

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::json;

use crate::call::Call;
pub(crate) use crate::parameter::{Kind, Parameter, optional, required};
use crate::reply::Refusal;

/// A tool.
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    /// The description for a model.
    pub(crate) about: &'static str,
    pub(crate) parameters: &'static [Parameter],
    pub(crate) effect: Effect,
    pub(crate) run: fn(&mut Call<'_>) -> Result<String, Refusal>,
}

/// The effect of a tool on notes. No tool destroys anything: `undo` restores all. Still, a client is more likely to ask
/// its user about a change of a text than about an addition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Reads,
    /// Only adds; again adds again.
    Adds,
    /// Changes an existing text; a repetition changes nothing more.
    Sets,
    /// Changes an existing text, and removes text.
    Overwrites,
    /// The same, and doing it again may do more, or fail.
    Edits,
}

/// Claude Code hides tools behind a search of its own, where an agent seldom looks for them. Ours are few and short: it
/// shows those that say so at once.
fn always_loaded() -> MetaObject {
    let mut meta = JsonObject::new();
    meta.insert("anthropic/alwaysLoad".into(), true.into());
    MetaObject(meta)
}

/// The words about a key that are true in a project alone.
const OF_PROJECT: &str = "a fact of this project; with `scope` agent: ";

impl Spec {
    /// As clients see it; `is_nowhere`: where no project is known.
    pub(crate) fn listed(&self, is_nowhere: bool) -> Tool {
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
        let about = match is_nowhere {
            true => self.about.replace(OF_PROJECT, ""),
            false => self.about.into(),
        };
        Tool::new(self.name, about, schema)
            .with_annotations(self.annotations())
            .with_meta(always_loaded())
    }

    /// Only the annotations that differ from the protocol's defaults, and those that distinguish the tools that change
    /// notes.
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
