//! The traces of forgotten texts in the files of the database, and the vacuum that removes them.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use waynote::{Content, EngineStore, Forget, Indexing, Reader as _, SearchRequest, Store as _};
use waynote_postgres::vacuum::{Vacuum, VacuumOutcome, VacuumReport, vacuum};
use waynote_postgres::{Options, Postgres, open, stores};
use waynote_test_postgres::{
    Bouncer, Cluster, Setup, has_pgbouncer, has_postgres, skipped, store_at,
};

use waynote_testing::has;
use waynote_testing::values::{at, key, save};

fn cluster(test: &str) -> Option<Cluster> {
    if !has_postgres() {
        skipped(test);
        return None;
    }
    // Nothing else may clean up.
    Some(Cluster::start(&Setup {
        tcp: true,
        settings: "autovacuum = off".to_owned(),
        ..Setup::default()
    }))
}

fn options(cluster: &Cluster) -> Options {
    Options::of_url(&store_at("waynote", cluster.port())).unwrap()
}

/// A store with some notes and an index of them.
fn filled(cluster: &Cluster) -> EngineStore<Postgres> {
    stores::create(options(cluster)).unwrap();
    let indexing = Indexing::DEFAULT.tail(4, 8).merging(2, 64);
    let store = open(options(cluster)).unwrap().with_indexing(indexing);
    for number in 0..20 {
        let text = format!("an ordinary note {number}");
        let change = save(key(&format!("k{number}")), &text);
        store.apply(&[change], &at(1)).unwrap();
    }
    store
}

/// True if any file of the database's tables has these bytes, whatever is still in memory.
fn is_in_files(cluster: &Cluster, word: &str) -> bool {
    fn look(folder: &Path, word: &[u8]) -> bool {
        std::fs::read_dir(folder).unwrap().any(|entry| {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => look(&path, word),
                // A file may be removed meanwhile.
                false => std::fs::read(&path)
                    .is_ok_and(|bytes| bytes.windows(word.len()).any(|of| of == word)),
            }
        })
    }
    cluster.sql("CHECKPOINT");
    let folder = cluster.sql("SHOW data_directory");
    look(&Path::new(&folder).join("base"), word.as_bytes())
}

fn all_vacuumed(done: &VacuumReport) -> bool {
    done.tables
        .iter()
        .all(|table| table.became == VacuumOutcome::Vacuumed)
}

#[test]
fn tables_that_are_written_anew_have_no_byte_of_a_forgotten_text() {
    let Some(cluster) = cluster("tables_that_are_written_anew_have_no_byte_of_a_forgotten_text")
    else {
        return;
    };
    let store = filled(&cluster);
    // One in its row, and one so long that it is stored beside it; both are in the search index.
    let noise = |number: u32| {
        let hash = Content::imported(number.to_string()).hash().to_string();
        format!("{hash} ")
    };
    let long: String = (0..400).map(noise).collect();
    for (of, text) in [
        ("short", "the word is xyzzyshort".to_owned()),
        ("long", format!("{long} xyzzylong")),
    ] {
        store.apply(&[save(key(of), &text)], &at(2)).unwrap();
    }
    for number in 30..40 {
        let change = save(key(&format!("k{number}")), "later");
        store.apply(&[change], &at(3)).unwrap();
    }
    for word in ["xyzzyshort", "xyzzylong"] {
        assert!(is_in_files(&cluster, word), "{word}");
    }
    for of in ["short", "long"] {
        let forgotten = store.forget(&Forget::new(key(of)), &at(4)).unwrap();
        let residue = forgotten.residue.unwrap().to_string();
        has(&residue, "waynote stores vacuum --full");
    }
    let hits = store.search(&SearchRequest::new("xyzzyshort")).unwrap();
    assert!(hits.is_empty());
    assert!(is_in_files(&cluster, "xyzzyshort"));
    // A plain vacuum frees the space, but the bytes stay in the file.
    assert!(all_vacuumed(
        &vacuum(&options(&cluster), Vacuum::Free).unwrap()
    ));
    assert!(is_in_files(&cluster, "xyzzyshort"));
    let done = vacuum(&options(&cluster), Vacuum::Rewrite).unwrap();
    assert!(all_vacuumed(&done) && done.holders.is_empty(), "{done:?}");
    for word in ["xyzzyshort", "xyzzylong"] {
        assert!(!is_in_files(&cluster, word), "{word}");
    }
    assert!(is_in_files(&cluster, "an ordinary note 7"));
    assert_eq!(store.get(&key("k7")).unwrap().unwrap().revision, 1);
    assert!(store.verify().unwrap().is_clean());
}

