//! An asynchronous service: 32 tasks share one store. The store pools its own connections, and writes that come at the
//! same time share one commit; the service only keeps the calls off its runtime's threads.
//!
//! `cargo run -p waynote-examples --bin service -- notes.db`

use tokio::task::{JoinSet, spawn_blocking};
use waynote::{EntryType, SqliteStore, Waynote};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let path = std::env::args().nth(1).unwrap_or("notes.db".into());
    let notes = Waynote::open(path)?;

    let mut tasks = JoinSet::new();
    for worker in 1..=32 {
        tasks.spawn(handle(notes.clone(), worker));
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }

    let entries =
        spawn_blocking(move || notes.agent("reader")?.in_session("load")?.entries()).await??;
    println!("{} entries", entries.len());
    Ok(())
}

/// One request: it notes something, and reads the block for the next prompt.
async fn handle(notes: Waynote<SqliteStore>, worker: i64) -> anyhow::Result<()> {
    spawn_blocking(move || {
        let agent = notes
            .agent(&format!("worker-{worker}"))?
            .in_session("load")?;
        agent.add(EntryType::Learning, format!("shard {worker} is indexed"))?;
        agent.save("last-shard", worker.to_string())?;
        agent.block(300)?;
        anyhow::Ok(())
    })
    .await?
}
