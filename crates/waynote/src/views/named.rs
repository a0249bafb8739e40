//! A note as a person types it: a key, a path, an iteration, the end of an id, or a whole address.

use crate::address::{Address, AddressAt};
use crate::error::{Error, Result};
use crate::key::{EntryId, Key, Name};
use crate::model::lineage::Lineage;
use crate::place::{Base, Place};
use crate::scope::{Scope, ScopeKind};
use crate::session_log::{SessionLog, iteration_named};
use crate::store::{Ask, Filter, Reader, Store, answers};
use crate::views::instead;

/// The fewest characters that are taken for the end of an id.
const END_OF_ID: usize = 4;

/// Where a text is typed, which decides what it stands for.
#[derive(Clone, Copy)]
pub struct Typist<'t> {
    /// The agent whose notebook has the keys.
    pub agent: &'t Name,
    /// The session that `#3` and the end of an id are looked for in.
    pub session: Option<&'t Name>,
    /// The directories that paths start from; none: there are no paths.
    pub base: Option<&'t Base>,
    /// The directory, with every place whose notes apply: a key may be one of theirs. None: keys are the notebook's.
    pub lineage: Option<&'t Lineage>,
    /// Tells whether a place is a directory now.
    pub is_directory: &'t dyn Fn(&Place) -> bool,
}

/// Which note a save under a key writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saved {
    /// The note.
    pub address: Address,
    /// Other notes with that key that apply here, the nearest first.
    pub others: Vec<Address>,
}

