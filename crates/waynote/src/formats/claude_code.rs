//! Claude Code's files: `CLAUDE.md` of a directory and of the user, rules, and what it noted by itself about a project.

use std::path::Path;

use super::texts::{Read, key, markdown_below};
use crate::address::Address;
use crate::error::Result;
use crate::place::Place;

/// The author of what is imported from here.
pub const AUTHOR: &str = "import:claude-code";

/// Reads what applies in a directory. Its files become keyed notes of its place, and the user's own those of home:
///
/// - `CLAUDE.md`: `claude-md`; `.claude/CLAUDE.md`: `dot-claude-md`; `CLAUDE.local.md`: `claude-local-md`
/// - `.claude/rules/NAME.md`: `claude-rule-NAME`
/// - `configuration/CLAUDE.md`: `claude-md` of home
/// - `configuration/projects/PROJECT/memory/`: `memory` (its `MEMORY.md`) and `memory-NAME`
///
/// `configuration` is the user's folder of Claude Code, `~/.claude` as a rule.
///
/// # Errors
/// [`crate::Error::File`] when a folder cannot be read.
pub fn read(directory: &Path, place: &Place, configuration: &Path) -> Result<Read> {
    let mut read = Read::default();
    let note = |name: &str| Ok::<_, crate::Error>(Address::PlaceKey(place.clone(), key(name)?));
    for (file, name) in [
        ("CLAUDE.md", "claude-md"),
        (".claude/CLAUDE.md", "dot-claude-md"),
        ("CLAUDE.local.md", "claude-local-md"),
    ] {
        // At home, this is the user's own, which is read below.
        let path = directory.join(file);
        if path != configuration.join("CLAUDE.md") {
            read.push_file(&path, note(name)?);
        }
    }
    let rules = directory.join(".claude/rules");
    for path in below(&rules)? {
        read.push_file(
            &path,
            note(&format!("claude-rule-{}", name_of(&path, &rules)))?,
        );
    }
    let home = Address::PlaceKey(Place::home(), "claude-md".parse()?);
    read.push_file(&configuration.join("CLAUDE.md"), home);
    let memory = configuration
        .join("projects")
        .join(project(directory))
        .join("memory");
    for path in below(&memory)? {
        let name = name_of(&path, &memory);
        let name = match name.as_str() {
            "MEMORY" => "memory".into(),
            name => format!("memory-{name}"),
        };
        read.push_file(&path, note(&name)?);
    }
    Ok(read)
}

fn below(folder: &Path) -> Result<Vec<std::path::PathBuf>> {
    if folder.is_dir() {
        Ok(markdown_below(folder)?.into_iter().collect())
    } else {
        Ok(Vec::new())
    }
}

fn name_of(path: &Path, folder: &Path) -> String {
    let name = path.strip_prefix(folder).unwrap_or(path).with_extension("");
    name.to_string_lossy().into_owned()
}

/// The name under which Claude Code files a project: its path, every character but letters and digits a dash.
fn project(directory: &Path) -> String {
    directory
        .to_string_lossy()
        .chars()
        .map(|char| {
            if char.is_ascii_alphanumeric() {
                char
            } else {
                '-'
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_are_filed_by_their_path() {
        assert_eq!(
            project(Path::new("/home/u/my_shop.api")),
            "-home-u-my-shop-api"
        );
    }
}
