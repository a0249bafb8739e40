//! opencode: its configuration of the user and of the project, and the package that it fetches for plugins.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Check, NAME, Reach, Source};
use crate::clients::shell::quoted;
use crate::error::Outcome;
use crate::home;

impl Check<'_> {
    pub(super) fn opencode(&mut self) -> Outcome {
        let user = self
            .user
            .first()
            .and_then(|path| path.parent())
            .map(Path::to_owned);
        let names = [
            "opencode.json",
            "opencode.jsonc",
            ".opencode/opencode.json",
            ".opencode/opencode.jsonc",
        ];
        let of_user = user.iter().flat_map(|folder| {
            ["opencode.json", "opencode.jsonc", "config.json"].map(|name| folder.join(name))
        });
        let named = home::variable("OPENCODE_CONFIG")?.map(PathBuf::from);
        let files: Vec<PathBuf> = self
            .of_project(&names)
            .chain(of_user)
            .chain(named)
            .collect();
        for file in Source::all(files) {
            self.switched_off(&file, &["mcp", NAME, "enabled"]);
            for tool in members(file.at(&["tools"]))
                .filter(|(name, on)| is_ours(name) && *on == &json!(false))
            {
                let place = file.place(&["tools", tool.0]);
                self.wrong(
                    "tools are switched off",
                    &place,
                    "take it out, or set it to true",
                );
            }
            if let Some(action @ ("deny" | "ask")) = file.at(&["permission"]).as_str() {
                let place = file.place(&["permission"]);
                self.permission(action, &place);
            }
            for (name, action) in
                members(file.at(&["permission"])).filter(|(name, _)| is_ours(name))
            {
                if let Some(action @ ("deny" | "ask")) = action.as_str() {
                    let place = file.place(&["permission", name]);
                    self.permission(action, &place);
                }
            }
        }
        if home::variable("OPENCODE_PURE")?.is_some() {
            self.wrong(
                "no plugin is loaded, so no session gets the notes",
                "OPENCODE_PURE is set",
                "unset it",
            );
        }
        // Where there is a plugin, opencode waits for a package that it fetches into that folder.
        let folder = match self.reach {
            Reach::User => user,
            Reach::Project => self.folders.first().map(|folder| folder.join(".opencode")),
        };
        const PACKAGE: &str = "@opencode-ai/plugin";
        let lock = folder
            .as_ref()
            .and_then(|folder| Source::read(&folder.join("package-lock.json")));
        let is_there = lock.is_some_and(|lock| {
            !lock
                .at(&["packages", "", "dependencies", PACKAGE])
                .is_null()
        });
        if let Some(folder) =
            folder.filter(|folder| !is_there || !folder.join("node_modules").exists())
        {
            self.findings.note(
                format!(
                    "{}: it has not fetched {PACKAGE} into {} yet, which it does once for plugins: without its registry a start waits 75 seconds for it",
                    self.title,
                    folder.display()
                ),
                format!("start opencode once with a network, or `npm install --prefix {} {PACKAGE}`", quoted(&folder.to_string_lossy())),
            );
        }
        Ok(())
    }

    fn permission(&mut self, action: &str, place: &str) {
        match action {
            "deny" => self.wrong(
                "waynote's tools are denied",
                place,
                "set it to \"allow\", or add `\"waynote_*\": \"allow\"` below it",
            ),
            _ => self.note(
                "every call of waynote's tools is confirmed, which nobody does in `opencode run`",
                place,
                "add `\"waynote_*\": \"allow\"` below it",
            ),
        }
    }
}

/// Whether a pattern of opencode's is about tools of ours.
fn is_ours(pattern: &str) -> bool {
    pattern.starts_with("waynote") || pattern == "*"
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = value.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.as_str(), value))
}
