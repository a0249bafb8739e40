//! Full disks: file systems of a few megabytes where root may make them, and a limit on the size of files. The program
//! ends with an error and not by a signal, what it acknowledged is there, and with space again it goes on.

use std::path::{Path, PathBuf};
use std::process::Command;

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
    let (mut refused, mut accepted) = (0, 0);
    let step = setup.count(4, 40);
    for left in (0..200).step_by(usize::try_from(step)?) {
        let home = mounted.at.join(format!("home-{left}"));
        std::fs::create_dir_all(&home)?;
        let mut random = Random::of(setup.seed, left as u64);
        let mut truth = Truth::default();
        write(setup, &home, &mut truth, &mut random, None)?;
        let filler = mounted.at.join("filler");
        fill(&filler, left as u64 * 1024)?;
        for _ in 0..setup.count(12, 6) {
            row.trials += 1;
            let output = write(setup, &home, &mut truth, &mut random, None)?;
            if let Some(crash) = work::crash(&output) {
                row.fail(format!("{left} KiB left: {crash}"));
            }
            match output.status.success() {
                true => accepted += 1,
                false => refused += 1,
            }
        }
        std::fs::remove_file(&filler)?;
        look(&home, &truth, &format!("{left} KiB left"), &mut row);
        std::fs::remove_dir_all(&home)?;
    }
    ensure!(refused > 0, "the disk was never full");
    row.says = format!("{accepted} writes accepted, {refused} refused");
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
    let (mut refused, mut accepted) = (0, 0);
    let step = usize::try_from(setup.count(3, 30))?;
    // In blocks of 512 bytes: from less than an empty store to more than a small one and its WAL.
    for blocks in (0..600).step_by(step) {
        let home = setup.quick()?;
        let mut random = Random::of(setup.seed, blocks as u64);
        let mut truth = Truth::default();
        if blocks % 2 == 0 {
            write(setup, home.path(), &mut truth, &mut random, None)?;
        }
        for _ in 0..setup.count(6, 4) {
            row.trials += 1;
            let output = write(setup, home.path(), &mut truth, &mut random, Some(blocks))?;
            if let Some(crash) = work::crash(&output) {
                row.fail(format!("{blocks} blocks: {crash}"));
            }
            match output.status.success() {
                true => accepted += 1,
                false => refused += 1,
            }
        }
        look(home.path(), &truth, &format!("{blocks} blocks"), &mut row);
    }
    row.says = format!("{accepted} writes accepted, {refused} refused");
    Ok(row)
}

fn write(
    setup: &Setup,
    home: &Path,
    truth: &mut Truth,
    random: &mut Random,
    blocks: Option<usize>,
) -> Result<std::process::Output> {
    let name = truth.choose(random);
    let number = truth.begin(&name);
    let mut command = work::waynote(setup, home, &truth::words(&name, number));
    if let Some(blocks) = blocks {
        let program = command;
        command = Command::new("sh");
        command
            .args(["-c", &format!("ulimit -f {blocks}; exec \"$@\""), "sh"])
            .arg(program.get_program())
            .args(program.get_args());
        work::dressed(&mut command, home);
    }
    let output = work::run(&mut command)?;
    if output.status.success() {
        truth.acknowledge(&name, number);
    }
    Ok(output)
}

/// With room again, all that was acknowledged is there and the store goes on.
fn look(home: &Path, truth: &Truth, name: &str, row: &mut Row) {
    let store = home.join(STORE);
    match work::look(&store, truth) {
        Err(panic) => row.fail(format!("{name}: {panic}")),
        Ok(seen) if !seen.is_whole() => row.fail(format!("{name}: {}", seen.first())),
        Ok(_) => {
            if let Err(refused) = work::accepts_a_write(&store) {
                row.fail(format!("{name}: the next write: {refused}"));
            }
        }
    }
}
