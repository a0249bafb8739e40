//! Anthropic's memory tool: one tool with six commands over files below `/memories`.
//!
//! Its files are notes on places, so they have history and undo, and are found by search (see [`path`]).

mod edit;
mod files;
mod path;
mod view;

use self::files::Files;
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
    let command = call.arguments.required("command");
    let store = match command {
        "view" => call.notes.store(),
        _ => call.notes.writable()?,
    };
    let files = Files { call, store };
    match command {
        "view" => view::view(&files),
        "create" => edit::create(&files),
        "str_replace" => edit::str_replace(&files),
        "insert" => edit::insert(&files),
        "delete" => edit::delete(&files),
        _ => edit::rename(&files),
    }
}
