//! A loop in a process of its own, which is then ended in every way: the test program runs itself.

use std::process::{Child, Output};

use rustix::process::{Signal, kill_process_group};
use signal_hook::consts::SIGKILL;

use super::*;
use crate::supervise::attempt::{Attempt, run};
use crate::supervise::attempt_tests::Fifo;
use crate::supervise::command::AgentCommand;
use crate::supervise::group::adopt_orphans;
use crate::supervise::signals::Signals;

/// The variable with the agent's script, for the loop in its own process.
const SCRIPT: &str = "WAYNOTE_TEST_SCRIPT";

/// This program as one of the two below.
fn itself(as_what: &str) -> Command {
    waynote_testing::default_signals();
    let mut command = Command::new(std::env::current_exe().unwrap());
    let name = format!("supervise::guard::tests::{as_what}");
    command.args(["--exact", &name, "--ignored", "--nocapture"]);
    command
}

#[test]
#[ignore = "a process that the tests start"]
fn as_guard() {
    keep(io::stdin().lock(), Duration::from_millis(50)).unwrap();
}

#[test]
#[ignore = "a process that the tests start"]
fn as_loop() {
    let Some(script) = std::env::var_os(SCRIPT) else {
        return;
    };
    let signals = Signals::listen().unwrap();
    adopt_orphans();
    let guard = Guard::start(itself("as_guard")).unwrap();
    let words = ["sh".into(), "-c".into(), script];
    let command = AgentCommand::new(&words).unwrap();
    let attempt = Attempt {
        prepared: &command.with_prompt("begin\n").unwrap(),
        environment: &[],
        directory: None,
        observer: None,
        log: None,
        until: None,
        deadline: None,
        patience: Patience::default(),
    };
    let ended = run(attempt, &signals, Some(&guard), &mut |_| false).unwrap();
    super::super::ending::end_descendants(Some(guard.process()), Patience::default().end);
    println!("{:?}", ended.how);
}

/// A loop whose agent has begun. The agent reads its prompt first: by then the guard knows of it.
struct RunningLoop {
    process: Child,
    life: Fifo,
    _folder: tempfile::TempDir,
}

fn begun(command: Command, rest_of_script: &str) -> RunningLoop {
    let script = format!("exec 9>life; read line; {rest_of_script}");
    let mut started = spawned(command, &script);
    assert_eq!(started.life.line(), "begun");
    started
}

fn spawned(mut command: Command, script: &str) -> RunningLoop {
    let folder = tempfile::tempdir().unwrap();
    let life = Fifo::new(&folder.path().join("life"));
    let process = command
        .env(SCRIPT, script)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    RunningLoop {
        process,
        life,
        _folder: folder,
    }
}

impl RunningLoop {
    /// Sends the loop a signal, as a terminal would: its whole group.
    fn send(&self, signal: i32) {
        let signal = Signal::from_named_raw(signal).unwrap();
        kill_process_group(Pid::from_child(&self.process), signal).unwrap();
    }

    /// How the loop ended, when nothing of the agent is left.
    fn end(mut self) -> Output {
        assert_eq!(self.life.rest(), "");
        self.process.wait_with_output().unwrap()
    }
}

#[test]
fn when_the_loop_is_killed_the_agent_ends_and_all_that_it_started() {
    for script in [
        "echo begun >&9; exec sleep 1000",
        "sleep 1000 & (sleep 1000 & sleep 1000) & echo begun >&9; wait",
        "trap '' TERM; sleep 1000 & echo begun >&9; sleep 1000; sleep 1000",
        // In a session of its own.
        "setsid sh -c 'echo begun >&9; exec sleep 1000' & wait",
        // The agent's first process may be gone.
        "(echo begun >&9; kill -STOP $$; exec sleep 1000) & exec sleep 1000",
    ] {
        let begun = begun(itself("as_loop"), script);
        begun.send(SIGKILL);
        let output = begun.end();
        assert!(output.status.code().is_none(), "{script}: {output:?}");
    }
}

#[test]
fn an_agent_that_kills_its_loop_at_once_ends_too() {
    // The loop may have told the group by then, or not.
    for _ in 0..12 {
        let script = "exec 9>life; kill -KILL $PPID; echo begun >&9; exec sleep 1000";
        let mut killed = spawned(itself("as_loop"), script);
        // The guard may be faster than the agent's next word.
        assert!(["", "begun\n"].contains(&killed.life.rest().as_str()));
        let output = killed.process.wait_with_output().unwrap();
        assert!(output.status.code().is_none(), "{output:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_leaves_the_group_ends_with_its_iteration() {
    for script in [
        "setsid sh -c 'echo begun >&9; touch up; exec sleep 1000' &",
        "setsid sh -c 'setsid sleep 1000 & echo begun >&9; touch up; exit' &",
        // Without its environment, and deaf.
        "env -i PATH=\"$PATH\" setsid sh -c 'trap \"\" TERM; echo begun >&9; touch up; sleep 1000; sleep 1000' &",
    ] {
        let script = format!("{script} while ! test -e up; do sleep 0.01; done; exit 3");
        let output = begun(itself("as_loop"), &script).end();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("Exited(3)"), "{script}: {said}");
    }
}

#[test]
fn a_loop_that_was_started_deaf_stays_so() {
    let nohup = || {
        let itself = itself("as_loop");
        let mut command = Command::new("sh");
        command
            .args(["-c", "trap '' HUP; exec \"$0\" \"$@\""])
            .arg(itself.get_program())
            .args(itself.get_args());
        command
    };
    let begun = begun(nohup(), "sleep 1000 & echo begun >&9; wait");
    begun.send(SIGHUP);
    begun.send(SIGTERM);
    let output = begun.end();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("Interrupted(15)"), "{said}");
}

#[test]
fn a_guard_that_has_nothing_to_end_ends() {
    for words in ["", "none\n", "start nobody\n", "group x\n", "group 0\n"] {
        follow(words.as_bytes(), Duration::ZERO);
    }
}
