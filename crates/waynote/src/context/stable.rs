//! The pieces of a block in style stable: nothing depends on when or where the block is made.
//!
//! Credentials are masked. A note is data: its text is put into code blocks and code spans. With any text of a note, a
//! Markdown parser sees only the headings and items that are made here. Every piece ends with a line end and none
//! begins with one, so that the tokens of a block are the sum of its pieces'.

use super::pieces::Form;
use super::{Request, Section};
use crate::author::Author;
use crate::note::{EntryType, Note};
use crate::secrets::masked;
use crate::text::cut;
use crate::visible::{code_block, code_span, is_invisible};

/// A section's heading.
pub(super) fn title(section: Section) -> &'static str {
    match section {
        Section::Pinned => "## Pinned notes\n\n",
        Section::Places => "## Notes of this place\n\n",
        Section::Index => "## Other notes\n\n",
        Section::Iterations => "## Notes from previous iterations\n\n",
    }
}

/// The line above the entries of one type: one of the four in capitals, or the type of another program as data.
pub(super) fn group_title(kind: &EntryType) -> String {
    const CHARS: usize = 40;
    match kind {
        EntryType::Other(word) => {
            let word = masked(word.as_str());
            format!("{}:\n", code_span(&cut(&word, CHARS)))
        }
        kind => format!("{}:\n", kind.as_str().to_uppercase()),
    }
}

/// The placeholder for a blank text.
const EMPTY: &str = "(empty)";

/// A note with the other data of its piece.
pub(super) struct NoteText<'n> {
    pub(super) note: &'n Note,
    /// How often a log entry was noted.
    pub(super) times: u64,
    /// Who reads the block, and where.
    pub(super) request: &'n Request,
}

impl NoteText<'_> {
    pub(super) fn text(&self, form: Form) -> String {
        match form {
            Form::Whole => self.whole(),
            Form::Cut => self.cut(),
            Form::Listed => self.listed(),
        }
    }

    /// The whole note.
    fn whole(&self) -> String {
        let shown = self.note.content.shown();
        #[cfg(test)]
        crate::work::scanned(shown.len());
        let shown = masked(&shown);
        match &self.note.kind {
            None if self.note.content.is_blank() => {
                format!("### {}{}: {EMPTY}\n\n", self.address(), self.about())
            }
            Some(_) if self.note.content.is_blank() => {
                format!("- [{}] {EMPTY}\n", self.origin())
            }
            None => {
                let block = code_block(&shown, "");
                format!("### {}{}\n\n{block}\n", self.address(), self.about())
            }
            Some(_) => {
                let text = shown.trim_end_matches(['\r', '\n']);
                if text.contains('\n') {
                    ["- [", &self.origin(), "]\n", &code_block(text, "  ")].concat()
                } else {
                    ["- [", &self.origin(), "] ", &code_span(text), "\n"].concat()
                }
            }
        }
    }

    /// The line of a note for which there is no room in full.
    fn cut(&self) -> String {
        let preview = self.preview();
        match &self.note.kind {
            None => format!("### {}{}: {preview}\n\n", self.address(), self.about()),
            Some(_) => format!("- [{}] {preview} ({})\n", self.origin(), self.address()),
        }
    }

    /// The line of a note in the index.
    fn listed(&self) -> String {
        let preview = self.preview();
        format!("- {}{}: {preview}\n", self.address(), self.about())
    }

    /// A short line, and whether the preview is cut.
    pub(super) fn brief(&self) -> (String, bool) {
        const CHARS: usize = 32;
        let preview = cut(&self.note.preview, CHARS);
        let labels = self.note.labels(word);
        let line = format!("- {}{labels}: {}\n", self.address(), code_span(&preview));
        (line, preview != self.note.preview)
    }

    fn preview(&self) -> String {
        match self.note.preview.as_str() {
            "" => EMPTY.to_owned(),
            preview => code_span(preview),
        }
    }

    fn address(&self) -> String {
        code_span(&masked(&self.request.lineage.short(&self.note.address)))
    }

    /// Where it is from, by whom it was written, and whether what it cites has changed; empty if there is nothing to say.
    fn about(&self) -> String {
        // The mark of a note of others says by whom it is.
        let by = self.note.source.is_own().then(|| self.by()).flatten();
        let parts = [self.note.mark(word), by, self.note.stale(word)];
        let parts = parts.into_iter().flatten();
        parts.map(|part| format!(" ({part})")).collect()
    }

    /// The iteration, how often it was noted, and by whom.
    fn origin(&self) -> String {
        let mut origin = match self.note.iteration {
            Some(iteration) => format!("#{iteration}"),
            None => "-".into(),
        };
        if self.times > 1 {
            origin.push_str(&format!(", {} times", self.times));
        }
        if let Some(by) = self.by() {
            origin.push_str(&format!(", {by}"));
        }
        if let Some(stale) = self.note.stale(word) {
            origin.push_str(&format!(", {stale}"));
        }
        origin
    }

    /// The author, if neither the reader nor the person: theirs can be trusted, and those of others have to be weighed.
    fn by(&self) -> Option<String> {
        let Request {
            agent,
            author,
            recorded,
            ..
        } = self.request;
        let writer = &self.note.author;
        match Author::of(writer) {
            _ if author.as_ref() == Some(writer) || recorded.contains(writer) => None,
            Author::Agent(name) if name == agent.as_str() && recorded.is_empty() => None,
            of => of.by(word),
        }
    }
}

/// A name or a path unchanged if it is one plain word; otherwise as data. A credential in it is masked.
fn word(name: &str) -> String {
    let name = masked(name);
    // Some letters, such as the fillers of Hangul, are not seen.
    let plain = |char: char| {
        char.is_alphanumeric() && !is_invisible(char) || matches!(char, '-' | '.' | '/' | ':')
    };
    if !name.is_empty() && name.chars().all(plain) {
        name.into_owned()
    } else {
        code_span(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_data_where_they_are_no_plain_words() {
        for (name, shown) in [
            ("builder-2", "builder-2"),
            ("석공", "석공"),
            ("a\u{115f}b", "`a\u{115f}b`"),
            ("a\u{1160}b", "`a\u{1160}b`"),
            ("a\u{3164}b", "`a\u{3164}b`"),
            ("a\u{ffa0}b", "`a\u{ffa0}b`"),
        ] {
            assert_eq!(word(name), shown);
        }
        let token = format!("gh{}_{}", 'p', &"aZ3kQ9xW7m".repeat(4)[..36]);
        assert_eq!(word(&token), "`[masked: github-token]`");
    }
}
