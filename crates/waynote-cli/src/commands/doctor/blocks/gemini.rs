//! Gemini CLI: its settings of the system, the user and the project; servers and directories that were switched off.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{Check, NAME, Reach, Source};
use crate::clients::json::is_ours;
use crate::error::Outcome;
use crate::home;

impl Check<'_> {
    pub(super) fn gemini(&mut self) -> Outcome {
        let system = match home::variable("GEMINI_CLI_SYSTEM_SETTINGS_PATH")? {
            Some(path) => PathBuf::from(path),
            None if cfg!(target_os = "macos") => {
                "/Library/Application Support/GeminiCli/settings.json".into()
            }
            None => "/etc/gemini-cli/settings.json".into(),
        };
        let user = self.user.first().cloned();
        let files = self.of_project(&[".gemini/settings.json"]);
        let files: Vec<PathBuf> = files.chain(user.clone()).chain([system]).collect();
        let mut trusts = false;
        let mut is_guarded = true;
        for file in Source::all(files) {
            if file.at(&["hooksConfig", "enabled"]) == &json!(false) {
                let place = file.place(&["hooksConfig", "enabled"]);
                self.wrong(
                    "hooks are switched off, so no session gets the notes",
                    &place,
                    "take it out, or set it to true",
                );
            }
            let disabled = file.texts(&["hooksConfig", "disabled"]);
            if disabled.iter().any(|hook| *hook == NAME || is_ours(hook)) {
                let place = file.place(&["hooksConfig", "disabled"]);
                self.wrong(
                    "waynote's hooks are switched off",
                    &place,
                    "`/hooks enable waynote`, or take it out of that list",
                );
            }
            if file.texts(&["mcp", "excluded"]).contains(&NAME) {
                let place = file.place(&["mcp", "excluded"]);
                self.wrong(
                    "the server is excluded",
                    &place,
                    "take `waynote` out of that list",
                );
            }
            if file.at(&["mcp", "allowed"]).is_array()
                && !file.texts(&["mcp", "allowed"]).contains(&NAME)
            {
                let place = file.place(&["mcp", "allowed"]);
                self.wrong(
                    "only servers of a list are started, and waynote is not on it",
                    &place,
                    "add \"waynote\" to it",
                );
            }
            self.tool_lists(&file, &["mcpServers", NAME], "includeTools", "excludeTools");
            let excluded = file.texts(&["tools", "exclude"]);
            let ours: Vec<&str> = excluded
                .into_iter()
                .filter(|tool| tool.contains("mcp_waynote"))
                .collect();
            if !ours.is_empty() {
                let place = file.place(&["tools", "exclude"]);
                self.wrong(
                    "tools are excluded",
                    &place,
                    &format!("take {} out of it", ours.join(", ")),
                );
            }
            trusts |= file.at(&["mcpServers", NAME, "trust"]) == &json!(true);
            is_guarded &= file.at(&["security", "folderTrust", "enabled"]) != &json!(false);
        }
        let folder = user.as_deref().and_then(Path::parent).map(Path::to_owned);
        let state = folder
            .as_ref()
            .and_then(|folder| Source::read(&folder.join("mcp-server-enablement.json")));
        if let Some(file) = state {
            self.switched_off(&file, &[NAME, "enabled"]);
        }
        if !trusts {
            self.findings.note(
                format!("{}: without a person to ask (`gemini -p`) it refuses waynote's tools: nothing allows them", self.title),
                "`waynote loop --with gemini` allows them for its runs; elsewhere set `\"trust\": true` in the entry `mcpServers.waynote`",
            );
        }
        if is_guarded {
            self.folder_trust(folder.as_deref())?;
        }
        Ok(())
    }

    /// In a directory that is not trusted, Gemini CLI starts no server and runs no hook of the project.
    fn folder_trust(&mut self, folder: Option<&Path>) -> Outcome {
        let path = match home::variable("GEMINI_CLI_TRUSTED_FOLDERS_PATH")? {
            Some(path) => Some(PathBuf::from(path)),
            None => folder.map(|folder| folder.join("trustedFolders.json")),
        };
        let known = path.and_then(|path| Source::read(&path));
        let Some(here) = self.folders.first().cloned() else {
            return Ok(());
        };
        // The nearest directory that has a rule decides.
        let rule = known.as_ref().and_then(|file| {
            here.ancestors().find_map(|folder| {
                let folder = folder.to_str()?;
                let rule = file.at(&[folder]).as_str()?;
                Some((rule.to_owned(), file.place(&[folder])))
            })
        });
        match rule {
            Some((rule, place)) if rule == "DO_NOT_TRUST" => self.wrong(
                "this directory is not trusted: no server is started here",
                &place,
                "trust it with `/permissions`",
            ),
            Some(_) => {}
            None if self.reach == Reach::Project => self.findings.note(
                format!(
                    "{}: this directory is not trusted yet: its files are not read",
                    self.title
                ),
                "start Gemini CLI here and trust the directory",
            ),
            None => {}
        }
        Ok(())
    }
}
