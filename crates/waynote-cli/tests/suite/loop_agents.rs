//! Agents that do not behave.

use std::time::{Duration, Instant};

use super::common::Scratch;
use super::loop_stops::{looping, summary};

#[test]
fn one_that_ignores_its_input_however_long() {
    let scratch = Scratch::new();
    let work = scratch.home().join("work");
    std::fs::write(work.join("spec"), "x".repeat(3_000_000)).unwrap();
    for script in ["true", "exec < /dev/null; echo closed"] {
        let (code, of) = summary(looping(
            &scratch,
            "--iterations 1 --spec spec --json",
            script,
        ));
        assert_eq!(
            (code, &of["iterations"][0]["outcome"]["code"]),
            (0, &0.into())
        );
    }
}

/// 100 MB pass through without being kept, and the text at their end is found.
#[test]
fn one_that_prints_a_hundred_megabytes() {
    let scratch = Scratch::new();
    let script = "cat > /dev/null; head -c 100000000 /dev/zero | tr '\\0' 'x'; echo THE END; grep VmHWM /proc/$PPID/status >&2";
    let output = looping(&scratch, "--until=END", script).output();
    assert!(output.status.success());
    assert_eq!(output.stdout.len(), 100_000_000 + "THE END\n".len());
    let said = String::from_utf8(output.stderr).unwrap();
    let peak = said.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    let kilobytes: u64 = peak.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(kilobytes < 64 * 1024, "{peak}");
}

#[test]
#[cfg(target_os = "linux")]
fn one_that_leaves_children() {
    let scratch = Scratch::new();
    let work = scratch.home().join("work");
    // One child in the agent's process group, and one that has left the group and holds the output open.
    let script = "sleep 1000 & echo $! > child; setsid sleep 1000 & echo $! > left; true";
    let begin = Instant::now();
    let (code, _) = summary(looping(&scratch, "--iterations 1 --json", script));
    assert_eq!(code, 0);
    assert!(begin.elapsed() < Duration::from_secs(600));
    let pid = |name| {
        std::fs::read_to_string(work.join(name))
            .unwrap()
            .trim()
            .to_owned()
    };
    let status = std::fs::read_to_string(format!("/proc/{}/status", pid("child")));
    assert!(status.is_err() || status.unwrap().contains("State:\tZ"));
    let _ = std::process::Command::new("kill").arg(pid("left")).status();
}

#[test]
fn their_output_goes_through_or_into_a_file_each() {
    let scratch = Scratch::new();
    let script = "echo out $WAYNOTE_ITERATION; echo err $WAYNOTE_ITERATION >&2";
    let output = looping(&scratch, "--iterations 2", script).output();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "out 1\nout 2\n");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("err 1\n") && said.contains("err 2\n"),
        "{said}"
    );
    let output = looping(&scratch, "--iterations 2 --json", script).output();
    serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("out 4\n")
    );
    let output = looping(&scratch, "--iterations 1 --logs logs", script).output();
    assert_eq!(output.stdout, b"");
    let log = std::fs::read_to_string(scratch.home().join("work/logs/s-0005.log")).unwrap();
    assert!(log.contains("out 5\n") && log.contains("err 5\n"), "{log}");
}

#[test]
fn a_long_name_of_a_session_still_names_a_file() {
    let scratch = Scratch::new();
    let logs = scratch.home().join("work/logs");
    for session in ["ü".repeat(60), "ü".repeat(61)] {
        let words = "loop --iterations 1 --logs logs -- echo here".split(' ');
        let words = ["--session", &session].into_iter().chain(words);
        scratch.waynote(words.map(String::from)).ok();
    }
    assert_eq!(std::fs::read_dir(logs).unwrap().count(), 2);
}

/// The check for an executable searches `PATH` as the system does when it starts the agent.
#[test]
fn one_that_is_not_executable_is_no_iteration() {
    let scratch = Scratch::new();
    let work = scratch.home().join("work");
    let (first, second) = (work.join("first"), work.join("second"));
    for folder in [&first, &second] {
        std::fs::create_dir(folder).unwrap();
        std::fs::write(folder.join("agent"), "#!/bin/sh\ncat > /dev/null\n").unwrap();
    }
    let path = |folders: &str| format!("{folders}:{}", std::env::var("PATH").unwrap());
    let run = |agent: &str| {
        scratch
            .run(&format!(
                "--session s loop --iterations 1 --retries 0 -- {agent}"
            ))
            .env("PATH", path(&format!("{}:second", first.display())))
    };
    insta::assert_snapshot!(run("first/agent").said(), @"
    exit 1
    error: `first/agent` is not executable
      `chmod +x first/agent` makes it executable
    ");
    insta::assert_snapshot!(run("agent").said(), @"
    exit 1
    error: `HOME/work/first/agent` is not executable
      `chmod +x HOME/work/first/agent` makes it executable
    ");
    // One further down the path is found, in a folder that is named from the working directory too.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(second.join("agent"), mode).unwrap();
    run("agent").ok();
    // Without PATH the system has folders of its own.
    scratch
        .run("--session s loop --iterations 2 -- true")
        .unset("PATH")
        .ok();
}
