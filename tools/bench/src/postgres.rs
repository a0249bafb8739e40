//! Stores in PostgreSQL: writing beside PostgreSQL's own benchmark with equivalent statements, blocks beside a file, and a
//! store alone and among many others.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use kit::at_once::at_once;
use kit::measure::median;
use waynote::context::{Budget, Request, render};
use waynote::{
    Change, EngineStore, EntryType, LocalStore as _, Reader as _, SearchRequest, SqliteStore,
    Stamp, Store,
};
use waynote_postgres::{Options, Postgres, open, stores};
use waynote_test_postgres::{Cluster, Setup, has_postgres, with_store};
use waynote_testing::values::{entry, key, save, save_pinned};

/// The other stores in the database.
const OTHERS: u32 = 1000;

pub(crate) fn run() -> Result<()> {
    ensure!(has_postgres(), "there is no PostgreSQL on this machine");
    among()?;
    file()?;
    beside()
}

fn stamp() -> Result<Stamp> {
    Ok(Stamp::new(jiff::Timestamp::now(), "person".parse()?))
}

fn new_store(url: &str, connections: usize) -> Result<EngineStore<Postgres>> {
    let options = Options::of_url(url)?.connections(connections);
    stores::create(options.clone())?;
    Ok(open(options)?)
}

fn add(store: &dyn Store, of: &str, said: &str) -> Result<()> {
    store.apply(&[save(key(of), said)], &stamp()?)?;
    Ok(())
}

/// That many keyed notes, and as many entries.
fn fill(store: &dyn Store, notes: u32) -> Result<()> {
    let changes: Vec<Change> = (0..notes)
        .flat_map(|number| {
            let said = |what: &str| format!("{what} {number}: running tests {}", number * 31);
            let kind = EntryType::ALL[number as usize % 4].clone();
            [
                save_pinned(key(&format!("k{number}")), &said("note"), number < 5),
                entry(kind, 1 + i64::from(number) / 10, &said("entry")),
            ]
        })
        .collect();
    for changes in changes.chunks(500) {
        store.apply(changes, &stamp()?)?;
    }
    Ok(())
}

fn block(store: &dyn Store) -> Result<String> {
    let request = Request::new("a".parse()?, "~/x".parse::<waynote::Place>()?, stamp()?.now)
        .session(Some("s".parse()?))
        .iteration(Some(1_000_000))
        .budget(Budget::default().tokens(8000));
    Ok(render(store, &request)?.text)
}

fn timed(work: impl Fn(u32) -> Result<()>) -> Result<Duration> {
    let mut times = Vec::new();
    for turn in 0..41 {
        let begin = Instant::now();
        work(turn)?;
        times.push(begin.elapsed().as_secs_f64());
    }
    Ok(Duration::from_secs_f64(median(times)))
}

/// The median time of a block.
fn block_time(store: &dyn Store) -> Result<Duration> {
    timed(|_| {
        ensure!(!block(store)?.is_empty(), "an empty block");
        Ok(())
    })
}

/// The times of a block, an addition and a search.
fn measured(store: &EngineStore<Postgres>, round: u32) -> Result<[Duration; 3]> {
    // So that each round has as little to look at beside the index.
    store.rebuild_index()?;
    let block = block_time(store)?;
    let search = timed(|turn| {
        let found = store.search(&SearchRequest::new(format!("running {}", turn * 31)))?;
        ensure!(!found.is_empty(), "nothing was found");
        Ok(())
    })?;
    let add = timed(|turn| {
        let said = format!("added in {round} as {turn}");
        add(store, &format!("r{round}-{turn}"), &said)
    })?;
    Ok([block, add, search])
}

/// A store of 5,000 notes alone, and among many others.
fn among() -> Result<()> {
    let cluster = Cluster::start(&Setup {
        settings: "max_wal_size = 4GB\nwal_level = minimal\nmax_wal_senders = 0\nautovacuum = off"
            .into(),
        ..Setup::default()
    });
    let store = new_store(&with_store(&cluster.url(), "main"), 8)?;
    fill(&store, 2500)?;
    cluster.sql("VACUUM ANALYZE");
    measured(&store, 0)?;
    let alone = measured(&store, 1)?;
    for table in [
        "store", "scope", "content", "journal", "note", "event", "segment", "block",
    ] {
        let columns = cluster.sql(&format!(
            "SELECT string_agg(quote_ident(column_name), ', ') FROM information_schema.columns
             WHERE table_schema = 'waynote' AND table_name = '{table}' AND column_name <> 'store'"
        ));
        cluster.sql(&format!(
            "INSERT INTO waynote.{table} (store, {columns}) SELECT g.i, {columns} FROM waynote.{table}
             CROSS JOIN generate_series(1, {OTHERS}) g (i)"
        ));
    }
    cluster.sql("VACUUM ANALYZE");
    measured(&store, 3)?;
    let among = measured(&store, 4)?;
    let size = cluster.sql("SELECT pg_size_pretty(pg_database_size('postgres'))");
    println!("a store of 5,000 notes alone and among {OTHERS} others ({size}):");
    for (index, what) in ["block", "add", "search"].iter().enumerate() {
        println!(
            "  {what}: {:.1?} alone, {:.1?} among others: {:.2} x",
            alone[index],
            among[index],
            among[index].as_secs_f64() / alone[index].as_secs_f64()
        );
    }
    Ok(())
}

