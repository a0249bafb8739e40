//! The texts of all errors. None gives away a credential.

use std::io;
use std::path::PathBuf;

use jiff::Timestamp;

use super::{CustomError, Error, ErrorClass, StorageError, safe};
use crate::address::Address;
use crate::content::Content;
use crate::key::Name;
use crate::note::Note;

/// A text with a credential, as a person may type it or another program may print it.
fn outside() -> String {
    format!("x {} y", token())
}

/// Assembled here, so that no scanner takes this file for a leak.
fn token() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6".repeat(3))
}

fn name() -> Name {
    outside().parse().unwrap()
}

fn address() -> Address {
    Address::Place(format!("/p/{}", token()).parse().unwrap())
}

fn note() -> Note {
    Note {
        address: address(),
        kind: None,
        resolved_by: None,
        cites: Vec::new(),
        iteration: None,
        pinned: false,
        revision: 2,
        content: Content::text(outside()).unwrap(),
        preview: outside(),
        author: name(),
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        source: crate::note::Source::Own,
    }
}

/// An error of a crate above this one.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("the store above says {}", safe(.0))]
struct UpperError(String);

impl CustomError for UpperError {
    fn kind(&self) -> &'static str {
        "above"
    }

    fn class(&self) -> ErrorClass {
        ErrorClass::Denied
    }

    fn advice(&self) -> Option<String> {
        Some("ask its keeper".into())
    }
}

/// The JSON of each error, as this version writes it. Later versions must be able to read it.
const GOLDEN: &str = include_str!("../../../tests/golden/errors.jsonl");

/// The errors whose JSON leaves out something that is only known here.
fn local() -> Vec<Error> {
    let path = || PathBuf::from(format!("/s/{}", token()));
    let side_file = |other_owner| StorageError::SideFile {
        path: path(),
        file: path().with_extension("db-lock"),
        other_owner,
    };
    vec![
        Error::Conflict {
            address: address(),
            expected: "no such note".into(),
            current: Some(Box::new(note())),
        },
        Error::File {
            path: path(),
            action: "read".into(),
            source: io::Error::other(outside()),
        },
        Error::Engine {
            path: path(),
            source: outside().into(),
        },
        side_file(Some((0, 1000, 100))).into(),
        side_file(None).into(),
        UpperError(outside()).into(),
    ]
}

/// One error of each variant, two of variants with two wordings. Every field that can hold a text from outside holds
/// one.
fn all() -> Vec<Error> {
    let local = local();
    let read = GOLDEN.lines().map(|json| {
        let json = json.replace("[masked: github-token]", "TOKEN");
        let mut error: Error = serde_json::from_str(&json.replace("TOKEN", &token())).unwrap();
        error.name_store(format!("/s/{}", token()).as_ref());
        error
    });
    let is_local = |error: &Error| {
        let of_kind = |of: &&Error| of.kind() == error.kind() && error.kind() != "conflict";
        local.iter().any(|of| of_kind(&of))
    };
    let mut all: Vec<Error> = read.filter(|error| !is_local(error)).collect();
    all.extend(local);
    all
}

