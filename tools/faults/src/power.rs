//! Power cuts: every write and sync of a run is recorded, and after each of them the disk is rebuilt as it may
//! be, unsynced writes dropped, torn at sectors, and in any order. The store of each image is opened and read.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use waynote::SideData;
use waynote::engine::Writing;
use waynote::store::SideValue;

use super::image::{CALLS, Disk, Survival};
use super::strace::{self, Call};
use super::truth::{self, Truth};
use super::work::{self, STORE};
use super::{Row, Setup};
use kit::random::Random;

/// The events of a run, in order.
enum Event {
    /// The next write is about to begin: the truth until it is acknowledged.
    Begin(Truth),
    Call(Call),
    /// The last write was acknowledged.
    Acknowledged(Truth),
    /// The last forgetting was acknowledged.
    Forgotten(String),
    NextProcess,
}

pub(crate) fn run(setup: &Setup) -> Result<Vec<Row>> {
    if let Err(why) = strace::ready() {
        return Ok(vec![Row::skipped("power cuts", why)]);
    }
    let mut rows = Vec::new();
    let home = tempfile::tempdir_in(setup.folder.path())?;
    let first = Recording {
        what: "the first notes of a new home, by the program".into(),
        folders: "",
        events: by_program(setup, home.path())?,
        home,
    };
    rows.push(replayed(setup, &first, setup.count(1040, 150))?);
    let many = Recording::of_library(setup, "many notes and a full WAL, by the library", None)?;
    rows.push(replayed(setup, &many, setup.count(2500, 150))?);
    // Each sync until the first note is acknowledged fails in turn; in the short form those of the folder with the new
    // WAL and of the tables.
    let until_first = many.syncs_until_first_note();
    let first = setup.count(1, until_first.saturating_sub(2).max(1));
    for number in first..=until_first {
        let fault = format!("inject=fsync,fdatasync:error=EIO:when={number}");
        let what = format!("the same after sync {number} of {until_first} of the first note fails");
        let failed = Recording::of_library(setup, what, Some(&fault))?;
        rows.push(replayed(setup, &failed, 60)?);
    }
    let mut random = Random::of(setup.seed, 5);
    for number in 1..=setup.count(8, 1) {
        let number_of_sync = 8 + random.below(100);
        let fault = format!("inject=fsync,fdatasync:error=EIO:when={number_of_sync}");
        let what = format!("the same after a sync that fails ({number})");
        let failed = Recording::of_library(setup, what, Some(&fault))?;
        rows.push(replayed(setup, &failed, setup.count(250, 100))?);
    }
    Ok(rows)
}

/// A run and where it ran.
struct Recording {
    what: String,
    /// Folders that were on disk before.
    folders: &'static str,
    home: tempfile::TempDir,
    events: Vec<Event>,
}

impl Recording {
    /// Writes until the WAL is checkpointed, in a folder on disk: a power cut loses parts of files, not names.
    fn of_library(setup: &Setup, what: impl Into<String>, fault: Option<&str>) -> Result<Self> {
        const FOLDERS: &str = ".local/share/waynote";
        let home = tempfile::tempdir_in(setup.folder.path())?;
        std::fs::create_dir_all(home.path().join(FOLDERS))?;
        Ok(Self {
            what: what.into(),
            folders: FOLDERS,
            events: by_library(setup, home.path(), fault)?,
            home,
        })
    }

    /// How many syncs there are until the first note is acknowledged.
    fn syncs_until_first_note(&self) -> u64 {
        let until = self
            .events
            .iter()
            .take_while(|event| !matches!(event, Event::Acknowledged(_)));
        let is_sync = |event: &&Event| matches!(event, Event::Call(call) if is_sync(call));
        until.filter(is_sync).count() as u64
    }

    /// The disk before the run.
    fn disk(&self) -> Result<Disk> {
        Disk::new(self.home.path(), self.folders)
    }
}

