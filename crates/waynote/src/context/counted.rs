//! Text with its token count, joined from pieces whose counts are known.

use super::Request;
use super::pieces::Pieces;
use crate::block::receipt::{status, status_of_full};

/// Text and its tokens by o200k. Every piece ends with a line end and begins with neither a line end nor a slash. The
/// vocabulary splits words there, so the tokens of the whole are the sum over the pieces.
#[derive(Clone, Default)]
pub(super) struct CountedText {
    pub(super) text: String,
    pub(super) tokens: usize,
}

impl CountedText {
    /// A piece of text, counted here.
    pub(super) fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            tokens: crate::tokens::count(&text),
            text,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Appends a piece.
    pub(super) fn push(&mut self, text: &str, tokens: usize) {
        self.text.push_str(text);
        self.tokens += tokens;
    }

    /// Appends a part, with a blank line between.
    pub(super) fn append(&mut self, part: &Self, pieces: &Pieces<'_>) {
        if !part.is_empty() && !self.is_empty() {
            self.blank_line(pieces);
        }
        self.push(&part.text, part.tokens);
    }

    /// Ends with a blank line. Its line end may be one token with the line end before it and the signs before that.
    pub(super) fn blank_line(&mut self, pieces: &Pieces<'_>) {
        if self.text.ends_with("\n\n") {
            return;
        }
        let line = self.text.trim_end_matches('\n');
        let last = &self.text[line.rfind('\n').map_or(0, |end| end + 1)..];
        let before = pieces.count(last);
        let after = pieces.count(&format!("{last}\n"));
        self.tokens = self.tokens + after - before;
        self.text.push('\n');
    }

    /// Ends with the status line of a block, which counts itself too. Returns the line's tokens.
    pub(super) fn end(
        &mut self,
        request: &Request,
        lines: u64,
        left_out: u64,
        pieces: &Pieces<'_>,
    ) -> usize {
        if !self.is_empty() {
            self.blank_line(pieces);
        }
        let line = self
            .settled(|counted| status_of_full(request, counted, lines, left_out))
            .filter(|line| Some(self.tokens + line.tokens) <= request.budget.limit())
            .or_else(|| self.settled(|counted| Some(status(request, counted, lines, left_out))));
        let Some(line) = line else {
            return 0;
        };
        self.push(&line.text, line.tokens);
        line.tokens
    }

    /// The line that says how many tokens the text has with it.
    fn settled(&self, line: impl Fn(usize) -> Option<String>) -> Option<Self> {
        let mut said = Self::new(line(self.tokens)?);
        // A figure that grows by a digit may make the line longer, once.
        for _ in 0..4 {
            let next = Self::new(line(self.tokens + said.tokens)?);
            let settled = next.text == said.text;
            said = next;
            if settled {
                break;
            }
        }
        Some(said)
    }
}
