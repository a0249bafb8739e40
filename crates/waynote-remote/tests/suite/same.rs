//! A remote store behaves as the local one on the server, errors included.

use waynote::change::Expect;
use waynote::context::{Renderer, Request, Section, block_and_notes, changed, matching, render};
use waynote::event::{ProcessIdentity, SessionEvent};
use waynote::{
    AsOf, Change, Content, EntryType, Error, Forget, Limits, Note, Notebook, Reader, ReaderExt,
    SaveOptions, Scope, ScopeKind, SearchRequest, SessionLog, Stamp, Store, UndoScope, undo_last,
};

use super::support::{Served, now, serve, stamp};
use waynote_testing::values::{save, text};

fn request() -> Request {
    Request::new(
        "builder".parse().unwrap(),
        "~/p".parse::<waynote::Place>().unwrap(),
        now(),
    )
    .session(Some("nightly".parse().unwrap()))
}

/// A server with some of everything, written through it.
fn filled() -> Served {
    let served = serve();
    let store = served.remote();
    let builders = |key: &str| format!("agent:builder#{key}").parse().unwrap();
    for change in [
        save(builders("deploy"), "run make ship"),
        save(builders("test"), "use nextest"),
        save(builders("deploy"), "run make ship, twice"),
        Change::pin(builders("test"), true),
    ] {
        store.apply(&[change], &stamp()).unwrap();
    }
    let log = SessionLog::new(&store, "nightly".parse().unwrap());
    for (kind, said) in [
        (EntryType::Stuck, "the linker fails"),
        (EntryType::Tip, "use lld"),
        (EntryType::Tip, "use lld"),
    ] {
        log.add(kind, Some(1), text(said), &stamp()).unwrap();
    }
    let place = Change::Save {
        address: "place:~/p".parse().unwrap(),
        // Bytes that are not UTF-8, as another program may have written them.
        content: Content::imported(b"caf\xe9".to_vec()),
        pin: None,
        limits: Limits::default(),
        expect: Expect::Revision(0),
        origin: None,
    };
    store.apply(&[place], &stamp()).unwrap();
    let session = "nightly".parse().unwrap();
    let loop_started = SessionEvent::LoopStarted {
        holder: ProcessIdentity::new("box", "b", 7, 1),
        directory: "/p".into(),
        iterations: Some(3),
    };
    store
        .record(&session, &[loop_started], None, &stamp())
        .unwrap();
    let iteration = SessionEvent::IterationStarted {
        iteration: 2,
        block: None,
    };
    store
        .record(&session, &[iteration], Some(1), &stamp())
        .unwrap();
    served
}

#[test]
fn everything_that_is_read_is_the_same() {
    let served = filled();
    let (here, there) = (&*served.store, served.remote());
    let stores: [&dyn Reader; 2] = [here, &there];
    let session = "nightly".parse().unwrap();
    let read = stores.map(|store| {
        let notes = |kind| store.select(&waynote::Filter::Kind(kind)).unwrap();
        let all: Vec<Note> = [ScopeKind::Place, ScopeKind::Agent, ScopeKind::Session]
            .into_iter()
            .flat_map(notes)
            .collect();
        let feed = store.feed(None, 99).unwrap();
        let agent = Scope::Agent("builder".parse().unwrap());
        let then = AsOf::Position(feed[1].at);
        (
            all,
            store.journal(None, 99).unwrap(),
            store.select_at(&[agent], then).unwrap(),
            store
                .history(&"agent:builder#deploy".parse().unwrap())
                .unwrap(),
            (
                store.events(&session, None, 9).unwrap(),
                store.leases().unwrap(),
            ),
            (store.store_id().unwrap(), store.version().unwrap(), feed),
            store.search(&SearchRequest::new("make lld")).unwrap(),
            store.on_one_state(|store| store.kinds(&session)).unwrap(),
        )
    });
    assert_eq!(read[0], read[1]);
    assert_eq!((read[0].0.len(), read[0].6.len()), (5, 2));
    assert_eq!(here.verify().unwrap(), there.verify().unwrap());
    let known = block_and_notes(here, &request()).unwrap();
    let blocks = stores.map(|store| {
        let asked = request().query(Some("make ship".to_owned()));
        (
            render(store, &request().explain(true)).unwrap(),
            block_and_notes(store, &request()).unwrap(),
            changed(store, &request(), &Section::ALL, &known.1[..1]).unwrap(),
            matching(store, &asked, &[]).unwrap(),
        )
    });
    assert_eq!(blocks[0], blocks[1]);
    assert!(!blocks[0].2.notes.is_empty() && !blocks[0].3.notes.is_empty());
    let mut renderer = Renderer::default();
    let first = renderer.render(&there, &request()).unwrap();
    assert!(std::sync::Arc::ptr_eq(
        &first,
        &renderer.render(&there, &request()).unwrap()
    ));
}

