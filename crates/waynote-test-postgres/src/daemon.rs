//! A program that a test kills and starts again.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::programs::command;

/// A program under a shell that signals it. It is killed, and the folder goes, when this is dropped, and also when this
/// process ends otherwise.
#[derive(Debug)]
pub(crate) struct Daemon {
    watched: Child,
    answers: BufReader<ChildStdout>,
}

/// Does as standard input says, and says when it is done. A signal is for the program and for a PostgreSQL server that
/// the program has started in the folder `$2`.
const WATCH: &str = r#"
cd "$1" || exit 1
data=$2 log=$3; shift 3
all() {
    echo "$own"
    server=$(head -n 1 "$data/postmaster.pid" 2>/dev/null) || return
    [ "$(cat "/proc/$server/comm" 2>/dev/null)" = postgres ] || return
    echo "$server"; pgrep -P "$server"
}
each() { kill -"$1" $(all) 2>/dev/null; }
while read -r word; do
    case $word in
        RUN) "$@" >>"$log" 2>&1 </dev/null & own=$! ;;
        # One that is stopped makes no more processes.
        KILL) each STOP; each KILL; wait "$own" ;;
    esac
    echo "$word"
done
each STOP; each KILL; wait
rm -rf "$PWD"
"#;

impl Daemon {
    /// Starts a program in a folder, where its log is `NAME.log`, and where its PostgreSQL server, if any, has its data
    /// in `NAME`.
    pub(crate) fn start(folder: &Path, name: &str, program: &[&OsStr]) -> Self {
        let mut shell: Command = command(Path::new("/bin/sh"));
        let mut watched = shell
            .args(["-c", WATCH, "sh"])
            .arg(folder)
            .args([name, &format!("{name}.log")])
            .args(program)
            // In a group of its own, so that it survives to clear up when this group is killed.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let answers = BufReader::new(watched.stdout.take().unwrap());
        let mut daemon = Self { watched, answers };
        daemon.signal("RUN");
        daemon
    }

    /// Kills it (`KILL`), or starts it again (`RUN`).
    pub(crate) fn signal(&mut self, word: &str) {
        writeln!(self.watched.stdin.as_mut().unwrap(), "{word}").unwrap();
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        assert_eq!(answer.trim_end(), word);
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        drop(self.watched.stdin.take());
        let _ = self.watched.wait();
    }
}
