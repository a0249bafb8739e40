//! Linked git worktrees: finds the same directory in the main checkout.
//!
//! A worktree comes and goes with a branch, and its notes would be lost with it. So a linked worktree also gets the
//! notes of its main checkout. This module reads the few files with which git links the two; it does not run git.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// A longer file is not one of git's links.
const LINK_BYTES: u64 = 8192;

/// The directory of the main checkout that corresponds to `directory` (absolute) in its linked worktree. A repository
/// that is bare has no main checkout: its folder takes the place. None in a main checkout, in a submodule, outside git,
/// or if anything cannot be read.
///
/// The files of a worktree may come from anywhere, for example from an archive, so they are not trusted. The main
/// checkout's own git folder has to know the worktree: the link must lead to exactly `COMMON/worktrees/NAME`, and that
/// folder must lead back to this worktree. All paths are compared after following symbolic links.
pub fn main_checkout(directory: &Path) -> Option<PathBuf> {
    let root = directory
        .ancestors()
        .find(|root| fs::symlink_metadata(root.join(".git")).is_ok())?;
    let link = root.join(".git");
    // Through a symbolic link, the file could be that of another worktree.
    if !fs::symlink_metadata(&link).ok()?.is_file() {
        return None;
    }
    let git_folder = fs::canonicalize(named_in(&link, "gitdir:")?).ok()?;
    let named_common = named_in(&git_folder.join("commondir"), "")?;
    let common = fs::canonicalize(&named_common).ok()?;
    if git_folder.parent()? != common.join("worktrees") || !common.join("HEAD").is_file() {
        return None;
    }
    let back = named_in(&git_folder.join("gitdir"), "")?;
    let leads_back = back.file_name()? == ".git"
        && fs::canonicalize(back.parent()?).ok()? == fs::canonicalize(root).ok()?;
    if !leads_back {
        return None;
    }
    // Notes are found by the name of their directory, so the name in the link is preferred to its real path.
    let named = [normalized(&named_common), common.clone()]
        .into_iter()
        .find(|named| {
            let is_common = || fs::canonicalize(named).is_ok_and(|real| real == common);
            named.file_name().is_some_and(|name| name == ".git") && is_common()
        });
    let main = match &named {
        Some(named) => named.parent()?.to_owned(),
        None => of_submodule(&common).unwrap_or(common),
    };
    let inside = directory.strip_prefix(root).ok()?;
    Some(normalized(&main.join(inside)))
}

/// The checkout of a submodule with this git folder: where its name says, if that leads back.
fn of_submodule(git_folder: &Path) -> Option<PathBuf> {
    let (above, name) = git_folder.to_str()?.split_once("/.git/modules/")?;
    let checkout = Path::new(above).join(name.replace("/modules/", "/"));
    let leads_back = fs::canonicalize(named_in(&checkout.join(".git"), "gitdir:")?).ok()?;
    (leads_back == git_folder).then_some(checkout)
}

/// The path after `prefix` in one of git's small files; relative paths start from the file's folder. The path is
/// normalized by name alone: `..` after a symbolic link may not lead where the operating system would go.
pub fn path_named_in(file: &Path, prefix: &str) -> Option<PathBuf> {
    named_in(file, prefix).map(|named| normalized(&named))
}

