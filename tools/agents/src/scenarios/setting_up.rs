//! Installing and uninstalling.

use anyhow::{Context, Result, ensure};

use super::super::clients::Turn;
use super::super::home::{Bench, CANARY};
use super::{each_once, none_holds};

/// `uninstall` restores every byte that `install` changed; after a session too, no trace is left.
pub(super) fn install(bench: &Bench) -> Result<()> {
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
    match client {
        "claude-code" => plugin(bench),
        _ => Ok(()),
    }
}

/// The plugin brings what `install` brings; both at once deliver once.
fn plugin(bench: &Bench) -> Result<()> {
    let folder = bench.folder_of_its_own("market")?;
    let shell = |line: &str| {
        let (code, said) = bench.shell(line)?;
        ensure!(code == 0, "`{line}`: {said}");
        Ok(said)
    };
    let at = folder.display();
    bench.waynote(&["plugin", &at.to_string()])?;
    for line in [
        &format!("claude plugin validate {at}"),
        &format!("claude plugin validate {at}/waynote"),
        &format!("claude plugin marketplace add {at}"),
        "claude plugin install waynote@waynote",
    ] {
        shell(line)?;
    }
    let asked = bench.turn(Turn::New("question-three"))?;
    each_once(&asked, CANARY, "the plugin")?;
    ensure!(
        asked
            .iter()
            .any(|request| request.offered("note_save").is_some()),
        "the plugin: the tools are not offered"
    );
    let doctor = shell("waynote doctor claude-code")?;
    ensure!(
        doctor.contains("the plugin waynote@waynote starts /"),
        "doctor: {doctor}"
    );
    bench.waynote(&["install", "claude-code"])?;
    each_once(
        &bench.turn(Turn::New("question-four"))?,
        CANARY,
        "plugin and install",
    )?;
    let doctor = shell("waynote doctor claude-code")?;
    ensure!(
        doctor.contains("by the plugin and by `install`"),
        "doctor: {doctor}"
    );
    Ok(())
}
