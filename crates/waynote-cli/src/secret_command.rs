//! Commands of settings that print a token or a password.

use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use waynote::text::seconds;

/// How long a command may take.
const LONGEST: Duration = Duration::from_secs(30);

/// The most bytes that it may print.
const MOST: u64 = 64 << 10;

/// The standard output of the command, without the space around it. The user sees its standard error. The error does not
/// show its output, which could be a part of the secret.
pub(crate) fn printed(setting: &str, command: &str) -> Result<String, String> {
    let failed = |why: String| format!("the command of `{setting}` {why}");
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|error| failed(format!("cannot be run: {error}")))?;
    let pid = Pid::from_child(&child);
    let (ended, end) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let out = child.stdout.take();
        let read = out.map(|out| out.take(MOST + 1).read_to_end(&mut bytes));
        let status = child.wait();
        // Nobody waits for it any more if it took too long.
        let _ = ended.send(read.transpose().and(status).map(|status| (status, bytes)));
    });
    let Ok(end) = end.recv_timeout(LONGEST) else {
        // The thread above has not waited for it yet, so the number is still its own.
        let _ = kill_process(pid, Signal::KILL);
        return Err(failed(format!("took longer than {}", seconds(LONGEST))));
    };
    let (status, bytes) = end.map_err(|error| failed(format!("cannot be run: {error}")))?;
    if bytes.len() as u64 > MOST {
        return Err(failed("prints too much".into()));
    }
    if !status.success() {
        return Err(failed(format!("failed ({status})")));
    }
    let text = String::from_utf8(bytes).map_err(|_| failed("prints no text".into()))?;
    match text.trim() {
        "" => Err(failed("prints nothing".into())),
        text => Ok(text.to_owned()),
    }
}
