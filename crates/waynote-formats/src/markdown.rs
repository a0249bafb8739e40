//! Markdown for people: a folder with a file for each note, and the `AGENTS.md` of a directory. Written, not read.

use std::borrow::Cow;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use waynote::named::end_of_id;
use waynote::{Address, Error, Filter, Listing, Note, Place, Result, ScopeKind, Store};

use crate::report::ExportReport;
use crate::source::MAX_TEXT;
use crate::text_files;

/// The part of an `AGENTS.md` that is ours; the rest of the file stays.
const BEGIN: &str =
    "<!-- waynote: begin. Written by `waynote export agents-md`; changes here are lost -->";
const END: &str = "<!-- waynote: end -->";

/// Writes a file for each note into a folder, with what is known of the note in front of its text. A file that says the
/// same already is left; other files stay. No link is followed that leads out of the folder.
///
/// # Errors
/// [`Error::File`] when a file cannot be written; [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the
/// store cannot be read.
pub fn export(store: &dyn Store, folder: &Path) -> Result<ExportReport> {
    let mut exported = ExportReport::default();
    fs::create_dir_all(folder).map_err(|error| Error::file(folder, "made", error))?;
    for kind in [ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session] {
        for note in store.select(&Filter::Kind(kind))? {
            let path = file_of(&note);
            let text = [front(&note).as_bytes(), note.content.as_bytes()].concat();
            let written = waynote_files::put_inside(folder, &path, &text);
            match written.map_err(|error| Error::file(folder.join(path), "written", error))? {
                true => exported.written += 1,
                false => exported.unchanged += 1,
            }
        }
    }
    Ok(exported)
}

/// Where a note's file is: `place/~/p/note.md`, `place/~/p/note.KEY.md`, `agent/NAME/KEY.md`,
/// `session/NAME/003-tip-END.md`.
fn file_of(note: &Note) -> PathBuf {
    let of_place = |place: &Place| Path::new("place").join(place.as_str().trim_start_matches('/'));
    match &note.address {
        Address::Place(place) => of_place(place).join("note.md"),
        Address::PlaceKey(place, key) => of_place(place).join(format!("note.{key}.md")),
        Address::Session(name, id) => {
            let kind = note
                .kind
                .as_ref()
                .map_or(String::new(), |kind| segment(kind.as_str()));
            let end = end_of_id(*id).replace('…', "");
            let number = note.iteration.unwrap_or_default();
            Path::new("session")
                .join(segment(name.as_str()))
                .join(format!("{number:03}-{kind}-{end}.md"))
        }
        address => {
            let key = address.key().unwrap_or_default();
            Path::new("agent")
                .join(segment(address.scope().name()))
                .join(format!("{key}.md"))
        }
    }
}

/// A name as one part of a path.
fn segment(name: &str) -> String {
    let name = name.replace('%', "%25").replace('/', "%2F");
    match name.strip_prefix('.') {
        Some(rest) => format!("%2E{rest}"),
        None => name,
    }
}

/// What is known of a note, as YAML, of which JSON's texts are a part.
fn front(note: &Note) -> String {
    let mut fields = vec![("address", serde_json::json!(note.address))];
    fields.extend(
        note.kind
            .as_ref()
            .map(|kind| ("type", kind.as_str().into())),
    );
    fields.extend(note.iteration.map(|number| ("iteration", number.into())));
    fields.extend(note.pinned.then(|| ("pinned", true.into())));
    fields.push(("revision", note.revision.into()));
    fields.push(("author", note.author.as_str().into()));
    fields.push(("created", note.created_at.to_string().into()));
    fields.push(("updated", note.updated_at.to_string().into()));
    let lines: String = fields
        .iter()
        .map(|(name, value)| format!("{name}: {value}\n"))
        .collect();
    format!("---\n{lines}---\n\n")
}

/// Writes the notes of a directory, its own and its keyed ones, into its `AGENTS.md`, between two comments: those of
/// each of its places, by the path and by the repository's name. What else is in the file stays to the byte, and notes
/// that were made of it are left out.
///
/// # Errors
/// As [`export`].
pub fn export_agents_md(
    store: &dyn Store,
    places: &[Place],
    directory: &Path,
) -> Result<ExportReport> {
    let file = directory.join(AGENTS_MD);
    let refused = |action| move |error| Error::file(directory.join(AGENTS_MD), action, error);
    let before = match waynote_files::contents(&file, MAX_TEXT) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        read => read.map_err(refused("read"))?,
    };
    let before = String::from_utf8(before)
        .map_err(|error| refused("read")(io::Error::other(error.utf8_error())))?;
    let rest = lines(&without_section(&before));
    let mut exported = ExportReport::default();
    let mut sections = Vec::new();
    let own = Listing::default().at(places.to_vec());
    for note in own.page(store, None, usize::MAX)?.notes {
        let (key, text) = (note.address.key(), note.content.shown());
        let is_of_file = key.as_deref() == Some(text_files::AGENTS_MD.name);
        if is_of_file {
            continue;
        }
        if rest.contains(&lines(&text)) {
            exported.leave_out(&note.address, "the file says it already");
            continue;
        }
        sections.push(match key {
            Some(key) => format!("## {key}\n\n{}\n", text.trim()),
            None => format!("{}\n", text.trim()),
        });
    }
    let line_end = if before.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let ours = format!("{BEGIN}\n\n{}\n{END}", sections.join("\n")).replace('\n', line_end);
    let text = match section(&before) {
        Some(range) => [&before[..range.start], &ours, &before[range.end..]].concat(),
        None if before.is_empty() => ours + line_end,
        None => {
            let gap = if before.ends_with('\n') { 1 } else { 2 };
            [&before, &*line_end.repeat(gap), &ours, line_end].concat()
        }
    };
    let written = waynote_files::put_inside(directory, Path::new(AGENTS_MD), text.as_bytes())
        .map_err(refused("written"))?;
    let notes = sections.len() as u64;
    (exported.written, exported.unchanged) = if written { (notes, 0) } else { (0, notes) };
    Ok(exported)
}

const AGENTS_MD: &str = "AGENTS.md";

/// The bytes of our section, without the end of its last line.
fn section(text: &str) -> Option<Range<usize>> {
    let begin = text.find(BEGIN)?;
    let end = begin + text[begin..].find(END)?;
    Some(begin..end + END.len())
}

/// A text that was written by a person alone: without our section, and the blank line before it.
pub(crate) fn without_section(text: &str) -> Cow<'_, str> {
    let Some(range) = section(text) else {
        return Cow::Borrowed(text);
    };
    let before = text[..range.start].trim_end_matches(['\r', '\n']);
    // The line end before the blank line is the person's.
    let end = text[before.len()..range.start].find('\n');
    let end = end.map_or(range.start, |end| before.len() + end + 1);
    let after = text[range.end..].trim_start_matches(['\r', '\n']);
    Cow::Owned([&text[..end], after].concat())
}

/// The lines of a text without the differences of white space, each between two line ends.
fn lines(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    format!("\n{}\n", lines.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_person_wrote_is_found_again() {
        for text in ["", "A\n", "A\r\n\r\nB\r\n"] {
            let line_end = if text.contains('\r') { "\r\n" } else { "\n" };
            let gap = if text.is_empty() { "" } else { line_end };
            let written = format!("{text}{gap}{BEGIN}{line_end}note{line_end}{END}{line_end}");
            assert_eq!(without_section(&written), text);
        }
        let around = format!("A\n\n{BEGIN}\nnote\n{END}\n\nB\n");
        assert_eq!(without_section(&around), "A\nB\n");
        assert_eq!(without_section(END), END);
    }
}
