//! The statements that `docs/fleet.md` gives to the administrator of a database.

use std::path::Path;

use waynote::{Content, Forget, Indexing, Reader as _, SearchRequest, Store as _};
use waynote_postgres::{Options, open, stores};
use waynote_test_postgres::{Cluster, Setup, has_postgres, skipped, store_at};
use waynote_testing::has;
use waynote_testing::values::{at, key, save};

const PAGE: &str = include_str!("../../../../docs/fleet.md");

/// The lines of the page that begin with this word, without their end.
fn statements(word: &str) -> String {
    let lines = PAGE.lines().filter(|line| line.starts_with(word));
    let lines: Vec<&str> = lines.collect();
    assert!(!lines.is_empty(), "{word}");
    lines.join("\n")
}

fn options(cluster: &Cluster, user: &str) -> Options {
    Options::of_url(&store_at(user, cluster.port())).unwrap()
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

#[test]
fn a_role_with_the_grants_of_the_page_reads_and_writes() {
    if !has_postgres() {
        return skipped("a_role_with_the_grants_of_the_page_reads_and_writes");
    }
    let cluster = Cluster::tcp();
    stores::create(options(&cluster, "waynote")).unwrap();
    cluster.sql("CREATE ROLE app LOGIN");
    let refused = open(options(&cluster, "app")).err().unwrap();
    assert_eq!(refused.kind(), "read_only", "{refused}");
    has(refused.to_string(), "permission denied");
    cluster.sql(&statements("GRANT "));
    let store = open(options(&cluster, "app")).unwrap();
    store.apply(&[save(key("k"), "text")], &at(1)).unwrap();
    assert!(store.verify().unwrap().is_clean());
    stores::drop(options(&cluster, "app")).unwrap();
}

#[test]
fn tables_that_are_written_anew_have_no_byte_of_a_forgotten_text() {
    if !has_postgres() {
        return skipped("tables_that_are_written_anew_have_no_byte_of_a_forgotten_text");
    }
    // Nothing else may clean up.
    let cluster = Cluster::start(&Setup {
        tcp: true,
        settings: "autovacuum = off".to_owned(),
        ..Setup::default()
    });
    stores::create(options(&cluster, "waynote")).unwrap();
    let indexing = Indexing {
        tail: 4,
        bulk: 8,
        fan_out: 2,
        most: 64,
    };
    let store = open(options(&cluster, "waynote")).unwrap();
    let store = store.with_indexing(indexing);
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
    for number in 0..30 {
        let change = save(
            key(&format!("k{number}")),
            &format!("an ordinary note {number}"),
        );
        store.apply(&[change], &at(3)).unwrap();
    }
    for of in ["short", "long"] {
        let forgotten = store.forget(&Forget::new(key(of)), &at(4)).unwrap();
        has(forgotten.residue.unwrap().to_string(), "VACUUM FULL");
    }
    let hits = store.search(&SearchRequest::new("xyzzyshort")).unwrap();
    assert!(hits.is_empty());
    assert!(is_in_files(&cluster, "xyzzyshort"));
    cluster.sql(&statements("VACUUM FULL "));
    for word in ["xyzzyshort", "xyzzylong"] {
        assert!(!is_in_files(&cluster, word), "{word}");
    }
    assert!(is_in_files(&cluster, "an ordinary note 7"));
    assert!(store.verify().unwrap().is_clean());
}
