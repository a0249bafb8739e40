//! A folder of basic-memory: Markdown files with a head of YAML.

use std::path::Path;

use waynote::{Address, Content, Result, Scope};

use crate::files::key;
use crate::format::{Format, SourceKind};
use crate::head::Document;
use crate::incoming::{ForeignNotes, Precedence};
use crate::source::Folder;

/// The format, for a list of formats.
pub const FORMAT: Format = Format {
    usual: &["~/basic-memory"],
    ..Format::new(
        "basic-memory",
        "A folder of basic-memory: a note for each Markdown file, in the agent's notebook",
        SourceKind::Source(read),
    )
};

/// Reads a folder and those below it. A file becomes a keyed note of `scope`, under its permalink or else its path: its
/// text without the head, with the title before it and the tags and other fields after it.
///
/// # Errors
/// [`waynote::Error::File`] when a folder cannot be read.
pub fn read(folder: &Path, scope: &Scope) -> Result<ForeignNotes> {
    let mut incoming = ForeignNotes::of(FORMAT.name, Precedence::Here)?;
    incoming.each_text(
        &Folder::of(folder),
        folder,
        |incoming, path, text, written_at| {
            let name = path.to_string_lossy();
            let mut document = Document::of(text);
            let permalink = document.take(&["permalink"]).map(|words| words.join("-"));
            // The usual type says nothing.
            document.leave_out("type", "note");
            let key = key(permalink.as_deref().unwrap_or(name.trim_end_matches(".md")))?;
            let content = Content::imported(document.text());
            incoming.push_text(
                &name,
                &name,
                Address::keyed(scope, key)?,
                content,
                written_at,
            );
            Ok(())
        },
    )?;
    Ok(incoming)
}
