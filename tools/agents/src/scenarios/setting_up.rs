//! Installing and uninstalling.

use anyhow::{Context, Result, ensure};

use super::super::clients::Turn;
use super::super::home::{Bench, CANARY};
use super::{each_once, none_holds};

/// `uninstall` restores every byte that `install` changed; after a session too, no trace is left.
pub(crate) fn install(bench: &Bench) -> Result<()> {
    let client = bench.agent.client;
    let before = bench.files()?;
    bench.waynote(&["install", client])?;
    ensure!(bench.files()? != before, "`install` wrote nothing");
    bench.waynote(&["uninstall", client])?;
    let after = bench.files()?;
    for (path, text) in &before {
        let now = after
            .get(path)
            .with_context(|| format!("{} is gone", path.display()))?;
        ensure!(
            now == text,
            "{} after uninstalling:\n{}",
            path.display(),
            String::from_utf8_lossy(now)
        );
    }
    let more = after.keys().find(|path| !before.contains_key(*path));
    ensure!(more.is_none(), "left by `uninstall`: {more:?}");

    bench.waynote(&["place", "write", CANARY])?;
    bench.waynote(&["install", client])?;
    each_once(&bench.turn(Turn::New("question-one"))?, CANARY, "installed")?;
    // Trust in Codex' hooks is given by a person, at its terminal.
    let (_, doctor) = bench.shell(&format!("waynote doctor {client}"))?;
    let mut wrong = doctor.lines().filter(|line| line.starts_with("WRONG"));
    ensure!(doctor.contains("ok "), "doctor says nothing: {doctor}");
    ensure!(
        wrong.all(|line| client == "codex" && line.contains("not trusted")),
        "doctor: {doctor}"
    );
    bench.waynote(&["uninstall", client])?;
    let after = bench.turn(Turn::New("question-two"))?;
    none_holds(&after, CANARY, "uninstalled")?;
    ensure!(
        after
            .iter()
            .all(|request| request.offered("note_save").is_none()),
        "uninstalled: the tools are still offered"
    );
    Ok(())
}
