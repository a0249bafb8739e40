//! `waynote plugin`: writes the folder that agents' clients install as a plugin. `waynote-clients` makes its files.

use std::path::Path;

use serde_json::json;
use waynote::text::plural;
use waynote::visible::visible;
use waynote_clients::{InstallScope, Plugin, Target};

use super::config::absolute;
use super::install::named_target;
use crate::error::Outcome;
use crate::invocation::Context;
use crate::variables::machine;

pub(super) fn run(context: &mut Context<'_>, folder: &Path) -> Outcome {
    let folder = absolute(&folder.to_string_lossy())?;
    let folder = Path::new(&folder);
    let target = named_target(&context.settings, Target::default(), InstallScope::User)?;
    let plugin = Plugin::new(machine(), &target)?;
    plugin.write(folder)?;
    let next = Plugin::next_steps(folder);
    if context.output.json {
        let files: Vec<&str> = plugin.files().map(|(path, _)| path).collect();
        return context.value(&json!({ "folder": folder, "files": files, "next": next }));
    }
    let files = plural(plugin.files().count() as u64, "file");
    context.line(format!(
        "wrote {files} to {}",
        visible(&folder.display().to_string())
    ))?;
    for step in next {
        context.line(format!("next: {}", visible(&step)))?;
    }
    Ok(())
}
