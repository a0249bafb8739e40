//! Claude Code in a loop of three: what one iteration notes, the next begins with; the third ends the loop.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::home::Home;
use super::model::{Model, Script};

const WALL: &str = "canary-4410: the door is locked and the key does not fit";
const WAY: &str = "canary-5521: the key fits the other way round";

pub(super) fn check(program: &Path, waynote: &Path) -> Result<()> {
    let home = Home::new(waynote)?;
    let model = Model::start(Script::Calls(vec![
        ("note_add", json!({ "content": WALL, "type": "stuck" })),
        (
            "note_add",
            json!({ "content": WAY, "type": "learning", "resolves": "does not fit" }),
        ),
        ("session_complete", json!({ "summary": "we are in" })),
    ]))?;
    home.prepare("claude-code", model.port)?;
    home.waynote(&["install", "claude-code"])?;
    let tools = "mcp__waynote__note_add,mcp__waynote__session_complete";
    let words = [
        "--session",
        "night",
        "--json",
        "loop",
        "--iterations",
        "9",
        "--with",
        "claude-code",
    ];
    let arguments: Vec<&str> = words
        .into_iter()
        .chain(["--", "--allowedTools", tools])
        .collect();
    let said = home.looping(program, &arguments, model.port)?;
    let first_of = |iteration: i64| {
        let says = format!("Iteration: #{iteration}");
        let requests = model
            .requests()
            .into_iter()
            .map(|body| body["messages"].to_string());
        requests
            .filter(|request| request.contains(&says))
            .find(|request| !request.contains("tool_result"))
            .with_context(|| format!("iteration {iteration} asked the model nothing: {said}"))
    };
    let (first, second, third) = (first_of(1)?, first_of(2)?, first_of(3)?);
    ensure!(
        !first.contains(WALL),
        "the first iteration knows what it has not noted yet"
    );
    let times = second.matches(WALL).count();
    ensure!(
        times == 1,
        "the second prompt holds the first one's note {times} times: {second}"
    );
    ensure!(
        !third.contains(WALL),
        "what was resolved is still in the prompt"
    );
    ensure!(
        third.contains(WAY),
        "the third prompt does not hold the second one's note"
    );
    let shown = home.waynote(&["--session", "night", "log", "show", "--json"])?;
    let shown: Value = serde_json::from_str(shown.trim())?;
    let iterations = shown["iterations"].as_array().context("iterations")?;
    ensure!(iterations.len() == 3, "{shown}");
    ensure!(
        said.contains("we are in") && said.contains("completed"),
        "{said}"
    );
    println!("claude-code: a loop of three learns from itself and ends by the agent's word");
    Ok(())
}
