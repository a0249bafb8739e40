//! A chat agent that remembers: every conversation begins with a block of what earlier ones left.
//!
//! `cargo run -p waynote-examples --bin chat_agent -- notes.db`: run it twice and compare.

use waynote::context::{Budget, ReaderTools};
use waynote::{Agent, SaveOptions, SqliteStore, Waynote};

fn main() -> anyhow::Result<()> {
    let path = std::env::args().nth(1).unwrap_or("notes.db".into());
    let notes = Waynote::open(path)?;
    let agent = notes.agent("assistant")?.at(".")?;

    println!("--- system prompt\n{}", system_prompt(&agent)?);

    // The model's tool calls during the conversation. A note that is saved again gets a new revision.
    remember(&agent, "user-name", "The user is called Ada.", true)?;
    remember(&agent, "deploy", "Deploy with `make ship`.", false)?;
    agent.write_place("This project is built with Bazel, not Make.")?;

    println!("--- recall(\"how do I deploy\")");
    for hit in agent.search("how do I deploy")? {
        println!("{}: {}", hit.note.address, hit.note.content);
    }
    Ok(())
}

/// The block, in at most 500 tokens. It names the tools that this agent's model has for what the block leaves out.
fn system_prompt(agent: &Agent<SqliteStore>) -> waynote::Result<String> {
    let request = agent
        .request()
        .budget(Budget::of(500))
        .tools(ReaderTools::new("read_note", "recall"));
    Ok(agent.block_of(&request)?.text)
}

/// A tool of the model. A pinned note is whole in every block.
fn remember(
    agent: &Agent<SqliteStore>,
    key: &str,
    text: &str,
    pinned: bool,
) -> waynote::Result<()> {
    agent.save_with(key, text, SaveOptions::default().pin(pinned))?;
    Ok(())
}