/// A block of 10,000 notes on an open store, in the database and in a file, each after a note was added.
fn file() -> Result<()> {
    let cluster = Cluster::start(&Setup::default());
    let folder = tempfile::tempdir()?;
    let in_file = SqliteStore::open(folder.path().join("notes.db"), &waynote::Options::default())?;
    let in_database = new_store(&with_store(&cluster.url(), "main"), 8)?;
    let stores: [&dyn Store; 2] = [&in_file, &in_database];
    for store in stores {
        fill(store, 5000)?;
    }
    for round in 0..2 {
        let mut times = Vec::new();
        for store in stores {
            let changes = |turn| add(store, "changing", &format!("changed in {round}, {turn}"));
            times.extend([timed(changes)?, block_time(store)?]);
        }
        println!(
            "10,000 notes, round {round}: adding a note, a block: {times:.2?} (file, database)"
        );
    }
    Ok(())
}

/// The statements of an addition, with the row of the store and the positions as it has them.
const SCRIPT: &str = "\\set key random(1, 1000000000)
BEGIN ISOLATION LEVEL READ COMMITTED;
SELECT s.incarnation, s.id, s.head, s.index_format, s.indexed, s.segments,
    (SELECT v.version FROM waynote.version v), current_setting('synchronous_commit') <> 'off', pg_is_in_recovery()
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

/// Writes a second, by that many threads, each with the store that it gets.
fn ours<'s>(
    threads: usize,
    store: impl Fn(usize) -> &'s EngineStore<Postgres> + Sync,
) -> Result<f64> {
    let begin = Instant::now();
    let counts = at_once(threads, 0..threads, |thread| -> Result<usize> {
        let mut count = 0;
        while begin.elapsed() < TIME {
            let name = format!("t{thread}-{count}");
            add(store(thread), &name, &format!("note {name}"))?;
            count += 1;
        }
        Ok(count)
    });
    let count: Result<usize> = counts.into_iter().sum();
    Ok(count? as f64 / begin.elapsed().as_secs_f64())
}

/// Transactions a second of the benchmark: as many clients, each on the store with that key.
fn theirs(cluster: &Cluster, keys: &[i64]) -> Result<f64> {
    let folder = tempfile::tempdir()?;
    let mut bench = Command::new(cluster.programs().join("pgbench"));
    bench
        .args(["-n", "-M", "extended", "-U", "waynote"])
        .args(["-T", &TIME.as_secs().to_string(), "-h"])
        .arg(cluster.folder())
        .args(["-p", &cluster.port().to_string()])
        .args(["-c", &keys.len().to_string()]);
    for (number, key) in keys.iter().enumerate() {
        let script = folder.path().join(number.to_string());
        let note = "concat('note ', :key::text, ' ', :client_id::text)::bytea";
        // Pgbench puts no variables into quotes.
        let text = SCRIPT
            .replace(":store", &format!("'{key}'::bigint"))
            .replace(
                "'b:key:client_id'",
                "concat('b', :key::text, 'c', :client_id::text)",
            )
            .replace("'note :key :client_id'", note);
        std::fs::write(&script, text)?;
        bench.arg("-f").arg(script);
    }
    let done = bench.arg("postgres").output()?;
    let out = String::from_utf8_lossy(&done.stdout).into_owned();
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "{out}{said}");
    let tps = out.lines().find_map(|line| line.strip_prefix("tps = "));
    let tps = tps.and_then(|tps| tps.split(' ').next());
    Ok(tps.context("no figure")?.parse()?)
}

/// Writing beside PostgreSQL's own benchmark.
fn beside() -> Result<()> {
    // On disk, as it is used.
    let cluster = Cluster::start(&Setup {
        fsync: true,
        ..Setup::default()
    });
    let stores = (0..16).map(|number| {
        let store = new_store(&with_store(&cluster.url(), &format!("s{number}")), 16)?;
        add(&store, "first", "note first")?;
        Ok(store)
    });
    let stores = stores.collect::<Result<Vec<_>>>()?;
    let keys = (0..16).map(|number| {
        let sql = format!("SELECT store FROM waynote.store WHERE name = 's{number}'");
        Ok(cluster.sql(&sql).parse::<i64>()?)
    });
    let keys = keys.collect::<Result<Vec<_>>>()?;
    for round in 0..2 {
        let one = ours(1, |_| &stores[0])?;
        let bench = theirs(&cluster, &keys[1..2])?;
        let sixteen = ours(16, |_| &stores[0])?;
        let apart = ours(16, |thread| &stores[thread])?;
        let benches = theirs(&cluster, &keys)?;
        println!(
            "round {round}: one writer {one:.0}/s, pgbench {bench:.0}/s: {:.2} x; 16 threads on one store {sixteen:.0}/s: \
             {:.1} x one; 16 stores {apart:.0}/s, pgbench with 16 clients {benches:.0}/s: {:.2} x",
            one / bench,
            sixteen / one,
            apart / benches
        );
    }
    Ok(())
}
