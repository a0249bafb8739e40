//! Random damage to a store's files: a bit, some bytes, a sector, a page, the end, all of it; in the database and in the
//! WAL. A damage that takes nothing away may go unnoticed; one that takes a note away must be named, and no read may
//! show what was never written.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::work::{self, Base, STORE};
use super::{Row, Setup};
use kit::random::Random;

const PAGE: usize = 4096;
const SECTOR: usize = 512;

#[derive(Clone, Copy, Debug)]
enum Damage {
    Bit,
    Bytes,
    Sector,
    PageOfZeros,
    PageOfAnother,
    Truncated,
    Emptied,
    Deleted,
}

impl Damage {
    /// Any of them; those that leave nothing are rarer, being always the same.
    fn any(random: &mut Random) -> Self {
        match random.below(20) {
            0..7 => Self::Bit,
            7..10 => Self::Bytes,
            10..12 => Self::Sector,
            12..14 => Self::PageOfZeros,
            14..16 => Self::PageOfAnother,
            16..18 => Self::Truncated,
            18 => Self::Emptied,
            _ => Self::Deleted,
        }
    }

    fn done_to(self, path: &Path, random: &mut Random) -> Result<()> {
        let before = std::fs::metadata(path)?;
        let mut bytes = std::fs::read(path)?;
        let page = |random: &mut Random, length: usize| random.below(length / PAGE) * PAGE;
        let length = bytes.len();
        match self {
            Self::Bit => bytes[random.below(length)] ^= 1 << random.below(8),
            Self::Bytes => {
                let (from, count) = (random.below(length), 1 + random.below(8));
                let until = length.min(from + count);
                bytes[from..until].fill_with(|| random.byte());
            }
            Self::Sector => {
                let from = random.below(length / SECTOR) * SECTOR;
                bytes[from..from + SECTOR].fill_with(|| random.byte());
            }
            Self::PageOfZeros => {
                let from = page(random, length);
                bytes[from..from + PAGE].fill(0);
            }
            Self::PageOfAnother => {
                let (from, to) = (page(random, length), page(random, length));
                bytes.copy_within(from..from + PAGE, to);
            }
            Self::Truncated => bytes.truncate(random.below(length)),
            Self::Emptied => bytes.clear(),
            Self::Deleted => return Ok(std::fs::remove_file(path)?),
        }
        std::fs::write(path, bytes)?;
        work::keep_time(path, &before)
    }
}

pub(crate) fn run(setup: &Setup) -> Result<Vec<Row>> {
    let base = |name: &str, folded, more| {
        Base::make(setup.folder.path().join(name), setup.seed, folded, more)
    };
    // Some 256 writes seal a part of the search index.
    let (in_wal, all_folded) = (base("in-wal", 300, 40)?, base("folded", 340, 0)?);
    let mut rows = Vec::new();
    let trials = setup.count(600, 50);
    for (what, base, suffix, trials) in [
        ("the WAL damaged", &in_wal, "-wal", trials),
        (
            "the database damaged, notes in its WAL",
            &in_wal,
            "",
            trials / 2,
        ),
        (
            "the database damaged, its WAL folded",
            &all_folded,
            "",
            trials / 2,
        ),
    ] {
        rows.push(trial(setup, what, base, suffix, trials)?);
    }
    rows.push(lock(setup, &in_wal, setup.count(60, 10))?);
    Ok(rows)
}

fn trial(setup: &Setup, what: &str, base: &Base, suffix: &str, trials: u64) -> Result<Row> {
    let mut row = Row::new(what);
    let (mut silent, mut wrong, mut named, mut harmless, mut accepted) = (0, 0, 0, 0, 0);
    for number in 0..trials {
        let mut random = Random::of(setup.seed ^ (suffix.len() as u64), number);
        let damage = Damage::any(&mut random);
        let home = setup.quick()?;
        base.copy(home.path())?;
        let store = home.path().join(STORE);
        damage.done_to(&beside(&store, suffix), &mut random)?;
        row.trials += 1;
        let seen = work::look(&store, &base.truth);
        let is_silent = seen.is_silent_loss();
        silent += u64::from(is_silent);
        wrong += u64::from(!seen.wrong.is_empty());
        if is_silent || !seen.wrong.is_empty() {
            row.fail(format!("trial {number}, {damage:?}: {}", seen.first()));
        } else if seen.is_whole() {
            harmless += 1;
        } else {
            named += 1;
        }
        if !seen.is_whole() && work::accepts_a_write(&store).is_ok() {
            accepted += 1;
        }
        // The program says the same of it as the library.
        if number % 10 == 0 {
            let output = work::run(&mut work::waynote(setup, home.path(), &["verify"]))?;
            if let Some(crash) = work::crash(&output) {
                row.fail(format!(
                    "trial {number}, {damage:?}: waynote verify {crash}"
                ));
            }
        }
    }
    row.says = format!(
        "{silent} silent losses, {wrong} wrong texts; {named} named, {harmless} harmless; {accepted} writes accepted after a loss"
    );
    Ok(row)
}

/// A store is sound whatever happens to its side file.
fn lock(setup: &Setup, base: &Base, trials: u64) -> Result<Row> {
    let mut row = Row::new("the lock file damaged");
    let lock = beside(&base.home.join(STORE), "-lock");
    if std::fs::metadata(&lock).map_or(0, |lock| lock.len()) == 0 {
        row.says = "it is empty".into();
        return Ok(row);
    }
    for number in 0..trials {
        let mut random = Random::of(setup.seed ^ 0x10c4, number);
        let home = setup.quick()?;
        base.copy(home.path())?;
        let store = home.path().join(STORE);
        let damage = *random.pick(&[
            Damage::Bytes,
            Damage::Truncated,
            Damage::Deleted,
            Damage::Bit,
        ]);
        damage.done_to(&beside(&store, "-lock"), &mut random)?;
        row.trials += 1;
        if let Some(broken) = work::broken(&store, &base.truth) {
            row.fail(format!("trial {number}, {damage:?}: {broken}"));
        }
    }
    row.says = "a false alarm, or a write refused".into();
    Ok(row)
}

fn beside(store: &Path, suffix: &str) -> PathBuf {
    let mut path = store.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}
