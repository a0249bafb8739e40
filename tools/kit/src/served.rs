//! A server of the program's own on this machine, with a home of its own.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

/// A server of a store, killed when it is dropped.
pub struct Server {
    child: Child,
    program: PathBuf,
    home: PathBuf,
    /// Its address.
    pub address: SocketAddr,
    /// The address of its store.
    pub store: String,
}

impl Server {
    /// Starts a server of the store in this home on a free port, with more options.
    pub fn start(program: &Path, home: &Path, options: &[&str]) -> Result<Self> {
        Self::start_at(program, home, 0, options)
    }

    /// As [`Self::start`], on a port.
    pub fn start_at(program: &Path, home: &Path, port: u16, options: &[&str]) -> Result<Self> {
        if options.contains(&"--behind-proxy") {
            // It starts with a token alone; that of an earlier start is there already.
            let first = ["token", "create", "first", "--admin"];
            command(program, home).args(first).output()?;
        }
        let mut child = command(program, home)
            .args(["serve", "--listen", &format!("127.0.0.1:{port}")])
            .args(options)
            .stdout(Stdio::piped())
            .stderr(File::create(home.join("serve.log"))?)
            .spawn()?;
        let out = child.stdout.take().context("no output")?;
        let said: Vec<String> = BufReader::new(out).lines().take(2).flatten().collect();
        let address = said
            .first()
            .and_then(|line| line.strip_prefix("listening on http://")?.parse().ok());
        let (Some(address), Some(store)) = (address, said.get(1)) else {
            let _ = child.kill();
            let _ = child.wait();
            let log = std::fs::read_to_string(home.join("serve.log")).unwrap_or_default();
            bail!("the server did not start: {said:?} {log}");
        };
        Ok(Self {
            child,
            program: program.to_owned(),
            home: home.to_owned(),
            address,
            store: store.trim().to_owned(),
        })
    }

    /// The output of `waynote` with the store of the server's home.
    pub fn waynote(&self, words: &[&str]) -> Result<String> {
        let output = command(&self.program, &self.home).args(words).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.success(),
            "waynote {}: {said}",
            words.join(" ")
        );
        Ok(String::from_utf8(output.stdout)?)
    }

    /// A new token of its store, with a right such as `--admin`.
    pub fn token(&self, name: &str, right: &str) -> Result<String> {
        let made = self.waynote(&["token", "create", name, right, "--json"])?;
        let made: Value = serde_json::from_str(&made)?;
        Ok(made["token"].as_str().context("no token")?.to_owned())
    }

    /// Ends it as a loss of power would.
    pub fn kill(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Its memory, in bytes.
    pub fn memory(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        Ok(1024 * kilobytes.unwrap_or(0_u64))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

/// A call of the program with a home of its own, and nothing else of this environment.
pub fn command(program: &Path, home: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("HOME", home)
        .current_dir(home)
        .stdin(Stdio::null());
    command
}

/// The file of the store in a home.
pub fn store(home: &Path) -> PathBuf {
    home.join(".local/share/waynote/notes.db")
}
