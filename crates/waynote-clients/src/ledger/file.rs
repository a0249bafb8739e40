//! The files of the ledger: read without a lock, changed under one, and replaced as a whole.

use std::fs::{File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use waynote_files::replace_private;
use waynote_system::plain;

use super::delivered::Deliveries;

/// How long the lock of a ledger is waited for. It is held for the time of one write.
const LOCK_WAIT: Duration = Duration::from_millis(100);

/// As much of a ledger as is read: tens of thousands of notes.
const MAX_BYTES: usize = 4 << 20;

/// A ledger longer than this is rewritten when that halves it.
const LONG_BYTES: usize = 256 << 10;

/// The deliveries in a ledger.
pub(super) fn read(path: &Path) -> io::Result<Deliveries> {
    let (text, _) = plain::read(plain::open(path)?, MAX_BYTES as u64)?;
    Ok(Deliveries::read(&String::from_utf8_lossy(&text)))
}

/// A ledger, locked until this goes.
pub(super) struct Ledger<'p> {
    path: &'p Path,
    file: File,
    length: u64,
    /// True if its last line is cut off.
    is_torn: bool,
    /// Its deliveries.
    pub(super) given: Deliveries,
}

impl<'p> Ledger<'p> {
    /// Locks a ledger, and makes it where there is none; none where that cannot be.
    pub(super) fn locked(path: &'p Path) -> Option<Self> {
        let begin = Instant::now();
        let mut file = plain::open_or_make(path).ok()?;
        loop {
            match file.try_lock() {
                Ok(()) if is_at(&file, path) => break,
                // The last holder of the lock has replaced the file.
                Ok(()) => file = plain::open_or_make(path).ok()?,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
                Err(TryLockError::Error(_)) => return None,
            }
            if begin.elapsed() >= LOCK_WAIT {
                return None;
            }
        }
        // Unreadable lines count as not delivered.
        let read = file
            .try_clone()
            .and_then(|file| plain::read(file, MAX_BYTES as u64));
        let (text, length) = read.unwrap_or_default();
        Some(Self {
            path,
            file,
            length,
            is_torn: text.last().is_some_and(|last| *last != b'\n'),
            given: Deliveries::read(&String::from_utf8_lossy(&text)),
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds those of the lines that say something new.
    pub(super) fn write(&mut self, lines: &str) -> io::Result<()> {
        let mut added = String::new();
        let mut is_reset = false;
        for line in lines.lines() {
            if self.given.note(line) {
                is_reset |= line.starts_with("reset");
                added.push_str(line);
                added.push('\n');
            }
        }
        if added.is_empty() {
            return Ok(());
        }
        let length = usize::try_from(self.length).unwrap_or(usize::MAX);
        if is_reset || self.is_torn || length > LONG_BYTES {
            let text = self.given.text(MAX_BYTES / 2);
            if is_reset || self.is_torn || text.len() <= length / 2 {
                return replace_private(self.path, text.as_bytes(), None);
            }
        }
        self.file.seek(SeekFrom::End(0))?;
        self.file.write_all(added.as_bytes())
    }
}

/// True if a path still leads to an open file.
fn is_at(file: &File, path: &Path) -> bool {
    let of_path = path.symlink_metadata();
    let ends = file.metadata().ok().zip(of_path.ok());
    ends.is_some_and(|(one, other)| (one.dev(), one.ino()) == (other.dev(), other.ino()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::delivered::Channel;
    use super::*;

    fn ledger() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session s");
        (folder, path)
    }

    fn write(path: &Path, lines: &str) {
        Ledger::locked(path).unwrap().write(lines).unwrap();
    }

    #[test]
    fn a_line_is_written_once() {
        let (_folder, path) = ledger();
        for _ in 0..3 {
            write(
                &path,
                "block hook\nwhole 1 agent:default#k\nline 1 agent:default#k\n",
            );
        }
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "block hook\nwhole 1 agent:default#k\n");
    }

    #[test]
    fn a_reset_leaves_the_subagents_alone() {
        let (_folder, path) = ledger();
        write(
            &path,
            "subagent b\nsubagent a\nblock hook\nline 1 agent:default#k\n",
        );
        write(&path, "reset compact - 5\n");
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "reset compact - 5\nsubagent a\nsubagent b\n");
        write(&path, "lost a\nblock server\n");
        let given = read(&path).unwrap();
        assert_eq!(
            (given.block, given.was_reset),
            (Some(Channel::Server), true)
        );
        assert_eq!(given.subagents.iter().collect::<Vec<_>>(), ["b"]);
    }

    #[test]
    fn a_ledger_of_any_length_is_read_and_shortened() {
        let (_folder, path) = ledger();
        let mut text = String::from("block hook\nsubagent a\n");
        for revision in 0..200_000 {
            text.push_str(&format!("whole {revision} agent:default#key\n"));
        }
        assert!(text.len() > MAX_BYTES);
        fs::write(&path, &text).unwrap();
        write(&path, "reset compact - 5\n");
        let given = read(&path).unwrap();
        assert_eq!((given.block, given.was_reset), (None, true));
        // Without a reset, the latest revision of each note stays.
        text.truncate(text.len() / 2);
        fs::write(&path, &text).unwrap();
        write(&path, "line 300000 agent:default#other\n");
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[..2], ["block hook", "subagent a"]);
        assert_eq!(lines[3], "line 300000 agent:default#other");
        assert_eq!(lines.len(), 4, "{}", text.len());
    }

    #[test]
    fn a_last_line_that_is_cut_off_harms_no_other() {
        let (_folder, path) = ledger();
        fs::write(&path, "block hook\nwhole 1 agent:default#ke").unwrap();
        assert_eq!(read(&path).unwrap().pieces(), []);
        write(&path, "reset compact - 5\nblock server\n");
        assert_eq!(read(&path).unwrap().block, Some(Channel::Server));
        fs::write(&path, "block hook\nwhole 1 agent:default#ke").unwrap();
        write(&path, "line 2 agent:default#key\n");
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "block hook\nline 2 agent:default#key\n");
    }

    #[test]
    fn who_waits_for_the_lock_gets_the_file_that_is_there_then() {
        let (_folder, path) = ledger();
        let mut first = Ledger::locked(&path).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| Ledger::locked(&path).map(|ledger| ledger.given));
            first.write("reset compact - 5\nblock hook\n").unwrap();
            drop(first);
            let given = second.join().unwrap().expect("the lock is free");
            assert_eq!(given.block, Some(Channel::Hook));
        });
    }

    #[test]
    fn what_is_no_file_is_no_ledger_and_makes_nobody_wait() {
        let (folder, path) = ledger();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        assert!(read(&path).is_err() && Ledger::locked(&path).is_none());
        fs::remove_file(&path).unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        assert!(read(&path).is_err() && Ledger::locked(&path).is_none());
        // A link is replaced, not followed.
        replace_private(&path, b"text", None).unwrap();
        assert_eq!(fs::read_to_string(&other).unwrap(), "");
        assert_eq!(fs::read_to_string(&path).unwrap(), "text");
    }
}
