//! The tools that a prompt block names to its reader.

use waynote::context::ReaderTools;

/// The tools of [`Set::Default`](crate::Set::Default) that show a note whole and that search.
pub fn reader_tools() -> ReaderTools {
    ReaderTools::new("note_show", "note_search")
}