impl Typist<'_> {
    /// The notes that a text may stand for, the one to read first. A key stands for the nearest note that has it: of this
    /// directory, of one above it, else of the notebook. It comes before a directory of the same name. Where nothing is
    /// there, the note that would be made is the only one; for an entry of a log, none.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`], [`Error::InvalidKey`] and [`Error::InvalidPlace`] when the text can stand for
    /// nothing; [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn meant(&self, store: &dyn Store, typed: &str) -> Result<Vec<AddressAt>> {
        let typed = typed.trim();
        if Address::is_meant(typed) {
            return Ok(vec![self.whole(typed)?]);
        }
        let (text, revision) = match typed.rsplit_once('@') {
            Some((text, number)) if !text.is_empty() && !self.is_directory(typed) => {
                match number.parse::<u64>() {
                    Ok(number) if number > 0 => (text, Some(number)),
                    _ => (typed, None),
                }
            }
            _ => (typed, None),
        };
        let notes = match iteration_named(text) {
            Some(iteration) => self.of_iteration(store, text, iteration)?,
            None if is_path(text) || text.find('#') > Some(0) => vec![self.on_path(store, text)?],
            None => self.by_word(store, text)?,
        };
        let at = |address| AddressAt::new(address, revision);
        Ok(notes.into_iter().map(at).collect())
    }

    /// An address, whole or as it is short in this repository. A place's absolute path inside home is the place with
    /// `~`.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`], [`Error::InvalidKey`], [`Error::InvalidName`] and [`Error::InvalidPlace`];
    /// [`Error::UnknownRepository`] as [`Lineage::whole`].
    pub fn whole(&self, typed: &str) -> Result<AddressAt> {
        let typed = typed.trim();
        let typed = match self.lineage {
            Some(lineage) => lineage.whole(typed)?,
            None => typed.into(),
        };
        let AddressAt { address, revision } = typed.parse()?;
        let address = match self.base {
            Some(base) => address.within(base),
            None => address,
        };
        Ok(AddressAt { address, revision })
    }

    fn of_iteration(&self, store: &dyn Store, text: &str, iteration: i64) -> Result<Vec<Address>> {
        let session = self.session.ok_or_else(|| {
            Error::invalid_address(
                text,
                "it is an entry of the current session, and no session is set",
            )
        })?;
        let entries = SessionLog::new(store, session.clone()).of_iteration(iteration)?;
        Ok(entries.into_iter().map(|note| note.address).collect())
    }

    /// The note of a directory, or the one behind `#` in it.
    fn on_path(&self, store: &dyn Reader, text: &str) -> Result<Address> {
        if let Some((path, key)) = text.rsplit_once('#')
            && let (Ok(key), false) = (key.parse::<Key>(), self.is_directory(text))
        {
            return self.at(store, self.place(path)?, Some(&key));
        }
        self.at(store, self.place(text)?, None)
    }

    /// The note of a directory, or the one with a key in it: by the name that new notes get there, else by the path if
    /// one is there already; where own notes stand on paths, the other way round. `lineage` is that of the directory,
    /// or of one in the same checkout.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn at(&self, store: &dyn Reader, place: Place, key: Option<&Key>) -> Result<Address> {
        let note = |place| Address::on(place, key.cloned());
        let named = match self.lineage {
            Some(lineage) => lineage.named(place.clone()),
            None => place.clone(),
        };
        let mut both = vec![note(named), note(place)];
        both.dedup();
        if key.is_none() && self.lineage.is_some_and(|of| of.has_own_on_paths) {
            both.reverse();
        }
        let new = both[0].clone();
        if both.len() == 1 {
            return Ok(new);
        }
        let there = store.get_all(both)?.into_iter().flatten().next();
        Ok(there.map_or(new, |note| note.address))
    }

    /// A word may be a key, a directory here, or the end of an entry's id.
    fn by_word(&self, store: &dyn Store, text: &str) -> Result<Vec<Address>> {
        let key = text.parse::<Key>();
        let mut notes = Vec::new();
        if let Ok(key) = &key {
            notes.extend(self.of_key(store, key)?.into_iter().next());
        }
        if let Ok(place) = self.place(text) {
            let is_directory = (self.is_directory)(&place);
            let note = self.at(store, place, None)?;
            if is_directory || store.get(&note)?.is_some() {
                notes.push(note);
            }
        }
        if notes.is_empty() {
            notes = self.by_end_of_id(store, text)?;
        }
        if notes.is_empty() {
            notes.push(self.deleted_or_new(store, &key?)?);
        }
        Ok(notes)
    }

    /// The nearest deleted note with a key, whose history is still there; else the one that a save would make.
    fn deleted_or_new(&self, store: &dyn Store, key: &Key) -> Result<Address> {
        let addresses: Vec<Address> = self.addresses(key).collect();
        let histories = answers!(store, histories: addresses.clone());
        let mut each = histories.iter().zip(addresses);
        let had = each.find(|(had, _)| !had.is_empty());
        Ok(had.map_or_else(|| self.new_of_key(key.clone()), |(_, at)| at))
    }

    /// The addresses that a key can have here, the nearest first, the notebook's last.
    fn addresses<'k>(&'k self, key: &'k Key) -> impl Iterator<Item = Address> + 'k {
        let here = self.lineage.map_or(&[][..], Lineage::places);
        let here = here.iter().rev().cloned();
        let on_places = here.map(|place| Address::PlaceKey(place, key.clone()));
        on_places.chain([Address::Agent(self.agent.clone(), key.clone())])
    }

    /// The notes with a key that apply here, the nearest first, the notebook's last.
    fn of_key(&self, store: &dyn Reader, key: &Key) -> Result<Vec<Address>> {
        let found = store.get_all(self.addresses(key).collect())?.into_iter();
        Ok(found.flatten().map(|note| note.address).collect())
    }

    /// The note that a key makes: one of the project; outside of one, of the notebook.
    fn new_of_key(&self, key: Key) -> Address {
        match self.lineage.and_then(Lineage::project) {
            Some(project) => Address::PlaceKey(project.clone(), key),
            None => Address::Agent(self.agent.clone(), key),
        }
    }

    /// The note that a save under a key writes where no scope is named: the nearest one of this project that has the key,
    /// else a new one of the project; outside of a project, one of the notebook. It never is one above the project.
    ///
    /// # Errors
    /// [`Error::UnknownRepository`] when it is not known how the repository is called; [`Error::Busy`],
    /// [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn to_save(&self, store: &dyn Reader, key: &Key) -> Result<Saved> {
        self.check_known()?;
        let mut others = self.of_key(store, key)?;
        let is_ours = |address: &Address| match (address.place(), self.lineage) {
            (Some(place), Some(here)) => here.in_the_project().any(|of| of == place),
            (Some(_), None) => false,
            (None, here) => here.and_then(Lineage::project).is_none(),
        };
        let address = match others.iter().position(is_ours) {
            Some(nearest) => others.remove(nearest),
            None => self.new_of_key(key.clone()),
        };
        Ok(Saved { address, others })
    }

    /// Refuses where it is not known how the repository is called: a note would get another name than the next one. It is
    /// for callers who make the note [`at`](Self::at) a directory.
    ///
    /// # Errors
    /// [`Error::UnknownRepository`].
    pub fn check_known(&self) -> Result<()> {
        match self.lineage.and_then(Lineage::unknown) {
            Some(reason) => Err(Error::UnknownRepository {
                reason: reason.to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// The keys of the notes that apply here in words, the one first that was perhaps meant; none if there are none.
    ///
    /// # Errors
    /// [`Error::Busy`], [`Error::DamagedStore`] or [`Error::Engine`] when the store cannot be read.
    pub fn keys(&self, store: &dyn Store, meant: &str) -> Result<Option<String>> {
        let mut scopes = self.lineage.map_or_else(Vec::new, Lineage::scopes);
        scopes.reverse();
        scopes.push(Scope::Agent(self.agent.clone()));
        instead::keys(store, &scopes, Some(meant))
    }

    /// The entries of the session, or without one of all sessions, whose id ends so.
    fn by_end_of_id(&self, store: &dyn Reader, text: &str) -> Result<Vec<Address>> {
        let end = text.trim_start_matches('…').to_ascii_lowercase();
        if end.len() < END_OF_ID || !end.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Ok(Vec::new());
        }
        let of = match self.session {
            Some(session) => Filter::Scopes(vec![Scope::Session(session.clone())]),
            None => Filter::Kind(ScopeKind::Session),
        };
        let entries = store.select(&of)?.into_iter().map(|note| note.address);
        let ends_so = |address: &Address| address.key().is_some_and(|id| id.ends_with(&end));
        Ok(entries.filter(ends_so).collect())
    }

    fn place(&self, path: &str) -> Result<Place> {
        let base = self.base.ok_or_else(|| {
            Error::invalid_place(path, "there is no directory that it could start from")
        })?;
        Place::resolve(path, base)
    }

    fn is_directory(&self, path: &str) -> bool {
        is_path(path)
            && self
                .place(path)
                .is_ok_and(|place| (self.is_directory)(&place))
    }
}

/// True if a text is a path by its form.
fn is_path(text: &str) -> bool {
    let first = text.split(['/', '#']).next().unwrap_or_default();
    text.contains('/') || matches!(first, "." | ".." | "~")
}

/// The end of an entry's id that tells it from others: long enough to be typed instead of the id.
pub fn end_of_id(id: EntryId) -> String {
    const LENGTH: usize = 6;
    let id = id.to_string();
    format!("…{}", &id[id.len().saturating_sub(LENGTH)..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::Stamp;
    use crate::{Content, SqliteStore, single};

    const HERE: [&str; 6] = [
        "~",
        "~/shop",
        "repo:a/shop",
        "~/shop/src",
        "repo:a/shop//src",
        "~/shop/src/x",
    ];

    fn place(text: &str) -> Place {
        text.parse().unwrap()
    }

    /// A lineage in the checkout ~/shop of the repository a/shop.
    fn lineage() -> Lineage {
        Lineage::new(place("~/shop/src/x"), HERE.map(place))
            .in_project(place("repo:a/shop"), place("~/shop"))
    }

    /// A store with notes at some addresses.
    struct Stored {
        store: SqliteStore,
        agent: Name,
        _folder: tempfile::TempDir,
    }

    impl Stored {
        fn of(addresses: &[&str]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let store =
                SqliteStore::open(folder.path().join("n.db"), &crate::Options::default()).unwrap();
            let stamp = Stamp::new(jiff::Timestamp::UNIX_EPOCH, "person".parse().unwrap());
            for address in addresses {
                let (address, content) = (address.parse().unwrap(), Content::text("x").unwrap());
                let saved = single::save(&store, address, content, Default::default(), &stamp);
                saved.unwrap();
            }
            Self {
                store,
                agent: "a".parse().unwrap(),
                _folder: folder,
            }
        }

        fn typist<'t>(&'t self, lineage: Option<&'t Lineage>) -> Typist<'t> {
            Typist {
                agent: &self.agent,
                session: None,
                base: None,
                lineage,
                is_directory: &|_| false,
            }
        }
    }

    /// Which note a key reads, which one a save writes, and which others it names, with notes at these addresses.
    fn of(addresses: &[&str], lineage: Option<&Lineage>) -> String {
        let there = Stored::of(addresses);
        let (store, typist) = (&there.store, there.typist(lineage));
        let read = typist.meant(store, "k").unwrap().remove(0).address;
        match typist.to_save(store, &"k".parse().unwrap()) {
            Ok(saved) => {
                let others: Vec<String> = saved.others.iter().map(ToString::to_string).collect();
                format!("{read} | {} | {}", saved.address, others.join(" "))
            }
            Err(error) => format!("{read} | {error}"),
        }
    }

    #[test]
    fn a_key_is_the_nearest_note_and_a_save_stays_in_the_project() {
        let lineage = lineage();
        let of = |addresses: &[&str]| of(addresses, Some(&lineage));
        for (addresses, expected) in [
            (&[][..], "repo:a/shop#k | repo:a/shop#k | "),
            (&["agent:a#k"], "agent:a#k | repo:a/shop#k | agent:a#k"),
            (&["place:~#k"], "place:~#k | repo:a/shop#k | place:~#k"),
            (&["place:~/shop#k"], "place:~/shop#k | place:~/shop#k | "),
            (
                &["place:~/shop#k", "repo:a/shop#k", "agent:a#k"],
                "repo:a/shop#k | repo:a/shop#k | place:~/shop#k agent:a#k",
            ),
            (
                &["repo:a/shop//src#k", "repo:a/shop#k", "place:~#k"],
                "repo:a/shop//src#k | repo:a/shop//src#k | repo:a/shop#k place:~#k",
            ),
            (
                &["place:~/shop/src/x#k"],
                "place:~/shop/src/x#k | place:~/shop/src/x#k | ",
            ),
        ] {
            assert_eq!(of(addresses), expected, "{addresses:?}");
        }
    }

    #[test]
    fn a_directory_has_the_repositorys_name_unless_its_note_stands_on_the_path() {
        let named = lineage().in_checkouts(vec![crate::Checkout {
            root: place("~/shop"),
            name: place("repo:a/shop"),
            also: Vec::new(),
        }]);
        let base = Base::new("/home/u", "/home/u/shop").unwrap();
        for (addresses, expected) in [
            (&[][..], "repo:a/shop//src repo:a/shop//src#k"),
            (
                &["place:~/shop/src", "place:~/shop/src#k"],
                "place:~/shop/src place:~/shop/src#k",
            ),
            (
                &["place:~/shop/src", "repo:a/shop//src"],
                "repo:a/shop//src repo:a/shop//src#k",
            ),
        ] {
            let there = Stored::of(addresses);
            let typist = Typist {
                base: Some(&base),
                ..there.typist(Some(&named))
            };
            let meant = |typed| typist.meant(&there.store, typed).unwrap().remove(0).address;
            let both = format!("{} {}", meant("./src"), meant("src#k"));
            assert_eq!(both, expected, "{addresses:?}");
            assert_eq!(meant("repo:/src#k").to_string(), "repo:a/shop//src#k");
        }
        let there = Stored::of(&[]);
        let on_paths = named.clone().own_notes_on_paths(true);
        let typist = there.typist(Some(&on_paths));
        let at = |key: Option<&Key>| typist.at(&there.store, place("~/shop/src"), key);
        assert_eq!(at(None).unwrap().to_string(), "place:~/shop/src");
        let key = "k".parse().unwrap();
        assert_eq!(at(Some(&key)).unwrap().to_string(), "repo:a/shop//src#k");
        let unknown = named.of_unknown("x cannot be read".to_owned());
        assert!(there.typist(Some(&unknown)).check_known().is_err());
    }

    #[test]
    fn a_near_miss_is_looked_for_in_all_that_applies() {
        let (there, lineage) = (
            Stored::of(&["place:~#build", "repo:a/shop#port", "agent:a#port"]),
            lineage(),
        );
        let keys = there.typist(Some(&lineage)).keys(&there.store, "biuld");
        assert_eq!(
            keys.unwrap().unwrap(),
            "did you mean `build`? there are: port, build"
        );
        let none = there.typist(None).keys(&Stored::of(&[]).store, "build");
        assert_eq!(none.unwrap(), None);
    }

    #[test]
    fn a_key_that_no_note_has_is_the_nearest_deleted_one() {
        let (there, lineage) = (Stored::of(&["agent:a#k"]), lineage());
        let (store, typist) = (&there.store, there.typist(Some(&lineage)));
        let stamp = Stamp::new(jiff::Timestamp::UNIX_EPOCH, "person".parse().unwrap());
        let gone = "agent:a#k".parse().unwrap();
        single::delete(store, gone, crate::Expect::Any, &stamp).unwrap();
        for (key, expected) in [("k", "agent:a#k"), ("new", "repo:a/shop#new")] {
            let meant = typist.meant(store, key).unwrap();
            assert_eq!(meant[0].to_string(), expected);
        }
    }

    #[test]
    fn outside_of_a_project_a_key_is_the_notebooks() {
        let home = Lineage::from(place("~"));
        assert_eq!(of(&[], Some(&home)), "agent:a#k | agent:a#k | ");
        assert_eq!(
            of(&["place:~#k"], Some(&home)),
            "place:~#k | agent:a#k | place:~#k"
        );
        assert_eq!(of(&["place:~#k"], None), "agent:a#k | agent:a#k | ");
        let unknown = lineage().of_unknown("x cannot be read".to_owned());
        assert_eq!(
            of(&["repo:a/shop#k"], Some(&unknown)),
            "repo:a/shop#k | it is not known how this repository is called: x cannot be read"
        );
    }
}
