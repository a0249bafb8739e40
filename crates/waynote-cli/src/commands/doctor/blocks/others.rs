//! Goose, Cursor and VS Code, as far as their files tell.

use std::path::PathBuf;

use serde_json::json;

use super::{Check, NAME, Source};
use crate::error::Outcome;
use crate::home;

impl Check<'_> {
    pub(super) fn goose(&mut self) -> Outcome {
        let config = self
            .user
            .iter()
            .find(|path| path.extension().is_some_and(|end| end == "yaml"));
        let file = config.and_then(|path| Source::read(path));
        if let Some(file) = &file {
            self.switched_off(file, &["extensions", NAME, "enabled"]);
            let path = ["extensions", NAME, "available_tools"];
            let tools = file.texts(&path);
            if !tools.is_empty() {
                let place = file.place(&path);
                self.note(
                    &format!("only these tools are offered: {}", tools.join(", ")),
                    &place,
                    "take it out to have all",
                );
            }
        }
        let mode = match home::variable("GOOSE_MODE")? {
            Some(mode) => Some((mode, "GOOSE_MODE in the environment".to_owned())),
            None => file.as_ref().and_then(|file| {
                let mode = file.at(&["GOOSE_MODE"]).as_str()?;
                Some((mode.to_owned(), file.place(&["GOOSE_MODE"])))
            }),
        };
        match mode {
            Some((mode, place)) if mode == "chat" => {
                self.wrong(
                    "in this mode it uses no tools",
                    &place,
                    "set it to \"auto\" or \"smart_approve\"",
                );
            }
            Some((mode, place)) if mode == "approve" => self.note(
                "every call of a tool is confirmed, which nobody does in `goose run`",
                &place,
                "`waynote loop --with goose` says what to set for its runs",
            ),
            _ => {}
        }
        Ok(())
    }

    pub(super) fn cursor(&mut self) -> Outcome {
        let user = self.user.first().cloned();
        let servers: Vec<PathBuf> = self.of_project(&[".cursor/mcp.json"]).chain(user).collect();
        for file in Source::all(servers) {
            let path = ["mcpServers", NAME, "disabled"];
            if file.at(&path) == &json!(true) {
                let place = file.place(&path);
                self.wrong(
                    "the server is switched off",
                    &place,
                    "take it out, or set it to false",
                );
            }
        }
        let settings = PathBuf::from(home::home()?).join(".cursor/cli-config.json");
        let settings: Vec<PathBuf> = self
            .of_project(&[".cursor/cli.json"])
            .chain([settings])
            .collect();
        for file in Source::all(settings) {
            let path = ["permissions", "deny"];
            let denied = file.texts(&path);
            let is_ours =
                |rule: &&&str| rule.starts_with("Mcp(waynote:") || rule.starts_with("Mcp(*");
            for rule in denied.iter().filter(is_ours) {
                let place = file.place(&path);
                self.wrong(
                    "a rule denies waynote's tools",
                    &place,
                    &format!("take \"{rule}\" out of it"),
                );
            }
        }
        Ok(())
    }

    pub(super) fn vscode(&mut self) {
        let user = self.user.first().and_then(|path| path.parent());
        let user = user.map(|folder| folder.join("settings.json"));
        let files: Vec<PathBuf> = self
            .of_project(&[".vscode/settings.json"])
            .chain(user)
            .collect();
        for file in Source::all(files) {
            for (name, off, what) in [
                (
                    "chat.disableAIFeatures",
                    json!(true),
                    "agent mode is switched off",
                ),
                (
                    "chat.agent.enabled",
                    json!(false),
                    "agent mode is switched off",
                ),
                ("chat.mcp.access", json!("none"), "servers are switched off"),
                ("chat.mcp.enabled", json!(false), "servers are switched off"),
                (
                    "chat.useHooks",
                    json!(false),
                    "hooks are switched off, so no session begins with the notes",
                ),
                (
                    "chat.useChatHooks",
                    json!(false),
                    "hooks are switched off, so no session begins with the notes",
                ),
            ] {
                if file.at(&[name]) == &off {
                    let place = file.place(&[name]);
                    self.wrong(what, &place, "take it out");
                }
            }
        }
    }
}
