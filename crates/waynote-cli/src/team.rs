//! A team's store beside the own one: its notes of a lineage's repositories, as this machine keeps them. A start asks the
//! store, for a short time; all else is read from what is kept.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use waynote::store::TeamNotes;
use waynote::text::{minute, plural};
use waynote::{Content, Error, ErrorClass, Lineage, Place, Store};
use waynote_files::replace_private;
use waynote_system::{plain, repository};

use crate::error::{Failure, Outcome};
use crate::settings::Settings;
use crate::{clock, database, home, remote};

/// How long a start of a session waits for the team's store.
pub(crate) const AT_START: Duration = Duration::from_millis(400);

/// How long a person's command waits, and how long a program that keeps running goes on asking.
pub(crate) const TYPED: Duration = Duration::from_secs(3);

/// How long a store that did not answer is left alone.
const ALONE: Duration = Duration::from_secs(60);

/// How long notes are kept without an answer of the store.
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// How far ahead of the clock a file's time may be.
const AHEAD: Duration = Duration::from_secs(300);

/// The file of a store that says why it is left alone.
const MARK: &str = "alone";

/// A team's store.
#[derive(Clone)]
struct Team {
    settings: Settings,
    /// Where its notes are kept.
    folder: PathBuf,
}

/// Why there is no answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Silence {
    Away,
    Refused,
}

impl Settings {
    /// The address of the team's store; none for work in a store that is elsewhere itself, which is addressed alone.
    pub(crate) fn team(&self) -> Option<&str> {
        let is_elsewhere = self.remote().or(self.database()).is_some();
        let team = self.team_store.value.as_deref();
        team.filter(|_| !is_elsewhere)
    }

    /// True if the notes of this place's repository are read from the team's store, and may be shared there.
    pub(crate) fn is_of_team(&self, place: &Place) -> bool {
        let patterns = &self.team_repositories.value;
        place.in_repository().is_some_and(|(name, _)| {
            let serves = |of: &String| repository::matches(of, name);
            patterns.iter().any(serves)
        })
    }

    /// The team's store. Nothing is sent yet.
    ///
    /// # Errors
    /// Where there is none, or where it cannot be used with these settings.
    pub(crate) fn open_team(
        &self,
        longest: Option<Duration>,
    ) -> Outcome<Box<dyn Store + Send + Sync>> {
        let url = self.team().ok_or_else(|| {
            Failure::usage(
                "no team's store is set",
                "set one: `waynote config set team.store https://HOST/s/NAME`; and the repositories that it serves: \
                 `waynote config set team.repositories 'github.com/acme/*'`",
            )
        })?;
        // As the one store of a session, by the same token, password and certificates.
        let mut alone = self.clone();
        alone.store.value = url.into();
        alone.notes_file.value = None;
        alone.attach = false;
        Ok(match alone.remote() {
            Some(url) => Box::new(remote::open(&alone, url, longest)?),
            None => Box::new(database::open(&alone, url, longest)?),
        })
    }

    /// Asks the team's store for its notes of the repositories that a place is in, for so long at most. Returns a line
    /// about what is not as it should be, in words of this program alone: it may stand in a block.
    pub(crate) fn ask_team(&self, lineage: &Lineage, within: Duration) -> Option<String> {
        let repositories = self.repositories_of_team(lineage);
        let team = Team::of(self).filter(|_| !repositories.is_empty())?;
        let silence = team.asked(&repositories, within);
        let kept = repositories.iter().filter_map(|of| team.kept(of));
        let (notes, times): (Vec<TeamNotes>, Vec<SystemTime>) = kept.unzip();
        let left_out = notes.iter().map(TeamNotes::left_out).sum();
        said(silence, left_out, times.into_iter().min())
    }

    /// The team's notes of those repositories, as this machine keeps them. No network is asked.
    pub(crate) fn team_notes(&self, lineage: &Lineage) -> Vec<TeamNotes> {
        let repositories = self.repositories_of_team(lineage);
        let team = Team::of(self).filter(|_| !repositories.is_empty());
        let of = |team: Team| repositories.iter().filter_map(move |of| team.kept(of));
        let kept = team.into_iter().flat_map(of);
        kept.map(|(notes, _)| notes).collect()
    }

    /// The roots of the repositories that a place or its checkouts are in, of those that are the team's.
    fn repositories_of_team(&self, lineage: &Lineage) -> Vec<Place> {
        let mut repositories = Vec::new();
        let inner = lineage.checkouts().iter().map(|of| &of.name);
        let places = lineage.places().iter().chain(inner);
        for place in places.filter(|of| self.is_of_team(of)) {
            let root = place.chain().into_iter().next();
            repositories.extend(root.filter(|root| !repositories.contains(root)));
        }
        repositories
    }
}

/// A name of a file for any text.
fn hash(text: &str) -> String {
    Content::imported(text).hash().to_string()
}

