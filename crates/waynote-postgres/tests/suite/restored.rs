//! A database that was restored to an earlier state, or that has lost changes in a failover, under programs that go on.

use std::process::Command;

use waynote::{EntryType, OperationId, Position, Reader as _, SessionLog, Store as _};
use waynote_postgres::{Options, open, stores};
use waynote_test_postgres::{unused, with_store};
use waynote_testing::Dice;
use waynote_testing::values::{at, text};

use super::stores::{its_server, new_store};
use super::writers::rounds;

/// Programs run on while their database goes back to an earlier point. Calls that were lost are carried out again, those
/// that were kept are not, and readers that know more than the database find it out.
#[test]
fn a_database_that_goes_back_under_its_programs_resets_its_readers() {
    let Some(cluster) = its_server().and_then(|server| server.cluster()) else {
        return;
    };
    let mut dice = Dice::thrown("restore");
    let folder = tempfile::tempdir().unwrap();
    let dump = folder.path().join("dump");
    let (mut kept, mut lost, mut resets) = (0, 0, 0);
    for round in 0..rounds() {
        let name = unused("back");
        let url = with_store(&cluster.database(&name), "s");
        let stores = [
            new_store(&url),
            open(Options::of_url(&url).unwrap().connections(2)).unwrap(),
        ];
        let write = |range: std::ops::Range<u64>| {
            for number in range {
                let said = format!("writer 0 note {number}");
                let log = SessionLog::new(&stores[number as usize % 2], "s".parse().unwrap());
                let stamp = at(number as i64).of_operation(OperationId::of(&said));
                log.add(EntryType::Tip, Some(1), text(&said), &stamp)
                    .unwrap();
            }
        };
        let (before, after) = (1 + dice.below(20), 1 + dice.below(20));
        write(0..before);
        let mut programs = Command::new(cluster.programs().join("pg_dump"));
        programs.args(["-U", "waynote", "-p", &cluster.port().to_string(), "-h"]);
        programs.arg(cluster.folder()).arg("-f").arg(&dump);
        assert!(programs.arg(&name).status().unwrap().success());
        write(before..before + after);
        let mark = |number: u64| stores[0].mark(Position::new(number as i64)).unwrap();
        let known = [before, before + after].map(mark);
        cluster.sql(&format!("DROP DATABASE \"{name}\" WITH (FORCE)"));
        cluster.sql(&format!("CREATE DATABASE \"{name}\""));
        cluster.sql_in(&name, &format!("\\i {}", dump.display()));
        // A reader that asks at once, and one that asks when there are as many changes again.
        assert_eq!(mark(before + after).1, None);
        let is_renewed = round % 2 == 1;
        if is_renewed {
            stores::renew(Options::of_url(&url).unwrap()).unwrap();
        }
        assert_eq!(mark(before) == known[0], !is_renewed);
        write(before + after..before + 2 * after);
        assert_ne!(mark(before + after), known[1]);
        resets += 2 + u64::from(is_renewed);
        // All calls are repeated by their ids.
        write(0..before + after);
        let feed = stores[1].feed(None, 1_000).unwrap();
        assert_eq!(feed.len() as u64, before + 2 * after);
        assert!(stores[1].verify().unwrap().is_clean());
        (kept, lost) = (kept + before, lost + after);
    }
    eprintln!(
        "{} restores, {kept} writes kept and known, {lost} lost ones carried out again, {resets} of {resets} readers reset",
        rounds()
    );
}
