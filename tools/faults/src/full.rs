//! Full disks: file systems of a few megabytes where root may make them, and a limit on the size of files. The program
//! ends with an error and not by a signal, what it acknowledged is there, and with space again it goes on.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Result, ensure};

use super::truth::{self, Truth};
use super::work::{self, STORE};
use super::{Row, Setup};
use kit::random::Random;
use kit::registries::quietly;

/// The least size of btrfs and xfs.
const MEGABYTES: [(&str, u64); 4] = [("tmpfs", 4), ("ext4", 8), ("xfs", 300), ("btrfs", 128)];

pub(crate) fn run(setup: &Setup) -> Result<Vec<Row>> {
    let mut rows = vec![limited(setup)?];
    for (kind, megabytes) in MEGABYTES {
        let what = format!("{kind} that is full");
        rows.push(match Mount::new(setup.folder.path(), kind, megabytes) {
            Ok(mounted) => filled(setup, &what, &mounted)?,
            Err(why) => Row::skipped(what, why),
        });
    }
    Ok(rows)
}

/// A file system of its own, taken away on drop.
struct Mount {
    at: PathBuf,
}

impl Mount {
    fn new(folder: &Path, kind: &str, megabytes: u64) -> Result<Self, String> {
        let at = folder.join(kind);
        std::fs::create_dir_all(&at).map_err(|error| error.to_string())?;
        let mut mount = Command::new("mount");
        if kind == "tmpfs" {
            mount.args(["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "tmpfs"]);
        } else {
            let image = folder.join(format!("{kind}.img"));
            let file = std::fs::File::create(&image).map_err(|error| error.to_string())?;
            file.set_len(megabytes << 20)
                .map_err(|error| error.to_string())?;
            quietly(Command::new(format!("mkfs.{kind}")).arg(&image))?;
            mount.args(["-o", "loop"]).arg(&image);
        }
        quietly(mount.arg(&at))?;
        Ok(Self { at })
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = quietly(Command::new("umount").arg(&self.at));
    }
}

/// Leaves a little room, more each time, and writes until it is used up.
fn filled(setup: &Setup, what: &str, mounted: &Mount) -> Result<Row> {
    let mut row = Row::new(what);
    let mut writes = Writes::default();
    let step = setup.count(4, 40);
    for left in (0..200).step_by(usize::try_from(step)?) {
        let home = mounted.at.join(format!("home-{left}"));
        std::fs::create_dir_all(&home)?;
        let mut trial = Trial::new(setup, &home, left as u64);
        trial.write(None)?;
        let filler = mounted.at.join("filler");
        fill(&filler, left as u64 * 1024)?;
        let name = format!("{left} KiB left");
        let count = setup.count(12, 6);
        trial.writes(count, None, &name, &mut row, &mut writes)?;
        std::fs::remove_file(&filler)?;
        trial.ends(&name, &mut row);
        std::fs::remove_dir_all(&home)?;
    }
    ensure!(writes.refused > 0, "the disk was never full");
    row.says = writes.said();
    Ok(row)
}

/// Takes all the room but so many bytes.
fn fill(filler: &Path, left: u64) -> Result<()> {
    use std::io::Write;
    let mut file = std::fs::File::create(filler)?;
    for size in [1 << 20, 4096] {
        let zeros = vec![0; size];
        while file.write_all(&zeros).is_ok() && file.sync_data().is_ok() {}
    }
    let length = file.metadata()?.len();
    file.set_len(length.saturating_sub(left))?;
    Ok(file.sync_all()?)
}

/// `ulimit -f`: a write over the limit is cut short, and the next one raises a signal.
fn limited(setup: &Setup) -> Result<Row> {
    let mut row = Row::new("ulimit -f");
    let mut writes = Writes::default();
    let step = usize::try_from(setup.count(3, 30))?;
    // In blocks of 512 bytes: from less than an empty store to more than a small one and its WAL.
    for blocks in (0..600).step_by(step) {
        let home = setup.quick()?;
        let mut trial = Trial::new(setup, home.path(), blocks as u64);
        if blocks % 2 == 0 {
            trial.write(None)?;
        }
        let name = format!("{blocks} blocks");
        let count = setup.count(6, 4);
        trial.writes(count, Some(blocks), &name, &mut row, &mut writes)?;
        trial.ends(&name, &mut row);
    }
    row.says = writes.said();
    Ok(row)
}

/// How many writes there were.
#[derive(Default)]
struct Writes {
    accepted: u64,
    refused: u64,
}

impl Writes {
    fn said(&self) -> String {
        let Self { accepted, refused } = self;
        format!("{accepted} writes accepted, {refused} refused")
    }
}

/// A home whose disk fills up.
struct Trial<'t> {
    setup: &'t Setup,
    home: &'t Path,
    truth: Truth,
    random: Random,
}

impl<'t> Trial<'t> {
    fn new(setup: &'t Setup, home: &'t Path, number: u64) -> Self {
        let (truth, random) = (Truth::default(), Random::of(setup.seed, number));
        Self {
            setup,
            home,
            truth,
            random,
        }
    }

    /// Writes so often, and counts how it went.
    fn writes(
        &mut self,
        count: u64,
        blocks: Option<usize>,
        name: &str,
        row: &mut Row,
        writes: &mut Writes,
    ) -> Result<()> {
        for _ in 0..count {
            row.trials += 1;
            let output = self.write(blocks)?;
            if let Some(crash) = work::crash(&output) {
                row.fail(format!("{name}: {crash}"));
            }
            match output.status.success() {
                true => writes.accepted += 1,
                false => writes.refused += 1,
            }
        }
        Ok(())
    }

    /// Writes once, with at most so many blocks in a file.
    fn write(&mut self, blocks: Option<usize>) -> Result<Output> {
        let name = self.truth.choose(&mut self.random);
        let number = self.truth.begin(&name);
        let mut command = work::waynote(self.setup, self.home, &truth::words(&name, number));
        if let Some(blocks) = blocks {
            let program = command;
            command = Command::new("sh");
            command
                .args(["-c", &format!("ulimit -f {blocks}; exec \"$@\""), "sh"])
                .arg(program.get_program())
                .args(program.get_args());
            work::dressed(&mut command, self.home);
        }
        let output = work::run(&mut command)?;
        if output.status.success() {
            self.truth.acknowledge(&name, number);
        }
        Ok(output)
    }

    /// With room again, all that was acknowledged is there and the store goes on.
    fn ends(&self, name: &str, row: &mut Row) {
        if let Some(broken) = work::broken(&self.home.join(STORE), &self.truth) {
            row.fail(format!("{name}: {broken}"));
        }
    }
}
