//! Tests with a limit for each one. All of them may take as long as a slow machine needs.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use kit::steps::kill_with_children;
use kit::unchecked;

/// How long a test may take after the harness has said that it runs for over a minute. On an idle machine, the longest
/// takes less than a minute.
const LIMIT: Duration = Duration::from_secs(15 * 60);

/// Runs tests. A test that does not end is named, and ends all of them.
pub(crate) fn tests(name: &str, command: Command) -> Result<()> {
    within(LIMIT, name, command)
}

fn within(limit: Duration, name: &str, mut command: Command) -> Result<()> {
    println!("== {name}");
    let begin = Instant::now();
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() == 1) {
        // With a single thread the harness does not say which test runs long.
        command.env("RUST_TEST_THREADS", "2");
    }
    let list = unchecked::listed(&mut command);
    // A snapshot that differs is a failure, not a file to be looked at later.
    command.env("INSTA_UPDATE", "no");
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{name}: cannot run {command:?}"))?;
    let out = child.stdout.take().context("no output")?;
    let (said, lines) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).split(b'\n').map_while(Result::ok) {
            let _ = said.send(String::from_utf8_lossy(&line).into_owned());
        }
    });
    let mut slow = SlowTests::default();
    let mut hung = Vec::new();
    while hung.is_empty() {
        match lines.recv_timeout(Duration::from_secs(1)) {
            Ok(line) => {
                println!("{line}");
                slow.take(&line);
            }
            // A process that a test left behind may hold the output open.
            Err(RecvTimeoutError::Timeout) if child.try_wait()?.is_none() => {
                hung = slow.longer_than(limit);
            }
            Err(_) => break,
        }
    }
    if !hung.is_empty() {
        kill_with_children(child.id());
    }
    let status = child.wait()?;
    unchecked::take(&list);
    if !hung.is_empty() {
        bail!(
            "{name} was stopped: a test takes longer than {} minutes: {}",
            limit.as_secs() / 60,
            hung.join(", ")
        );
    }
    ensure!(status.success(), "{name} failed: {status}");
    println!(
        "== {name}: passed in {:.0} s",
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}

/// The tests of which the harness has said that they run long, and when it did.
#[derive(Default)]
struct SlowTests(BTreeMap<String, Instant>);

impl SlowTests {
    fn take(&mut self, line: &str) {
        if line.starts_with("test result: ") {
            self.0.clear();
        }
        let Some(said) = line.strip_prefix("test ") else {
            return;
        };
        if let Some((test, _)) = said.split_once(" has been running for over ") {
            self.0.insert(test.to_owned(), Instant::now());
        } else if let Some((test, _)) = said.rsplit_once(" ... ") {
            self.0.remove(test.trim_end_matches(" - should panic"));
        }
    }

    fn longer_than(&self, limit: Duration) -> Vec<String> {
        let over = self.0.iter().filter(|(_, since)| since.elapsed() >= limit);
        over.map(|(test, _)| test.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_test_that_does_not_end_is_named() {
        let hangs = "echo 'test one has been running for over 60 seconds'
            echo 'test two has been running for over 60 seconds'
            echo 'test one ... ok'; sleep 1000";
        let stopped = within(Duration::ZERO, "tests", sh(hangs)).unwrap_err();
        let said = "tests was stopped: a test takes longer than 0 minutes: two";
        assert_eq!(stopped.to_string(), said);
    }

    #[test]
    fn tests_that_end_are_not_named() {
        let mut slow = SlowTests::default();
        let is_slow = " has been running for over 60 seconds\n";
        slow.take(&format!("test one{is_slow}"));
        slow.take(&format!("test two{is_slow}"));
        slow.take(&format!("test src/lib.rs - Three (line 3){is_slow}"));
        assert!(slow.longer_than(LIMIT).is_empty());
        let all = ["one", "src/lib.rs - Three (line 3)", "two"];
        assert_eq!(slow.longer_than(Duration::ZERO), all);
        slow.take("test src/lib.rs - Three (line 3) ... ok\n");
        slow.take("test one - should panic ... FAILED\n");
        assert_eq!(slow.longer_than(Duration::ZERO), ["two"]);
        slow.take("test result: ok. 1 passed; 0 failed\n");
        assert!(slow.longer_than(Duration::ZERO).is_empty());
    }

    #[test]
    fn what_the_tests_say_is_taken() {
        assert!(within(LIMIT, "tests", sh("exit 0")).is_ok());
        let failed = within(LIMIT, "tests", sh("exit 1")).unwrap_err();
        assert_eq!(failed.to_string(), "tests failed: exit status: 1");
    }
}
