//! `waynote browse` on a real terminal: it opens, takes keys, hands the terminal to an editor, and gives it back as it
//! was, however it ends.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::common::{Scratch, has, until};

/// A running program on a terminal of its own.
pub(super) struct Terminal {
    ours: File,
    /// Kept open, so that its modes can be asked for at the end.
    theirs: File,
    pub(super) child: Child,
    seen: String,
    more: Receiver<Vec<u8>>,
}

impl Terminal {
    pub(super) fn of(mut command: Command, (columns, rows): (u16, u16)) -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let name = std::ffi::OsStr::from_bytes(name.as_bytes());
        let theirs = File::options().read(true).write(true).open(name).unwrap();
        let size = Winsize {
            ws_row: rows,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&theirs, size).unwrap();
        let stdio = || Stdio::from(theirs.try_clone().unwrap());
        command.stdin(stdio()).stdout(stdio()).stderr(stdio());
        let child = command.env("TERM", "xterm").spawn().unwrap();
        let ours = File::from(ours);
        let (sender, more) = channel();
        let mut reads = ours.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(read @ 1..) = reads.read(&mut bytes) {
                if sender.send(bytes[..read].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            ours,
            theirs,
            child,
            seen: String::new(),
            more,
        }
    }

    fn types(&mut self, text: &str) {
        self.ours.write_all(text.as_bytes()).unwrap();
    }

    /// Waits until the terminal was sent a word since the last wait: blanks are not sent where there were blanks before.
    pub(super) fn until(&mut self, text: &str) -> String {
        while !self.seen.contains(text) {
            let more = self.more.recv_timeout(Duration::from_secs(120));
            let more = more.unwrap_or_else(|_| panic!("no {text:?} in {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&more));
        }
        std::mem::take(&mut self.seen)
    }

    /// True if the terminal is in the mode in which a shell has it: it echoes, and its keys make lines and signals.
    fn is_usual(&self) -> bool {
        let modes = tcgetattr(&self.theirs).unwrap().local_modes;
        modes.contains(LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG)
    }

    /// The exit code, after the terminal was left as it was.
    fn ends(&mut self) -> Option<i32> {
        // The screen of before is back, the cursor is seen, and pasted text is as it is typed.
        let last = self.until("\u{1b}[?1049l");
        has(&last, "\u{1b}[?2004l");
        let status = self.child.wait().unwrap();
        assert!(self.is_usual());
        assert_eq!(status.signal(), None);
        status.code()
    }
}

fn browse(scratch: &Scratch, editor: &str) -> Terminal {
    let editor = scratch.script("editor", &format!("#!/bin/sh\n{editor}\n"));
    let mut command = scratch.command("browse");
    command
        .env("EDITOR", editor)
        .env("TMPDIR", scratch.path(""));
    Terminal::of(command, (80, 24))
}

#[test]
fn a_note_is_edited_and_the_terminal_given_back() {
    let scratch = Scratch::new();
    scratch.ok("key save build 'make all' --pin");
    // The editor finds the terminal as a shell has it.
    let modes = scratch.path("modes");
    let editor = format!(
        "stty -a > '{}'; echo 'then test' >> \"$1\"",
        modes.display()
    );
    let mut terminal = browse(&scratch, &editor);
    let screen = terminal.until("make");
    has(&screen, "\u{1b}[?1049h");
    assert!(!terminal.is_usual());
    terminal.types("e");
    has(terminal.until("saved"), "\u{1b}[?1049h");
    has(std::fs::read_to_string(modes).unwrap(), " icanon");
    assert_eq!(scratch.ok("show build"), "make all\nthen test");
    // A pasted text is no command, and where text is typed it is text.
    terminal.types("\u{1b}[200~dyq\u{1b}[201~p");
    terminal.until("unpinned");
    terminal.types("/\u{1b}[200~then\u{1b}[201~");
    terminal.types("\rq");
    assert_eq!(terminal.ends(), Some(0));
    assert_eq!(scratch.ok("show build"), "make all\nthen test");
}

#[test]
fn whatever_ends_it_the_terminal_is_given_back() {
    let scratch = Scratch::new();
    scratch.ok("key save build 'make all'");
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let mut terminal = browse(&scratch, "true");
        terminal.until("make");
        let process = Pid::from_child(&terminal.child);
        kill_process(process, signal).unwrap();
        assert_eq!(terminal.ends(), Some(code));
    }
    for key in ["\u{3}", "\u{1b}", "q"] {
        let mut terminal = browse(&scratch, "true");
        terminal.until("make");
        terminal.types(key);
        assert_eq!(terminal.ends(), Some(0), "{key:?}");
    }
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let scratch = Scratch::new();
    scratch.ok("key save build 'make all'");
    let mut terminal = browse(&scratch, "echo in the editor; exec cat");
    terminal.until("make");
    terminal.types("e");
    terminal.until("in the editor");
    let process = Pid::from_child(&terminal.child);
    // The first one waits for the editor.
    until("the end by a second signal", || {
        kill_process(process, Signal::TERM).unwrap();
        terminal.child.try_wait().unwrap().is_some()
    });
    let status = terminal.child.wait().unwrap();
    assert_eq!(status.signal(), Some(15));
}

#[test]
fn what_others_write_appears() {
    let scratch = Scratch::new();
    scratch.ok("key save build 'make all'");
    let mut terminal = browse(&scratch, "true");
    terminal.until("make");
    scratch.ok("place write 'Prices are in cents.'");
    terminal.until("cents");
    terminal.types("q");
    terminal.ends();
}

#[test]
fn without_a_terminal_there_is_nothing_to_browse() {
    let scratch = Scratch::new();
    assert_snapshot!(scratch.run("browse").said(), @"
    exit 1
    error: `waynote browse` shows notes on a terminal, and this is none
      `waynote ls` lists the notes; `waynote search WORDS` finds them
    ");
}