/// A session of psql that keeps its transaction open until it is dropped.
struct Psql {
    child: Child,
}

impl Psql {
    fn run(cluster: &Cluster, sql: &str) -> Self {
        let mut child = Command::new(cluster.programs().join("psql"))
            .args([
                "-X", "-q", "-A", "-t", "-U", "waynote", "-d", "postgres", "-h",
            ])
            .arg(cluster.folder())
            .args(["-p", &cluster.port().to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.as_mut().unwrap();
        writeln!(stdin, "{sql};\n\\echo begun").unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "begun"));
        Self { child }
    }
}

impl Drop for Psql {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_transaction_that_keeps_dead_rows_is_named_and_one_in_the_way_is_waited_for() {
    let Some(cluster) =
        cluster("a_transaction_that_keeps_dead_rows_is_named_and_one_in_the_way_is_waited_for")
    else {
        return;
    };
    let store = filled(&cluster);
    let change = save(key("short"), "the word is xyzzyshort");
    store.apply(&[change], &at(2)).unwrap();
    let old = "SET application_name = 'a report'; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1";
    let reader = Psql::run(&cluster, old);
    store.forget(&Forget::new(key("short")), &at(4)).unwrap();
    let done = vacuum(&options(&cluster), Vacuum::Rewrite).unwrap();
    let [holder] = &done.holders[..] else {
        panic!("{done:?}");
    };
    assert!(holder.what.starts_with("process "), "{holder:?}");
    assert_eq!(holder.who, "waynote, a report");
    assert!(is_in_files(&cluster, "xyzzyshort"));
    drop(reader);
    let still_there = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'a report'";
    while cluster.sql(still_there) != "0" {
        std::thread::sleep(Duration::from_millis(20));
    }
    // Somebody reads a table.
    let reader = Psql::run(&cluster, "BEGIN; SELECT count(*) FROM waynote.content");
    let short = options(&cluster).wait(Duration::from_millis(200));
    let done = vacuum(&short, Vacuum::Rewrite).unwrap();
    for table in &done.tables {
        let is_read = table.name == "content";
        assert_eq!(table.became == VacuumOutcome::InUse, is_read, "{done:?}");
    }
    let waits = std::thread::spawn({
        let options = options(&cluster).wait(Duration::from_secs(60));
        move || vacuum(&options, Vacuum::Rewrite).unwrap()
    });
    drop(reader);
    assert!(all_vacuumed(&waits.join().unwrap()));
    assert!(!is_in_files(&cluster, "xyzzyshort"));
}

#[test]
fn only_the_owner_may_and_a_pooler_may_be_in_between() {
    let Some(cluster) = cluster("only_the_owner_may_and_a_pooler_may_be_in_between") else {
        return;
    };
    filled(&cluster);
    cluster.sql("CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA waynote TO reader");
    let theirs = Options::of_url(&store_at("reader", cluster.port())).unwrap();
    let done = vacuum(&theirs, Vacuum::Free).unwrap();
    let refused = |became| became == VacuumOutcome::NotPermitted;
    assert!(
        done.tables.iter().all(|table| refused(table.became)),
        "{done:?}"
    );
    let empty = Options::of_url(&cluster.database("empty")).unwrap();
    let error = vacuum(&empty, Vacuum::Free).unwrap_err();
    assert!(error.to_string().contains("there is no store"), "{error}");
    if !has_pgbouncer() {
        return skipped("`stores vacuum` behind PgBouncer");
    }
    let bouncer = Bouncer::start(&cluster, 2);
    let behind = Options::of_url(&bouncer.url()).unwrap();
    for how in [Vacuum::Free, Vacuum::Rewrite] {
        assert!(all_vacuumed(&vacuum(&behind, how).unwrap()));
    }
}
