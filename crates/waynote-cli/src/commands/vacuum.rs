//! `waynote stores vacuum`: removes deleted and forgotten texts from the tables of a database.

use serde_json::json;
use waynote::text::plural;
use waynote::visible::visible;
use waynote_postgres::vacuum::{Holder, Table, Vacuum, VacuumOutcome, VacuumReport, vacuum};

use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;
use crate::{database, duration};

pub(super) fn run(context: &mut Context<'_>, url: &str, full: bool) -> Outcome {
    let how = match full {
        true => Vacuum::Rewrite,
        false => Vacuum::Free,
    };
    let settings = &context.settings;
    let options = database::options(settings, url)?.wait(settings.lock_wait.value);
    let database = options.shown();
    let done = vacuum(&options, how)?;
    if context.output.json {
        context.value(&told(&database, full, &done))?;
    } else {
        context.line(said(&database, full, &done))?;
    }
    let named = |became: VacuumOutcome| {
        let tables = done.tables.iter().filter(|table| table.became == became);
        let names: Vec<String> = tables.map(|table| visible(&table.name)).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    if let Some(names) = named(VacuumOutcome::NotPermitted) {
        return Err(Failure::refused(
            "not_vacuumed",
            format!("this user may not vacuum {names}"),
            "run it as the owner of the tables, or as a superuser",
        ));
    }
    if let Some(names) = named(VacuumOutcome::InUse) {
        return Err(Failure::refused(
            "not_vacuumed",
            format!("others used {names} all the time"),
            "run it again when less is written, or wait longer (`WAYNOTE_LOCK_WAIT`, in seconds)",
        ));
    }
    if !context.output.json {
        for note in remains(full, &done) {
            say(&format!("note: {note}"));
        }
    }
    Ok(())
}

fn size(tables: &[Table], of: impl Fn(&Table) -> u64) -> u64 {
    tables.iter().map(of).sum()
}

pub(super) fn megabytes(bytes: u64) -> String {
    let tenths = bytes.div_ceil(100_000);
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

fn said(database: &str, full: bool, done: &VacuumReport) -> String {
    let tables = done.tables.iter();
    let tables = tables.filter(|table| table.became == VacuumOutcome::Vacuumed);
    format!(
        "{} {} of {}: {} on disk, {} before",
        if full { "wrote anew" } else { "vacuumed" },
        plural(tables.count() as u64, "table"),
        visible(database),
        megabytes(size(&done.tables, |table| table.bytes.1)),
        megabytes(size(&done.tables, |table| table.bytes.0)),
    )
}

/// Remarks on places that may still have the texts of deleted and forgotten notes.
fn remains(full: bool, done: &VacuumReport) -> Vec<String> {
    let mut notes: Vec<String> = done.holders.iter().map(held_by).collect();
    if done.hidden > 0 {
        notes.push(format!(
            "{} of other users cannot be looked at, and may keep dead rows too: a member of pg_read_all_stats sees them",
            plural(done.hidden, "session")
        ));
    }
    if !full {
        notes.push(
            "the bytes of forgotten texts stay in the files until something is written over them; \
             `waynote stores vacuum --full` writes the tables anew, while nobody can use them"
                .into(),
        );
    }
    notes.push(
        "the log (WAL) with its archive, replicas that are behind, and backups have forgotten texts as long as they \
         are kept"
            .into(),
    );
    notes
}

fn held_by(holder: &Holder) -> String {
    let who = match holder.who.as_str() {
        "" => String::new(),
        who => format!(" ({})", visible(who)),
    };
    let since = holder.age.map_or_else(String::new, |age| {
        format!(", begun {} ago,", duration::to_the_second(age))
    });
    format!(
        "{}{who}{since} may keep dead rows: run this again when it has ended",
        visible(&holder.what)
    )
}

fn told(database: &str, full: bool, done: &VacuumReport) -> serde_json::Value {
    let tables = done.tables.iter().map(|table| {
        let became = match table.became {
            VacuumOutcome::Vacuumed => "vacuumed",
            VacuumOutcome::InUse => "in_use",
            VacuumOutcome::NotPermitted => "not_permitted",
            _ => "unknown",
        };
        json!({
            "name": table.name, "result": became, "bytes_before": table.bytes.0, "bytes": table.bytes.1,
        })
    });
    let holders = done.holders.iter().map(|holder| {
        json!({
            "what": holder.what, "who": holder.who, "seconds": holder.age.map(|age| age.as_secs()),
        })
    });
    json!({
        "database": database, "full": full, "tables": tables.collect::<Vec<_>>(),
        "kept_by": holders.collect::<Vec<_>>(), "hidden_sessions": done.hidden,
    })
}
