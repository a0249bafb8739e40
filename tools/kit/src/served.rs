//! A server of the program's own, on a free port of this machine, with a home of its own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};

/// A server of one store, until it is dropped.
pub struct Server {
    child: Child,
    program: PathBuf,
    home: PathBuf,
    /// The address of its store.
    pub store: String,
}

impl Server {
    /// Starts a server of the store in this home.
    pub fn start(program: &Path, home: &Path) -> Result<Self> {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", home).current_dir(home);
        let child = command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut server = Self {
            child,
            program: program.to_owned(),
            home: home.to_owned(),
            store: String::new(),
        };
        let out = server.child.stdout.take().context("no output")?;
        // The first line is the server's own.
        let line = BufReader::new(out).lines().nth(1);
        let line = line.context("the server does not start")??;
        server.store = line.trim().to_owned();
        Ok(server)
    }

    /// The output of `waynote` with the store of the server's home.
    pub fn waynote(&self, words: &[&str]) -> Result<String> {
        let mut command = Command::new(&self.program);
        command.env_clear().env("HOME", &self.home);
        let output = command.args(words).current_dir(&self.home).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "waynote {}: {said}",
            words.join(" ")
        );
        Ok(String::from_utf8(output.stdout)?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
