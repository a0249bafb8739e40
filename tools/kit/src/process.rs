//! Processes with a deadline. Each ends with all that it started.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// A process that was started, and what it prints.
pub struct RunningProgram {
    group: Pid,
    ended: Receiver<std::io::Result<ExitStatus>>,
    readers: Vec<JoinHandle<String>>,
    name: String,
}

impl RunningProgram {
    /// Starts a command, with a text on its standard input.
    pub fn start(mut command: Command, input: &str) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot run {:?}", command.get_program()))?;
        let group = Pid::from_raw(i32::try_from(child.id())?);
        let readers = readers(&mut child);
        if let Some(mut stdin) = child.stdin.take() {
            let input = input.to_owned();
            // A program that does not read its input needs none of it.
            std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        }
        let (sender, ended) = channel();
        std::thread::spawn(move || {
            // After the deadline the receiver is gone.
            let _ = sender.send(child.wait());
        });
        let name = command.get_program().to_string_lossy().into_owned();
        Ok(Self {
            group,
            ended,
            readers,
            name,
        })
    }

    /// Its exit code and what it printed; an error when it takes longer than allowed, or ends by a signal.
    pub fn wait(mut self, longest: Duration) -> Result<(i32, String)> {
        let ended = self.ended.recv_timeout(longest);
        // Processes that it left running end too, and with them the streams.
        let _ = killpg(self.group, Signal::SIGKILL);
        let readers = std::mem::take(&mut self.readers);
        let texts = readers.into_iter().filter_map(|reader| reader.join().ok());
        let printed = texts.collect::<Vec<_>>().join("\n");
        let printed = plain(&printed);
        let Ok(status) = ended else {
            bail!("{} took over {} s: {printed}", self.name, longest.as_secs());
        };
        let status = status?;
        let code = status
            .code()
            .with_context(|| format!("{}: {status}: {printed}", self.name))?;
        Ok((code, printed))
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = killpg(self.group, Signal::SIGKILL);
    }
}

fn readers(child: &mut Child) -> Vec<JoinHandle<String>> {
    let streams: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|stream| Box::new(stream) as _),
        child.stderr.take().map(|stream| Box::new(stream) as _),
    ];
    let read = |mut stream: Box<dyn Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            // A stream that breaks ends there.
            let _ = stream.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    streams.into_iter().flatten().map(read).collect()
}

/// Runs a command that must succeed, and returns its output.
pub fn run(command: Command, longest: Duration) -> Result<String> {
    let (code, printed) = RunningProgram::start(command, "")?.wait(longest)?;
    ensure!(code == 0, "exit code {code}: {printed}");
    Ok(printed)
}

/// A program on a terminal of its own, at which a person types.
pub struct TypingSession {
    child: Child,
    /// The file with the program's group.
    group: PathBuf,
    shown: Arc<Mutex<Vec<u8>>>,
}

impl TypingSession {
    /// Starts a command line on a terminal, which `script` of util-linux provides. The program's group is written to a file.
    pub fn start(mut script: Command, line: &str, group: PathBuf) -> Result<Self> {
        let line = format!(
            "echo $$ > '{}'; stty rows 40 cols 120; exec {line}",
            group.display()
        );
        script.args(["-qefc", &line, "/dev/null"]);
        let mut child = script
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .context("cannot run `script`, which util-linux has")?;
        let shown = Arc::new(Mutex::new(Vec::new()));
        if let Some(mut stream) = child.stdout.take() {
            let shown = Arc::clone(&shown);
            std::thread::spawn(move || {
                let mut bytes = [0; 4096];
                while let Ok(count @ 1..) = stream.read(&mut bytes) {
                    let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                    shown.extend_from_slice(&bytes[..count]);
                }
            });
        }
        Ok(Self {
            child,
            group,
            shown,
        })
    }

    /// Types a line once the program shows a text, and presses return until something happens. Keys that come at once
    /// count as pasted, so the return key comes by itself; and a program that is busy takes none.
    pub fn types(&mut self, text: &str, once: &str, until: impl Fn() -> bool) -> Result<()> {
        let deadline = Instant::now() + Duration::from_secs(90);
        while !self.shown().contains(once) {
            ensure!(
                Instant::now() < deadline,
                "it does not show `{once}`: {}",
                self.shown()
            );
            std::thread::sleep(Duration::from_millis(100));
        }
        for round in 0_u32.. {
            // Keys may be lost while the program is busy with itself.
            if round.is_multiple_of(6) {
                self.presses(text)?;
            }
            std::thread::sleep(Duration::from_millis(1000));
            self.presses("\r")?;
            std::thread::sleep(Duration::from_millis(500));
            if until() {
                break;
            }
            ensure!(
                Instant::now() < deadline,
                "nothing came of `{text}`: {}",
                self.shown()
            );
        }
        Ok(())
    }

    fn presses(&mut self, keys: &str) -> Result<()> {
        let stdin = self.child.stdin.as_mut().context("it reads nothing")?;
        stdin.write_all(keys.as_bytes())?;
        Ok(stdin.flush()?)
    }

    /// Its output so far.
    pub fn shown(&self) -> String {
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        plain(&String::from_utf8_lossy(&shown))
    }
}

impl Drop for TypingSession {
    fn drop(&mut self) {
        // Not every program ends when its terminal closes.
        let group = std::fs::read_to_string(&self.group).unwrap_or_default();
        if let Ok(group) = group.trim().parse() {
            // It may have ended by itself.
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A text without what a terminal makes of it.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char == '\u{1b}' {
            // To the letter that ends the sequence.
            let is_sequence = chars.next_if(|next| *next == '[').is_some();
            while is_sequence && chars.next().is_some_and(|next| !next.is_ascii_alphabetic()) {}
        } else if char == '\n' || !char.is_control() {
            plain.push(char);
        }
    }
    plain.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminals_signs_are_left_out() {
        assert_eq!(
            plain("\u{1b}[2K\u{1b}[38;5;240mType\u{1b}[0m your\r\nmessage\u{7}"),
            "Type your\nmessage"
        );
    }

    #[test]
    fn what_takes_too_long_ends_with_all_that_it_started() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & echo begun; wait"]);
        let running = RunningProgram::start(command, "").unwrap();
        let error = running.wait(Duration::from_millis(300)).unwrap_err();
        assert!(error.to_string().starts_with("sh took over 0 s"));
    }
}
