//! Loops: an iteration's notes reach the next, failed attempts are tried again, questions are answered.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::super::home::{Bench, CANARY};
use super::super::model::{Reply, Request};
use super::each_once;

const WALL: &str = "canary-4410: the door is locked and the key does not fit";
const WAY: &str = "canary-5521: the key fits the other way round";
const QUESTION: &str = "canary-6601: shall prices hold cents or euros?";
const ANSWER: &str = "canary-6602: cents, as integers";

/// The agent's call when everything is done.
fn complete() -> Reply {
    Reply::Call("session_complete", json!({ "summary": "we are in" }))
}

/// The requests of an iteration.
fn of_iteration(requests: &[Request], iteration: u32) -> Result<Vec<Request>> {
    let says = format!("Iteration: #{iteration}");
    let found: Vec<Request> = requests
        .iter()
        .filter(|request| request.contains(&says))
        .cloned()
        .collect();
    ensure!(
        !found.is_empty(),
        "iteration {iteration} asked the model nothing"
    );
    Ok(found)
}

/// Three iterations that learn from each other; the third ends the loop.
pub(crate) fn completes(bench: &Bench) -> Result<()> {
    bench.model.does(|request| {
        if request.is_after_tool() {
            Reply::say("done")
        } else if request.contains("Iteration: #1") {
            Reply::Call("note_add", json!({ "content": WALL, "type": "stuck" }))
        } else if request.contains("Iteration: #2") {
            let note = json!({ "content": WAY, "type": "learning", "resolves": "does not fit" });
            Reply::Call("note_add", note)
        } else {
            complete()
        }
    });
    let (code, said) = bench.looping(&["--iterations", "5"])?;
    ensure!(code == 0, "exit code {code}: {said}");
    let requests = bench.fresh();
    let first = of_iteration(&requests, 1)?;
    let second = of_iteration(&requests, 2)?;
    let third = of_iteration(&requests, 3)?;
    each_once(&requests, CANARY, "in the loop")?;
    ensure!(
        !first[0].contains(WALL),
        "iteration 1 begins with what it has not noted yet"
    );
    each_once(&second[..1], WALL, "iteration 2")?;
    ensure!(
        !third[0].contains(WALL),
        "iteration 3 begins with what was resolved"
    );
    each_once(&third[..1], WAY, "iteration 3")?;
    let iterations = bench.iterations()?;
    ensure!(
        iterations.len() == 3,
        "{} iterations are recorded",
        iterations.len()
    );
    ensure!(
        said.contains("we are in"),
        "the loop does not say the summary: {said}"
    );
    Ok(())
}

/// A loop whose first iteration ends it: the agent may use the tools, and nobody is asked.
pub(crate) fn ends(bench: &Bench) -> Result<()> {
    bench.model.does(|request| match request.is_after_tool() {
        true => Reply::say("done"),
        false => complete(),
    });
    let (code, said) = bench.looping(&["--iterations", "2"])?;
    ensure!(
        code == 0 && said.contains("we are in"),
        "exit code {code}: {said}"
    );
    each_once(&bench.fresh(), CANARY, "in the loop")
}

/// A question stops the loop; its answer is in the next prompt.
pub(crate) fn blocked(bench: &Bench) -> Result<()> {
    bench.model.does(|request| match request.is_after_tool() {
        true => Reply::say("done"),
        false if request.contains(ANSWER) => complete(),
        false => Reply::Call("blocked", json!({ "question": QUESTION })),
    });
    let (code, said) = bench.looping(&["--iterations", "3"])?;
    ensure!(
        code == 4,
        "exit code {code} where a person is asked: {said}"
    );
    ensure!(
        said.contains(QUESTION),
        "the loop does not say the question: {said}"
    );
    bench.fresh();
    let (code, said) = bench.looping(&["--iterations", "3", "--answer", ANSWER])?;
    ensure!(code == 0, "exit code {code} after the answer: {said}");
    let requests = bench.fresh();
    each_once(&requests, ANSWER, "answered")?;
    each_once(&requests, QUESTION, "answered")
}

/// An agent whose model never answers is ended, with all that it started; the next attempt completes.
pub(crate) fn hangs(bench: &Bench) -> Result<()> {
    let has_hung = AtomicBool::new(false);
    bench.model.does(move |request| {
        if !has_hung.swap(true, Ordering::SeqCst) {
            Reply::Hang
        } else if request.is_after_tool() {
            Reply::say("done")
        } else {
            complete()
        }
    });
    let begin = Instant::now();
    // Longer than it takes to start, on a busy machine too.
    let patience = match bench.agent.client {
        "gemini" | "opencode" => "50s",
        _ => "15s",
    };
    let words = [
        "--iterations",
        "1",
        "--iteration-time",
        patience,
        "--retry-wait",
        "100ms",
    ];
    let (code, said) = bench.looping(&words)?;
    ensure!(code == 0, "exit code {code}: {said}");
    let took = begin.elapsed().as_secs();
    ensure!(took < 120, "it took {took} s");
    ensure!(
        said.contains("we are in"),
        "the second attempt did not complete: {said}"
    );
    let left = bench.left_running()?;
    ensure!(left.is_empty(), "left running: {}", left.join("; "));
    Ok(())
}

/// The provider fails in two ways; the iteration is tried again and completes.
pub(crate) fn recovers(bench: &Bench) -> Result<()> {
    let runs = bench.runs()?;
    let is_first = AtomicBool::new(true);
    bench.model.does(move |request| match runs() {
        // A client tries again by itself.
        1 if is_first.swap(false, Ordering::SeqCst) => Reply::Fail(503),
        // This error ends the client.
        1 | 2 => Reply::Fail(400),
        _ if request.is_after_tool() => Reply::say("done"),
        _ => complete(),
    });
    let words = ["--iterations", "1", "--retry-wait", "100ms"];
    let (code, said) = bench.looping(&words)?;
    ensure!(code == 0, "exit code {code}: {said}");
    ensure!(said.contains("we are in"), "it did not complete: {said}");
    let iterations = bench.iterations()?;
    ensure!(
        iterations.len() == 1,
        "{} iterations are recorded",
        iterations.len()
    );
    let attempts = iterations[0]["attempts"].as_i64().unwrap_or_default();
    ensure!(
        attempts > 1,
        "it completed in {attempts} attempts: the client did not fail"
    );
    each_once(&bench.fresh(), CANARY, "tried again")
}

/// The provider goes on failing: the loop ends as failed, and says what the provider said.
pub(crate) fn gives_up(bench: &Bench) -> Result<()> {
    bench.model.does(|_| Reply::Fail(400));
    let words = [
        "--iterations",
        "2",
        "--retries",
        "1",
        "--retry-wait",
        "100ms",
    ];
    let (code, said) = bench.looping(&words)?;
    ensure!(
        code == 5,
        "exit code {code} where every attempt failed: {said}"
    );
    ensure!(
        said.contains("scripted-failure"),
        "the provider's words are missing: {said}"
    );
    let iterations = bench.iterations()?;
    let last = iterations.last().context("no iteration is recorded")?;
    ensure!(
        iterations.len() == 1,
        "it went on after an iteration that failed: {last}"
    );
    Ok(())
}
