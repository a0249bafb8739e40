//! Notes in an application's own database: a message and the note about it are committed together, or neither is.
//!
//! `cargo run -p waynote-examples --bin host_database -- app.db`

use waynote::rusqlite::Connection;
use waynote::{Attachment, EntryType, Surroundings, Waynote};

fn main() -> anyhow::Result<()> {
    let path = std::env::args().nth(1).unwrap_or("app.db".into());
    let mut db = Connection::open(path)?;
    db.execute_batch("CREATE TABLE IF NOT EXISTS messages (text TEXT)")?;
    let attachment = Attachment::prepare(&db)?; // makes waynote's tables, once

    for (message, keep) in [("429 Too Many Requests", true), ("a mistake", false)] {
        let transaction = db.transaction()?;
        transaction.execute("INSERT INTO messages VALUES (?1)", [message])?;
        let notes = Waynote::over(attachment.on(&transaction), Surroundings::of_process()?);
        let agent = notes
            .agent("support")?
            .in_session("triage")?
            .in_iteration(1);
        agent.add(EntryType::Stuck, format!("the API answered: {message}"))?;
        if keep {
            transaction.commit()?;
        } // else it is rolled back, the note with the message
    }

    let messages: i64 = db.query_row("SELECT count(*) FROM messages", [], |row| row.get(0))?;
    let notes = Waynote::over(attachment.on(&db), Surroundings::of_process()?);
    let block = notes
        .agent("support")?
        .in_session("triage")?
        .in_iteration(2)
        .block(500)?;
    println!("messages: {messages}\n{}", block.text);
    Ok(())
}
