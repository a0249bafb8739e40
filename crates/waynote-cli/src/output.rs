//! Standard output: text for people, bytes for pipes, JSON for programs. A terminal acts on control characters, and
//! notes may hold any. So all output to a terminal goes through here and is made visible.

use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use serde::Serialize;
use waynote::visible::without_hidden;

use crate::error::Outcome;
use crate::escaped::escaped;

/// The output of a command.
pub(crate) struct Output {
    pub(crate) json: bool,
    is_terminal: bool,
    writer: BufWriter<StdoutLock<'static>>,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        let stdout = io::stdout().lock();
        Self {
            json,
            is_terminal: stdout.is_terminal(),
            writer: BufWriter::new(stdout),
        }
    }

    /// A text without hidden characters; on a terminal with its controls as codes, because a terminal would act on
    /// them.
    pub(crate) fn text(&mut self, text: &str) -> Outcome {
        let shown = match self.is_terminal() {
            true => Cow::Owned(on_terminal(text)),
            false => without_hidden(text),
        };
        Ok(self.writer.write_all(shown.as_bytes())?)
    }

    /// The same for a text with colours of our own.
    pub(crate) fn coloured(&mut self, text: &str) -> Outcome {
        if !self.is_terminal() {
            return self.text(text);
        }
        let mut rest = text;
        while let Some((at, length)) = colour(rest) {
            self.text(&rest[..at])?;
            self.writer.write_all(&rest.as_bytes()[at..at + length])?;
            rest = &rest[at + length..];
        }
        self.text(rest)
    }

    /// A note's text; on a terminal with a line end where the text has none. Bytes that are no text go to a pipe as
    /// they are.
    pub(crate) fn content(&mut self, content: &waynote::Content) -> Outcome {
        if !self.is_terminal() {
            return match content.as_text() {
                Some(text) => self.text(text),
                None => Ok(self.writer.write_all(content.as_bytes())?),
            };
        }
        let text = content.shown();
        self.text(&text)?;
        let ends = text.is_empty() || text.ends_with('\n');
        if ends { Ok(()) } else { self.text("\n") }
    }

    /// A line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Outcome {
        self.text(text.as_ref())?;
        self.text("\n")
    }

    /// A value, indented.
    pub(crate) fn value(&mut self, value: &impl Serialize) -> Outcome {
        let json = serde_json::to_string_pretty(value).map_err(io::Error::from)?;
        Ok(writeln!(self.writer, "{}", escaped(&json))?)
    }

    /// The value as JSON when that is asked for, else the line that `text` makes.
    pub(crate) fn answer(
        &mut self,
        value: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Outcome {
        if self.json {
            self.value(value)
        } else {
            self.line(text())
        }
    }

    pub(crate) fn flush(&mut self) -> Outcome {
        Ok(self.writer.flush()?)
    }

    /// True if standard output is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// True if the output is coloured: on a terminal, unless `NO_COLOR` is set.
    pub(crate) fn has_colour(&self) -> bool {
        anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
    }
}

/// A text in characters that a terminal only shows. Both kinds of line end become one.
fn on_terminal(text: &str) -> String {
    waynote::visible::lines(&text.replace("\r\n", "\n"))
}

/// The position and the length of the next colour sequence, `ESC [ numbers m`.
fn colour(text: &str) -> Option<(usize, usize)> {
    const BEGIN: &str = "\u{1b}[";
    text.match_indices(BEGIN).find_map(|(at, begin)| {
        let inside = &text[at + begin.len()..];
        let numbers = inside
            .bytes()
            .take_while(|byte| byte.is_ascii_digit() || *byte == b';');
        let numbers = numbers.count();
        let is_colour = inside[numbers..].starts_with('m');
        is_colour.then_some((at, begin.len() + numbers + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_are_told_from_other_sequences() {
        assert_eq!(colour("a\u{1b}[2J\u{1b}[1;31mb"), Some((5, 7)));
        assert_eq!(colour("a\u{1b}[31"), None);
        assert_eq!(
            on_terminal("a\r\nb\u{1b}[31m\u{9b}"),
            "a\nb<U+001B>[31m<U+009B>"
        );
    }
}
