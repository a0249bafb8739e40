//! The folder of PostgreSQL's programs, and the user they run as.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the newest PostgreSQL that has `initdb`.
pub fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .flatten()
        .filter_map(|version| {
            let number = version.file_name().to_str()?.parse().ok()?;
            Some((number, version.path().join("bin")))
        })
        .filter(|(_, bin)| bin.join("initdb").is_file())
        .collect();
    versions.sort();
    versions.pop().map(|(_, bin)| bin)
}

/// True if a cluster can be started, and tests that need one are not left out.
pub fn has_postgres() -> bool {
    !crate::is_left_out() && programs().is_some()
}

/// PgBouncer's program.
pub(crate) fn pgbouncer() -> Option<PathBuf> {
    let places = [
        "/usr/sbin/pgbouncer",
        "/usr/bin/pgbouncer",
        "/usr/local/bin/pgbouncer",
    ];
    places
        .map(PathBuf::from)
        .into_iter()
        .find(|place| place.is_file())
}

/// True if PgBouncer can be started; it needs PostgreSQL.
pub fn has_pgbouncer() -> bool {
    has_postgres() && pgbouncer().is_some()
}

/// True if this process is root's, for which a server refuses to run.
pub(crate) fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// The user that the server runs as when this process is root's.
const OTHER_USER: &str = "postgres";

/// A command that runs as that user when this process is root's.
pub(crate) fn command(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("runuser");
    command.args(["-u", OTHER_USER, "--"]).arg(program);
    command
}

/// Gives a folder to the user that the server runs as.
pub(crate) fn hand_over(folder: &Path) {
    if is_root() {
        run(Command::new("chown").arg("-R").arg(OTHER_USER).arg(folder));
    }
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> String {
    let done = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr),
    );
    assert!(
        done.status.success(),
        "{command:?}: {}\n{out}{err}",
        done.status
    );
    out.into_owned()
}
