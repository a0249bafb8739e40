//! A team's store beside the own one: its notes of a lineage's repositories, as this machine keeps them. A start asks the
//! store, for a short time, while it opens the own one; all else is read from what is kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use waynote::store::{NotesBeside, TeamNotes};
use waynote::text::{minute, plural};
use waynote::{Content, ErrorClass, Lineage, Note, Place, Scope, Store};
use waynote_files::replace_private;
use waynote_remote::RemoteError;
use waynote_system::variables::TOKEN;
use waynote_system::{plain, repository};

use crate::error::{Failure, Outcome};
use crate::settings::Settings;
use crate::{clock, database, home, remote};

/// How long a start of a session waits for the team's store.
pub(crate) const AT_START: Duration = Duration::from_millis(400);

/// How long a person's command waits. No question takes longer, nor a note that is shared.
pub(crate) const TYPED: Duration = Duration::from_secs(3);

/// How old the notes may be that a program which keeps running has, before it asks again.
const AGAIN: Duration = Duration::from_secs(600);

/// How long a store that did not answer is left alone.
const ALONE: Duration = Duration::from_secs(60);

/// How long notes are kept without an answer of the store.
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

/// How far ahead of the clock a file's time may be: the clock of a file server differs, and clocks are set back.
const AHEAD: Duration = Duration::from_secs(300);

const AWAY: &str = "the team's store does not answer";
const REFUSED: &str = "the team's store refuses your token or password";
const NEEDED: &str = "the team's store needs a token";
const UNREAD: &str =
    "the token or password of the team's store cannot be read; `waynote doctor` says why";

/// A team's store, asked for the notes of some repositories.
#[derive(Clone)]
struct Team {
    settings: Settings,
    /// Where its notes are kept.
    folder: PathBuf,
    /// The roots of the repositories.
    repositories: Vec<Place>,
}

/// The team's notes, and a line about what is not as it should be, in words of this program alone: it may stand in a
/// block.
pub(crate) type OfTeam = (Vec<KeptNotes>, Option<String>);

/// The notes of a repository as they are kept. A program that keeps running has none any more once they are not kept.
#[derive(Debug)]
pub(crate) struct KeptNotes {
    notes: TeamNotes,
    /// Their file, which is as old as the last answer that they are so.
    path: PathBuf,
}

impl KeptNotes {
    fn still(&self) -> Option<&TeamNotes> {
        let is_there = age(&self.path).is_some_and(|age| age < WEEK);
        is_there.then_some(&self.notes)
    }
}

impl NotesBeside for KeptNotes {
    fn of_scopes(&self, scopes: &[Scope]) -> Vec<Note> {
        let of = self.still().map(|of| of.of_scopes(scopes));
        of.unwrap_or_default()
    }

