//! `waynote hook`, the whole process as a client waits for it, beside `waynote context` on the same store.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::contexts::fill;
use kit::measure::{below, median, run as timed, run_on};
use kit::release;

const NOTES: u64 = 100_000;
const ROUNDS: usize = 101;

/// A person's prompt: words that many notes have, and few.
const ASKED: &str = "note 4711 of agent number please look at what the store says about entry 12345 and change the \
                     handler so that it keeps the order of iteration when two writers meet in the same place again";

pub(crate) fn run() -> Result<()> {
    let folder = Path::new("target/bench").join(NOTES.to_string());
    let store = folder.join("notes.db");
    if !store.exists() {
        fill(&store, NOTES)?;
    }
    let store = store.canonicalize()?;
    let program = release::program();
    // The sessions' ledgers, removed after the measurement.
    let state = tempfile::tempdir_in("target")?;
    let state = state.path().canonicalize()?;
    let command = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command
            .env_clear()
            .env("HOME", "/home/bench")
            .env("XDG_STATE_HOME", &state)
            .env("WAYNOTE_STORE", &store)
            // Measured to its end, however long that is.
            .env("WAYNOTE_HOOK_WAIT", "10")
            .env("WAYNOTE_AGENT", "bench")
            .env("WAYNOTE_SESSION", "bench")
            .env("WAYNOTE_ITERATION", "1000")
            .current_dir("/")
            .args(arguments);
        command
    };
    let mut hook = command(&["hook", "claude-code", "SessionStart"]);
    let mut prompt = command(&["hook", "claude-code", "UserPromptSubmit"]);
    let mut context = command(&["context", "--at", "~/a/b/c/d/e"]);
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        let said = format!(
            r#"{{"session_id":"bench-{round}","cwd":"/home/bench/a/b/c/d/e","hook_event_name":"SessionStart","source":"startup"}}"#
        );
        let asked = format!(
            r#"{{"session_id":"asked-{round}","cwd":"/home/bench/a/b/c/d/e","hook_event_name":"UserPromptSubmit","prompt":"{ASKED}"}}"#
        );
        rounds.push((
            run_on(&mut hook, &said, 100)?,
            timed(&mut context)?,
            run_on(&mut prompt, &asked, 1)?,
        ));
    }
    println!("hook: {NOTES} notes; {ROUNDS} rounds of whole processes in turn with `context`");
    let started = said(&rounds.iter().map(|(hook, ..)| hook.wall));
    let ratio = median(
        rounds
            .iter()
            .map(|(hook, context, _)| hook.wall / context.wall),
    );
    println!(
        "  {started} (wanted: median under 20, none over 50); x{ratio:.2} of context (wanted: at most x2)"
    );
    let asked = said(&rounds.iter().map(|(.., asked)| asked.wall));
    println!(
        "  at a prompt of {} words: {asked}",
        ASKED.split(' ').count()
    );
    Ok(())
}

/// The times of processes, in words.
fn said(seconds: &(impl Iterator<Item = f64> + Clone)) -> String {
    let at = |share| below(seconds.clone(), share) * 1e3;
    format!(
        "median {:.2} ms, nine in ten under {:.2} ms, slowest {:.2} ms",
        at(0.5),
        at(0.9),
        at(1.0)
    )
}
