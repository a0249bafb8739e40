//! A text made from another one, which knows where each of its bytes stood there.

use std::ops::Range;

/// A part of the text: copied, or one character in the place of several.
struct Piece {
    /// The offset here.
    at: usize,
    /// The offset in the original.
    from: usize,
    /// Bytes of the original that one byte here stands for; 0 for a copy.
    instead_of: usize,
}

/// A text without the characters that hide a credential.
#[derive(Default)]
pub(super) struct MappedText {
    text: String,
    pieces: Vec<Piece>,
}

impl MappedText {
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

    /// The range in the original; the text is not empty.
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
