//! Standard output: text for people, bytes for pipes, JSON for programs.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use serde::Serialize;

use crate::error::Outcome;

/// Where a command's answer goes.
pub(crate) struct Output {
    pub(crate) json: bool,
    writer: BufWriter<StdoutLock<'static>>,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self {
            json,
            writer: BufWriter::new(io::stdout().lock()),
        }
    }

    /// Bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Outcome {
        Ok(self.writer.write_all(bytes)?)
    }

    /// A note's text: the bytes as they are, and on a terminal a line end where the text has none.
    pub(crate) fn content(&mut self, content: &waynote::Content) -> Outcome {
        self.bytes(content.as_bytes())?;
        let ends = content.is_empty() || content.as_bytes().ends_with(b"\n");
        if self.is_terminal() && !ends {
            self.bytes(b"\n")?;
        }
        Ok(())
    }

    /// A line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Outcome {
        Ok(writeln!(self.writer, "{}", text.as_ref())?)
    }

    /// A value, indented.
    pub(crate) fn value(&mut self, value: &impl Serialize) -> Outcome {
        serde_json::to_writer_pretty(&mut self.writer, value).map_err(io::Error::from)?;
        Ok(writeln!(self.writer)?)
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

    /// Whether a person is looking.
    pub(crate) fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Whether to colour: a terminal that does not ask for none (`NO_COLOR`).
    pub(crate) fn has_colour(&self) -> bool {
        anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
    }
}
