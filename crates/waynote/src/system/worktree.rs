//! Linked git worktrees: finds the same directory in the main checkout.
//!
//! A worktree comes and goes with a branch, and its notes would be lost with it. So a linked worktree also gets the
//! notes of its main checkout. This module reads the few files with which git links the two; it does not run git.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// A longer file is not one of git's links.
const LINK_BYTES: u64 = 8192;

/// The directory of the main checkout that corresponds to `directory` (absolute) in its linked worktree. None in a main
/// checkout, in a submodule, in a worktree of a bare repository, outside git, or if anything cannot be read.
///
/// The link must be mutual: a folder that only claims to be a worktree of another project gets none of that project's
/// notes.
pub fn main_checkout(directory: &Path) -> Option<PathBuf> {
    let (root, link) = directory.ancestors().find_map(|root| {
        let link = root.join(".git");
        fs::metadata(&link).is_ok().then_some((root, link))
    })?;
    let git_folder = path_named_in(&link, "gitdir:")?;
    let back = path_named_in(&git_folder.join("gitdir"), "")?;
    if fs::canonicalize(back).ok()? != fs::canonicalize(&link).ok()? {
        return None;
    }
    let common = path_named_in(&git_folder.join("commondir"), "")?;
    if common.file_name()? != ".git" {
        return None;
    }
    let inside = directory.strip_prefix(root).ok()?;
    Some(normalized(&common.parent()?.join(inside)))
}

/// The path after `prefix` in one of git's small files; relative paths start from the file's folder.
pub fn path_named_in(file: &Path, prefix: &str) -> Option<PathBuf> {
    let what = fs::metadata(file).ok()?;
    if !what.is_file() || what.len() > LINK_BYTES {
        return None;
    }
    let text = fs::read_to_string(file).ok()?;
    let path = text.strip_prefix(prefix)?.trim();
    let named = (!path.is_empty()).then(|| file.parent().map(|folder| folder.join(path)))??;
    Some(normalized(&named))
}

/// A path without `.` and `..`, by name alone.
pub fn normalized(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            part => whole.push(part),
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A main checkout and a worktree as git lays them out, without git.
    fn linked(folder: &Path) -> (PathBuf, PathBuf) {
        let (main, tree) = (folder.join("main"), folder.join("tree"));
        let git = main.join(".git/worktrees/tree");
        fs::create_dir_all(&git).unwrap();
        fs::create_dir_all(tree.join("src")).unwrap();
        fs::write(tree.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
        fs::write(git.join("commondir"), "../..\n").unwrap();
        let back = tree.join(".git");
        fs::write(git.join("gitdir"), format!("{}\n", back.display())).unwrap();
        (main, tree)
    }

    #[test]
    fn a_linked_worktree_leads_to_its_main_checkout() {
        let folder = tempfile::tempdir().unwrap();
        let (main, tree) = linked(folder.path());
        assert_eq!(main_checkout(&tree), Some(main.clone()));
        assert_eq!(main_checkout(&tree.join("src")), Some(main.join("src")));
        // By name alone: a note outlives the directory it is about.
        assert_eq!(
            main_checkout(&tree.join("gone/deep")),
            Some(main.join("gone/deep"))
        );
        assert_eq!(main_checkout(&main), None);
        assert_eq!(main_checkout(folder.path()), None);
    }

    #[test]
    fn relative_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (main, tree) = linked(folder.path());
        fs::write(tree.join(".git"), "gitdir: ../main/.git/worktrees/tree\n").unwrap();
        fs::write(
            main.join(".git/worktrees/tree/gitdir"),
            "../../../../tree/.git\n",
        )
        .unwrap();
        assert_eq!(main_checkout(&tree), Some(main));
    }

    #[test]
    fn a_link_that_is_not_mutual_leads_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let (main, _) = linked(folder.path());
        let thief = folder.path().join("thief");
        fs::create_dir_all(&thief).unwrap();
        let git = main.join(".git/worktrees/tree");
        fs::write(thief.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
        assert_eq!(main_checkout(&thief), None);
    }

    #[test]
    fn submodules_and_bare_repositories_have_no_main_checkout() {
        let folder = tempfile::tempdir().unwrap();
        let (main, tree) = linked(folder.path());
        let git = main.join(".git/worktrees/tree");
        fs::write(git.join("commondir"), "../../../bare.git\n").unwrap();
        assert_eq!(main_checkout(&tree), None);
        fs::remove_file(git.join("commondir")).unwrap();
        assert_eq!(main_checkout(&tree), None);
        fs::write(tree.join(".git"), "not a link").unwrap();
        assert_eq!(main_checkout(&tree), None);
    }
}
