//! The screen while an agent runs: its output as it comes, and below it a status line with the progress of the run.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use parking_lot::Mutex;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use waynote_loop::Stream;

use crate::table::shortened;

/// Our own two outputs. Clones share them; an output that fails is left alone from then on. The lock is not to be had
/// while a stopped terminal (Ctrl-S) blocks a writer.
#[derive(Clone)]
pub(super) struct Screen(Arc<Mutex<Inner>>);

struct Inner {
    out: Option<Output>,
    err: Option<Output>,
    /// The status line, if there is one, and whether it is on the terminal now.
    line: Option<String>,
    is_drawn: bool,
    /// True if the last output ended its line: a status line is not put behind half a line.
    at_line_start: bool,
}

/// Somewhere to write to.
struct Output {
    writer: Box<dyn Write + Send>,
    /// The columns of the terminal, asked again each time because a window can be resized; none if it is no terminal.
    width: Option<Box<dyn Fn() -> usize + Send>>,
}

impl Screen {
    /// Standard output and standard error, or both on standard error.
    pub(super) fn new(all_on_standard_error: bool) -> Self {
        let (out, err) = (io::stdout(), io::stderr());
        let to_err = || Output::of(err.as_fd(), err.is_terminal());
        let out = match all_on_standard_error {
            true => to_err(),
            false => Output::of(out.as_fd(), out.is_terminal()),
        };
        Self::of(out, to_err())
    }

    fn of(out: Option<Output>, err: Option<Output>) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            out,
            err,
            line: None,
            is_drawn: false,
            at_line_start: true,
        })))
    }

    /// Lets an agent's output through; the status line makes room.
    pub(super) fn pass(&self, stream: Stream, bytes: &[u8]) {
        self.0.lock().pass(stream, bytes);
    }

    /// Puts the status line, where standard error is a terminal; one that is busy is left for the next time.
    pub(super) fn draw(&self, line: &str) {
        if let Some(mut inner) = self.0.try_lock() {
            inner.line = Some(line.to_owned());
            inner.draw();
        }
    }

    /// Takes the status line away, and ends the line that an agent left open.
    pub(super) fn erase(&self) {
        if let Some(mut inner) = self.0.try_lock() {
            inner.erase();
            inner.line = None;
            let is_terminal = inner.err.as_ref().is_some_and(Output::is_terminal);
            if is_terminal && !std::mem::replace(&mut inner.at_line_start, true) {
                write(&mut inner.err, b"\n");
            }
        }
    }

    /// True if a status line is visible: standard error is a terminal.
    pub(super) fn has_status(&self) -> bool {
        let inner = self.0.try_lock();
        inner.is_some_and(|inner| inner.err.as_ref().is_some_and(Output::is_terminal))
    }
}

impl Inner {
    fn pass(&mut self, stream: Stream, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        let is_terminal = self.output(stream).as_ref();
        let is_terminal = is_terminal.is_some_and(Output::is_terminal);
        if is_terminal {
            self.erase();
            self.at_line_start = *last == b'\n';
        }
        write(self.output(stream), bytes);
        if is_terminal {
            self.draw();
        }
    }

    fn output(&mut self, stream: Stream) -> &mut Option<Output> {
        match stream {
            Stream::Out => &mut self.out,
            Stream::Err => &mut self.err,
        }
    }

    fn draw(&mut self) {
        let width = self.err.as_ref().and_then(|err| err.width.as_ref());
        let (Some(width), Some(line)) = (width, &self.line) else {
            return;
        };
        if !self.at_line_start {
            return;
        }
        // In one column less than there are: a full line would wrap, and its first half would stay.
        let text = format!("{CLEAR}{}", shortened(line, width().saturating_sub(1)));
        write(&mut self.err, text.as_bytes());
        self.is_drawn = true;
    }

    fn erase(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            write(&mut self.err, CLEAR.as_bytes());
        }
    }
}

/// To the line's start, and nothing right of it.
const CLEAR: &str = "\r\u{1b}[K";

fn write(output: &mut Option<Output>, bytes: &[u8]) {
    let Some(Output { writer, .. }) = output else {
        return;
    };
    let written = writer.write_all(bytes).and_then(|()| writer.flush());
    if written.is_err() {
        // A closed terminal or pipe does not open again.
        *output = None;
    }
}

impl Output {
    fn of(fd: impl AsFd, is_terminal: bool) -> Option<Self> {
        let fd = fd.as_fd().try_clone_to_owned().ok()?;
        let sized = fd.try_clone().ok()?;
        Some(Self {
            writer: Box::new(Patient(File::from(fd))),
            width: is_terminal.then(|| Box::new(move || columns(&sized)) as Box<_>),
        })
    }

