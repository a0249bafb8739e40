//! One night, played from docs/loops.md alone: the commands are those of the documentation, to the letter.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::super::home::Bench;
use super::super::model::{Reply, Request};
use super::super::wire::Role;
use super::asked;

const DOCUMENTATION: &str = "docs/loops.md";

const LEARNT: &str = "canary-1101: the importer wants UTF-8";
const WALL: &str = "canary-2202: order 101 is refused with 429";
const WAY: &str = "canary-3303: a minute of pause after 100 orders";
const TIP: &str = "canary-4404: run the check with --fast first";
const QUESTION: &str = "canary-5505: shall refunds count as orders?";
const ANSWER: &str = "canary-6606: yes, with a negative sum";
const SUMMARY: &str = "canary-7707: all orders are imported and checked";

/// The loop of the documentation: seven of its forty iterations are enough for the work.
pub(super) fn night(bench: &Bench) -> Result<()> {
    let project = bench.project()?;
    std::fs::write(project.join("SPEC.md"), "# Import the orders\n")?;
    std::fs::write(
        project.join("TODO.md"),
        "- [ ] read the file\n- [ ] import\n- [ ] check\n",
    )?;
    let imported = project.join("import.txt").display().to_string();
    let out = Mutex::new(BTreeMap::new());
    let runs = bench.runs()?;
    bench.model.does(move |request| {
        let iteration = (1..=9).find(|number| request.contains(&format!("Iteration: #{number}\n")));
        let steps = request
            .parts
            .iter()
            .filter(|part| part.role == Role::Tool)
            .count();
        // The provider is out for the first attempt of the third and the fourth iteration.
        let is_out = |number: u32| {
            let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
            *out.entry(number).or_insert(runs()) == runs()
        };
        let writes =
            |text: &str| Reply::Call("Write", json!({ "file_path": imported, "content": text }));
        let edits = |old: &str, new: &str| {
            let input = json!({ "file_path": imported, "old_string": old, "new_string": new });
            Reply::Call("Edit", input)
        };
        let notes = |kind: &str, text: &str| {
            Reply::Call("note_add", json!({ "type": kind, "content": text }))
        };
        match (iteration, steps) {
            (Some(1), 0) => writes("orders 1 to 100\n"),
            (Some(1), 1) => notes("learning", LEARNT),
            (Some(2), 0) => notes("stuck", WALL),
            (Some(number @ (3 | 4)), 0) if is_out(number) => Reply::Fail(400),
            // A file is read before it is edited, so the first edit is refused.
            (Some(3), 0 | 2) => edits("100", "250"),
            (Some(3), 1) => Reply::Call("Read", json!({ "file_path": imported })),
            (Some(3), 3) => Reply::Call(
                "note_add",
                json!({ "type": "learning", "content": WAY, "resolves": "429" }),
            ),
            (Some(4), 0) => notes("tip", TIP),
            (Some(5), 0) => Reply::Call("blocked", json!({ "question": QUESTION })),
            (Some(6), 0) => notes(
                "decision",
                "canary-8808: refunds are orders with a negative sum",
            ),
            (Some(7), 0) => Reply::Call("session_complete", json!({ "summary": SUMMARY })),
            _ => Reply::say("done"),
        }
    });

    let commands = commands()?;
    let command = |start: &str| -> Result<String> {
        let found = commands.iter().find(|line| line.starts_with(start));
        Ok(found
            .with_context(|| format!("{DOCUMENTATION} has no `{start}`"))?
            .clone())
    };
    let types = |line: &str, wanted: i32| -> Result<String> {
        let (code, said) = bench.shell(line)?;
        ensure!(
            code == wanted,
            "{line}: exit code {code}, not {wanted}: {said}"
        );
        Ok(said)
    };
    types(&command("waynote install claude-code")?, 0)?;
    let line = command("waynote loop --session nightly --spec")?;
    let evening = types(&line, 4)?;
    ensure!(
        evening.contains(QUESTION),
        "the question is not said: {evening}"
    );
    // The same command with `--answer TEXT`.
    let answered = line.replacen(
        "waynote loop",
        &format!("waynote loop --answer '{ANSWER}'"),
        1,
    );
    types(&answered, 0)?;

    let requests = bench.fresh();
    let begins = |iteration: u32| asked(&requests, &format!("Iteration: #{iteration}\n"));
    let holds = |request: &Request, text: &str, times: usize, when: &str| {
        let found = request.count(text);
        ensure!(
            found == times,
            "{when}: `{text}` is there {found} times, not {times}"
        );
        Ok(())
    };
    holds(begins(2)?, LEARNT, 1, "iteration 2")?;
    holds(begins(3)?, WALL, 1, "iteration 3")?;
    holds(begins(4)?, WALL, 0, "iteration 4, after it was resolved")?;
    holds(begins(4)?, WAY, 1, "iteration 4")?;
    holds(begins(6)?, QUESTION, 1, "iteration 6, answered")?;
    holds(begins(6)?, ANSWER, 1, "iteration 6, answered")?;
    let text = std::fs::read_to_string(project.join("import.txt"))?;
    ensure!(
        text == "orders 1 to 250\n",
        "the agent's edits came to: {text}"
    );

    // The morning.
    let sessions = types("waynote log sessions", 0)?;
    ensure!(sessions.contains("nightly"), "log sessions: {sessions}");
    let shown = types(&command("waynote --session nightly log show")?, 0)?;
    for text in [
        LEARNT,
        WALL,
        WAY,
        TIP,
        QUESTION,
        ANSWER,
        SUMMARY,
        "Asked:",
        "state: done",
    ] {
        ensure!(
            shown.contains(text),
            "log show does not say `{text}`:\n{shown}"
        );
    }
    let failed = shown.matches("2 attempts").count();
    ensure!(
        failed == 2,
        "log show has {failed} iterations of two attempts, not 2:\n{shown}"
    );
    for iteration in 1..=7 {
        ensure!(
            shown.contains(&format!("#{iteration} ")),
            "log show has no #{iteration}:\n{shown}"
        );
    }
    Ok(())
}

/// The commands of the documentation's blocks, without what is said beside them.
fn commands() -> Result<Vec<String>> {
    let text = std::fs::read_to_string(DOCUMENTATION)?;
    let mut commands = Vec::new();
    let mut is_block = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_block = line == "```sh";
        } else if is_block && line.starts_with("waynote ") {
            let command = line.split(" # ").next().unwrap_or(line);
            commands.push(command.trim().to_owned());
        }
    }
    Ok(commands)
}
