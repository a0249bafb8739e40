//! Who brings a session its block: a hook of the same client, the prompt of a loop, or this server.

use waynote::context::ShownNote;

/// Whether the client's session has the block. The server brings it when nobody else has: beside a reply, or in the
/// instructions of a client that shows them to its model.
pub trait Delivery: Send + Sync {
    /// Whether the session is known to lack the block. Asked before every call.
    fn is_owed(&self) -> bool;

    /// Takes it on to hand the block over, with these notes in it, each at its revision; false when somebody else has
    /// done so meanwhile.
    fn take(&self, notes: Vec<ShownNote>) -> bool;
}

/// Whether a client shows a server's instructions to its model whole: in its system prompt, which it makes anew in each of its
/// processes. Others cut them to some hundred characters.
pub(crate) fn shows_instructions(client: &str) -> bool {
    client == "goose" || client.starts_with("goose-")
}
