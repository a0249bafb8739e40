//! Installing and uninstalling.

use anyhow::{Context, Result, ensure};

use super::super::clients::Turn;
use super::super::home::{Bench, CANARY};
use super::{each_once, none_holds};

/// The words by which a client offers the plugin's skill.
const SKILL: &str = "Leaves notes for later runs with waynote";

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
        "opencode" => opencode_plugin(bench),
        "goose" => goose_plugin(bench),
        _ => Ok(()),
    }
}

fn shell(bench: &Bench, line: &str) -> Result<String> {
    let (code, said) = bench.shell(line)?;
    ensure!(code == 0, "`{line}`: {said}");
    Ok(said)
}

/// The plugin brings what `install` brings; both at once deliver once.
fn plugin(bench: &Bench) -> Result<()> {
    let folder = bench.folder_of_its_own("market")?;
    let shell = |line: &str| shell(bench, line);
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

/// The package brings notes, tools and the skill; beside `install` it brings them once.
fn opencode_plugin(bench: &Bench) -> Result<()> {
    let folder = bench.folder_of_its_own("market")?;
    bench.waynote(&["plugin", &folder.to_string_lossy()])?;
    let package = folder.join("opencode/waynote");
    let settings = serde_json::json!({ "plugin": [package] });
    let at = bench.project()?.join("opencode.json");
    std::fs::write(&at, settings.to_string())?;
    let asked = bench.turn(Turn::New("question-three"))?;
    each_once(&asked, CANARY, "the plugin")?;
    for (what, is_there) in [
        (
            "tools",
            asked
                .iter()
                .any(|request| request.offered("note_save").is_some()),
        ),
        ("skill", asked.iter().any(|request| request.contains(SKILL))),
    ] {
        ensure!(is_there, "the plugin: there is no {what}");
    }
    let doctor = shell(bench, "waynote doctor opencode")?;
    let starts = format!("the plugin {} starts /", package.display());
    ensure!(doctor.contains(&starts), "doctor: {doctor}");
    bench.waynote(&["install", "opencode"])?;
    let asked = bench.turn(Turn::New("question-four"))?;
    each_once(&asked, CANARY, "plugin and install")?;
    let doctor = shell(bench, "waynote doctor opencode")?;
    ensure!(
        doctor.contains("by the plugin and by `install`"),
        "doctor: {doctor}"
    );
    bench.waynote(&["uninstall", "opencode"])?;
    std::fs::remove_file(at).context("the project's configuration")
}

/// The folder brings the skill; its notes come by the server that `install` enters.
fn goose_plugin(bench: &Bench) -> Result<()> {
    let folder = bench.folder_of_its_own("market")?;
    bench.waynote(&["plugin", &folder.to_string_lossy()])?;
    shell(
        bench,
        &format!(
            "mkdir -p ~/.agents/plugins && cp -r {}/waynote ~/.agents/plugins/",
            folder.display()
        ),
    )?;
    bench.waynote(&["install", "goose"])?;
    let asked = bench.turn(Turn::New("question-three"))?;
    each_once(&asked, CANARY, "the plugin beside install")?;
    ensure!(
        asked.iter().any(|request| request.contains(SKILL)),
        "the plugin: there is no skill"
    );
    bench.waynote(&["uninstall", "goose"])?;
    Ok(())
}
