//! A folder of basic-memory: Markdown files with a head of YAML.

use std::path::Path;

use waynote::{Address, Content, Result, Scope};

use crate::files::{key, markdown_below};
use crate::format::{Format, SourceKind};
use crate::incoming::{ForeignNotes, Precedence, unreadable};
use crate::source::Folder;

/// The format, for a list of formats.
pub const FORMAT: Format = Format {
    name: "basic-memory",
    about: "A folder of basic-memory: a note for each Markdown file, in the agent's notebook",
    details: "",
    takes: SourceKind::Source {
        help: "The folder",
        read,
    },
    usual: &["~/basic-memory"],
    loaded_by: &[],
};

/// Reads a folder and those below it. A file becomes a keyed note of `scope`, under its permalink or else its path: its
/// text without the head, with the title before it and the tags after it.
///
/// # Errors
/// [`waynote::Error::File`] when a folder cannot be read.
pub fn read(folder: &Path, scope: &Scope) -> Result<ForeignNotes> {
    let mut incoming = ForeignNotes::of(FORMAT.name, Precedence::Here)?;
    let found = markdown_below(folder)?;
    incoming.skip_all(found.skipped);
    let inside = Folder::of(folder);
    for file in found.files {
        let path = file.path.strip_prefix(folder).unwrap_or(&file.path);
        let name = path.to_string_lossy();
        let (bytes, written_at) = match file.read(&inside) {
            Ok(Some(read)) => read,
            Ok(None) => continue,
            Err(error) => {
                incoming.skip(name, unreadable(&error));
                continue;
            }
        };
        let Ok(text) = String::from_utf8(bytes) else {
            incoming.skip(name, "it is not UTF-8");
            continue;
        };
        let note = Note::of(&text);
        let key = key(note
            .permalink
            .as_deref()
            .unwrap_or(name.trim_end_matches(".md")))?;
        let address = Address::keyed(scope, key)?;
        incoming.push_text(&name, address, Content::imported(note.text()), written_at);
    }
    Ok(incoming)
}

/// The largest head of a file: its fields take more memory than their text. A larger one is text.
const MAX_HEAD: usize = 64 << 10;

#[derive(Debug, Default, PartialEq, Eq)]
struct Note<'t> {
    title: Option<String>,
    permalink: Option<String>,
    tags: Vec<String>,
    body: &'t str,
}

impl<'t> Note<'t> {
    /// The few fields of the head that are of use here are single lines, but for tags, which may be a list.
    fn of(text: &'t str) -> Self {
        let text = text.trim_start_matches('\u{feff}');
        let lines = || text.split_inclusive('\n');
        let is_fence = |line: &&str| line.trim_end() == "---";
        let end = lines().skip(1).position(|line| is_fence(&line));
        let head: usize = lines().take(end.unwrap_or(0) + 2).map(str::len).sum();
        let begins = lines().next().is_some_and(|line| is_fence(&line));
        let Some(end) = end.filter(|_| begins && head <= MAX_HEAD) else {
            return Self {
                body: text,
                ..Self::default()
            };
        };
        let mut note = Self {
            body: text[head..].trim_start_matches(['\r', '\n']),
            ..Self::default()
        };
        let mut in_tags = false;
        for line in lines().skip(1).take(end) {
            let line = line.trim_end();
            if in_tags && let Some(tag) = line.trim_start().strip_prefix("- ") {
                note.tags.push(plain(tag));
                continue;
            }
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let value = value.trim();
            in_tags = name == "tags" && value.is_empty();
            match name {
                "title" if !value.is_empty() => note.title = Some(plain(value)),
                "permalink" if !value.is_empty() => note.permalink = Some(plain(value)),
                "tags" => {
                    let list = value.trim_start_matches('[').trim_end_matches(']');
                    let tags = list.split(',').map(plain);
                    note.tags.extend(tags.filter(|tag| !tag.is_empty()));
                }
                _ => {}
            }
        }
        note
    }

    fn text(&self) -> String {
        let mut text = String::new();
        if let Some(title) = &self.title
            && !self.body.starts_with("# ")
        {
            text += &format!("# {title}\n\n");
        }
        text += self.body.trim_end();
        if !self.tags.is_empty() {
            text += &format!("\n\nTags: {}", self.tags.join(", "));
        }
        text.trim().to_owned()
    }
}

fn plain(value: &str) -> String {
    value.trim().trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_gives_title_permalink_and_tags() {
        let note = Note::of(
            "---\ntitle: \"Coffee: methods\"\ntype: note\ntags:\n  - a\n  - 'b c'\npermalink: x/y\n---\n\nPour over.\n",
        );
        assert_eq!(note.permalink.as_deref(), Some("x/y"));
        assert_eq!(
            note.text(),
            "# Coffee: methods\n\nPour over.\n\nTags: a, b c"
        );
        let note = Note::of("---\ntags: [a, b]\n---\n# T\n");
        assert_eq!(note.text(), "# T\n\nTags: a, b");
        let note = Note::of("---\nno end\n");
        assert_eq!(note.text(), "---\nno end");
        assert_eq!(Note::of("").text(), "");
        // Text between rulers that is too large for a head is text.
        let large = format!("---\ntags: [{}]\n---\n", "a,".repeat(MAX_HEAD));
        assert_eq!(Note::of(&large).tags.len(), 0);
        assert_eq!(Note::of(&large).body, large);
    }
}
