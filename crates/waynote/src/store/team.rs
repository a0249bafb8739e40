//! A team's store, as a session has it beside its own: the notes of one repository, whatever else the store answers.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use super::{Ask, NotesBeside, Reader, Store, Version};
use crate::author::Author;
use crate::change::Expect;
use crate::content::Content;
use crate::engine::Step;
use crate::error::{Error, Result};
use crate::id::StoreId;
use crate::limits::Limits;
use crate::model::citation::Citation;
use crate::model::secret_policy::SecretPolicy;
use crate::note::{Note, Source, Stamp};
use crate::place::Place;
use crate::rules::{check_expected, others};
use crate::scope::{Scope, ScopeKind};
use crate::secrets::masked;
use crate::single::SaveOptions;
use crate::visible::without_hidden;

/// The notes of one repository in a team's store, as they were when it was asked.
///
/// They are a text that a machine can keep: a line for each note, by its scope. Only the lines of the scopes that are
/// asked for are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamNotes {
    head: Head,
    text: String,
}

/// The first line of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    form: u32,
    repository: Place,
    store: Option<StoreId>,
    version: Version,
    /// The call that made the last write.
    call: Option<Step>,
    left_out: u64,
}

/// The form of the text.
const FORM: u32 = 1;

/// The room of the first line, in bytes.
const HEAD: u64 = 8192;

/// The longest note, in bytes: no note is longer by default.
const LONGEST: usize = 65_536;

impl TeamNotes {
    /// The most bytes of the text. Notes for which there is no room are left out.
    pub const BYTES: u64 = 4 << 20;

    /// Asks a team's store for the notes of a repository, by the place of its root. None if the store has not been
    /// written since it answered with the `known` ones.
    ///
    /// Only notes of this repository come in, with credentials masked and hidden characters dropped, and what they cite
    /// there.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn ask(
        store: &dyn Reader,
        repository: &Place,
        known: Option<&Self>,
    ) -> Result<Option<Self>> {
        let known = known.map(|of| &of.head);
        let known = known.filter(|of| of.repository == *repository);
        let mut now = store.read(&Ask {
            version: true,
            store_id: true,
            steps: known
                .and_then(|of| of.version.position)
                .into_iter()
                .collect(),
            ..Ask::default()
        })?;
        // A store that was restored has other writes at the same positions.
        let is_same = |of: &Head| {
            let call = now.steps.first().copied().flatten();
            (of.store, of.version, of.call) == (now.store_id, now.version, call)
        };
        if known.is_some_and(is_same) {
            return Ok(None);
        }
        let mut head = Head {
            form: FORM,
            repository: repository.clone(),
            store: now.store_id,
            version: now.version,
            call: None,
            left_out: 0,
        };
        // Whatever is written between the readings has another version, so the next call reads it again.
        now = store.read(&Ask {
            summaries: vec![ScopeKind::Place],
            steps: head.version.position.into_iter().collect(),
            ..Ask::default()
        })?;
        head.call = now.steps.pop().flatten();
        let mut summaries = now.summaries.concat();
        summaries.retain(|of| match &of.scope {
            Scope::Place(place) => place.below(repository).is_some(),
            Scope::Agent(_) | Scope::Session(_) => false,
        });
        let behind = summaries.iter().skip(Limits::QUESTIONS);
        head.left_out = behind.map(|of| of.notes).sum();
        summaries.truncate(Limits::QUESTIONS);
        let answers = store.read(&Ask {
            scopes: summaries.into_iter().map(|of| of.scope).collect(),
            ..Ask::default()
        })?;
        head.left_out += answers.damaged.len() as u64;
        let (mut each, mut room) = (BTreeMap::new(), Self::BYTES - HEAD);
        for note in answers.scopes.into_iter().flatten() {
            let address = note.address.clone();
            match received(note, repository).map(|note| line(&note)) {
                Some(line) if line.len() as u64 <= room => {
                    room -= line.len() as u64;
                    each.insert(address, line);
                }
                _ => head.left_out += 1,
            }
        }
        let lines = std::iter::once(json(&head) + "\n").chain(each.into_values());
        let text = lines.collect();
        Ok(Some(Self { head, text }))
    }

    /// The notes that a machine has kept; none if the text has another form.
    pub fn of_text(text: String) -> Option<Self> {
        let head: Head = serde_json::from_str(text.lines().next()?).ok()?;
        (head.form == FORM).then_some(Self { head, text })
    }

    /// The text to keep.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The root of the repository.
    pub fn repository(&self) -> &Place {
        &self.head.repository
    }

    /// How many of the answered notes were left out: too long, damaged, without room, in too many
    /// directories, or of another repository.
    pub fn left_out(&self) -> u64 {
        self.head.left_out
    }

    fn lines(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines = self.text.lines().skip(1);
        lines.filter_map(|line| line.split_once('\t'))
    }
}