/// The same path as it is written, which the operating system would follow.
fn named_in(file: &Path, prefix: &str) -> Option<PathBuf> {
    let what = fs::metadata(file).ok()?;
    if !what.is_file() || what.len() > LINK_BYTES {
        return None;
    }
    let text = fs::read_to_string(file).ok()?;
    let path = text.strip_prefix(prefix)?.trim();
    (!path.is_empty()).then(|| Some(file.parent()?.join(path)))?
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
        fs::write(main.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
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
        // By name alone, because a note outlives its directory.
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

    /// A folder as an archive may contain it: it claims to be a worktree of another project, whose git folder does not
    /// know it.
    #[test]
    fn a_forged_link_leads_nowhere() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let (main, tree) = linked(folder.path());
        let evil = folder.path().join("evil");
        let forge = |git: &str, back: &str, common: &str| {
            let _ = fs::remove_dir_all(&evil);
            fs::create_dir_all(evil.join(git)).unwrap();
            fs::write(evil.join(".git"), format!("gitdir: {git}\n")).unwrap();
            fs::write(evil.join(git).join("gitdir"), format!("{back}\n")).unwrap();
            fs::write(evil.join(git).join("commondir"), format!("{common}\n")).unwrap();
        };
        let there = main.join(".git").display().to_string();
        let own = evil.join(".git").display().to_string();
        // A git folder of its own, which names the other project as common, absolute or relative.
        for git in ["git", "worktrees/tree", "x/.git/worktrees/tree"] {
            for common in [&there, "../../main/.git", "../../../../../main/.git"] {
                for back in [&own, "../.git", "../../.git", "../../../../.git"] {
                    forge(git, back, common);
                    assert_eq!(main_checkout(&evil), None, "{git} {back} {common}");
                }
            }
        }
        // The same, with the other project's folders behind symbolic links.
        forge("git", &own, "../link");
        symlink(main.join(".git"), evil.join("link")).unwrap();
        assert_eq!(main_checkout(&evil), None);
        forge("x/git", &own, &there);
        symlink(main.join(".git/worktrees"), evil.join("worktrees")).unwrap();
        for git in ["worktrees/tree", "worktrees/../../../evil/x/git"] {
            fs::write(evil.join(".git"), format!("gitdir: {git}\n")).unwrap();
            assert_eq!(main_checkout(&evil), None, "{git}");
        }
        // A `.git` that is a symbolic link to a worktree's own file.
        fs::remove_file(evil.join(".git")).unwrap();
        symlink(tree.join(".git"), evil.join(".git")).unwrap();
        assert_eq!(main_checkout(&evil), None);
        assert_eq!(main_checkout(&evil.join("x")), None);
        // A hard link to it.
        fs::remove_file(evil.join(".git")).unwrap();
        fs::hard_link(tree.join(".git"), evil.join(".git")).unwrap();
        assert_eq!(main_checkout(&evil), None);
        // The worktree itself is unchanged, also if it is reached through a symbolic link.
        assert_eq!(main_checkout(&tree), Some(main.clone()));
        symlink(&tree, folder.path().join("same")).unwrap();
        assert_eq!(main_checkout(&folder.path().join("same")), Some(main));
    }

    #[test]
    fn a_removed_project_has_no_main_checkout() {
        let folder = tempfile::tempdir().unwrap();
        let (main, tree) = linked(folder.path());
        fs::rename(&main, folder.path().join("moved")).unwrap();
        assert_eq!(main_checkout(&tree), None);
        fs::create_dir_all(main.join(".git/worktrees")).unwrap();
        assert_eq!(main_checkout(&tree), None);
    }

    #[test]
    fn submodules_have_no_main_checkout_and_bare_repositories_their_folder() {
        let folder = tempfile::tempdir().unwrap();
        let (main, tree) = linked(folder.path());
        let bare = folder.path().join("bare.git");
        fs::rename(main.join(".git"), &bare).unwrap();
        let git = bare.join("worktrees/tree");
        fs::write(tree.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
        assert_eq!(main_checkout(&tree.join("src")), Some(bare.join("src")));
        let modules = main.join(".git/modules/lib");
        fs::create_dir_all(main.join("lib")).unwrap();
        fs::create_dir_all(modules.parent().unwrap()).unwrap();
        fs::rename(&bare, &modules).unwrap();
        let own = modules.join("worktrees/tree");
        fs::write(tree.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        assert_eq!(main_checkout(&tree), Some(modules));
        fs::write(main.join("lib/.git"), "gitdir: ../.git/modules/lib\n").unwrap();
        assert_eq!(main_checkout(&tree), Some(main.join("lib")));
        assert_eq!(main_checkout(&main.join("lib")), None);
        let (main, tree) = linked(&folder.path().join("again"));
        let git = main.join(".git/worktrees/tree");
        fs::write(git.join("commondir"), "../../../bare.git\n").unwrap();
        assert_eq!(main_checkout(&tree), None);
        fs::remove_file(git.join("commondir")).unwrap();
        assert_eq!(main_checkout(&tree), None);
        fs::write(tree.join(".git"), "not a link").unwrap();
        assert_eq!(main_checkout(&tree), None);
    }
}