fn said(silence: Option<Silence>, left_out: u64, of: Option<SystemTime>) -> Option<String> {
    let of = of.and_then(|of| Timestamp::try_from(of).ok()).map(minute);
    Some(match (silence, of) {
        (Some(Silence::Refused), _) => {
            "the team's store refuses this machine; its notes were removed here".to_owned()
        }
        (Some(Silence::Away), Some(of)) => {
            format!("the team's store does not answer; its notes are those of {of} UTC")
        }
        (Some(Silence::Away), None) => {
            "the team's store does not answer; its notes are left out".to_owned()
        }
        (None, _) if left_out > 0 => {
            let notes = plural(left_out, "note");
            format!("left out of the team's store: {notes}, too long or not of this repository")
        }
        (None, _) => return None,
    })
}

impl Team {
    /// The team's store; none where there is none, or no home directory to keep its notes in.
    fn of(settings: &Settings) -> Option<Self> {
        let state = home::environment().state().ok()??;
        Some(Self {
            folder: state.join("waynote/team").join(hash(settings.team()?)),
            settings: settings.clone(),
        })
    }

    /// Asks the store for what is new, for so long at most. The answer is kept; without one, the store is left alone for a
    /// while.
    fn asked(&self, repositories: &[Place], within: Duration) -> Option<Silence> {
        if let Some(silence) = self.mark() {
            return Some(silence);
        }
        let (sender, receiver) = channel();
        let (team, of) = (self.clone(), repositories.to_vec());
        // Whatever it waits for, a command that prints a token or a name server: the start does not.
        let asks = thread::Builder::new().spawn(move || {
            let _ = sender.send(team.ask(&of));
        });
        let answer = asks.ok().and_then(|_| receiver.recv_timeout(within).ok());
        let silence = match answer {
            Some(Ok(())) => return None,
            Some(Err(Failure::Library(error))) if is_refused(&error) => Silence::Refused,
            _ => Silence::Away,
        };
        let word = match silence {
            Silence::Away => "away",
            Silence::Refused => {
                let _ = fs::remove_dir_all(&self.folder);
                "refused"
            }
        };
        let _ = self.put(MARK, word);
        Some(silence)
    }

    fn ask(&self, repositories: &[Place]) -> Outcome {
        self.sweep();
        let store = self.settings.open_team(Some(TYPED))?;
        for of in repositories {
            let known = self.kept(of).map(|(known, _)| known);
            match TeamNotes::ask(&*store, of, known.as_ref())? {
                Some(new) => self.put(&hash(of.as_str()), new.text()),
                // From now on they count as read now.
                None => self
                    .file(of)
                    .and_then(|file| file.set_modified(clock::of_files())),
            }
            .map_err(|error| Failure::file("the notes of the team", "kept", error))?;
        }
        let _ = fs::remove_file(self.folder.join(MARK));
        Ok(())
    }

    /// Why the store is left alone now.
    fn mark(&self) -> Option<Silence> {
        let path = self.folder.join(MARK);
        age(&path).filter(|age| *age < ALONE)?;
        Some(match plain::read_own(&path, 64)?.as_slice() {
            b"refused" => Silence::Refused,
            _ => Silence::Away,
        })
    }

    /// The notes that are kept of a repository, and when the store last had them so.
    fn kept(&self, of: &Place) -> Option<(TeamNotes, SystemTime)> {
        let path = self.folder.join(hash(of.as_str()));
        age(&path).filter(|age| *age < WEEK)?;
        let at = fs::symlink_metadata(&path).ok()?.modified().ok()?;
        let text = plain::read_own(&path, TeamNotes::BYTES)?;
        let notes = TeamNotes::of_text(String::from_utf8(text).ok()?)?;
        (notes.repository() == of).then_some((notes, at))
    }

    fn file(&self, of: &Place) -> std::io::Result<fs::File> {
        plain::open_or_make(&self.folder.join(hash(of.as_str())))
    }

    fn put(&self, name: &str, text: &str) -> std::io::Result<()> {
        plain::make_private_folder(&self.folder)?;
        replace_private(&self.folder.join(name), text.as_bytes(), None)
    }

    /// Removes what was kept for too long, of every store.
    fn sweep(&self) {
        let folders = self
            .folder
            .parent()
            .and_then(|above| fs::read_dir(above).ok());
        let files = folders.into_iter().flatten().flatten();
        let files = files.filter_map(|folder| fs::read_dir(folder.path()).ok());
        for file in files.flatten().flatten().map(|file| file.path()) {
            if age(&file).is_none_or(|age| age >= WEEK) {
                let _ = fs::remove_file(file);
            }
        }
    }
}

/// How old a file is; none for one that is of the future, or not there.
fn age(path: &std::path::Path) -> Option<Duration> {
    let at = fs::symlink_metadata(path).ok()?.modified().ok()?;
    let ahead = clock::of_files() + AHEAD;
    Some(ahead.duration_since(at).ok()?.saturating_sub(AHEAD))
}

/// True if the store does not let this machine in. A token or a password that is not here says nothing about that.
fn is_refused(error: &Error) -> bool {
    let is_here = !matches!(error.kind(), "no_token" | "password_unknown");
    error.class() == ErrorClass::Denied && is_here
}
