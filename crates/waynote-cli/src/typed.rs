//! A note as it is typed: a key, a path, `#3` of the session, the end of an id, an address. A directory: a path or an
//! address.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Once;

use serde_json::json;
use waynote::instead;
use waynote::named::{self, Typist};
pub(crate) use waynote::stands::in_shell;
use waynote::visible::visible;
use waynote::{Address, AddressAt, Base, Error, Key, Lineage, Name, Place, Result, Store};

use crate::error::{Failure, Outcome, warning};
use crate::invocation::Context;
use crate::{beside, home, input};

/// What a command does with the note.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Reads or changes it. A key is the nearest note that has it, and comes before a directory of the same name.
    Keep,
    /// Takes it away: it must be the only one that is meant.
    TakeAway,
    /// Changes it, or makes it where it is not there.
    Edit,
    /// Makes it. A key without a scope is the project's.
    Make,
}

impl Use {
    /// True if it may give a note its address. Where the name of a repository is not known, that is refused.
    fn makes(self) -> bool {
        matches!(self, Self::Edit | Self::Make)
    }
}

/// A directory as it is typed.
pub(crate) struct Directory {
    pub(crate) place: Place,
    /// True if it keeps its name: it is an address, or its path is to be kept.
    pub(crate) is_exact: bool,
}

impl Directory {
    /// A directory by its path.
    pub(crate) fn of(place: Place) -> Self {
        let is_exact = false;
        Self { place, is_exact }
    }

    /// The same; with its path as its name, if so asked.
    pub(crate) fn by_path(self, is_asked: bool) -> Self {
        let is_exact = self.is_exact || is_asked;
        Self { is_exact, ..self }
    }
}

