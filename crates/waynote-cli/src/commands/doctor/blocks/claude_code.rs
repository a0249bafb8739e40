//! Claude Code: settings of the user, the project and the organization; the state of each directory.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Check, NAME, Reach, Source, TOOLS, covers_a_tool};
use crate::clients::change::is_our_program;

impl Check<'_> {
    pub(super) fn claude_code(&mut self) {
        let managed = match cfg!(target_os = "macos") {
            true => PathBuf::from("/Library/Application Support/ClaudeCode"),
            false => PathBuf::from("/etc/claude-code"),
        };
        let managed_settings = Source::read(&managed.join("managed-settings.json"));
        let own = [".claude/settings.local.json", ".claude/settings.json"];
        let files = self.of_project(&own).chain(self.user.get(1).cloned());
        let mut settings = Source::all(files.collect::<Vec<_>>());
        if let Some(file) = &managed_settings {
            self.managed_hooks_only(file, "allowManagedHooksOnly");
        }
        settings.extend(managed_settings);
        for file in &settings {
            self.claude_settings(file);
        }
        let state = self.user.first().and_then(|path| Source::read(path));
        let folders = self.folders.clone();
        for folder in &folders {
            let Some(file) = &state else {
                break;
            };
            let folder = folder.to_string_lossy().into_owned();
            let path = ["projects", &folder, "disabledMcpServers"];
            if file.texts(&path).contains(&NAME) {
                let place = file.place(&path);
                self.wrong(
                    "the server is switched off in this directory",
                    &place,
                    "switch it on in `/mcp`, or take `waynote` out of that list",
                );
            }
        }
        if let Some(file) = Source::read(&managed.join("managed-mcp.json"))
            && file.at(&["mcpServers", NAME]).is_null()
        {
            let place = file.place(&["mcpServers"]);
            self.wrong(
                "only servers of the organization are started",
                &place,
                "ask whoever manages that file to add waynote",
            );
        }
        let allow = settings
            .iter()
            .flat_map(|file| file.texts(&["permissions", "allow"]));
        let is_allowed = allow.into_iter().any(covers_a_tool);
        let bypassed = settings
            .iter()
            .any(|file| file.at(&["permissions", "defaultMode"]) == &json!("bypassPermissions"));
        if !is_allowed && !bypassed {
            self.findings.note(
                format!(
                    "{}: without a person to ask (`claude -p`) it refuses waynote's tools: no rule in `permissions.allow` names them",
                    self.title
                ),
                format!("`waynote loop --with claude-code` allows them for its runs; elsewhere add `--allowedTools {TOOLS}`, or \"{TOOLS}\" to `permissions.allow`"),
            );
        }
    }

    fn claude_settings(&mut self, file: &Source) {
        let off = file.at(&["disableAllHooks"]);
        if !matches!(off, Value::Null | Value::Bool(false)) && off != "false" {
            let place = file.place(&["disableAllHooks"]);
            self.wrong(
                "all hooks are switched off, so no session begins with the notes",
                &place,
                "take it out, or set it to false",
            );
        }
        let path = ["disabledMcpjsonServers"];
        if self.reach == Reach::Project && file.texts(&path).contains(&NAME) {
            let place = file.place(&path);
            self.wrong(
                "the server of .mcp.json was refused",
                &place,
                "take `waynote` out of that list, and approve it when Claude Code asks",
            );
        }
        let names = |list: &Value| {
            let list = list.as_array().into_iter().flatten();
            list.filter_map(|entry| entry["serverName"].as_str().map(str::to_owned))
                .collect::<Vec<_>>()
        };
        if names(file.at(&["deniedMcpServers"]))
            .iter()
            .any(|name| name == NAME)
        {
            let place = file.place(&["deniedMcpServers"]);
            self.wrong(
                "the server is denied",
                &place,
                "take `waynote` out of that list",
            );
        }
        let allowed = file.at(&["allowedMcpServers"]);
        let by_command = |entry: &Value| {
            let program = entry["serverCommand"][0].as_str();
            program.is_some_and(is_our_program)
        };
        if let Some(list) = allowed.as_array()
            && !names(allowed).iter().any(|name| name == NAME)
            && !list.iter().any(by_command)
        {
            let place = file.place(&["allowedMcpServers"]);
            self.wrong(
                "only servers of a list are started, and waynote is not on it",
                &place,
                "add {\"serverName\": \"waynote\"} to it",
            );
        }
        for (list, what, is_wrong) in [
            ("deny", "a rule denies waynote's tools", true),
            (
                "ask",
                "a rule has every call of waynote's tools confirmed, which nobody does in a loop",
                false,
            ),
        ] {
            let path = ["permissions", list];
            for rule in file
                .texts(&path)
                .into_iter()
                .filter(|rule| covers_a_tool(rule))
            {
                let place = file.place(&path);
                let next = format!("take \"{rule}\" out of it");
                match is_wrong {
                    true => self.wrong(what, &place, &next),
                    false => self.note(what, &place, &next),
                }
            }
        }
        let path = ["mcpServers", NAME, "alwaysLoad"];
        if file.at(&path) == &json!(false) {
            let place = file.place(&path);
            self.note(
                "the model sees the names of waynote's tools alone until it searches for them",
                &place,
                "set it to true",
            );
        }
    }
}
