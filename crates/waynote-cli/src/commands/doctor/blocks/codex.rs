//! Codex: its configuration of the user and of the project, and what an organization requires.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{Check, NAME, Source};

impl Check<'_> {
    pub(super) fn codex(&mut self) {
        let config = self.user.first().cloned();
        let files = self.of_project(&[".codex/config.toml"]).chain(config);
        for file in Source::all(files.collect::<Vec<_>>()) {
            for name in ["hooks", "codex_hooks"] {
                if file.at(&["features", name]) == &json!(false) {
                    let place = file.place(&["features", name]);
                    self.wrong(
                        "hooks are switched off, so no session begins with the notes",
                        &place,
                        "take it out, or set it to true",
                    );
                }
            }
            self.switched_off(&file, &["mcp_servers", NAME, "enabled"]);
            self.tool_lists(
                &file,
                &["mcp_servers", NAME],
                "enabled_tools",
                "disabled_tools",
            );
            let path = ["mcp_servers", NAME, "default_tools_approval_mode"];
            let mode = file.at(&path).as_str();
            if mode.is_some_and(|mode| mode != "approve") {
                let place = file.place(&path);
                self.note(
                    "every call of waynote's tools is confirmed, which nobody does in `codex exec`",
                    &place,
                    "set it to \"approve\"; `waynote loop --with codex` does so for its runs",
                );
            }
            let states = file.at(&["hooks", "state"]).as_object();
            let hooks = self.user.get(1).cloned().into_iter();
            let hooks: Vec<PathBuf> = hooks
                .chain(self.of_project(&[".codex/hooks.json"]))
                .collect();
            for (key, state) in states.into_iter().flatten() {
                let is_ours = hooks
                    .iter()
                    .any(|path| key.starts_with(&format!("{}:session_start:", path.display())));
                if is_ours && state["enabled"] == json!(false) {
                    let place = file.place(&["hooks", "state", key]);
                    self.wrong("a hook is switched off", &place, "switch it on in `/hooks`");
                }
            }
        }
        let required = Source::read(Path::new("/etc/codex/requirements.toml"));
        if let Some(file) = required {
            self.managed_hooks_only(&file, "allow_managed_hooks_only");
        }
    }
}