impl Context<'_> {
    /// Every place whose notes apply at a directory, for a command that reads, with the notes that others have there.
    pub(crate) fn lineage(&self, place: &Place) -> Outcome<Lineage> {
        Ok(self.with_others(self.own_lineage(place)?))
    }

    /// Lays the notes that others have there over the store. Those that are not read are said once.
    fn with_others(&self, lineage: Lineage) -> Lineage {
        static SAID: Once = Once::new();
        // To count the files takes a while.
        if !SAID.is_completed() {
            for hint in beside::hints(&self.settings, &lineage) {
                let (next, json) = (hint.next.unwrap_or_default(), self.output.json);
                warning("not_trusted", &hint.what, &next, json!({}), json);
                SAID.call_once(|| ());
            }
        }
        self.beside(&lineage);
        lineage
    }

    /// The same for the own notes alone. Where the name of a repository is not known, a line says so.
    pub(crate) fn own_lineage(&self, place: &Place) -> Outcome<Lineage> {
        static SAID: Once = Once::new();
        let (lineage, own) = (self.around(place)?, &self.settings.agent.value);
        if let Err(error) = self.typist(own, Some(&lineage)).check_known() {
            let hint = "notes on paths are read, those by its name are not";
            let (kind, what, json) = (error.kind(), error.to_string(), self.output.json);
            SAID.call_once(|| warning(kind, &what, hint, json!({}), json));
        }
        Ok(lineage)
    }

    /// The same for what a command does with a note. To give one an address, the name of the repository must be known.
    fn lineage_for(&self, place: &Place, purpose: Use) -> Outcome<Lineage> {
        if !purpose.makes() {
            return self.lineage(place);
        }
        self.may_write();
        let (lineage, own) = (self.around(place)?, &self.settings.agent.value);
        self.typist(own, Some(&lineage)).check_known()?;
        self.beside(&lineage);
        Ok(lineage)
    }

    /// A place: a path, or the address of one; without either the working directory.
    pub(crate) fn place(&self, typed: Option<&OsStr>) -> Outcome<Place> {
        Ok(self.directory(typed)?.place)
    }

    /// The same, with whether its name is to be kept.
    pub(crate) fn directory(&self, typed: Option<&OsStr>) -> Outcome<Directory> {
        let Some(typed) = typed else {
            return Ok(Directory::of(home::base()?.cwd()));
        };
        let shown = typed.to_string_lossy();
        let no_text = || Error::invalid_place(shown, "it is not UTF-8");
        let typed = typed.to_str().ok_or_else(no_text)?;
        let is_exact = Address::is_meant(typed);
        let place = input::place(&self.whole(typed)?)?;
        Ok(Directory { place, is_exact })
    }

    /// The note of a directory, or the one with a key on it: by the name that new notes get there, else by the path if
    /// one is there already.
    pub(crate) fn on_directory(
        &self,
        directory: Directory,
        key: Option<&Key>,
        purpose: Use,
    ) -> Outcome<Address> {
        let Directory { place, is_exact } = directory;
        if is_exact {
            return Ok(Address::on(place, key.cloned()));
        }
        let lineage = self.lineage_for(&place, purpose)?;
        if purpose.makes() && place.as_str().split('/').any(|part| part == ".waynote") {
            return Err(
                Error::invalid_place(place.as_str(), "shared notes are files there").into(),
            );
        }
        let typist = self.typist(&self.settings.agent.value, Some(&lineage));
        self.read(|store| Ok(typist.at(store, place, key)?))
    }

    /// An address as it is typed: `repo:/src` is in the repository that the working directory is in.
    pub(crate) fn address(&self, typed: &str) -> Outcome<AddressAt> {
        input::address(&self.whole(typed)?)
    }

    /// The lineage of the working directory, with the notes that others have there.
    pub(crate) fn here(&self) -> Outcome<Lineage> {
        Ok(self.with_others(self.around(&home::base()?.cwd())?))
    }

    fn whole<'t>(&self, typed: &'t str) -> Outcome<Cow<'t, str>> {
        if !Address::is_meant(typed) {
            return Ok(typed.into());
        }
        match self.here() {
            Err(_) if !typed.starts_with("repo:/") => Ok(typed.into()),
            here => Ok(here?.whole(typed)?),
        }
    }

    /// The name that notes on a directory get, unless it keeps its own.
    pub(crate) fn name_of(&self, directory: &Directory, purpose: Use) -> Outcome<Place> {
        let place = directory.place.clone();
        Ok(match directory.is_exact {
            true => place,
            false => self.lineage_for(&place, purpose)?.named(place),
        })
    }

    /// Where a key without a scope is saved.
    pub(crate) fn to_save(&self, key: &Key) -> Outcome<named::Saved> {
        let lineage = match home::base() {
            Ok(base) => Some(self.lineage_for(&base.cwd(), Use::Make)?),
            Err(_) => None,
        };
        self.may_write();
        let typist = self.typist(self.notebook()?, lineage.as_ref());
        self.read(|store| Ok(typist.to_save(store, key)?))
    }

    fn typist<'t>(&self, agent: &'t Name, lineage: Option<&'t Lineage>) -> Typist<'t> {
        Typist {
            agent,
            session: None,
            base: None,
            lineage,
            is_directory: &is_directory,
        }
    }

    /// The note that a text stands for, with the revision if it names one.
    pub(crate) fn note_at(&self, typed: &str, purpose: Use) -> Outcome<AddressAt> {
        if Address::is_meant(typed) {
            return self.address(typed);
        }
        let typed = &*of_file(typed).transpose()?.unwrap_or_else(|| typed.into());
        let key = typed.parse::<Key>();
        if purpose == Use::Make
            && let Ok(key) = &key
        {
            return Ok(AddressAt::new(self.to_save(key)?.address, None));
        }
        let (base, session) = (home::base().ok(), self.session().ok());
        let lineage = match &base {
            // A key is one of this directory, also where a directory is called so.
            Some(base) if key.is_ok() => Some(self.lineage_for(&base.cwd(), purpose)?),
            Some(base) => Some(self.lineage_for(&looked_at(typed, base), purpose)?),
            None => None,
        };
        let typist = Typist {
            session: session.as_ref().map(|(session, _)| session),
            base: base.as_ref(),
            ..self.typist(self.notebook()?, lineage.as_ref())
        };
        let meant = self.read(|store| {
            let meant = typist.meant(store, typed)?;
            if let ([only], Ok(key), true) = (&meant[..], &key, purpose != Use::Make)
                && only.address.key().is_some()
                && store.get(&only.address)?.is_none()
                && store.history(&only.address)?.is_empty()
            {
                let is_asked = purpose != Use::Edit;
                is_asked.then(|| store.others(&only.address)).transpose()?;
                let missing = (!purpose.makes()).then(|| missing(&typist, store, key));
                missing.unwrap_or(Ok(()))?;
            }
            Ok(meant)
        })?;
        // Only a directory stands behind the others.
        let is_alike = |at: &&AddressAt| !matches!(at.address, Address::Place(_));
        let several = meant.iter().filter(is_alike).count() > 1
            || (meant.len() > 1 && purpose == Use::TakeAway);
        match meant.first() {
            Some(first) if !several => Ok(first.clone()),
            Some(_) => {
                let said: Vec<String> = meant.iter().map(|at| self.said(at)).collect();
                let what = format!("`{}` matches {} notes", visible(typed), said.len());
                let hint = format!("use one of:\n    {}", said.join("\n    "));
                Err(Failure::refused("several_notes", what, hint))
            }
            None => Err(Failure::refused(
                "not_found",
                format!("there is no entry `{}`", visible(typed)),
                "`waynote log list` lists the entries of the session",
            )),
        }
    }

    /// The same with a revision that is named in it or beside it.
    pub(crate) fn note_and_revision(
        &self,
        typed: &str,
        revision: Option<u64>,
        purpose: Use,
    ) -> Outcome<AddressAt> {
        let named = self.note_at(typed, purpose)?;
        match (named.revision, revision) {
            (Some(named), Some(revision)) if named != revision => {
                let what = format!("two revisions are given: {named} and {revision}");
                let hint = "give one: `@N` or `--revision N`";
                Err(Failure::usage(what, hint))
            }
            (in_address, beside) => Ok(AddressAt::new(named.address, beside.or(in_address))),
        }
    }

    /// The same for a command about the note itself; a revision is refused.
    pub(crate) fn note(&self, typed: &str, purpose: Use) -> Outcome<Address> {
        latest(self.note_at(typed, purpose)?, typed)
    }

    /// A note among several: an entry with its first line.
    fn said(&self, at: &AddressAt) -> String {
        let Address::Session(_, id) = &at.address else {
            return at.address.masked();
        };
        let note = self.read(|store| Ok(store.get(&at.address)?)).ok();
        let preview = note.flatten().map_or(String::new(), |note| note.preview);
        let preview = waynote::secrets::masked(&preview);
        format!("{}: {}", named::end_of_id(*id), visible(&preview))
    }
}