#[test]
fn each_error_has_a_kind_a_class_and_words() {
    let said = all().into_iter().map(|error| {
        let (kind, class) = (error.kind(), error.class());
        let advice = error.advice().unwrap_or_else(|| "-".into());
        format!("{kind} ({class:?}): {error}\n  {advice}\n")
    });
    insta::assert_snapshot!(said.collect::<String>(), @"
    too_much_asked (Limit): too much is asked at once: 300 words of a query, the limit is 256
      ask for less: fewer words, or one page after the other
    ended (Busy): the request was ended: nobody waits for its answer any more
      ask again, for less at once
    id_used (Invalid): another call went by this id: `x [masked: github-token] y`
      give each call an id of its own; repeat a call as it was
    invalid_key (Invalid): `x [masked: github-token] y` is not a valid key
      a key has 1 to 64 characters (a-z, 0-9, `_`, `-`) and begins with a letter or a digit
    invalid_key (Invalid): `My.Key` is not a valid key
      a key has 1 to 64 characters (a-z, 0-9, `_`, `-`) and begins with a letter or a digit; for example `my-key`
    invalid_name (Invalid): `x [masked: github-token] y` is not a valid name: it is wrong
      a name has 1 to 200 bytes and no control characters
    invalid_place (Invalid): `x [masked: github-token] y` is not a place: it is wrong
      a place is `~`, `~/x`, an absolute path, or `repo:github.com/acme/shop//src`
    invalid_citation (Invalid): `x [masked: github-token] y` cannot be cited: it is wrong
      cite tracked files of the repository: src/pay.rs:40-60, src/pay.rs, or an identifier of its code
    invalid_address (Invalid): `x [masked: github-token] y` is not an address: it is wrong
      write `place:~/p`, `place:~/p#key`, `repo:host/name//dir#key`, `agent:name#key` or `session:name#id`, with `@REVISION` for an older one
    unknown_type (Invalid): `x [masked: github-token] y` is not an entry type
      the types are stuck, learning, tip, decision
    invalid_iteration (Invalid): `0` is not an iteration number
      iterations are numbered from 1; leave the number out: the next prompt has the entry
    not_text (Refused): the text is not plain text: there is a NUL at offset 1
      a note is UTF-8 text without NUL; convert the text first, or encode other data, for example as base64
    holds_secret (Refused): the text holds a credential (github-token) at line 2, column 4
      write where the credential is kept (a variable, a vault), not the credential itself
    name_holds_secret (Refused): the address holds a credential (github-token)
      use another name: a name cannot be forgotten later
    note_too_large (Limit): the note is too large: 5 bytes, the limit is 4
      shorten it, or split it over several keys
    too_many_notes (Limit): agent:a is full: 2 notes, the limit is 2
      save under a key that exists, or add the text to another note
    not_found (NotFound): there is no x [masked: github-token] y
      -
    conflict (Conflict): place:/p/[masked: github-token] has changed: it does not exist, no such note was expected
      expect revision 0 to create it
    conflict (Conflict): place:/p/[masked: github-token] has changed: it does not exist, revision 3 was expected
      expect revision 0 to create it
    others_text (Conflict): place:/p/[masked: github-token] has text by x [masked: github-token] y (of ann) (revision 2)
      give your text a key of its own, or read this one, then expect revision 2
    one_persons (Refused): place:/p/[masked: github-token] cannot be in a store of several people: it is on a path of one machine
      name the repository's directory, `repo:HOST/NAME//DIRECTORY`, or keep the note in your own store
    one_persons (Refused): agent:default#k cannot be in a store of several people: a notebook there has a name of its own
      yours is `agent:x [masked: github-token] y`
    others_note (Conflict): place:/p/[masked: github-token] is a shared note: x [masked: github-token] y
      give your text a key of its own, or read this one, then expect revision 0
    others_note (Refused): place:/p/[masked: github-token] is a shared note: .waynote/src/pay/currency.md
      a person changes its file, and commits that
    others_note (Refused): place:/p/[masked: github-token] is a note of the team
      a person changes it in the team's store
    append_only (Refused): place:/p/[masked: github-token] cannot be changed: a session's log is append-only
      add an entry that corrects it
    not_resolved (Refused): place:/p/[masked: github-token] is not resolved: it is no `stuck` entry
      name a `stuck` entry, and say how it was solved as a learning, a tip or a decision
    no_such_stuck (NotFound): `x [masked: github-token] y` matches no open stuck note
      no stuck note is open in this session
    no_such_stuck (NotFound): `x [masked: github-token] y` matches more than one open stuck note
      name one by its address: place:/p/[masked: github-token]: x [masked: github-token] y
    incomplete (Invalid): the call needs a session
      name it first with `Agent::in_session`
    empty (Invalid): the question is empty
      write a text for the question
    forgotten (NotFound): x [masked: github-token] y was forgotten 1970-01-01 by x [masked: github-token] y
      it is gone for good
    denied (Denied): x [masked: github-token] y is not allowed here: it is wrong
      ask whoever gave you this access for more of it
    damaged_store (Damaged): the store /s/[masked: github-token] is damaged: x [masked: github-token] y
      restore the file from a copy, or save what is whole into a new store
    forgets_more (Conflict): x [masked: github-token] y was written after what was shown
      look again at what would be forgotten, then decide; nothing was forgotten
    foreign_store (Unreachable): /s/[masked: github-token] is the SQLite database of another program
      -
    not_a_store (Unreachable): /s/[masked: github-token] is not a waynote store: x [masked: github-token] y
      -
    store_lost (Unreachable): the store /s/[masked: github-token] was deleted or replaced: x [masked: github-token] y
      put the file back, or restart to use the file that is there now; nothing was written
    lost_writes (Damaged): the store /s/[masked: github-token] has lost acknowledged writes: it was at position 12, and now it is at 9
      restore a backup, or accept the loss to go on with what is left; until then it can only be read
    lost_writes (Damaged): the store /s/[masked: github-token] has lost acknowledged writes: it was at position 12, and now it is empty or gone
      restore a backup, or accept the loss to go on with what is left; until then it can only be read
    other_version (Unreachable): the store /s/[masked: github-token] has tables of version 9, and this program has version 8
      export its notes as JSON with the program that wrote it, and import them with this one
    read_only (Denied): the store /s/[masked: github-token] cannot be written: x [masked: github-token] y
      make the file and its folder writable
    disk_full (Unreachable): the store /s/[masked: github-token] cannot be written: the disk is full
      free some space and try again; everything acknowledged is still there
    busy (Busy): the store /s/[masked: github-token] is busy: another writer holds it, for 2 s now (process 7)
      end or resume the other process, then try again; nothing was written
    quota_exceeded (Unreachable): the store /s/[masked: github-token] cannot be written: this user's disk quota is used up
      delete files of this user or ask for a larger quota, then try again; everything acknowledged is still there
    file_size_limit (Unreachable): the store /s/[masked: github-token] cannot be written: it would be larger than the file size limit of this process
      raise the limit (RLIMIT_FSIZE) for this process or its parent, then try again; everything acknowledged is still there
    disk_error (Unreachable): the store /s/[masked: github-token] cannot be used: x [masked: github-token] y
      look into the system's log, and copy the store's files to another disk; then check the store
    second_name (Denied): the store /s/[masked: github-token] cannot be written: its file has 2 names (hard links); each name has its own write-ahead log and lock, and notes would be lost
      copy the store to a new file and use that one; or remove the other name, if nothing was saved under it
    loop_running (Busy): a loop is running in session x [masked: github-token] y: x [masked: github-token] y, since 1970-01-01 00:00 UTC
      wait for it, end it, or use another session
    lease_lost (Conflict): the loop has lost session x [masked: github-token] y: it was ended, and no loop has it now
      an agent of that loop ends its turn: nothing that it writes is taken any more
    lease_lost (Conflict): the loop has lost session x [masked: github-token] y: x [masked: github-token] y has had it since 1970-01-01 00:00 UTC
      an agent of that loop ends its turn: nothing that it writes is taken any more
    no_live_iteration (NotFound): iteration 3 of session x [masked: github-token] y is not running
      only the agent of a running loop can use this
    no_live_iteration (NotFound): no iteration of session x [masked: github-token] y is running
      only the agent of a running loop can use this
    unanswered (Blocked): session x [masked: github-token] y waits for an answer to: x [masked: github-token] y
      a person has to answer it before the next iteration
    already_said (Conflict): iteration 3 has already asked a person
      only the first one counts: end your turn, and put what else a person should know into a note
    nothing_asked (NotFound): no question is open in session x [masked: github-token] y
      put what the agent should know into the spec or a note
    already_answered (Conflict): the question of session x [masked: github-token] y was answered by x [masked: github-token] y on 1970-01-01 00:00 UTC
      the next prompt has the answer: start the loop again without another one
    not_a_person (Refused): the author `person` is refused inside a loop, where an agent writes
      name the agent as the author
    not_a_person (Refused): an answer is refused inside a loop, where an agent writes
      end your turn; the person starts the loop again with the answer
    not_a_person (Refused): administration is refused inside a loop, where an agent writes
      do it outside of the loop
    nothing_to_undo (NotFound): there is nothing to undo in place:/p/[masked: github-token]
      -
    nothing_to_redo (NotFound): there is nothing to redo in place:/p/[masked: github-token]
      only what was undone can be redone, until the next change
    superseded (Conflict): the last change of place:/p/[masked: github-token] is by x [masked: github-token] y
      look at its history, then restore the revision that you want
    conflict (Conflict): place:/p/[masked: github-token] has changed: it is at revision 2, no such note was expected
      look at the current text, then write again expecting revision 2
    file (Unreachable): /s/[masked: github-token] cannot be read: x [masked: github-token] y
      fix the cause and try again
    engine (Unreachable): the store /s/[masked: github-token] failed: x [masked: github-token] y
      check the disk and the file's permissions, then try again
    side_file (Denied): the store /s/[masked: github-token] cannot be used: /s/[masked: github-token].db-lock belongs to user 0, and the store to user 1000
      give /s/[masked: github-token].db-lock the store's owner (user 1000, group 100)
    side_file (Denied): the store /s/[masked: github-token] cannot be used: /s/[masked: github-token].db-lock is not a regular file
      remove /s/[masked: github-token].db-lock; the next write makes it anew
    above (Denied): the store above says x [masked: github-token] y
      ask its keeper
    ");
}

#[test]
fn no_error_gives_away_a_credential() {
    let token = token();
    for error in all() {
        let said = format!("{error} {}", error.advice().unwrap_or_default());
        let said = said.to_lowercase();
        assert!(!said.contains(&token[4..20].to_lowercase()), "{said}");
    }
}

#[test]
fn every_error_is_written_and_read_as_ever() {
    let mut written: Vec<String> = Vec::new();
    for error in all() {
        let Ok(json) = serde_json::to_string(&error) else {
            assert!(matches!(error, Error::Custom(_)), "{error}");
            continue;
        };
        assert!(!json.contains("/s/"), "{json}");
        written.push(json.replace(&token(), "TOKEN"));
    }
    let mut golden: Vec<&str> = GOLDEN.lines().collect();
    golden.sort_unstable();
    written.sort_unstable();
    // The conflict without a note here and the one with it are written alike.
    written.dedup();
    assert_eq!(golden, written);
    for json in golden {
        let read: Error = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(value["kind"], read.kind());
    }
}

#[test]
fn an_error_is_the_same_on_the_other_side() {
    for mut error in all() {
        let Ok(fields) = serde_json::to_value(&error) else {
            continue;
        };
        let current = error.current().cloned().map(Box::new);
        let there = crate::wire::error(&fields, current, "/s/notes").unwrap();
        error.name_store("/s/notes".as_ref());
        assert_eq!(there.to_string(), error.to_string());
        assert_eq!(there.advice(), error.advice());
        assert_eq!((there.kind(), there.class()), (error.kind(), error.class()));
    }
    let unknown = serde_json::json!({ "kind": "tired", "hours": 8 });
    assert!(crate::wire::error(&unknown, None, "/s/notes").is_none());
}

#[test]
fn an_error_of_a_crate_above_is_found_again() {
    let error = Error::from(UpperError("no".into()));
    assert_eq!(error.downcast_ref(), Some(&UpperError("no".into())));
    let other = Error::Empty {
        what: "question".into(),
    };
    assert_eq!(other.downcast_ref::<UpperError>(), None);
}
