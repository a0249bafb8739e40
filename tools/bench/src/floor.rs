//! A bare program that opens the store and reads the rows that the measured block is made of; prints how many.

use rusqlite::{Connection, OpenFlags};

fn main() -> rusqlite::Result<()> {
    let path = std::env::args_os().nth(1).unwrap_or_default();
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags)?;
    let mut scope = conn.prepare("SELECT id FROM waynote_scope WHERE kind = ?1 AND name = ?2")?;
    let mut notes = conn.prepare(
        "SELECT n.key, n.preview, n.kind, n.iteration, n.pinned, n.updated_at, c.body
         FROM waynote_note n JOIN waynote_content c ON c.id = n.content WHERE n.scope = ?1 ORDER BY n.key",
    )?;
    let places = ["~", "~/a", "~/a/b", "~/a/b/c", "~/a/b/c/d", "~/a/b/c/d/e"];
    let scopes = places
        .map(|place| ("place", place))
        .into_iter()
        .chain([("agent", "bench"), ("session", "bench")]);
    let (mut rows, mut bytes) = (0, 0);
    for (kind, name) in scopes {
        let id: i64 = scope.query_row((kind, name), |row| row.get(0))?;
        let mut found = notes.query([id])?;
        while let Some(row) = found.next()? {
            rows += 1;
            bytes += row.get::<_, String>(0)?.len()
                + row.get::<_, String>(1)?.len()
                + row.get::<_, Vec<u8>>(6)?.len();
        }
    }
    assert!(bytes > 0);
    println!("{rows}");
    Ok(())
}
