//! A team's store beside the own one: its notes of a lineage's repositories, as this machine keeps them. A start asks the
//! store, for a short time; all else is read from what is kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use waynote::store::{NotesBeside, TeamNotes};
use waynote::text::{minute, plural};
use waynote::{Content, Error, ErrorClass, Lineage, Note, Place, Scope, Store};
use waynote_files::replace_private;
use waynote_system::{plain, repository};

use crate::error::{Failure, Outcome};
use crate::settings::Settings;
use crate::{clock, database, home, remote};

/// How long a start of a session waits for the team's store.
pub(crate) const AT_START: Duration = Duration::from_millis(400);

/// How long a person's command waits. No question takes longer.
pub(crate) const TYPED: Duration = Duration::from_secs(3);

/// How old the notes may be that a program which keeps running has, before it asks again.
const AGAIN: Duration = Duration::from_secs(600);

/// How long a store that did not answer is left alone.
const ALONE: Duration = Duration::from_secs(60);

/// How long notes are kept without an answer of the store.
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// How far ahead of the clock a file's time may be.
const AHEAD: Duration = Duration::from_secs(300);

/// The file of a store that says why it is left alone.
const MARK: &str = "alone";

const AWAY: &str = "the team's store does not answer";
const REFUSED: &str = "the team's store refuses this machine";

/// A team's store, asked for the notes of some repositories.
#[derive(Clone)]
struct Team {
    settings: Settings,
    /// Where its notes are kept.
    folder: PathBuf,
    /// The roots of the repositories.
    repositories: Vec<Place>,
}

/// The notes of a repository as they are kept. A program that keeps running has none any more once they are not kept.
#[derive(Debug)]
pub(crate) struct KeptNotes {
    notes: TeamNotes,
    path: PathBuf,
    /// When the store last had them so.
    at: SystemTime,
}

impl KeptNotes {
    fn is_there(&self) -> bool {
        age(&self.path).is_some_and(|age| age < WEEK)
    }
}

impl NotesBeside for KeptNotes {
    fn of_scopes(&self, scopes: &[Scope]) -> Vec<Note> {
        let of = self.is_there().then(|| self.notes.of_scopes(scopes));
        of.unwrap_or_default()
    }

