//! Zrb's journal, which took the place of its `notes.json` in version 2.4: a folder of Markdown.

use std::path::Path;

use jiff::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::Offset;
use waynote::{Address, Content, EntryId, EntryType, Name, Result, Scope};

use crate::files::key;
use crate::format::{Format, SourceKind};
use crate::head::Document;
use crate::incoming::{ForeignNotes, IncomingNote, Precedence, Times};
use crate::incoming_note::IncomingEntry;
use crate::source::Folder;

/// The format, for a list of formats.
pub const FORMAT: Format = Format {
    usual: &["~/.zrb/llm-notes"],
    ..Format::new(
        "zrb-journal",
        "Zrb's journal: a note for each of its notes, in the agent's notebook, and a session with its activity log",
        SourceKind::Source(read),
    )
};

/// Where Zrb keeps a file for each day.
const ACTIVITY: &str = "activity-log";

/// The session and the type of what was done.
const SESSION: &str = "zrb-journal";
const TYPE: &str = "activity";

/// Reads the folder of a journal into keyed notes of `scope` and entries of a session. Lists of links are left out: Zrb
/// makes them of the notes.
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
            if name == "index.md" {
                push_index(incoming, scope, text, written_at)
            } else if path.file_name().is_some_and(|name| name == "index.md") {
                // Links to the other files of its folder.
                Ok(())
            } else if path.starts_with(ACTIVITY) {
                push_day(incoming, path, text)
            } else {
                let mut document = Document::of(text);
                document.take(&["slug"]);
                let text = without_section(&document.text(), "## Backlinks");
                let address = Address::keyed(scope, key(name.trim_end_matches(".md"))?)?;
                incoming.push_text(&name, &name, address, Content::imported(text), written_at);
                Ok(())
            }
        },
    )?;
    Ok(incoming)
}

/// The lines of the journal's first file that are no links: what Zrb shows at each start.
fn push_index(
    incoming: &mut ForeignNotes,
    scope: &Scope,
    text: &str,
    written_at: Option<Timestamp>,
) -> Result<()> {
    let text = without_section(text, "## Directories");
    let text = without_section(&text, "## Recent Insights");
    if text.lines().any(|line| line.starts_with("- ")) {
        let key = "zrb-journal-index";
        incoming.push(IncomingNote {
            address: Address::keyed(scope, key.parse()?)?,
            name: Some(key.to_owned()),
            content: Content::imported(text),
            pin: Some(true),
            times: written_at.map_or(Times::Unknown, Times::OfFile),
        });
    }
    Ok(())
}

/// The lines `- HH:MM — TEXT` of a day's file. Zrb writes the time of its machine, without a zone: it counts as UTC.
fn push_day(incoming: &mut ForeignNotes, path: &Path, text: &str) -> Result<()> {
    let session: Name = SESSION.parse()?;
    let name = path.to_string_lossy();
    let day = path
        .file_stem()
        .and_then(|day| day.to_str()?.parse::<Date>().ok());
    let Some(day) = day else {
        incoming.skip(name, "its name is no day");
        return Ok(());
    };
    let text = without_section(text, "## Backlinks");
    for line in text.lines().filter_map(|line| line.strip_prefix("- ")) {
        let (time, done) = line.split_once(" — ").unwrap_or(("", line));
        let time = format!("{time}:00").parse().unwrap_or(Time::midnight());
        let Ok(time) = Offset::UTC.to_timestamp(day.to_datetime(time)) else {
            continue;
        };
        let content = Content::imported(done);
        let id = EntryId::next(None, time, content.hash());
        let entry = IncomingEntry {
            session: session.clone(),
            id,
            kind: EntryType::imported(TYPE),
            iteration: None,
            content,
        };
        incoming.push_entry(&*name, entry);
    }
    Ok(())
}

/// The text without a section of the second level.
fn without_section(text: &str, heading: &str) -> String {
    let mut inside = false;
    let lines = text.lines().filter(|line| {
        inside = match line.starts_with("## ") || line.starts_with("# ") {
            true => line.trim_end() == heading,
            false => inside,
        };
        !inside
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_notes_and_a_log() {
        let scratch = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = scratch.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        put(
            "index.md",
            "# Journal\n\n## User\n\n- Is called Ada\n\n## Preferences\n\n## Directories\n\n- [user](user/index.md)\n\n## Recent Insights\n\n- [Retry](technical/retry.md)\n",
        );
        put("technical/index.md", "# Technical\n\n- [Retry](retry.md)\n");
        put(
            "technical/retry.md",
            "---\nslug: retry\n---\n# Retry\n\n**Context:** uploads\n**Finding:** three times\n**Source:** up.rs:7\n\n## Related\n\n- [User](../user/ada.md)\n\n## Backlinks\n\n- [index](index.md)\n",
        );
        put(
            "activity-log/index.md",
            "# Activity Log\n\n- [2026](2026/index.md)\n",
        );
        put(
            "activity-log/2026/2026-08/2026-08-22.md",
            "# 2026-08-22\n\n- 09:30 — Fixed it. Files: up.rs.\n- 09:30 — Said so. Files: —.\n\n## Backlinks\n\n- [month index](index.md)\n",
        );
        let read = || read(scratch.path(), &Scope::Agent("a".parse().unwrap())).unwrap();
        let notes = read();
        let said = notes.notes().iter();
        let said = said.map(|note| {
            format!(
                "{} {:?}\n{}\n",
                note.address,
                note.pin,
                note.content.shown()
            )
        });
        insta::assert_snapshot!(said.collect::<String>(), @"
        agent:a#zrb-journal-index Some(true)
        # Journal

        ## User

        - Is called Ada

        ## Preferences
        agent:a#technical-retry None
        # Retry

        **Context:** uploads
        **Finding:** three times
        **Source:** up.rs:7

        ## Related

        - [User](../user/ada.md)
        ");
        let path = scratch.path().join("notes.db");
        let store = waynote::SqliteStore::open(path, &Default::default()).unwrap();
        let now = "2026-09-01T00:00:00Z".parse().unwrap();
        let import = || read().import(&store, now, crate::Mode::Write).unwrap();
        assert_eq!(import().added, 4);
        assert_eq!(import().unchanged, 4);
        let log = waynote::SessionLog::new(&store, SESSION.parse().unwrap());
        let log = log.list(None).unwrap();
        let log = log
            .iter()
            .map(|entry| format!("{} {}", entry.created_at, entry.content.shown()));
        let mut log: Vec<String> = log.collect();
        log.sort();
        assert_eq!(
            log,
            [
                "2026-08-22T09:30:00Z Fixed it. Files: up.rs.",
                "2026-08-22T09:30:00Z Said so. Files: —."
            ]
        );
    }
}
