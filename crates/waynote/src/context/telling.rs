//! Notes that are told one after another beside a block, within a budget: those that match a prompt, an action or a
//! failure.

use super::pieces::{Form, Pieces};
use super::stable::NoteText;
use super::{Matching, MatchingNote, Request, Shown};
use crate::note::Note;

/// The notes that are told so far.
pub(super) struct NoteSelection<'r> {
    request: &'r Request,
    /// The tokens that are left.
    left: usize,
    /// How many notes are told at most.
    most: usize,
    /// A note with more tokens is told as a line.
    whole: usize,
    /// True to tell each note as a short line.
    is_brief: bool,
    told: Matching,
    /// The texts of whole notes, which follow the lines.
    texts: String,
}

impl<'r> NoteSelection<'r> {
    pub(super) fn new(request: &'r Request, tokens: usize, most: usize) -> Self {
        let left = request.budget.limit().unwrap_or(usize::MAX).min(tokens);
        Self {
            request,
            left,
            most,
            whole: left,
            is_brief: false,
            told: Matching::default(),
            texts: String::new(),
        }
    }

    /// Tells notes of more tokens as a line.
    pub(super) fn whole_to(self, whole: usize) -> Self {
        Self { whole, ..self }
    }

    /// Tells each note as a short line, if that is so wished.
    pub(super) fn briefly(self, is_brief: bool) -> Self {
        Self { is_brief, ..self }
    }

    pub(super) fn is_full(&self) -> bool {
        self.told.notes.len() >= self.most
    }

    /// Tells a note that was noted so often, unless that says nothing new to a reader who has been shown so much of it, or
    /// there is no room even for its line.
    pub(super) fn tell(&mut self, note: Note, times: u64, known: Option<Shown>) {
        if times == 0 || note.content.is_blank() || known == Some(Shown::Whole) || self.is_full() {
            return;
        }
        let told = NoteText {
            note: &note,
            times,
            request: self.request,
        };
        let is_in_line = note.content.shown().trim() == note.preview;
        let full = match is_in_line && note.kind.is_none() {
            true => Form::Listed,
            false => Form::Whole,
        };
        let (shown, piece) = match self.brief(&told, is_in_line) {
            Some(brief) => brief,
            None => self.in_full(&told, full),
        };
        let tokens = crate::tokens::count(&piece);
        let says_nothing_new = known == Some(Shown::Line) && (shown == Shown::Line || is_in_line);
        if says_nothing_new || tokens > self.left {
            return;
        }
        self.left -= tokens;
        // A line below another note's heading would look like a part of that note.
        match piece.starts_with('#') {
            true => self.texts.push_str(&piece),
            false => self.told.text.push_str(&piece),
        }
        self.told.notes.push(MatchingNote { note, shown });
    }

    fn brief(&self, told: &NoteText<'_>, is_in_line: bool) -> Option<(Shown, String)> {
        let (text, is_cut) = told.brief();
        let shown = match is_in_line && !is_cut {
            true => Shown::Whole,
            false => Shown::Line,
        };
        self.is_brief.then_some((shown, text))
    }

    fn in_full(&self, told: &NoteText<'_>, full: Form) -> (Shown, String) {
        match Pieces::whole_in(told, full, self.whole.min(self.left)) {
            Some(full) => (Shown::Whole, full),
            None if told.note.kind.is_some() => (Shown::Line, told.text(Form::Cut)),
            None => (Shown::Line, told.text(Form::Listed)),
        }
    }

    pub(super) fn done(mut self) -> Matching {
        if !self.texts.is_empty() {
            let gap = if self.told.text.is_empty() { "" } else { "\n" };
            let texts = self.texts.trim_end();
            self.told.text.push_str(&format!("{gap}{texts}\n"));
        }
        self.told
    }
}
