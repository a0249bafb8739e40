//! Anthropic's memory tool: one tool with six commands over files below `/memories`.
//!
//! Its files are notes on places, so they have history and undo, and are found by search (see [`path`]).

mod edit;
mod files;
mod path;
mod view;

use crate::arguments::Arguments;
use crate::call::Call;
use crate::reply::Refusal;
use crate::tool::{Effect, Kind, Parameter, Spec, optional, required};

const COMMANDS: &[&str] = &[
    "view",
    "create",
    "str_replace",
    "insert",
    "delete",
    "rename",
];

pub(super) const TOOLS: &[Spec] = &[Spec {
    name: "memory",
    about: "Files that outlast this conversation, below /memories: view, create, str_replace, insert, delete, rename.",
    parameters: PARAMETERS,
    effect: Effect::Edits,
    run,
}];

const PARAMETERS: &[Parameter] = &[
    required("command", Kind::Word(COMMANDS), ""),
    optional("path", Kind::Text, "All but rename: a path below /memories"),
    optional(
        "view_range",
        Kind::Range,
        "view: first and last line, -1 for the end",
    ),
    optional("file_text", Kind::Verbatim, "create: the file's text"),
    optional(
        "old_str",
        Kind::Verbatim,
        "str_replace: the text to replace, which must occur once",
    ),
    optional("new_str", Kind::Verbatim, "str_replace: the new text"),
    optional(
        "insert_line",
        Kind::Number(i64::MIN),
        "insert: after this line, 0 for the start",
    ),
    optional("insert_text", Kind::Verbatim, "insert: the text"),
    optional("old_path", Kind::Text, "rename: from"),
    optional("new_path", Kind::Text, "rename: to"),
];

fn run(call: &mut Call<'_>) -> Result<String, Refusal> {
    match call.arguments.required("command") {
        "view" => view::view(call),
        "create" => edit::create(call),
        "str_replace" => edit::str_replace(call),
        "insert" => edit::insert(call),
        "delete" => edit::delete(call),
        _ => edit::rename(call),
    }
}

/// An argument that a command needs.
fn needed<'a>(arguments: &'a Arguments, name: &str, command: &str) -> Result<&'a str, Refusal> {
    arguments
        .text(name)
        .ok_or_else(|| Refusal::only(format!("command `{command}` needs the argument `{name}`")))
}
