//! How fast writing is beside PostgreSQL's own benchmark with equivalent statements. A figure, not a test of the gate.

use std::process::Command;
use std::time::{Duration, Instant};

use waynote::{EngineStore, Stamp, Store as _};
use waynote_postgres::{Options, Postgres, open};
use waynote_test_postgres::{Cluster, Setup, has_postgres, skipped, with_store};

use super::stores::new_store;
use waynote_testing::values;

/// The statements of an addition, with the row of the store and the positions as it has them.
const SCRIPT: &str = "\\set key random(1, 1000000000)
BEGIN ISOLATION LEVEL READ COMMITTED;
SELECT s.incarnation, s.id, s.head, s.index_format, s.indexed, s.segments,
    (SELECT max(m.version) FROM waynote.migration m), current_setting('synchronous_commit') <> 'off', pg_is_in_recovery()
    FROM waynote.store s WHERE s.store = :store FOR UPDATE OF s;
SELECT n.*, c.body FROM waynote.scope s
    LEFT JOIN waynote.note n ON n.store = :store AND n.scope = s.scope AND n.key = 'b:key:client_id'
    LEFT JOIN waynote.content c ON c.store = :store AND c.hash = n.content WHERE s.store = :store AND s.scope = 1;
SELECT s.notes FROM waynote.scope s WHERE s.store = :store AND s.scope = 1;
INSERT INTO waynote.content (store, hash, body)
    VALUES (:store, sha256('note :key :client_id'), 'note :key :client_id') ON CONFLICT (store, hash) DO NOTHING;
INSERT INTO waynote.journal (store, scope, key, position, revision, action, content, pinned, author, recorded_at,
        created_at, updated_at, mark)
    VALUES (:store, 1, 'b:key:client_id', (SELECT head + 1 FROM waynote.store WHERE store = :store), 1, 'save',
        sha256('note :key :client_id'), false, 'person', 1, 1, 1, 1);
INSERT INTO waynote.note (store, scope, key, position, revision, content, pinned, author, created_at, updated_at)
    VALUES (:store, 1, 'b:key:client_id', (SELECT head + 1 FROM waynote.store WHERE store = :store), 1,
        sha256('note :key :client_id'), false, 'person', 1, 1);
UPDATE waynote.scope SET notes = notes + 1 WHERE store = :store AND scope = 1;
UPDATE waynote.store SET head = head + 1 WHERE store = :store;
COMMIT;
";

const TIME: Duration = Duration::from_secs(8);

fn save(store: &EngineStore<Postgres>, key: &str) {
    let change = values::save(values::key(key), &format!("note {key}"));
    let stamp = Stamp::new(jiff::Timestamp::now(), "person".parse().unwrap());
    store.apply(&[change], &stamp).unwrap();
}

/// Writes a second, by so many threads, each with the store that it gets.
fn ours<'s>(threads: usize, store: impl Fn(usize) -> &'s EngineStore<Postgres> + Sync) -> f64 {
    let begin = Instant::now();
    let count: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|thread| {
                let store = store(thread);
                scope.spawn(move || {
                    let mut count = 0;
                    while begin.elapsed() < TIME {
                        save(store, &format!("t{thread}-{count}"));
                        count += 1;
                    }
                    count
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    count as f64 / begin.elapsed().as_secs_f64()
}

/// Transactions a second of the benchmark: as many clients, each on the store with that key.
fn theirs(cluster: &Cluster, keys: &[i64]) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let mut bench = Command::new(cluster.programs().join("pgbench"));
    bench
        .args([
            "-n",
            "-M",
            "extended",
            "-U",
            "waynote",
            "-T",
            &TIME.as_secs().to_string(),
            "-h",
        ])
        .arg(cluster.folder())
        .args([
            "-p",
            &cluster.port().to_string(),
            "-c",
            &keys.len().to_string(),
        ]);
    for (number, key) in keys.iter().enumerate() {
        let script = folder.path().join(number.to_string());
        // Pgbench puts no variables into quotes.
        let text = SCRIPT
            .replace(":store", &format!("'{key}'::bigint"))
            .replace(
                "'b:key:client_id'",
                "concat('b', :key::text, 'c', :client_id::text)",
            )
            .replace(
                "sha256('note :key :client_id')",
                "sha256(concat('note ', :key::text, ' ', :client_id::text)::bytea)",
            )
            .replace(
                "'note :key :client_id'",
                "concat('note ', :key::text, ' ', :client_id::text)::bytea",
            );
        std::fs::write(&script, text).unwrap();
        bench.arg("-f").arg(script);
    }
    let done = bench.arg("postgres").output().unwrap();
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(
        done.status.success(),
        "{out}{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let tps = out.lines().find_map(|line| line.strip_prefix("tps = "));
    tps.and_then(|tps| tps.split(' ').next())
        .unwrap()
        .parse()
        .unwrap()
}

#[test]
#[ignore = "prints figures"]
fn beside_pgbench() {
    if !has_postgres() {
        return skipped("beside_pgbench");
    }
    // On disk, as it is used.
    let cluster = Cluster::start(&Setup {
        fsync: true,
        ..Setup::default()
    });
    let url = |number: usize| with_store(&cluster.url(), &format!("s{number}"));
    let stores: Vec<EngineStore<Postgres>> = (0..16)
        .map(|number| {
            new_store(&url(number));
            let store = open(Options::of_url(&url(number)).unwrap().connections(16)).unwrap();
            save(&store, "first");
            store
        })
        .collect();
    let key = |name: &str| {
        let sql = format!("SELECT store FROM waynote.store WHERE name = '{name}'");
        cluster.sql(&sql).parse::<i64>().unwrap()
    };
    let keys: Vec<i64> = (0..16).map(|number| key(&format!("s{number}"))).collect();
    for round in 0..2 {
        let (one, bench) = (ours(1, |_| &stores[0]), theirs(&cluster, &keys[1..2]));
        let sixteen = ours(16, |_| &stores[0]);
        let (apart, benches) = (ours(16, |thread| &stores[thread]), theirs(&cluster, &keys));
        eprintln!(
            "round {round}: one writer {one:.0}/s, pgbench {bench:.0}/s: {:.2} x; 16 threads on one store {sixteen:.0}/s: \
             {:.1} x one; 16 stores {apart:.0}/s, pgbench with 16 clients {benches:.0}/s: {:.2} x",
            one / bench,
            sixteen / one,
            apart / benches
        );
    }
    for store in &stores {
        assert!(store.engine().round_trips() > 0);
    }
}
