//! The delivery of the block to a session, by a hook of the same client, the prompt of a loop, or this server.

use waynote::context::ShownNote;
use waynote::{Lineage, Store};

/// Whether the client's session has the block. If nobody has delivered it, the server does: with a reply, or in its
/// instructions if the client shows them to its model.
pub trait Delivery: Send + Sync {
    /// True if the session is known to lack the block. Asked before every call.
    fn is_owed(&self) -> bool;

    /// Claims the delivery of the block with these notes, each at its revision. Returns false if somebody else has
    /// delivered it meanwhile.
    fn take(&self, notes: Vec<ShownNote>) -> bool;

    /// The lines that stand before the first block of a session in a place, for example under which name its notes stand.
    fn says(&self, _store: &dyn Store, _here: &Lineage) -> String {
        String::new()
    }

    /// Runs a hook and returns its output. Some clients run a hook by a call of the tool `hook`, which no list of tools
    /// shows. An empty text means no output; none means that the client has no such hooks.
    fn hook(
        &self,
        _store: &dyn Store,
        _arguments: &serde_json::Map<String, serde_json::Value>,
    ) -> Option<String> {
        None
    }
}

/// The tool that a client calls for a hook.
pub(crate) const HOOK: &str = "hook";

/// True if a client shows a server's whole instructions to its model, in the system prompt that it builds in each of
/// its processes. Other clients cut them to a few hundred characters.
pub(crate) fn shows_instructions(client: &str) -> bool {
    matches!(client, "crush" | "goose") || client.starts_with("goose-")
}