impl NotesBeside for TeamNotes {
    fn of_scopes(&self, scopes: &[Scope]) -> Vec<Note> {
        let asked: HashSet<String> = scopes.iter().map(named).collect();
        let lines = self.lines().filter(|(scope, _)| asked.contains(*scope));
        lines.filter_map(|(_, note)| read(note)).collect()
    }

    fn all(&self) -> Vec<Note> {
        self.lines().filter_map(|(_, note)| read(note)).collect()
    }
}

/// A line of the text. JSON holds no tab and no line end.
fn line(note: &Note) -> String {
    format!("{}\t{}\n", named(&note.address.scope()), json(note))
}

fn named(scope: &Scope) -> String {
    json(&scope.to_string())
}

/// Each of these values has a JSON form.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn read(note: &str) -> Option<Note> {
    serde_json::from_str(note).ok()
}

/// The note as it is laid beside a session's own; none if it is not one of the repository, or not fit to be shown.
fn received(note: Note, repository: &Place) -> Option<Note> {
    note.address.place()?.below(repository)?;
    let clean = |text: &str| masked(&without_hidden(text)).into_owned();
    let content = Content::text(clean(&note.content.shown())).ok()?;
    if content.len() > LONGEST {
        return None;
    }
    let is_fit = |cited: &Citation| {
        let is_here = cited.repository.as_ref() == Some(repository);
        is_here && Citation::check(std::slice::from_ref(cited)).is_ok()
    };
    let cites = note.cites.into_iter().filter(is_fit);
    Some(Note {
        preview: content.preview(),
        author: clean(note.author.as_str()).parse().ok()?,
        content,
        kind: None,
        iteration: None,
        resolved_by: None,
        cites: cites.take(Citation::MOST).collect(),
        revision: 0,
        source: Source::Team,
        ..note
    })
}