    fn is_terminal(&self) -> bool {
        self.width.is_some()
    }
}

fn columns(terminal: &OwnedFd) -> usize {
    terminal_size::terminal_size_of(terminal).map_or(80, |(width, _)| usize::from(width.0))
}

/// A file that may be non-blocking, because another process that shares it can make it so.
struct Patient(File);

impl Write for Patient {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => return written,
            }
            match poll(&mut [PollFd::new(&self.0, PollFlags::OUT)], None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    /// A writer that keeps its output for assertions.
    #[derive(Clone, Default)]
    struct Seen(Arc<Mutex<Vec<u8>>>);

    impl Seen {
        fn output(&self, width: Option<usize>) -> Option<Output> {
            Some(Output {
                writer: Box::new(self.clone()),
                width: width.map(|width| Box::new(move || width) as Box<_>),
            })
        }

        fn bytes(&self) -> Vec<u8> {
            self.0.lock().clone()
        }

        fn shown(&self) -> String {
            let text = String::from_utf8(self.bytes()).unwrap();
            text.replace(CLEAR, "⟲").replace('\n', "⏎\n")
        }
    }

    impl Write for Seen {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    struct Gone;

    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_line_makes_room_for_output_and_comes_back() {
        let terminal = Seen::default();
        let screen = Screen::of(terminal.output(Some(40)), terminal.output(Some(40)));
        screen.draw("one");
        screen.pass(Stream::Out, b"hello\n");
        screen.pass(Stream::Out, b"half");
        screen.draw("two");
        screen.pass(Stream::Err, b" whole\n");
        screen.pass(Stream::Out, b"");
        screen.erase();
        screen.erase();
        screen.pass(Stream::Out, b"end\n");
        // The next output begins on a line of its own.
        screen.pass(Stream::Out, b"no end");
        screen.erase();
        screen.erase();
        screen.pass(Stream::Out, b"next\n");
        assert_snapshot!(terminal.shown(), @"
        ⟲one⟲hello⏎
        ⟲one⟲half whole⏎
        ⟲two⟲end⏎
        no end⏎
        next⏎
        ");
    }

    #[test]
    fn without_a_terminal_there_is_no_line() {
        let (out, err) = (Seen::default(), Seen::default());
        let screen = Screen::of(out.output(Some(80)), err.output(None));
        assert!(!screen.has_status());
        screen.draw("one");
        screen.pass(Stream::Out, b"a\n");
        screen.pass(Stream::Err, b"b\xff");
        screen.erase();
        assert_eq!(
            (out.bytes(), err.bytes()),
            (b"a\n".to_vec(), b"b\xff".to_vec())
        );
    }

    #[test]
    fn output_that_goes_elsewhere_leaves_the_line_alone() {
        let (out, err) = (Seen::default(), Seen::default());
        let screen = Screen::of(out.output(None), err.output(Some(80)));
        assert!(screen.has_status());
        screen.draw("one");
        screen.pass(Stream::Out, b"half");
        screen.draw("two");
        assert_eq!(err.shown(), "⟲one⟲two");
    }

    /// A writer that blocks until the sender is dropped.
    struct Still(std::sync::mpsc::Sender<()>, std::sync::mpsc::Receiver<()>);

    impl Write for Still {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.send(());
            let _ = self.1.recv();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn an_output_that_stands_still_does_not_hold_up_the_line() {
        use std::sync::mpsc::channel;

        let ((started, starts), (go, waits)) = (channel(), channel());
        let still = Output {
            writer: Box::new(Still(started, waits)),
            width: None,
        };
        let screen = Screen::of(Some(still), None);
        let writer = screen.clone();
        let passing = std::thread::spawn(move || writer.pass(Stream::Out, b"x"));
        starts.recv().unwrap();
        screen.draw("does not wait");
        screen.erase();
        assert!(!screen.has_status());
        drop(go);
        passing.join().unwrap();
    }

    #[test]
    fn an_output_that_fails_is_left_alone() {
        let err = Seen::default();
        let gone = Output {
            writer: Box::new(Gone),
            width: Some(Box::new(|| 80)),
        };
        let screen = Screen::of(Some(gone), err.output(Some(80)));
        screen.pass(Stream::Out, b"lost\n");
        screen.pass(Stream::Out, b"lost\n");
        screen.draw("one");
        assert_eq!(err.shown(), "⟲one");
        let screen = Screen::of(None, None);
        screen.draw("one");
        screen.pass(Stream::Err, b"lost");
        screen.erase();
    }
}