/// Whole processes, from an empty home on.
fn by_program(setup: &Setup, home: &Path) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    let mut truth = Truth::default();
    for name in ["k1", "k2", "e0", "p1", "k1", "e1", "k3", "", "k1"] {
        if name.is_empty() {
            let text = truth::text("k2", 1);
            truth.forget("k2");
            events.push(Event::Begin(truth.clone()));
            let words = ["forget", "agent:a#k2", "--yes"].map(ToOwned::to_owned);
            spawned(setup, home, &words, &mut events)?;
            events.push(Event::Forgotten(text));
            continue;
        }
        let write = truth.begin(name);
        events.push(Event::Begin(truth.clone()));
        spawned(setup, home, &truth::words(name, write), &mut events)?;
        truth.acknowledge(name, write);
        events.push(Event::Acknowledged(truth.clone()));
    }
    Ok(events)
}

fn spawned(setup: &Setup, home: &Path, words: &[String], events: &mut Vec<Event>) -> Result<()> {
    let (calls, output) = strace::record(&work::waynote(setup, home, words), home, CALLS, None)?;
    ensure!(
        output.status.success(),
        "{words:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    events.push(Event::NextProcess);
    events.extend(calls.into_iter().map(Event::Call));
    Ok(())
}

/// One process that writes until the WAL is checkpointed; it prints the result of each write.
fn by_library(setup: &Setup, home: &Path, fault: Option<&str>) -> Result<Vec<Event>> {
    const WRITES: u64 = 150;
    let mut program = Command::new(std::env::current_exe()?);
    let (seed, writes) = (setup.seed.to_string(), WRITES.to_string());
    program
        .arg("write")
        .arg(home.join(STORE))
        .args([&seed, &writes]);
    let (calls, output) = strace::record(&program, home, CALLS, fault)?;
    ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // The failing write varies: the first of all makes the store, and its value is no note.
    let is_failed_sync = |call: &Call| is_sync(call) && call.result < 0;
    ensure!(
        fault.is_none() || calls.iter().any(is_failed_sync),
        "no sync failed: {fault:?}"
    );
    let mut order = Order::of(setup.seed);
    let mut events = vec![Event::NextProcess, Event::Begin(order.begun())];
    for call in calls {
        let is_ack = call.name == "write" && call.number(0)? == 1;
        if !is_ack {
            events.push(Event::Call(call));
            continue;
        }
        if call.bytes(1)? == WRITTEN {
            events.push(Event::Acknowledged(order.acknowledged()));
        }
        events.push(Event::Begin(order.begun()));
    }
    Ok(events)
}

fn is_sync(call: &Call) -> bool {
    ["fsync", "fdatasync"].contains(&call.name.as_str())
}

const WRITTEN: &[u8] = b"written\n";
const REFUSED: &[u8] = b"refused\n";

/// The writes of a seed, in their order: what the writer does and what its parent knows of it.
struct Order {
    truth: Truth,
    random: Random,
    next: (String, u64),
}

impl Order {
    fn of(seed: u64) -> Self {
        Self {
            truth: Truth::default(),
            random: Random::of(seed, 77),
            next: (String::new(), 0),
        }
    }

    fn begun(&mut self) -> Truth {
        let name = self.truth.choose(&mut self.random);
        let write = self.truth.begin(&name);
        self.next = (name, write);
        self.truth.clone()
    }

    fn acknowledged(&mut self) -> Truth {
        self.truth.acknowledge(&self.next.0, self.next.1);
        self.truth.clone()
    }
}

/// The writer process of `by_library`.
pub(crate) fn write(path: &str, seed: &str, writes: &str) -> Result<()> {
    use std::io::Write;
    let store = work::open(Path::new(path))?;
    let (mut order, mut truth) = (Order::of(seed.parse()?), Truth::default());
    for _ in 0..writes.parse()? {
        order.begun();
        // Side values beside the notes are not synced for themselves.
        let value = SideValue {
            key: "last".into(),
            value: order.next.0.clone().into_bytes(),
            about: None,
        };
        let _ = store.put_side_values("faults", &[value], &[], Writing::Relaxed);
        let written = truth.write(&store, &order.next.0);
        let mut out = std::io::stdout();
        if written.is_ok() {
            order.acknowledged();
            out.write_all(WRITTEN)?;
        } else {
            out.write_all(REFUSED)?;
        }
        out.flush()?;
    }
    Ok(())
}

/// The moments after a failed sync that are looked at closely: until the store is on disk again.
const AFTER_FAILURE: u64 = 60;

/// Makes the images of a run and looks at each.
fn replayed(setup: &Setup, run: &Recording, wanted: u64) -> Result<Row> {
    let mut row = Row::new(&run.what);
    let moments = count_moments(run)?;
    let mut disk = run.disk()?;
    let (mut truth, mut forgotten) = (Truth::default(), Vec::new());
    let (mut lost, mut alarms, mut refused, mut moment) = (0, 0, 0, 0_u64);
    let mut after_failure = 0;
    for event in &run.events {
        match event {
            Event::NextProcess => {
                disk.close_all();
                continue;
            }
            Event::Begin(now) => {
                truth = now.clone();
                continue;
            }
            Event::Acknowledged(now) => truth = now.clone(),
            Event::Forgotten(text) => forgotten.push(text.clone()),
            Event::Call(call) => {
                if is_sync(call) && call.result < 0 {
                    after_failure = AFTER_FAILURE;
                }
                if !disk.apply(call)? {
                    continue;
                }
            }
        }
        // As many images after each moment as make up the whole.
        let mut images = (moment + 1) * wanted / moments - moment * wanted / moments;
        if after_failure > 0 {
            after_failure -= 1;
            images += setup.count(4, 1);
        }
        for image in 0..images {
            let mut random = Random::of(setup.seed ^ moment, image);
            let left = match (moment + image) % 5 {
                0 => Survival::Nothing,
                1 => Survival::Everything,
                _ => Survival::Some,
            };
            let folder = setup.quick()?;
            let root = folder.path().join("home");
            disk.write(&root, left, &mut random)?;
            row.trials += 1;
            let name = format!("moment {moment} of {moments}, image {image}, {left:?}");
            if let Some(text) = forgotten.iter().find(|text| holds(&root, text)) {
                row.fail(format!("{name}: a forgotten text is in a file: {text:.20}"));
            }
            let store = root.join(STORE);
            let seen = work::look(&store, &truth);
            let refusal = work::accepts_a_write(&store).err();
            if !seen.missing.is_empty() || !seen.wrong.is_empty() {
                lost += 1;
            } else if !seen.is_whole() {
                alarms += 1;
            } else if refusal.is_some() {
                refused += 1;
            } else {
                continue;
            }
            let refusal = refusal.unwrap_or_default();
            row.fail(format!("{name}: {} {refusal}", seen.first()));
        }
        moment += 1;
    }
    row.says = format!(
        "{lost} lost, {alarms} false alarms, {refused} writes refused; {moments} moments, {} notes",
        truth.notes()
    );
    Ok(row)
}

/// How many moments there are at which an image differs from the one before.
fn count_moments(run: &Recording) -> Result<u64> {
    let mut disk = run.disk()?;
    let mut moments = 0;
    for event in &run.events {
        match event {
            Event::NextProcess => disk.close_all(),
            Event::Begin(_) => {}
            Event::Acknowledged(_) | Event::Forgotten(_) => moments += 1,
            Event::Call(call) => moments += u64::from(disk.apply(call)?),
        }
    }
    Ok(moments)
}

/// True if a file below a folder holds the words of a text.
fn holds(folder: &Path, text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').skip(3).take(3).collect();
    let words = words.join(" ");
    let Ok(entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return holds(&path, text);
        }
        let bytes = std::fs::read(path).unwrap_or_default();
        bytes
            .windows(words.len())
            .any(|found| found == words.as_bytes())
    })
}