    fn all(&self) -> Vec<Note> {
        let all = self.is_there().then(|| self.notes.all());
        all.unwrap_or_default()
    }
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
        let team = Team::of(self, lineage)?;
        let silence = team.asked(within);
        let kept: Vec<KeptNotes> = team.all_kept().collect();
        let left_out = kept.iter().map(|of| of.notes.left_out()).sum();
        said(silence, left_out, kept.iter().map(|of| of.at).min())
    }

    /// True if a program that keeps running has to ask the team's store again.
    pub(crate) fn is_team_due(&self, lineage: &Lineage) -> bool {
        Team::of(self, lineage).is_some_and(|team| {
            let is_old = |of| age(&team.file(of)).is_none_or(|age| age >= AGAIN);
            team.mark().is_none() && team.repositories.iter().any(is_old)
        })
    }

    /// The team's notes of those repositories, as this machine keeps them. No network is asked.
    pub(crate) fn team_notes(&self, lineage: &Lineage) -> Vec<KeptNotes> {
        let team = Team::of(self, lineage);
        team.iter().flat_map(Team::all_kept).collect()
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

fn said(silence: Option<String>, left_out: u64, of: Option<SystemTime>) -> Option<String> {
    let of = of.and_then(|of| Timestamp::try_from(of).ok()).map(minute);
    match (silence, of) {
        (Some(why), Some(of)) => Some(format!("{why}; its notes are those of {of} UTC")),
        (Some(why), None) => Some(format!("{why}; its notes are left out")),
        (None, _) if left_out > 0 => Some(format!(
            "left out of the team's store: {}, too long or not of this repository",
            plural(left_out, "note")
        )),
        (None, _) => None,
    }
}

impl Team {
    /// The team's store; none where there is none, or no home directory to keep its notes in, or no repository of it.
    fn of(settings: &Settings, lineage: &Lineage) -> Option<Self> {
        let repositories = settings.repositories_of_team(lineage);
        let state = home::environment().state().ok()??;
        let team = Self {
            folder: state.join("waynote/team").join(hash(settings.team()?)),
            settings: settings.clone(),
            repositories,
        };
        Some(team).filter(|team| !team.repositories.is_empty())
    }

    /// Asks the store for what is new, for so long at most. The answer is kept; without one, the store is left alone for a
    /// while. Returns why there is none.
    fn asked(&self, within: Duration) -> Option<String> {
        if let Some(why) = self.mark() {
            return Some(why);
        }
        let (sender, receiver) = channel();
        let team = self.clone();
        // So that the start waits no longer for a slow name server or a command that prints a token.
        let asks = thread::Builder::new().spawn(move || {
            let _ = sender.send(team.ask());
        });
        let answer = asks.ok().and_then(|_| receiver.recv_timeout(within).ok());
        let why = match answer {
            Some(Ok(())) => return None,
            Some(Err(Failure::Library(error))) if is_refused(&error) => {
                let _ = fs::remove_dir_all(&self.folder);
                REFUSED
            }
            _ => AWAY,
        };
        let _ = self.put(&self.folder.join(MARK), why);
        Some(why.to_owned())
    }

    fn ask(&self) -> Outcome {
        self.sweep();
        let store = self.settings.open_team(Some(TYPED))?;
        for of in &self.repositories {
            let known = self.kept(of);
            match TeamNotes::ask(&*store, of, known.as_ref().map(|of| &of.notes))? {
                Some(new) => self.put(&self.file(of), new.text()),
                // From now on they count as read now.
                None => plain::open_or_make(&self.file(of))
                    .and_then(|file| file.set_modified(clock::of_files())),
            }
            .map_err(|error| Failure::file("the notes of the team", "kept", error))?;
        }
        let _ = fs::remove_file(self.folder.join(MARK));
        Ok(())
    }

    /// Why the store is left alone now.
    fn mark(&self) -> Option<String> {
        let path = self.folder.join(MARK);
        age(&path).filter(|age| *age < ALONE)?;
        String::from_utf8(plain::read_own(&path, 64)?).ok()
    }

    fn all_kept(&self) -> impl Iterator<Item = KeptNotes> {
        self.repositories.iter().filter_map(|of| self.kept(of))
    }

    fn kept(&self, of: &Place) -> Option<KeptNotes> {
        let path = self.file(of);
        let at = fs::symlink_metadata(&path).ok()?.modified().ok()?;
        let text = plain::read_own(&path, TeamNotes::BYTES)?;
        let notes = TeamNotes::of_text(String::from_utf8(text).ok()?)?;
        let kept = KeptNotes { notes, path, at };
        (kept.is_there() && kept.notes.repository() == of).then_some(kept)
    }

    fn file(&self, of: &Place) -> PathBuf {
        self.folder.join(hash(of.as_str()))
    }

    fn put(&self, path: &Path, text: &str) -> std::io::Result<()> {
        plain::make_private_folder(&self.folder)?;
        replace_private(path, text.as_bytes(), None)
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
fn age(path: &Path) -> Option<Duration> {
    let at = fs::symlink_metadata(path).ok()?.modified().ok()?;
    let ahead = clock::of_files() + AHEAD;
    Some(ahead.duration_since(at).ok()?.saturating_sub(AHEAD))
}

/// True if the store does not let this machine in. A token or a password that is not here says nothing about that.
fn is_refused(error: &Error) -> bool {
    let is_here = !matches!(error.kind(), "no_token" | "password_unknown");
    error.class() == ErrorClass::Denied && is_here
}

#[cfg(test)]
mod tests {
    use waynote::single::SaveOptions;
    use waynote::{SqliteStore, Stamp};

    use super::*;

    #[test]
    fn notes_that_are_not_kept_any_more_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let options = waynote::Options::default();
        let store = SqliteStore::open(folder.path().join("n.db"), &options).unwrap();
        let address = "repo:a/shop#pay".parse().unwrap();
        let note = SaveOptions::default().change(address, Content::text("cents").unwrap());
        let stamp = Stamp::new(Timestamp::UNIX_EPOCH, "alice".parse().unwrap());
        store.apply(&[note], &stamp).unwrap();
        let shop: Place = "repo:a/shop".parse().unwrap();
        let notes = TeamNotes::ask(&store, &shop, None).unwrap().unwrap();
        let path = folder.path().join("kept");
        fs::write(&path, notes.text()).unwrap();
        let at = clock::of_files();
        let kept = KeptNotes { notes, path, at };
        let counts = || {
            (
                kept.all().len(),
                kept.of_scopes(&[Scope::Place(shop.clone())]).len(),
            )
        };
        assert_eq!(counts(), (1, 1));
        let file = fs::File::options().write(true).open(&kept.path).unwrap();
        file.set_modified(at - WEEK).unwrap();
        assert_eq!(counts(), (0, 0));
        file.set_modified(at).unwrap();
        assert_eq!(counts(), (1, 1));
        fs::remove_file(&kept.path).unwrap();
        assert_eq!(counts(), (0, 0));
    }
}
