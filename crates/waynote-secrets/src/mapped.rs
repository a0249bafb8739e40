//! A text made from another one, which knows where each of its bytes stood there.

use std::ops::Range;

/// A part of the text: copied, or one character in the place of several.
struct Piece {
    /// Where it begins here.
    at: usize,
    /// Where it begins in the original.
    from: usize,
    /// How long the original is of what one byte stands for; 0 for a copy.
    instead_of: usize,
}

/// A text without what hides a credential in it.
#[derive(Default)]
pub(super) struct Mapped {
    text: String,
    pieces: Vec<Piece>,
}

impl Mapped {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Adds a part of the original, which begins there at `from`.
    pub(super) fn copy(&mut self, part: &str, from: usize) {
        if part.is_empty() {
            return;
        }
        let goes_on = self.pieces.last().is_some_and(|last| {
            last.instead_of == 0 && last.from + (self.text.len() - last.at) == from
        });
        if !goes_on {
            self.pieces.push(Piece {
                at: self.text.len(),
                from,
                instead_of: 0,
            });
        }
        self.text.push_str(part);
    }

    /// Adds one ASCII character in the place of some bytes of the original.
    pub(super) fn replace(&mut self, byte: u8, original: Range<usize>) {
        self.pieces.push(Piece {
            at: self.text.len(),
            from: original.start,
            instead_of: original.len(),
        });
        self.text.push(char::from(byte & 0x7f));
    }

    /// Where a range of the text, which is not empty, stands in the original.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let piece = |byte: usize| {
            let after = self.pieces.partition_point(|piece| piece.at <= byte);
            &self.pieces[after - 1]
        };
        let (first, last) = (piece(range.start), piece(range.end - 1));
        let end = match last.instead_of {
            0 => last.from + (range.end - last.at),
            length => last.from + length,
        };
        first.from + (range.start - first.at)..end
    }
}