/// Writes a note of a repository into a team's store, under its own address, as the holder of the way there, or only
/// checks that this can be done (`dry_run`). False if the store has the same text already. A text of another is replaced
/// only where its revision is expected: then it was read. No credential leaves this machine, and nothing that the note
/// cites outside of its repository.
///
/// # Errors
/// [`Error::InvalidAddress`] for a note of no repository; [`Error::HoldsSecret`]; [`Error::OthersText`]; those of
/// [`Store::apply`].
pub fn share_to_team(
    team: &dyn Store,
    note: &Note,
    options: SaveOptions,
    stamp: Stamp,
    dry_run: bool,
) -> Result<bool> {
    let Some((name, _)) = note.address.place().and_then(Place::in_repository) else {
        let reason = "a team's store takes notes of repositories alone: `repo:HOST/PATH`";
        return Err(Error::invalid_address(note.address.to_string(), reason));
    };
    let is_inside = |cited: &&Citation| {
        let repository = cited.repository.as_ref().and_then(Place::in_repository);
        repository == Some((name, ""))
    };
    let cites: Vec<Citation> = note.cites.iter().filter(is_inside).cloned().collect();
    let options = options.pin(note.pinned.then_some(true));
    let change = options.change(note.address.clone(), note.content.clone());
    let stamp = stamp
        .careful()
        .citing(cites)
        .allowing(SecretPolicy::RefuseAll);
    options.limits.check_bytes(&note.address, &note.content)?;
    // Before the team hears even its name.
    change.check_secrets(&stamp)?;
    let there = team.get(&note.address)?;
    let is_same = |of: &Note| of.content == note.content && (of.pinned || !note.pinned);
    if there.as_ref().is_some_and(is_same) {
        return Ok(false);
    }
    check_expected(&note.address, options.expect, there.as_ref())?;
    if let (Some(own), Some(there), Expect::Any) = (team.holder()?, there, options.expect)
        && there.content != note.content
        && Author::of(&there.author).under(&own) != there.author
    {
        return Err(others::refusal(&there, there.author.clone(), None));
    }
    if !dry_run {
        team.apply(&[change], &stamp)?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::note::Revision;
    use crate::search::{Hit, SearchRequest};
    use crate::store::{Answers, AsOf, ScopeSummary};
    use crate::{Options, SqliteStore, pass_on};

    fn place(text: &str) -> Place {
        text.parse().unwrap()
    }

    fn shop() -> Place {
        place("repo:a/shop")
    }

    fn stamp(author: &str) -> Stamp {
        Stamp::new(Timestamp::UNIX_EPOCH, author.parse().unwrap())
    }

    fn store() -> (tempfile::TempDir, SqliteStore) {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("n.db"), &Options::default()).unwrap();
        (folder, store)
    }

    fn save(store: &dyn Store, address: &str, text: &str, author: &str) -> Note {
        let content = Content::text(text).unwrap();
        let options = SaveOptions::default();
        let address = address.parse().unwrap();
        let saved = crate::single::save(store, address, content, options, &stamp(author));
        saved.unwrap().0
    }

    /// A store that answers with these notes, whatever it is asked for.
    struct Lying(Vec<Note>, Vec<Scope>);

    impl Reader for Lying {
        fn read(&self, ask: &Ask) -> Result<Answers> {
            let mut answers = Answers::none(ask);
            if let Some(all) = answers.scopes.first_mut() {
                all.clone_from(&self.0);
            }
            if let Some(all) = answers.summaries.first_mut() {
                let scopes = self.1.iter().cloned();
                all.extend(scopes.map(|scope| ScopeSummary { scope, notes: 1 }));
            }
            assert!(
                ask.scopes.iter().all(|scope| {
                    matches!(scope, Scope::Place(of) if of.below(&shop()).is_some())
                })
            );
            Ok(answers)
        }

        fn select_at(&self, _: &[Scope], _: AsOf) -> Result<Vec<Note>> {
            panic!("the past is not asked for")
        }

        fn search(&self, _: &SearchRequest) -> Result<Vec<Hit>> {
            panic!("no query leaves this machine")
        }

        fn one_state(&self, _: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
            panic!("no state is held")
        }
    }

    /// A store that counts what it is asked.
    struct Counted<'s>(&'s SqliteStore, std::cell::Cell<usize>);

    impl Reader for Counted<'_> {
        pass_on! { self => self.0; select_at search take_damage rendered history_before one_state }

        fn read(&self, ask: &Ask) -> Result<Answers> {
            self.1.set(self.1.get() + 1);
            self.0.read(ask)
        }
    }

    impl Store for Counted<'_> {
        pass_on! { self => self.0; apply record forget would_forget verify heartbeat silence silences checkpoint }
    }

    fn texts(notes: &[Note]) -> Vec<String> {
        let text = |note: &Note| format!("{} {}", note.address, note.content.shown());
        notes.iter().map(text).collect()
    }

    #[test]
    fn the_notes_of_one_repository_are_asked_for_when_the_store_was_written() {
        let (_folder, store) = store();
        for (address, text) in [
            ("repo:a/shop", "root"),
            ("repo:a/shop//src#pay", "pay"),
            ("repo:a/shop-2", "another"),
            ("place:~", "home"),
            ("agent:default#k", "notebook"),
        ] {
            save(&store, address, text, "alice");
        }
        let counted = Counted(&store, std::cell::Cell::default());
        let of = TeamNotes::ask(&counted, &shop(), None).unwrap().unwrap();
        assert_eq!(counted.1.replace(0), 3);
        let all = ["repo:a/shop root", "repo:a/shop//src#pay pay"];
        assert_eq!(texts(&of.all()), all);
        let src = [Scope::Place(place("repo:a/shop//src"))];
        let [pay] = of.of_scopes(&src).try_into().unwrap();
        assert_eq!(
            (pay.source, pay.revision, pay.author.as_str(), of.left_out()),
            (Source::Team, 0, "alice", 0)
        );
        // What a machine keeps is the same.
        let kept = TeamNotes::of_text(of.text().to_owned()).unwrap();
        assert_eq!((&kept, kept.repository()), (&of, &shop()));
        let again = TeamNotes::ask(&counted, &shop(), Some(&kept));
        assert_eq!(again.unwrap(), None);
        assert_eq!(counted.1.get(), 1);
        crate::single::delete(
            &store,
            "repo:a/shop".parse().unwrap(),
            Default::default(),
            &stamp("alice"),
        )
        .unwrap();
        let after = TeamNotes::ask(&store, &shop(), Some(&kept))
            .unwrap()
            .unwrap();
        assert_eq!(texts(&after.all()), all[1..]);
        for text in ["", "{}", "\n", &of.text().replacen(":1", ":2", 1)] {
            assert_eq!(TeamNotes::of_text(text.to_owned()), None);
        }
    }

    #[test]
    fn a_store_that_lies_brings_in_nothing_but_texts_of_the_repository() {
        let (_folder, store) = store();
        let note = save(&store, "repo:a/shop//src#k", "text", "alice");
        let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let with = |address: &str, text: &str| Note {
            address: address.parse().unwrap(),
            content: Content::imported(text),
            ..note.clone()
        };
        let elsewhere = Citation {
            repository: Some(place("~/.ssh")),
            ..Citation::new("id_rsa")
        };
        let above = Citation {
            repository: Some(shop()),
            ..Citation::new("../x.rs")
        };
        let lying = Lying(
            vec![
                with("place:~", "a preference"),
                with("agent:default#k", "a notebook"),
                with("repo:a/shop-2//src#k", "another repository"),
                with("repo:a/shop#long", &"x".repeat(LONGEST + 1)),
                with("repo:a/shop#nul", "a\0b"),
                Note {
                    cites: vec![elsewhere, above],
                    preview: "a lie".into(),
                    source: Source::Own,
                    revision: 9,
                    ..with("repo:a/shop#k", &format!("key {secret}\u{202E}."))
                },
            ],
            vec![
                Scope::Place(Place::home()),
                Scope::Agent("default".parse().unwrap()),
                Scope::Place(shop()),
            ],
        );
        let of = TeamNotes::ask(&lying, &shop(), None).unwrap().unwrap();
        let [only] = of.all().try_into().unwrap();
        assert_eq!(of.left_out(), 5);
        let text = only.content.shown();
        assert!(
            !text.contains(&secret) && !text.contains('\u{202E}'),
            "{text}"
        );
        assert_eq!((only.preview.as_str(), &only.cites), (&*text, &Vec::new()));
        assert_eq!((only.source, only.revision), (Source::Team, 0));
        let many = |index| with(&format!("repo:a/shop//{index}"), &"\u{1}".repeat(LONGEST));
        let of = TeamNotes::ask(
            &Lying((0..12).map(many).collect(), vec![Scope::Place(shop())]),
            &shop(),
            None,
        );
        let of = of.unwrap().unwrap();
        assert!(of.text().len() as u64 <= TeamNotes::BYTES);
        assert_eq!((of.all().len(), of.left_out()), (10, 2));
        let scopes =
            (0..Limits::QUESTIONS + 2).map(|of| Scope::Place(place(&format!("repo:a/shop//{of}"))));
        let of = TeamNotes::ask(&Lying(Vec::new(), scopes.collect()), &shop(), None);
        assert_eq!(of.unwrap().unwrap().left_out(), 2);
    }

    #[test]
    fn a_note_is_shared_once_and_replaces_no_text_of_another_unread() {
        let ((_own, own), (_team, team)) = (store(), store());
        let share = |note: &Note, author: &str, expect: Option<u64>| {
            let options = SaveOptions::default().expect(expect.into());
            let share = |dry| share_to_team(&team, note, options, stamp(author), dry);
            let (would, did) = (share(true), share(false));
            match author {
                "alice" => assert_eq!(would.unwrap(), *did.as_ref().unwrap()),
                // A store without holders knows only at the write who wrote a text.
                _ => assert!(would.is_ok() || did.is_err()),
            }
            did
        };
        let first = save(&own, "repo:a/shop#pay", "integer cents", "person");
        assert!(share(&first, "alice", None).unwrap());
        assert!(!share(&first, "bob", None).unwrap());
        let second = save(&own, "repo:a/shop#pay", "cents, as integers", "person");
        assert!(matches!(
            share(&second, "bob", None),
            Err(Error::OthersText { revision: 1, .. })
        ));
        let unread = |dry| {
            let options = SaveOptions::default().expect(Expect::Revision(7));
            let shared = share_to_team(&team, &second, options, stamp("bob"), dry);
            matches!(shared, Err(Error::Conflict { .. }))
        };
        assert!(unread(true) && unread(false));
        assert!(share(&second, "bob", Some(1)).unwrap());
        let written = team.history(&first.address).unwrap();
        let authors: Vec<&str> = written
            .iter()
            .map(|of: &Revision| of.author().as_str())
            .collect();
        assert_eq!(authors, ["alice", "bob"]);
        let home = save(&own, "place:~/shop", "at home", "person");
        assert!(matches!(
            share(&home, "bob", None),
            Err(Error::InvalidAddress { .. })
        ));
        let credential = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        let secret = Note {
            content: Content::imported(&*credential),
            ..second.clone()
        };
        assert!(matches!(
            share(&secret, "bob", None),
            Err(Error::HoldsSecret { .. })
        ));
        let named = Note {
            address: format!("repo:a/shop//{credential}").parse().unwrap(),
            ..second
        };
        let counted = Counted(&team, std::cell::Cell::default());
        let options = SaveOptions::default();
        let refused = share_to_team(&counted, &named, options, stamp("bob"), true);
        assert!(matches!(refused, Err(Error::NameHoldsSecret { .. })));
        assert_eq!(counted.1.get(), 0, "nothing is sent");
    }
}
