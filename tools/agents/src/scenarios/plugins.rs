//! The plugin, installed and removed by the commands of the client itself, as `waynote plugin` prints them.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::super::clients::Turn;
use super::super::home::{Bench, CANARY};
use super::super::model::Request;
use super::{each_once, loops, none_holds, tools};

/// The words by which a client offers the plugin's skill.
const SKILL: &str = "Leaves notes for later runs with waynote";

/// A client and its plugin.
struct Plugin {
    client: &'static str,
    /// A command of the client that examines the folder `$AT`.
    validated: &'static str,
    /// Its name in the findings of `doctor`, `$AT` for the folder.
    named: &'static str,
    /// The way back.
    removed: &'static str,
}

const PLUGINS: [Plugin; 6] = [
    Plugin {
        client: "claude-code",
        validated: "claude plugin validate $AT && claude plugin validate $AT/waynote",
        named: "waynote@waynote",
        removed: "claude plugin uninstall waynote@waynote && claude plugin marketplace remove waynote",
    },
    Plugin {
        client: "codex",
        validated: "true",
        named: "waynote@waynote",
        removed: "codex plugin remove waynote@waynote && codex plugin marketplace remove waynote",
    },
    Plugin {
        client: "copilot",
        validated: "true",
        named: "waynote@waynote",
        removed: "copilot plugin uninstall waynote@waynote && copilot plugin marketplace remove waynote",
    },
    Plugin {
        client: "gemini",
        validated: "gemini extensions validate $AT/gemini/waynote",
        named: "waynote",
        removed: "gemini extensions uninstall waynote",
    },
    Plugin {
        client: "opencode",
        validated: "true",
        named: "$AT/opencode/waynote",
        removed: "rm opencode.json",
    },
    Plugin {
        client: "goose",
        validated: "true",
        named: "",
        removed: "rm -r ~/.agents/plugins/waynote",
    },
];

/// The plugin brings what `install` brings; both at once bring it once; without them nothing is left.
pub(crate) fn plugin(bench: &Bench) -> Result<()> {
    let client = bench.agent.client;
    let plugin = PLUGINS.iter().find(|plugin| plugin.client == client);
    let plugin = plugin.context("no plugin")?;
    let folder = bench.folder_of_its_own("market")?;
    let at = folder.to_string_lossy();
    let shell = |line: &str| {
        // Some ask whether they shall.
        let line = format!("yes | {{ {}; }}", line.replace("$AT", &at));
        let (code, said) = bench.shell(&line)?;
        ensure!(code == 0, "`{line}`: {said}");
        Ok(said)
    };
    bench.waynote(&["place", "write", CANARY])?;
    tools::with_file(bench)?;
    let said = shell("waynote plugin $AT")?;
    shell(plugin.validated)?;
    match client {
        "opencode" => {
            let settings = json!({ "plugin": [plugin.named.replace("$AT", &at)] });
            std::fs::write(bench.project()?.join("opencode.json"), settings.to_string())?;
        }
        "goose" => {
            shell(&format!(
                "mkdir -p ~/.agents/plugins; {}",
                printed(bench, &said)?
            ))?;
            bench.waynote(&["install", client])?;
        }
        _ => drop(shell(printed(bench, &said)?)?),
    }
    let asked = match client {
        "goose" => bench.turn(Turn::New("question-one"))?,
        _ => tools::is_told_once(bench, "question-one")?,
    };
    brings_all(&asked, "the plugin")?;
    let is_there = asked.iter().any(|request| request.contains(SKILL));
    ensure!(is_there, "the plugin: there is no skill");
    let doctor = || -> Result<String> {
        let (_, doctor) = bench.shell(&format!("waynote doctor {client}"))?;
        let mut wrong = doctor.lines().filter(|line| line.starts_with("WRONG"));
        ensure!(
            wrong.all(|line| client == "codex" && line.contains("not trusted")),
            "doctor: {doctor}"
        );
        Ok(doctor)
    };
    if client != "goose" {
        let said = doctor()?;
        let starts = format!("the plugin {} starts /", plugin.named.replace("$AT", &at));
        ensure!(said.contains(&starts), "doctor: {said}");
        loops::ends(bench)?;
        bench.waynote(&["install", client])?;
        let asked = tools::is_told_once(bench, "question-two")?;
        brings_all(&asked, "plugin and install")?;
        let said = doctor()?;
        ensure!(
            said.contains("by the plugin and by `install`"),
            "doctor: {said}"
        );
    }
    bench.waynote(&["uninstall", client])?;
    shell(plugin.removed)?;
    bench.model.answers();
    let after = bench.turn(Turn::New("question-three"))?;
    none_holds(&after, CANARY, "removed")?;
    none_holds(&after, SKILL, "removed")?;
    let mut after = after.iter();
    ensure!(
        after.all(|request| request.offered("note_save").is_none()),
        "removed: the tools are still offered"
    );
    Ok(())
}

/// The command that `waynote plugin` prints for a client.
fn printed<'s>(bench: &Bench, said: &'s str) -> Result<&'s str> {
    let head = format!("next: {}: ", bench.agent.title);
    let line = said.lines().find_map(|line| line.strip_prefix(&head));
    let line = line.with_context(|| format!("no `{head}` in {said}"))?;
    Ok(line.split(", ").next().unwrap_or(line))
}

/// Each request has the block once and offers each tool once.
fn brings_all(requests: &[Request], when: &str) -> Result<()> {
    each_once(requests, CANARY, when)?;
    for request in requests {
        let mut tools: Vec<_> = request.tools.iter().map(|(name, _)| name).collect();
        tools.retain(|name| name.ends_with("note_save"));
        ensure!(tools.len() == 1, "{when}: offered is {tools:?}");
    }
    Ok(())
}
