//! `waynote serve` and `waynote ui` of the real program, until they are dropped.

use std::ffi::OsStr;
use std::fs::{File, read_to_string};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::common::{Scratch, fields};

/// A program that runs until it is ended.
pub(super) struct Running {
    child: Child,
    out: BufReader<ChildStdout>,
    log: PathBuf,
}

impl Running {
    /// Starts it. Its standard error goes into `log` of the scratch folder.
    pub(super) fn start(scratch: &Scratch, mut command: Command) -> Self {
        let log = scratch.path("log");
        let file = File::options().create(true).append(true).open(&log);
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.stderr(file.unwrap()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out, log }
    }

    /// The next line that it prints.
    pub(super) fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.out.read_line(&mut line).unwrap();
        assert!(read > 0, "it has ended: {:?}", read_to_string(&self.log));
        line.trim_end().to_owned()
    }

    /// The JSON that it prints.
    pub(super) fn json(&mut self) -> Value {
        let mut said = String::new();
        loop {
            said.push_str(&self.line());
            if let Ok(value) = serde_json::from_str(&said) {
                return value;
            }
        }
    }

    pub(super) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Ends it with a signal. Returns the exit code and the text on standard error.
    pub(super) fn end(mut self, signal: Signal) -> (Option<i32>, String) {
        self.signal(signal);
        let code = self.child.wait().unwrap().code();
        (code, read_to_string(&self.log).unwrap())
    }

    /// Ends it as a loss of power does.
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// `waynote serve` on a free port of this machine.
pub(super) struct Served {
    running: Running,
    /// Its address, without a store.
    pub(super) url: String,
}

impl Served {
    /// A server with these options.
    pub(super) fn start<A: AsRef<OsStr>>(
        scratch: &Scratch,
        options: impl IntoIterator<Item = A>,
    ) -> Self {
        let mut command = scratch.command("serve --json --listen 127.0.0.1:0");
        command.args(options);
        let mut running = Running::start(scratch, command);
        let url = fields(&running.json(), "url");
        Self { running, url }
    }

    /// Ends it as a loss of power does.
    pub(super) fn kill(&mut self) {
        self.running.kill();
    }
}
