//! The checkouts whose shared notes a person trusts: in one small file of the person's state folder, by the real path
//! of the checkout and by its git folder. A copy elsewhere, and another repository in its place, are not the same.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use waynote::{Checkout, Error};

use super::glob;
use crate::environment::{Environment, Result};
use crate::{plain, variables};

/// The longest file that is read.
const BYTES: u64 = 1 << 20;

/// A checkout as it is trusted: inode, device and time of birth of its git folder, and its real path.
type Identity = (String, String);

impl Environment {
    /// True if a person trusts the notes in a checkout, or its real path fits one of the patterns. Inside a linked
    /// worktree that its repository knows, the main checkout counts too.
    pub fn trusts(&self, checkout: &Checkout, patterns: &[String]) -> bool {
        let Ok(root) = self.expanded(checkout.root.as_str()) else {
            return false;
        };
        let main = waynote_files::worktree::main_checkout(&root);
        let known = self.trusted().unwrap_or_default();
        let is_trusted = |(of, path): Identity| {
            known.lines().any(|line| line == format!("{of}\t{path}"))
                || patterns.iter().any(|pattern| self.fits(pattern, &path))
        };
        let roots = std::iter::once(root).chain(main);
        roots
            .filter_map(|root| checkout_identity(&root))
            .any(is_trusted)
    }

    /// Trusts the notes in a checkout from now on, or no longer. False if that was so before. Inside a linked worktree,
    /// it is the main checkout.
    ///
    /// # Errors
    /// [`EnvironmentError::Library`](crate::EnvironmentError::Library) with [`Error::File`], if the checkout is not
    /// there, or the file cannot be written;
    /// [`EnvironmentError::NoHome`](crate::EnvironmentError::NoHome) and the other errors of [`home`](Self::home)
    /// without a state folder.
    pub fn trust(&self, checkout: &Checkout, is_so: bool) -> Result<bool> {
        let root = self.expanded(checkout.root.as_str())?;
        let main = waynote_files::worktree::main_checkout(&root);
        let identity = checkout_identity(main.as_ref().unwrap_or(&root));
        let (of, path) = identity.ok_or_else(|| {
            let gone = std::io::Error::other("it is not there, or its path cannot be kept");
            Error::file(&root, "trusted", gone)
        })?;
        let line = format!("{of}\t{path}");
        let before = self.trusted()?;
        if before.lines().any(|known| known == line) == is_so {
            return Ok(false);
        }
        // What was at this path before is gone.
        let others = before.lines().filter(|known| {
            let known = known.split_once('\t');
            known.is_some_and(|(_, known)| known != path)
        });
        let after = others.chain(is_so.then_some(&*line));
        let after: String = after.map(|line| format!("{line}\n")).collect();
        let file = self.trust_file()?;
        let made = file.parent().map_or(Ok(()), plain::make_private_folder);
        let written =
            made.and_then(|()| waynote_files::replace_private(&file, after.as_bytes(), None));
        written.map_err(|error| Error::file(&file, "written", error))?;
        Ok(true)
    }

    fn trust_file(&self) -> Result<PathBuf> {
        let state = self.folder(variables::STATE_FOLDER, ".local/state")?;
        Ok(state.join("waynote/trusted"))
    }

    /// What was written; nothing from a file that another user could have written.
    fn trusted(&self) -> Result<String> {
        let bytes = plain::read_own(&self.trust_file()?, BYTES);
        Ok(String::from_utf8(bytes.unwrap_or_default()).unwrap_or_default())
    }

    /// True if a real path fits a pattern: `~` is home, and links in the part that exists are followed.
    fn fits(&self, pattern: &str, path: &str) -> bool {
        let pattern = self.expanded(pattern).ok();
        pattern.as_deref().and_then(Path::to_str).is_some_and(|of| {
            let real = waynote_files::real(of);
            glob::matches(real.as_deref().unwrap_or(of), path)
        })
    }
}

/// A folder's device, inode and time of birth. An inode is used again.
pub(super) fn identity(folder: &Metadata) -> String {
    let born = folder.created().unwrap_or(SystemTime::UNIX_EPOCH);
    let since = born.duration_since(SystemTime::UNIX_EPOCH);
    let nanos = since.unwrap_or_default().as_nanos();
    format!("{}.{}.{nanos}", folder.dev(), folder.ino())
}

