//! Transactions that conflict with others, and commits with an unknown outcome.

use std::time::{Duration, Instant};

use waynote::{
    Content, EngineStore, EntryType, Note, OperationId, Reader as _, SessionLog, Store as _,
};
use waynote_postgres::{Options, Postgres, open};
use waynote_test_postgres::{Cluster, Setup, has_postgres, skipped, with_store};
use waynote_testing::values::at;

use super::stores::new_store;
use super::writers::until;

fn add(store: &EngineStore<Postgres>, said: &str) -> waynote::Result<Note> {
    let stamp = at(1).of_operation(OperationId::of(said));
    let log = SessionLog::new(store, "s".parse().unwrap());
    log.add(EntryType::Tip, None, Content::text(said).unwrap(), &stamp)
}

/// Makes each write of a note fail with a code until it has been tried so often, at once or at the commit.
fn in_the_way(cluster: &Cluster, code: &str, times: u32, when: &str) {
    cluster.sql(&format!(
        "DROP SEQUENCE IF EXISTS public.tries;
         CREATE SEQUENCE public.tries;
         CREATE OR REPLACE FUNCTION public.in_the_way() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF nextval('public.tries') <= {times} THEN
             RAISE EXCEPTION 'another transaction is in the way' USING ERRCODE = '{code}';
           END IF;
           RETURN NULL;
         END $$;
         DROP TRIGGER IF EXISTS in_the_way ON waynote.journal;
         CREATE CONSTRAINT TRIGGER in_the_way AFTER INSERT ON waynote.journal DEFERRABLE INITIALLY {when}
           FOR EACH ROW EXECUTE FUNCTION public.in_the_way()"
    ));
}

#[test]
fn what_others_are_in_the_way_of_is_tried_again_with_a_bound() {
    if !has_postgres() {
        return skipped("what_others_are_in_the_way_of_is_tried_again_with_a_bound");
    }
    let cluster = Cluster::start(&Setup::default());
    let store = new_store(&with_store(&cluster.url(), "s"));
    let tries = || cluster.sql("SELECT last_value FROM public.tries");
    let mut written = 0;
    for when in ["IMMEDIATE", "DEFERRED"] {
        for code in ["40001", "40P01", "57014"] {
            in_the_way(&cluster, code, 5, when);
            let note = add(&store, &format!("{code} {when}")).unwrap();
            assert_eq!((note.revision, tries().as_str()), (1, "6"), "{code} {when}");
            written += 1;
            // It does not end by itself.
            in_the_way(&cluster, code, 1_000_000, when);
            let begin = Instant::now();
            let error = add(&store, "never").unwrap_err();
            let cause = match code {
                // Somebody may cancel it each time.
                "57014" => "takes too long",
                _ => "in the way",
            };
            assert!(error.to_string().contains(cause), "{error}");
            assert!(begin.elapsed() < Duration::from_secs(20), "{code} {when}");
            assert_eq!(tries(), "8", "{code} {when}");
        }
    }
    // Neither an error of the write itself nor the end of a wait for a lock is tried again.
    for (code, kind) in [("23514", "engine"), ("55P03", "busy")] {
        in_the_way(&cluster, code, 5, "IMMEDIATE");
        assert_eq!(add(&store, "never").unwrap_err().kind(), kind);
        assert_eq!(tries(), "1", "{code}");
    }
    cluster.sql("DROP TRIGGER in_the_way ON waynote.journal");
    let log = SessionLog::new(&store, "s".parse().unwrap());
    assert_eq!(log.list(None).unwrap().len(), written);
    // None of the attempts that failed has left a gap.
    let head = store.version().unwrap().position.unwrap();
    assert_eq!(head.number(), i64::try_from(written).unwrap());
    assert!(store.verify().unwrap().is_clean());
}

/// The server commits, and its wait for the standby is ended by somebody: whether the standby has it is not known.
#[test]
fn a_commit_that_the_standby_may_not_have_is_not_acknowledged() {
    if !has_postgres() {
        return skipped("a_commit_that_the_standby_may_not_have_is_not_acknowledged");
    }
    let cluster = Cluster::start(&Setup::default());
    // Also under a role whose settings hide the server's warning.
    cluster.sql("ALTER ROLE waynote SET client_min_messages = error");
    let url = with_store(&cluster.url(), "s");
    new_store(&url);
    let options = Options::of_url(&url).unwrap();
    let store = open(options.wait(Duration::from_secs(4))).unwrap();
    add(&store, "before").unwrap();
    let standby = |name: &str| {
        cluster.sql(&format!(
            "ALTER SYSTEM SET synchronous_standby_names = '{name}'"
        ));
        cluster.sql("SELECT pg_reload_conf()");
        until("a standby", || {
            cluster.sql("SHOW synchronous_standby_names") == name
        });
    };
    for ended in ["pg_cancel_backend", "pg_terminate_backend"] {
        // This standby does not exist.
        standby("nobody");
        let said = format!("ended by {ended}");
        let error = std::thread::scope(|scope| {
            let adding = scope.spawn(|| add(&store, &said));
            let waits = format!(
                "SELECT count({ended}(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            );
            until("a wait", || cluster.sql(&waits) != "0");
            adding.join().unwrap().expect_err(ended)
        });
        assert_eq!(error.kind(), "commit_unknown", "{ended}: {error}");
        // The same call with the same id returns the outcome.
        standby("");
        assert_eq!(add(&store, &said).unwrap().revision, 1);
    }
    let log = SessionLog::new(&store, "s".parse().unwrap());
    let notes = log.list(None).unwrap();
    assert_eq!(notes.len(), 3);
    assert!(notes.iter().all(|note| note.revision == 1), "{notes:?}");
}
