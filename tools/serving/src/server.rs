//! `waynote serve` as a child process, over a store in a folder of its own.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use waynote::{Change, Content, Expect, Limits, Options, SqliteStore, Stamp, Store};

/// The path of the API of the one store that is served.
pub(super) const API: &str = "/s/default/api/v1";

/// A server that is killed when this is dropped.
pub(super) struct RunningServer {
    child: Child,
    pub(super) address: SocketAddr,
}

impl RunningServer {
    /// A server of that store, on a free port for 0.
    pub(super) fn start(program: &Path, folder: &Path, port: u16) -> Result<Self> {
        Self::start_with(program, folder, port, &[])
    }

    /// As [`Self::start`], with more options.
    pub(super) fn start_with(
        program: &Path,
        folder: &Path,
        port: u16,
        options: &[&str],
    ) -> Result<Self> {
        let mut child = command(program, folder)
            .args(["serve", "--rate", "0", "--listen"])
            .arg(format!("127.0.0.1:{port}"))
            .args(options)
            .stdout(Stdio::piped())
            .stderr(File::create(folder.join("serve.log"))?)
            .spawn()?;
        let stdout = child.stdout.take().context("the server's output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line.trim().strip_prefix("listening on http://");
        let serving = address.and_then(|address| address.parse().ok());
        let said = || std::fs::read_to_string(folder.join("serve.log")).unwrap_or_default();
        match serving {
            Some(address) => Ok(Self { child, address }),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                anyhow::bail!("the server did not start: {line}{}", said())
            }
        }
    }

    /// Ends it as a loss of power would.
    pub(super) fn kill(mut self) -> Result<()> {
        self.end()
    }

    /// As [`Self::kill`], of one that another will replace.
    pub(super) fn end(&mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Its memory, in bytes.
    pub(super) fn memory(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        Ok(1024 * kilobytes.unwrap_or(0_u64))
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A call of the program with a store and a home of its own.
pub(super) fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("WAYNOTE_") {
            command.env_remove(name);
        }
    }
    command
        .env("HOME", folder)
        .env("WAYNOTE_STORE", store(folder))
        .current_dir(folder)
        .stdin(Stdio::null());
    command
}

/// A new token of the store in that folder, which may do everything.
pub(super) fn admin_token(program: &Path, folder: &Path, name: &str) -> Result<String> {
    let created = command(program, folder)
        .args(["token", "create", name, "--admin", "--json"])
        .output()?;
    let created: serde_json::Value = serde_json::from_slice(&created.stdout)?;
    Ok(created["token"].as_str().context("a token")?.to_owned())
}

pub(super) fn store(folder: &Path) -> PathBuf {
    folder.join("notes.db")
}

/// The agents that the notes belong to.
pub(super) const AGENTS: u32 = 1000;

/// The text of a note.
pub(super) fn text(number: u32) -> String {
    format!(
        "note {number}: the integration suite only passes when the clock is frozen, so freeze it first"
    )
}

/// Makes a store of so many notes.
pub(super) fn fill(folder: &Path, notes: u32) -> Result<()> {
    const AT_ONCE: usize = 500;
    let store = SqliteStore::open(store(folder), &Options::default())?;
    let stamp = Stamp::new(jiff::Timestamp::now(), "person".parse()?);
    let numbers: Vec<u32> = (0..notes).collect();
    for numbers in numbers.chunks(AT_ONCE) {
        let changes = numbers.iter().map(|number| {
            Ok(Change::Save {
                address: format!("agent:agent-{}#key-{number}", number % AGENTS).parse()?,
                content: Content::text(text(*number))?,
                pin: None,
                limits: Limits::NONE,
                expect: Expect::Any,
                origin: None,
            })
        });
        store.apply(&changes.collect::<Result<Vec<_>>>()?, &stamp)?;
    }
    Ok(())
}