/// The note itself, for a command about it: a revision is refused.
pub(crate) fn latest(at: AddressAt, typed: &str) -> Outcome<Address> {
    match at.revision {
        None => Ok(at.address),
        Some(_) => Err(Error::invalid_address(typed, "name the note without a revision").into()),
    }
}

/// The path of a shared note's file as the directory and the key that it is for.
fn of_file(typed: &str) -> Option<Outcome<String>> {
    let (root, below) = typed.strip_suffix(".md")?.split_once(".waynote/")?;
    let (folder, key) = below.rsplit_once('/').unwrap_or(("", below));
    let place = format!("{root}./{folder}");
    let what = || format!("`{}` is no note's file", visible(typed));
    let hint = "`waynote doctor` says how to name it";
    (root.is_empty() || root.ends_with('/')).then(|| match key.parse::<Key>() {
        _ if key == "README" => Ok(place),
        Ok(key) => Ok(format!("{place}#{key}")),
        Err(_) => Err(Failure::refused("not_found", what(), hint)),
    })
}

/// The directory that a text is about: the path in it, else the working directory.
fn looked_at(typed: &str, base: &Base) -> Place {
    let path = typed.split('#').next().unwrap_or_default();
    match Place::resolve(path, base) {
        Ok(place) if path.contains('/') || path == "~" || is_directory(&place) => place,
        _ => base.cwd(),
    }
}

/// Refuses a key that no note here has or had, with the near miss.
fn missing(typist: &Typist<'_>, store: &dyn Store, key: &Key) -> Outcome {
    let hint = typist.keys(store, key.as_str())?;
    let hint = hint.unwrap_or_else(|| "no note that applies here has a key".into());
    let what = format!("no note here has the key `{key}`");
    Err(Failure::refused("not_found", what, hint))
}

/// True if a place is a directory of this machine.
pub(crate) fn is_directory(place: &Place) -> bool {
    home::expanded(place.as_str()).is_ok_and(|path| Path::is_dir(&path))
}

/// The result of work on a note. For one that is not there the error says what there is instead.
pub(crate) fn found<T>(store: &dyn Store, named: &AddressAt, result: Result<T>) -> Outcome<T> {
    result.or_else(|error| {
        let hint = match &error {
            Error::NotFound { .. } => instead::of_note(store, named)?,
            _ => None,
        };
        Err(match hint {
            Some(hint) => Failure::refused("not_found", error.to_string(), hint),
            None => error.into(),
        })
    })
}
