//! A line that is typed.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The text, and the place of the cursor among its characters.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    chars: Vec<char>,
    cursor: usize,
}

impl Line {
    pub(super) fn text(&self) -> String {
        self.chars.iter().collect()
    }

    /// The text before the cursor, and the rest.
    pub(super) fn parts(&self) -> (String, String) {
        let (before, after) = self.chars.split_at(self.cursor);
        (before.iter().collect(), after.iter().collect())
    }

    pub(super) fn put(&mut self, text: &str) {
        let after = self.chars.split_off(self.cursor);
        self.chars.extend(text.chars());
        self.cursor = self.chars.len();
        self.chars.extend(after);
    }

    pub(super) fn key(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('u') if control => {
                drop(self.chars.drain(..std::mem::take(&mut self.cursor)));
            }
            KeyCode::Char('w') if control => {
                let is_blank = |char: &char| char.is_whitespace();
                let before = self.chars[..self.cursor]
                    .iter()
                    .rposition(|of| !is_blank(of));
                let word = self.chars[..before.unwrap_or(0)].iter().rposition(is_blank);
                let from = word.map_or(0, |at| at + 1);
                self.chars.drain(from..self.cursor);
                self.cursor = from;
            }
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.chars.len(),
            KeyCode::Char(char) if !control => self.put(char.encode_utf8(&mut [0; 4])),
            KeyCode::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.chars.remove(self.cursor);
            }
            KeyCode::Delete if self.cursor < self.chars.len() => {
                self.chars.remove(self.cursor);
            }
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = (self.cursor + 1).min(self.chars.len()),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.chars.len(),
            _ => {}
        }
    }
}