    fn all(&self) -> Vec<Note> {
        self.still().map_or_else(Vec::new, NotesBeside::all)
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

    /// The team's store, of which no question takes longer than [`TYPED`]. Nothing is sent yet.
    ///
    /// # Errors
    /// Where there is none, or where it cannot be used with these settings.
    pub(crate) fn open_team(&self) -> Outcome<Box<dyn Store + Send + Sync>> {
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
            Some(url) => Box::new(remote::open(&alone, url, Some(TYPED), None)?),
            None => Box::new(database::open(&alone, url, Some(TYPED))?),
        })
    }

    /// Begins to ask the team's store for its notes of the repositories that a place is in. The answer is waited for as long
    /// as its caller says.
    pub(crate) fn ask_team(&self, lineage: &Lineage) -> impl FnOnce(Duration) -> OfTeam + use<> {
        let asked = Team::of(self, lineage).map(|team| {
            let (sender, answer) = channel();
            let asking = team.clone();
            // So that the start waits no longer for a slow name server or a command that prints a token.
            let asks = move || drop(sender.send(asking.asked()));
            drop(thread::Builder::new().spawn(asks));
            (team, answer)
        });
        move |longest| {
            let answered = asked.map(|(team, answer)| {
                let late = |_| team.leave_alone(AWAY);
                answer.recv_timeout(longest).unwrap_or_else(late)
            });
            answered.unwrap_or_default()
        }
    }

    /// Ends the time for which the team's store is left alone: it has answered.
    pub(crate) fn end_pause_of_team(&self) {
        self.mark_of_team().map(fs::remove_file);
    }

    /// The file that says why the store is left alone, with this token.
    fn mark_of_team(&self) -> Option<PathBuf> {
        let file = self.token_file.value.as_deref();
        let token = (home::variable(TOKEN).ok(), file, file.map(written));
        let name = format!("alone-{}", hash(&format!("{token:?}")));
        Some(self.folder_of_team()?.join(name))
    }

    /// Where the notes of the team's store are kept.
    fn folder_of_team(&self) -> Option<PathBuf> {
        Some(kept_of_all()?.join(hash(self.team()?)))
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

/// The folder with what is kept of each team's store; none without a home directory.
fn kept_of_all() -> Option<PathBuf> {
    Some(home::environment().state().ok()??.join("waynote/team"))
}

/// Removes what is kept: the settings name no team's store any more, or another one.
pub(crate) fn forget_kept() {
    kept_of_all().map(fs::remove_dir_all);
}

impl Team {
    /// The team's store; none where there is none, or no home directory to keep its notes in, or no repository of it.
    fn of(settings: &Settings, lineage: &Lineage) -> Option<Self> {
        let team = Self {
            repositories: settings.repositories_of_team(lineage),
            folder: settings.folder_of_team()?,
            settings: settings.clone(),
        };
        Some(team).filter(|team| !team.repositories.is_empty())
    }

    /// Asks the store for what is new, unless it is left alone.
    fn asked(&self) -> OfTeam {
        if let Some(why) = self.mark() {
            return self.without_answer(&why);
        }
        match self.ask() {
            Ok(kept) => {
                let left_out = kept.iter().map(|of| of.notes.left_out()).sum();
                let notes = plural(left_out, "note");
                let line = format!(
                    "left out of the team's store: {notes}, too long or not of this repository"
                );
                (kept, (left_out > 0).then_some(line))
            }
            Err(failure) => {
                let why = match failure.kind() {
                    // That says nothing about what the store lets in.
                    "no_token" | "password_unknown" => UNREAD,
                    _ if is_without_token(&failure) => NEEDED,
                    _ if failure.class() == ErrorClass::Denied => REFUSED,
                    _ => AWAY,
                };
                if why == REFUSED {
                    let _ = fs::remove_dir_all(&self.folder);
                }
                self.leave_alone(why)
            }
        }
    }

    /// Asks the store for what is new, and keeps it.
    fn ask(&self) -> Outcome<Vec<KeptNotes>> {
        self.sweep();
        let store = self.settings.open_team()?;
        let mut all = Vec::new();
        for of in &self.repositories {
            let (path, at) = (self.file(of), clock::of_files());
            let known = self.kept(of).map(|of| of.notes);
            let new = TeamNotes::ask(&*store, of, known.as_ref())?;
            match &new {
                Some(new) => self.put(&path, new.text()),
                // From now on they count as read now.
                None => plain::open_or_make(&path).and_then(|file| file.set_modified(at)),
            }
            .map_err(|error| Failure::file("the notes of the team", "kept", error))?;
            all.extend(new.or(known).map(|notes| KeptNotes { notes, path }));
        }
        self.settings.end_pause_of_team();
        Ok(all)
    }

    /// Leaves the store alone for a while.
    fn leave_alone(&self, why: &str) -> OfTeam {
        let mark = self.settings.mark_of_team();
        mark.map(|mark| self.put(&mark, why));
        self.without_answer(why)
    }

    /// The notes as they were kept before.
    fn without_answer(&self, why: &str) -> OfTeam {
        let kept: Vec<KeptNotes> = self.all_kept().collect();
        let of = kept
            .iter()
            .filter_map(|of| Timestamp::try_from(written(&of.path)?).ok());
        let line = match of.min().map(minute) {
            Some(of) => format!("{why}; its notes are those of {of} UTC"),
            None => format!("{why}; its notes are left out"),
        };
        (kept, Some(line))
    }

    /// Why the store is left alone now.
    fn mark(&self) -> Option<String> {
        let path = self.settings.mark_of_team()?;
        age(&path).filter(|age| *age < ALONE)?;
        let why = String::from_utf8(plain::read_own(&path, 4096)?).ok()?;
        let at = Timestamp::try_from(written(&path)?).ok().map(minute)?;
        Some(why.replace("does not answer", &format!("did not answer at {at} UTC")))
    }

    fn all_kept(&self) -> impl Iterator<Item = KeptNotes> {
        self.repositories.iter().filter_map(|of| self.kept(of))
    }

    fn kept(&self, of: &Place) -> Option<KeptNotes> {
        let path = self.file(of);
        let text = plain::read_own(&path, TeamNotes::BYTES)?;
        let notes = TeamNotes::of_text(String::from_utf8(text).ok()?)?;
        let kept = KeptNotes { notes, path };
        let is_of_it = kept.still()?.repository() == of;
        is_of_it.then_some(kept)
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
        let folders = kept_of_all().and_then(|all| fs::read_dir(all).ok());
        let files = folders.into_iter().flatten().flatten();
        let files = files.filter_map(|folder| fs::read_dir(folder.path()).ok());
        for file in files.flatten().flatten().map(|file| file.path()) {
            if age(&file).is_none_or(|age| age >= WEEK) {
                let _ = fs::remove_file(file);
            }
        }
    }
}

/// True if a server asks for a token, and none was sent.
fn is_without_token(failure: &Failure) -> bool {
    let is_so =
        |of: &RemoteError| matches!(of, RemoteError::Unauthorized { had_token, .. } if !had_token);
    matches!(failure, Failure::Library(error) if error.downcast_ref().is_some_and(is_so))
}

/// When a file was written last.
fn written(path: &Path) -> Option<SystemTime> {
    fs::symlink_metadata(path).ok()?.modified().ok()
}

/// How old a file is; none for one that is far in the future, or not there.
fn age(path: &Path) -> Option<Duration> {
    let age = (clock::of_files() + AHEAD).duration_since(written(path)?);
    Some(age.ok()?.saturating_sub(AHEAD))
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
        let kept = KeptNotes { notes, path };
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
        file.set_modified(at + AHEAD / 2).unwrap();
        assert_eq!(counts(), (1, 1), "ahead of this clock");
        fs::remove_file(&kept.path).unwrap();
        assert_eq!(counts(), (0, 0));
    }
}
