//! Tells a command of the user how a loop ended.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use crate::supervise::attempt::{self, AgentEnd, Attempt};
use crate::supervise::command::PreparedCommand;
use crate::supervise::group::Patience;
use crate::supervise::signals::Signals;

/// How long the command may take.
pub const NOTIFY_LIMIT: Duration = Duration::from_secs(30);

/// Runs `command` in a shell, with `environment` beside our own variables and `input` on its standard input. After
/// `limit`, or at a signal, it is ended with all that it started. Returns why it failed, in one line, if it did.
pub fn notify(
    command: &str,
    environment: &[(String, OsString)],
    input: &str,
    limit: Duration,
    signals: &Signals,
) -> Option<String> {
    let attempt = Attempt {
        prepared: &PreparedCommand::shell(command, input),
        environment,
        directory: None,
        observer: None,
        log: None,
        until: None,
        deadline: Some(Instant::now() + limit),
        patience: Patience {
            end: Duration::from_secs(1),
            ..Patience::default()
        },
    };
    let report = match attempt::run(attempt, signals, None, &mut |_| false) {
        Ok(report) => report,
        Err(error) => return Some(error.to_string()),
    };
    let failed = match report.how {
        AgentEnd::Exited(0) => return None,
        AgentEnd::Exited(code) => format!("exit code {code}"),
        AgentEnd::TimedOut => format!("it took longer than {}s", limit.as_secs()),
        AgentEnd::Signalled(signal) | AgentEnd::Interrupted(signal) => {
            format!("ended by {}", crate::signal_name(signal))
        }
        AgentEnd::WantsTerminal => "it wanted to read from the terminal".into(),
    };
    let said = report.tail.why();
    Some(said.map_or(failed.clone(), |said| format!("{failed}: {said}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_gets_its_input_and_a_failure_is_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let told = folder.path().join("told");
        let environment = [("TOLD".to_owned(), told.clone().into_os_string())];
        let run = |command: &str, limit| {
            notify(
                command,
                &environment,
                "{\"a\":\"$(b)\"}",
                limit,
                &Signals::none(),
            )
        };
        let hour = Duration::from_secs(3600);
        for (command, limit, expected) in [
            ("cat > \"$TOLD\"; echo {prompt} >> \"$TOLD\"", hour, None),
            (
                "echo one; echo 'error: \u{1b}[1mno net' >&2; exit 3",
                hour,
                Some("exit code 3: error: no net"),
            ),
            ("kill -9 $$", hour, Some("ended by signal 9")),
            // What it started is ended too: it would hold the test up.
            (
                "sleep 9999 & sleep 9999",
                Duration::from_millis(100),
                Some("it took longer than 0s"),
            ),
        ] {
            assert_eq!(run(command, limit).as_deref(), expected, "{command}");
        }
        let told = std::fs::read_to_string(told).unwrap();
        assert_eq!(told, "{\"a\":\"$(b)\"}{prompt}\n");
    }
}