/// The identity of a checkout. A `.git` that is a file may name the folder of another repository, so the checkout's own
/// folder stands for it then, as it does outside of git.
fn checkout_identity(root: &Path) -> Option<Identity> {
    let real = fs::canonicalize(root).ok()?;
    let git = fs::symlink_metadata(real.join(".git")).ok();
    let of = match git.filter(Metadata::is_dir) {
        Some(git) => git,
        None => fs::metadata(&real).ok()?,
    };
    let path = real.into_os_string().into_string().ok()?;
    (!path.contains(char::is_control)).then_some((identity(&of), path))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use waynote::Place;

    use super::*;

    /// A home, in which checkouts are made and trusted.
    struct Machine(tempfile::TempDir);

    impl Machine {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn path(&self, path: &str) -> PathBuf {
            self.0.path().canonicalize().unwrap().join(path)
        }

        fn environment(&self) -> Environment {
            Environment::new([("HOME".into(), self.path("").into())])
        }

        fn checkout(&self, path: &str) {
            fs::create_dir_all(self.path(path).join(".git")).unwrap();
            fs::write(self.path(path).join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        }

        fn trust(&self, path: &str, is_so: bool) -> bool {
            self.environment().trust(&of(path), is_so).unwrap()
        }

        fn trusts(&self, path: &str, pattern: &str) -> bool {
            let patterns: Vec<String> = pattern.split_whitespace().map(str::to_owned).collect();
            self.environment().trusts(&of(path), &patterns)
        }
    }

    fn of(path: &str) -> Checkout {
        let root: Place = format!("~/{path}").parse().unwrap();
        Checkout {
            name: root.clone(),
            root,
            also: Vec::new(),
        }
    }

    #[test]
    fn a_checkout_is_trusted_by_its_path_and_its_git_folder() {
        let machine = Machine::new();
        machine.checkout("shop");
        fs::create_dir_all(machine.path("plain")).unwrap();
        for path in ["shop", "plain"] {
            assert!(!machine.trusts(path, ""), "{path}");
            assert!(machine.trust(path, true), "{path}");
            assert!(!machine.trust(path, true), "{path}");
            assert!(machine.trusts(path, ""), "{path}");
        }
        // Contents that come later are not asked about.
        fs::write(machine.path("shop/.git/config"), "").unwrap();
        assert!(machine.trusts("shop", ""));
        // The file is this person's alone, also for reading.
        let file = machine.path(".local/state/waynote/trusted");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        assert_eq!(
            fs::metadata(file.parent().unwrap()).unwrap().mode() & 0o777,
            0o700
        );
        // A folder that was moved, and another one in its place.
        fs::rename(machine.path("shop"), machine.path("moved")).unwrap();
        assert!(!machine.trusts("moved", ""));
        machine.checkout("shop");
        assert!(!machine.trusts("shop", ""));
        assert!(machine.trust("shop", true));
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
        // By a link it is the same.
        symlink(machine.path("shop"), machine.path("link")).unwrap();
        assert!(machine.trusts("link", ""));
        assert!(machine.trust("shop", false));
        assert!(!machine.trusts("shop", "") && machine.trusts("plain", ""));
        assert!(!machine.trust("shop", false));
        assert!(machine.environment().trust(&of("gone"), true).is_err());
        fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        assert!(!machine.trusts("plain", ""));
    }

    #[test]
    fn a_worktree_is_trusted_if_its_repository_knows_it() {
        let machine = Machine::new();
        machine.checkout("shop");
        let link = |tree: &str, knows: bool| {
            let git = machine.path("shop/.git/worktrees").join(tree);
            let tree = machine.path(tree);
            fs::create_dir_all(&git).unwrap();
            fs::create_dir_all(&tree).unwrap();
            fs::write(tree.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
            fs::write(git.join("commondir"), "../..\n").unwrap();
            let back = if knows { tree } else { machine.path("other") };
            fs::write(git.join("gitdir"), format!("{}/.git\n", back.display())).unwrap();
        };
        link("fix", true);
        link("forged", false);
        // An archive may bring a link to a git folder that is trusted.
        fs::create_dir_all(machine.path("linked")).unwrap();
        symlink(machine.path("shop/.git"), machine.path("linked/.git")).unwrap();
        assert!(machine.trust("fix", true));
        let trusted = ["shop", "fix", "forged", "linked"].map(|of| machine.trusts(of, ""));
        assert_eq!(trusted, [true, true, false, false]);
        let by_pattern = ["shop", "fix", "forged"].map(|of| machine.trusts(of, "~/sho*"));
        assert_eq!(by_pattern, [true, true, false]);
    }

    #[test]
    fn patterns_are_of_real_paths() {
        let machine = Machine::new();
        machine.checkout("disk/work/shop");
        machine.checkout("elsewhere");
        symlink(machine.path("disk/work"), machine.path("work")).unwrap();
        symlink(machine.path("elsewhere"), machine.path("disk/work/link")).unwrap();
        for (path, pattern, fits) in [
            ("work/shop", "~/work/*", true),
            ("disk/work/shop", "~/work/*", true),
            ("disk/work/shop", "~/work/shop", true),
            ("disk/work/shop", "~/wor*", false),
            ("disk/work/shop", "~/**", true),
            ("disk/work/shop", "~/disk/*", false),
            ("disk/work/shop", "work/*", false),
            ("disk/work/shop", "~/none/*", false),
            // A link that is made inside leads out.
            ("work/link", "~/work/*", false),
        ] {
            assert_eq!(machine.trusts(path, pattern), fits, "{path} {pattern}");
        }
    }
}
