//! Markdown for people: a folder with a file for each note, and the `AGENTS.md` of a directory. Written, not read.

use std::fs;
use std::path::{Path, PathBuf};

use waynote::named::end_of_id;
use waynote::{Address, Error, Filter, Note, Place, Places, Result, ScopeKind, Store};

use crate::report::ExportReport;

/// The part of an `AGENTS.md` that is ours; the rest of the file stays.
const BEGIN: &str =
    "<!-- waynote: begin. Written by `waynote export agents-md`; changes here are lost -->";
const END: &str = "<!-- waynote: end -->";

/// Writes a file for each note into a folder, with what is known of the note in front of its text. A file that says the
/// same already is left; other files stay.
///
/// # Errors
/// [`Error::File`] when a file cannot be written; [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the
/// store cannot be read.
pub fn export(store: &dyn Store, folder: &Path) -> Result<ExportReport> {
    let mut exported = ExportReport::default();
    for kind in [ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session] {
        for note in store.select(&Filter::Kind(kind))? {
            let path = folder.join(file_of(&note));
            match write(
                &path,
                &[front(&note).as_bytes(), note.content.as_bytes()].concat(),
            )? {
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

/// Writes the notes of a directory, its own and its keyed ones, into its `AGENTS.md`, between two comments. What else is
/// in the file stays.
///
/// # Errors
/// As [`export`].
pub fn export_agents_md(store: &dyn Store, place: &Place, file: &Path) -> Result<ExportReport> {
    let notes = Places::new(store).read_all(place)?.into_iter();
    let own: Vec<Note> = notes
        .filter(|note| note.address.scope().name() == place.as_str())
        .collect();
    let section = |note: &Note| {
        let text = note.content.shown();
        match note.address.key() {
            Some(key) => format!("## {key}\n\n{}\n", text.trim()),
            None => format!("{}\n", text.trim()),
        }
    };
    // The note that `import agents-md` makes of this file is not written into it again.
    let is_of_file = |note: &&Note| note.address.key().as_deref() == Some("agents-md");
    let sections: Vec<String> = own
        .iter()
        .filter(|note| !is_of_file(note))
        .map(section)
        .collect();
    let ours = format!("{BEGIN}\n\n{}\n{END}\n", sections.join("\n"));
    let before = match fs::read_to_string(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        read => read.map_err(|error| Error::file(file, "read", error))?,
    };
    let text = match (before.find(BEGIN), before.find(END)) {
        (Some(begin), Some(end)) if begin < end => {
            let after = before[end + END.len()..].trim_start_matches('\n');
            format!("{}{ours}{after}", &before[..begin])
        }
        _ if before.trim().is_empty() => ours,
        _ => format!("{}\n\n{ours}", before.trim_end()),
    };
    let written = write(file, text.as_bytes())?;
    let notes = sections.len() as u64;
    Ok(ExportReport {
        written: if written { notes } else { 0 },
        unchanged: if written { 0 } else { notes },
        left_out: Vec::new(),
    })
}

/// Writes a file, if it does not say the same already.
fn write(path: &Path, bytes: &[u8]) -> Result<bool> {
    if fs::read(path).is_ok_and(|before| before == bytes) {
        return Ok(false);
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| Error::file(folder, "made", error))?;
    fs::write(path, bytes).map_err(|error| Error::file(path, "written", error))?;
    Ok(true)
}
