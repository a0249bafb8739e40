//! Which client session got the block already: marker files outside the store, so that two configurations that both fire, or
//! a hook and the first answer of a server, deliver it once.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use waynote::Content;

/// Two configurations fire for one event within this; a later event of the same kind is a new one.
const SAME_EVENT: SignedDuration = SignedDuration::from_secs(10);

/// A marker that nobody touched for so long belongs to a session that is over.
const OLD: SignedDuration = SignedDuration::from_hours(24 * 7);

/// The most files that one sweep looks at.
const SWEPT: usize = 256;

/// What the block is delivered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source<'s> {
    /// The session's beginning: once for each session.
    Startup,
    /// What can come again in the same session, by name: a compaction, a subagent.
    Event(&'s str),
}

impl Source<'_> {
    fn name(self) -> String {
        match self {
            Self::Startup => "startup".into(),
            Self::Event(name) => format!("event {name}"),
        }
    }
}

/// Whether this process is the one that delivers: true for exactly one of those that ask for the same session and event.
/// `folder` is made when it is not there.
pub(crate) fn claim(
    folder: &Path,
    session: &str,
    source: Source<'_>,
    now: Timestamp,
) -> io::Result<bool> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let name = Content::imported(format!("{session}\0{}", source.name())).hash();
    let path = folder.join(name.to_string());
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
    {
        Ok(mut marker) => {
            // Held while the time is put in: whoever finds it empty and unlocked met a process that died.
            let _held = marker.try_lock();
            write!(marker, "{now}")?;
            sweep(folder, now);
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match source {
            Source::Startup => Ok(false),
            Source::Event(_) => again(&path, now),
        },
        Err(error) => Err(error),
    }
}

/// Takes a marker over that an earlier event of the same kind left.
fn again(path: &Path, now: Timestamp) -> io::Result<bool> {
    let mut marker = File::options().read(true).write(true).open(path)?;
    // Whoever holds it delivers this very event.
    if marker.try_lock().is_err() {
        return Ok(false);
    }
    let mut text = String::new();
    (&mut marker).take(64).read_to_string(&mut text)?;
    let Ok(last) = text.parse::<Timestamp>() else {
        // Made a moment ago by a process that has not written the time yet, or that died.
        return Ok(false);
    };
    if now.duration_since(last).abs() < SAME_EVENT {
        return Ok(false);
    }
    marker.rewind()?;
    marker.set_len(0)?;
    write!(marker, "{now}")?;
    Ok(true)
}

/// Removes markers of sessions long over. Best effort: the next one finds what is left.
fn sweep(folder: &Path, now: Timestamp) {
    for entry in std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .take(SWEPT)
        .flatten()
    {
        let written = entry.metadata().and_then(|file| file.modified());
        let is_old = written
            .ok()
            .and_then(|written| Timestamp::try_from(written).ok())
            .is_some_and(|written| now.duration_since(written) > OLD);
        if is_old {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_800_000_000 + second).unwrap()
    }

    #[test]
    fn a_session_starts_once_and_is_compacted_often() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("made/for/it");
        let claim = |session, source, second| claim(&folder, session, source, at(second)).unwrap();
        let compact = Source::Event("compact");
        assert!(claim("s", Source::Startup, 0));
        assert!(!claim("s", Source::Startup, 0));
        assert!(!claim("s", Source::Startup, 3600));
        assert!(claim("other", Source::Startup, 0));
        assert!(claim("s", compact, 1));
        assert!(!claim("s", compact, 2));
        assert!(claim("s", compact, 60));
        assert!(!claim("s", compact, 61));
        // A clock that went back.
        assert!(claim("s", compact, -3600));
        assert!(claim("s", Source::Event("startup"), 0));
    }

    #[test]
    fn of_many_at_once_one_delivers() {
        let folder = tempfile::tempdir().unwrap();
        for (round, second) in [(1, 0), (2, 100), (3, 200)] {
            let source = Source::Event("compact");
            let won: usize = std::thread::scope(|scope| {
                let claims: Vec<_> = (0..16)
                    .map(|_| scope.spawn(|| claim(folder.path(), "s", source, at(second)).unwrap()))
                    .collect();
                claims
                    .into_iter()
                    .map(|claim| usize::from(claim.join().unwrap()))
                    .sum()
            });
            assert_eq!(won, 1, "round {round}");
        }
    }

    #[test]
    fn markers_of_sessions_long_over_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let old = folder.path().join("old");
        std::fs::write(&old, "").unwrap();
        let week = std::time::Duration::from_secs(8 * 24 * 3600);
        let written = std::time::SystemTime::from(at(0)) - week;
        File::options()
            .write(true)
            .open(&old)
            .unwrap()
            .set_modified(written)
            .unwrap();
        assert!(claim(folder.path(), "s", Source::Startup, at(0)).unwrap());
        assert!(!old.exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
