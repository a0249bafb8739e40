//! What lines say without white space, and where a file says it.

use crate::content::Content;

/// A file's text without white space.
pub(super) struct CompactText {
    bytes: Vec<u8>,
    /// For each line, where it begins in `bytes`; then the end.
    lines: Vec<usize>,
}

/// The length that a print says.
pub(super) fn length(said: &str) -> Option<usize> {
    said.split('-').next()?.parse().ok()
}

fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte)).sum()
}

impl CompactText {
    pub(super) fn of(text: &[u8]) -> Self {
        let mut bare = Self {
            bytes: Vec::with_capacity(text.len()),
            lines: vec![0],
        };
        for byte in text {
            match byte {
                b'\n' => bare.lines.push(bare.bytes.len()),
                byte if byte.is_ascii_whitespace() => {}
                byte => bare.bytes.push(*byte),
            }
        }
        if !text.ends_with(b"\n") {
            bare.lines.push(bare.bytes.len());
        }
        bare
    }

    /// What lines say, from 1: the length, the sum of the bytes and their hash. None for blank lines, and for those that
    /// the file does not have.
    pub(super) fn print(&self, first: usize, last: usize) -> Option<String> {
        let bytes = &self.bytes[*self.lines.get(first - 1)?..*self.lines.get(last)?];
        (!bytes.is_empty()).then(|| print(bytes))
    }

    /// The lines that say this: of several, the nearest to a line.
    pub(super) fn find(&self, said: &str, near: usize) -> Option<(usize, usize)> {
        let length = length(said).filter(|length| *length > 0)?;
        let wanted: u64 = said.split('-').nth(1)?.parse().ok()?;
        let (mut begin, mut end, mut running) = (0, 0, 0);
        let mut found: Option<(usize, usize)> = None;
        for (line, start) in self.lines.iter().copied().enumerate() {
            // A blank line begins where the next one does.
            let (is_blank, stop) = (self.lines.get(line + 1) == Some(&start), start + length);
            if stop > self.bytes.len() {
                break;
            }
            // The window moves on with the lines: every byte is added and taken away once.
            running += sum(&self.bytes[end..stop]);
            running -= sum(&self.bytes[begin..start]);
            (begin, end) = (start, stop);
            let is_at_end = || self.lines.binary_search(&stop).is_ok();
            if !is_blank
                && running == wanted
                && is_at_end()
                && print(&self.bytes[begin..end]) == said
            {
                let last = self.lines.partition_point(|of| *of < stop);
                let is_nearer =
                    |of: (usize, usize)| (line + 1).abs_diff(near) < of.0.abs_diff(near);
                if found.is_none_or(is_nearer) {
                    found = Some((line + 1, last));
                }
            }
        }
        found
    }
}

fn print(bytes: &[u8]) -> String {
    let hash = Content::imported(bytes).hash();
    format!("{}-{}-{hash}", bytes.len(), sum(bytes))
}