#[test]
fn errors_are_those_of_the_store_with_its_address() {
    let served = filled();
    let store = served.remote();
    let notes = Notebook::of_agent(&store, "builder".parse().unwrap());
    let refused = |key: &str, said: &str, options| {
        notes
            .save(&key.parse().unwrap(), text(said), options, &stamp())
            .unwrap_err()
    };
    let conflict = refused(
        "deploy",
        "x",
        SaveOptions::default().expect(Expect::Revision(1)),
    );
    let Error::Conflict {
        current: Some(current),
        ..
    } = &conflict
    else {
        panic!("{conflict:?}");
    };
    assert_eq!(current.content, text("run make ship, twice"));
    // Who has not read a person's text is shown it, too.
    let person = Stamp::new(now(), "person".parse().unwrap());
    let write =
        |said: &str, stamp: &Stamp| store.apply(&[save("place:~/q".parse().unwrap(), said)], stamp);
    write("a person's", &person).unwrap();
    let unread = write("other", &stamp().careful()).unwrap_err();
    assert_eq!(unread.kind(), "others_text");
    assert_eq!(unread.current().unwrap().content, text("a person's"));
    write("other", &stamp()).unwrap();
    // Put together here, so that no scanner takes this file for a leak.
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let secret = refused(
        "new",
        &format!("the token is {token}"),
        SaveOptions::default(),
    );
    assert!(
        matches!(
            &secret,
            Error::HoldsSecret {
                rule,
                line: 1,
                column: 14
            } if rule == "github-token"
        ),
        "{secret:?}"
    );
    let large = refused("new", &"x".repeat(5000), SaveOptions::default());
    assert!(
        matches!(&large, Error::NoteTooLarge { limit, .. } if limit == "max_bytes"),
        "{large:?}"
    );
    let gone = notes.get(&"nothing".parse().unwrap()).unwrap_err();
    assert!(matches!(gone, Error::NotFound { .. }), "{gone:?}");
    let session = "nightly".parse().unwrap();
    let running = SessionEvent::LoopStarted {
        holder: ProcessIdentity::new("other", "b", 8, 1),
        directory: "/p".into(),
        iterations: None,
    };
    let running = store
        .record(&session, &[running], None, &stamp())
        .unwrap_err();
    assert_eq!(running.kind(), "loop_running");
    let forgotten = store.would_forget(&Forget::new("agent:x#y".parse().unwrap()), &stamp());
    assert!(matches!(forgotten.unwrap_err(), Error::NotFound { .. }));
}

#[test]
fn a_change_is_undone_and_a_note_is_forgotten() {
    let served = filled();
    let store = served.remote();
    let reach = UndoScope::new("builder".parse().unwrap(), vec!["~/p".parse().unwrap()]);
    // All that was written at one time is one change: this one has a time of its own.
    let mut later = stamp();
    later.now += jiff::SignedDuration::from_secs(1);
    let again = save("place:~/p".parse().unwrap(), "again");
    store.apply(&[again], &later).unwrap();
    let undone = undo_last(&store, &reach, &stamp()).unwrap();
    assert_eq!(undone.applied.address.to_string(), "place:~/p");
    assert!(undone.others.is_empty(), "{undone:?}");
    let address: waynote::Address = "agent:builder#deploy".parse().unwrap();
    let request = Forget::new(address.clone());
    let would = store.would_forget(&request, &stamp()).unwrap();
    assert!(store.get(&address).unwrap().is_some());
    let did = store.forget(&request, &stamp()).unwrap();
    assert_eq!((would.revisions.len(), did.revisions.len()), (2, 2));
    assert_eq!(served.store.get(&address).unwrap(), None);
}
