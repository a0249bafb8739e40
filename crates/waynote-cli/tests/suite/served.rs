//! `waynote serve` of the real program on a free port of this machine, until it is dropped.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use serde_json::Value;

use super::common::Scratch;

pub(super) struct Served {
    child: Child,
    /// Its address, without a store.
    pub(super) url: String,
}

impl Served {
    /// A server with these options, which logs into `log` of the scratch folder.
    pub(super) fn start<A: AsRef<OsStr>>(
        scratch: &Scratch,
        options: impl IntoIterator<Item = A>,
    ) -> Self {
        let mut log = File::options();
        let log = log.create(true).append(true).open(scratch.path("log"));
        let mut child = scratch
            .command("serve --json --listen 127.0.0.1:0")
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log.unwrap())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let url = lines.map_while(Result::ok).find_map(|line| {
            said.push_str(&line);
            let said: Value = serde_json::from_str(&said).ok()?;
            Some(said["url"].as_str()?.to_owned())
        });
        let Some(url) = url else {
            let status = child.wait().unwrap();
            let log = std::fs::read_to_string(scratch.path("log")).unwrap();
            panic!("the server does not start: {status} {said}{log}");
        };
        Self { child, url }
    }

    /// Ends it as a loss of power does.
    pub(super) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.kill();
    }
}
