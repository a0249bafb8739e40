//! Settings that an administrator gives to a role or to a database: answers are as usual, or refused by name.

use std::time::Duration;

use waynote::store::FeedContent;
use waynote::{EntryType, Places, Reader as _, SessionLog, Store as _};
use waynote_postgres::{Options, open, stores};
use waynote_test_postgres::{Cluster, Setup, has_postgres, skipped, with_store};
use waynote_testing::Dice;
use waynote_testing::values::{at, contents, found, key, place, save, text, whole_feed};
use waynote_testing::writer::Writer;

use super::writers::rounds;

/// The settings, and the kind of the error of a write; none: it is as usual.
const SETTINGS: [(&str, &str); 31] = [
    ("search_path = ''", ""),
    ("search_path = evil, pg_catalog", ""),
    ("standard_conforming_strings = off", ""),
    ("backslash_quote = on", ""),
    ("quote_all_identifiers = on", ""),
    ("transform_null_equals = on", ""),
    ("array_nulls = off", ""),
    ("\"DateStyle\" = 'German, DMY'", ""),
    ("\"IntervalStyle\" = sql_standard", ""),
    ("\"TimeZone\" = 'Asia/Kathmandu'", ""),
    ("bytea_output = escape", ""),
    ("extra_float_digits = -15", ""),
    ("client_encoding = 'LATIN1'", ""),
    ("client_min_messages = debug5", ""),
    ("client_min_messages = error", ""),
    ("default_transaction_read_only = on", "read_only"),
    ("default_transaction_isolation = serializable", ""),
    ("default_transaction_isolation = 'repeatable read'", ""),
    ("default_transaction_deferrable = on", ""),
    ("statement_timeout = 1000", ""),
    ("lock_timeout = 1", ""),
    ("idle_in_transaction_session_timeout = 1000", ""),
    ("idle_session_timeout = 50", ""),
    ("row_security = off", ""),
    ("synchronous_commit = off", "server_unsuitable"),
    ("synchronous_commit = local", ""),
    ("plan_cache_mode = force_generic_plan", ""),
    ("enable_indexscan = off", ""),
    ("work_mem = '64kB'", ""),
    ("default_text_search_config = simple", ""),
    ("default_tablespace = pg_global", ""),
];

/// Writes all kinds of things, and returns everything that is read of them.
fn said(options: &Options, seed: u64) -> waynote::Result<String> {
    let store = open(options.clone())?;
    for (second, said) in (1..).zip([
        "a\\x41 \\ 'b' \"c\"",
        "ü 🎈 E'\\\\'",
        "$1 %s \t 01.02.2026 1e-7",
    ]) {
        Places::new(&store).write(&place("~/p"), text(said), &at(second))?;
        store.apply(&[save(key(&format!("k{second}")), said)], &at(second))?;
        let log = SessionLog::new(&store, "l".parse()?);
        log.add(EntryType::Tip, Some(second), text(said), &at(second))?;
    }
    let read = format!(
        "{:?} {:?} {:?} {:?} {:?}",
        store.history(&key("k2"))?.len(),
        contents(&SessionLog::new(&store, "l".parse()?).list(None)?),
        contents(&Places::new(&store).list()?),
        found(&store, "c"),
        whole_feed(&store)
            .iter()
            .map(|entry| match &entry.happened {
                FeedContent::Changed(of) =>
                    format!("{:?}", of.note().map(|of| (&of.content, of.updated_at))),
                _ => String::new(),
            })
            .collect::<Vec<_>>(),
    );
    // Other things by turns.
    let mut writer = Writer::new(seed);
    writer.second = 5_000;
    (0..15).for_each(|_| writer.once(&store));
    let report = store.verify()?;
    assert!(report.is_clean(), "{report:?}");
    Ok(read)
}

#[test]
fn settings_of_roles_and_databases_change_no_answer() {
    if !has_postgres() {
        return skipped("settings_of_roles_and_databases_change_no_answer");
    }
    let mut dice = Dice::thrown("settings");
    let cluster = Cluster::start(&Setup::default());
    cluster.sql("CREATE ROLE app LOGIN");
    cluster.sql("CREATE DATABASE notes OWNER app");
    cluster.sql_in(
        "notes",
        "CREATE SCHEMA evil; GRANT USAGE ON SCHEMA evil TO app; CREATE TABLE evil.store (store text);
         CREATE FUNCTION evil.octet_length(bytea) RETURNS integer LANGUAGE sql AS 'SELECT 1';
         CREATE FUNCTION evil.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT ''epoch''::timestamptz';
         CREATE FUNCTION evil.unnest(bigint[]) RETURNS SETOF bigint LANGUAGE sql AS 'SELECT 1::bigint'",
    );
    let url = cluster.url().replace("waynote@", "app@");
    let url = url.replace("/postgres", "/notes");
    let mut number = 0;
    let mut run = |seed| {
        number += 1;
        // A server that no other store uses, so that its connections are new.
        let options = Options::of_url(&with_store(&url, &format!("s{number}"))).unwrap();
        let options = options.connections(number).wait(Duration::from_secs(9));
        stores::create(options.clone()).and_then(|()| said(&options, seed))
    };
    let usual = run(1).unwrap();
    let (mut count, mut refused, mut wrong) = (0, 0, Vec::new());
    for _ in 0..rounds() {
        for (setting, kind) in SETTINGS {
            let of = ["ROLE app", "DATABASE notes"][dice.below(2) as usize];
            cluster.sql(&format!("ALTER {of} SET {setting}"));
            let outcome = run(dice.below(1 << 31));
            cluster.sql(&format!("ALTER {of} RESET ALL"));
            count += 1;
            refused += u32::from(!kind.is_empty());
            let is_right = match &outcome {
                Ok(said) => kind.is_empty() && *said == usual,
                Err(error) => error.kind() == kind,
            };
            if !is_right {
                wrong.push(format!("{of} {setting}: {outcome:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\nusual: {usual}", wrong.join("\n"));
    eprintln!("{count} settings, {refused} of them refused by name, all other answers as usual");
}
