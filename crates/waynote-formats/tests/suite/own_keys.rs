//! Notes whose key is another note's get keys of their own, and the same ones at the next import.

use jiff::Timestamp;
use waynote::{Change, Content, Expect, Limits, Reader, ScopeKind, SqliteStore, Stamp, Store};
use waynote_formats::{ForeignNotes, ImportReport, IncomingNote, Mode, Precedence, Times};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

struct Scratch {
    store: SqliteStore,
    _folder: tempfile::TempDir,
}

impl Scratch {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.db");
        let store = SqliteStore::open(path, &Default::default()).unwrap();
        Self {
            store,
            _folder: folder,
        }
    }

    fn apply(&self, changes: &[Change]) {
        let stamp = Stamp::new(NOW, "person".parse().unwrap());
        self.store.apply(changes, &stamp).unwrap();
    }

    fn save(&self, address: &str, text: &str) {
        self.apply(&[Change::Save {
            address: address.parse().unwrap(),
            content: Content::text(text).unwrap(),
            pin: None,
            limits: Limits::NONE,
            expect: Expect::Any,
            origin: None,
        }]);
    }

    /// Imports notes, each a name, the key that it would have, and a text.
    fn import(&self, format: &str, notes: &[(&str, &str, &str)]) -> ImportReport {
        let mut incoming = ForeignNotes::of(format, Precedence::Here).unwrap();
        for (name, key, text) in notes {
            let address = format!("agent:a#{key}").parse().unwrap();
            incoming.push_text(name, name, address, Content::imported(*text), None);
        }
        let planned = incoming
            .clone()
            .import(&self.store, NOW, Mode::DryRun)
            .unwrap();
        let imported = incoming.import(&self.store, NOW, Mode::Write).unwrap();
        assert_eq!(
            (planned.added, planned.updated),
            (imported.added, imported.updated)
        );
        assert_eq!(planned.renamed, imported.renamed);
        imported
    }

    fn openotters(&self, key: &str, text: &str) -> ImportReport {
        let mut incoming = ForeignNotes::of("openotters", Precedence::Later).unwrap();
        incoming.push(IncomingNote {
            address: format!("agent:a#{key}").parse().unwrap(),
            name: None,
            content: Content::imported(text),
            pin: None,
            times: Times::Recorded {
                created_at: NOW,
                updated_at: NOW,
            },
        });
        incoming.import(&self.store, NOW, Mode::Write).unwrap()
    }

    /// Every current note.
    fn all(&self) -> String {
        let filter = waynote::Filter::Kind(ScopeKind::Agent);
        let notes = self.store.select(&filter).unwrap();
        let mut notes: Vec<String> = notes
            .iter()
            .map(|note| {
                let key = note.address.key().unwrap();
                format!("{key} by {}: {}\n", note.author, note.content.shown())
            })
            .collect();
        notes.sort();
        notes.concat()
    }
}

#[test]
fn notes_of_several_sources_with_one_key_are_all_there() {
    let scratch = Scratch::new();
    scratch.save("agent:a#auth", "mine");
    let import = || {
        ["server-memory", "basic-memory"].map(|format| {
            scratch.import(
                format,
                &[
                    ("auth", "auth", &format!("of {format}")),
                    ("b", "b", "same"),
                ],
            )
        })
    };
    let [graph, _] = import();
    let renamed = &graph.renamed[0];
    assert_eq!(renamed.address.to_string(), "agent:a#auth-7917b800");
    assert_eq!(renamed.instead_of.to_string(), "agent:a#auth");
    insta::assert_snapshot!(scratch.all(), @"
    auth by person: mine
    auth-7917b800 by import:server-memory: of server-memory
    auth-e3b45898 by import:basic-memory: of basic-memory
    b by import:server-memory: same
    ");
    let before = scratch.all();
    for again in import() {
        assert_eq!((again.added, again.updated, again.unchanged), (0, 0, 2));
        assert!(again.renamed.is_empty());
    }
    assert_eq!(scratch.all(), before);
    // A text that changed there changes its own note, also once the other note is gone.
    scratch.apply(&[Change::Delete {
        address: "agent:a#auth".parse().unwrap(),
        expect: Expect::Any,
    }]);
    scratch.import("basic-memory", &[("auth", "auth", "newer")]);
    insta::assert_snapshot!(scratch.all(), @"
    auth-7917b800 by import:server-memory: of server-memory
    auth-e3b45898 by import:basic-memory: newer
    b by import:server-memory: same
    ");
}

#[test]
fn names_that_have_one_key_are_notes_of_their_own() {
    let scratch = Scratch::new();
    let names = [
        ("C", "c", "plain"),
        ("C#", "c", "sharp"),
        ("C++", "c", "plus plus"),
        ("API", "api", "upper"),
        ("api", "api", "lower"),
        ("deploy 🚀", "deploy", "rocket"),
        ("deploy 🎯", "deploy", "target"),
        ("v1.2", "v1-2", "dot"),
        ("v1-2", "v1-2", "dash"),
    ];
    let first = scratch.import("server-memory", &names);
    assert_eq!((first.added, first.updated, first.unchanged), (9, 0, 0));
    assert_eq!(first.renamed.len(), 5);
    let all = scratch.all();
    for expected in [
        "c by import:server-memory: plain\n",
        "api by import:server-memory: lower\n",
        "v1-2 by import:server-memory: dash\n",
        "deploy by import:server-memory: rocket\n",
    ] {
        assert!(all.contains(expected), "{all}");
    }
    assert_eq!(all.lines().count(), names.len());
    // Again, and in the order that a source with other names has.
    let again = scratch.import("server-memory", &names);
    assert_eq!((again.added, again.updated, again.unchanged), (0, 0, 9));
    assert_eq!(scratch.all(), all);
}

#[test]
fn others_give_way_to_the_three_sources() {
    let scratch = Scratch::new();
    scratch.import("server-memory", &[("auth", "auth", "of the graph")]);
    let imported = scratch.openotters("auth", "of the otter");
    assert_eq!(
        imported.renamed[0].address.to_string(),
        "agent:a#auth-7917b800"
    );
    assert!(imported.conflicts.is_empty());
    let both = scratch.all();
    insta::assert_snapshot!(both, @"
    auth by import:openotters: of the otter
    auth-7917b800 by import:server-memory: of the graph
    ");
    let again = scratch.import("server-memory", &[("auth", "auth", "of the graph")]);
    assert_eq!((again.added, again.unchanged), (0, 1));
    assert_eq!(scratch.openotters("auth", "of the otter").unchanged, 1);
    assert_eq!(scratch.all(), both);
}

#[test]
fn what_an_undo_took_back_comes_again_and_a_deleted_note_does_not() {
    let scratch = Scratch::new();
    let import = || scratch.import("serena", &[("build", "build", "make all")]);
    import();
    let address: waynote::Address = "agent:a#build".parse().unwrap();
    scratch.apply(&[Change::Undo {
        address: address.clone(),
        origin: None,
        last: None,
    }]);
    assert_eq!(scratch.all(), "");
    assert_eq!(import().added, 1);
    assert_eq!(scratch.all(), "build by import:serena: make all\n");
    scratch.apply(&[Change::Delete {
        address,
        expect: Expect::Any,
    }]);
    let left_out = import();
    assert_eq!((left_out.added, left_out.skipped.len()), (0, 1));
}
