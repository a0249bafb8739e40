//! Repositories that name programs, fetch, block or lie. A program that runs leaves a mark.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Instant;

use super::*;

const LIMIT: Duration = Duration::from_secs(60);

/// Every kind of question that waynote asks.
const ASKED: [&[&str]; 11] = [
    &["rev-parse", "--verify", "-q", "HEAD"],
    &["for-each-ref", "--format=%(refname) %(objectname)"],
    &["worktree", "list", "--porcelain"],
    &["ls-files", "-z"],
    &["ls-files", "-z", "--stage"],
    &["ls-files", "-z", "--", "file.x"],
    &["ls-files", "--others", "--exclude-standard", "-z", "--"],
    &[
        "grep",
        "-q",
        "-I",
        "-w",
        "-F",
        "--no-recurse-submodules",
        "-e",
        "y",
        "--",
        ".",
    ],
    &[
        "diff-index",
        "--cached",
        "-M",
        "-l400",
        "--name-status",
        "-z",
        "HEAD~1",
        "--",
    ],
    &["cat-file", "blob", "HEAD:file.x"],
    &["cat-file", "blob", "HEAD~1:gone.x"],
];

struct Hostile {
    _folder: tempfile::TempDir,
    tree: PathBuf,
    mark: PathBuf,
    trap: String,
}

fn git(folder: &Path, words: &[&str]) -> bool {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@example.org"])
        .args([
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
        ]);
    let output = git.args(words).current_dir(folder).output().unwrap();
    output.status.success()
}

impl Hostile {
    /// A repository in which every setting that names a program names one that leaves a mark.
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().canonicalize().unwrap().join("tree");
        let mark = tree.with_file_name("ran");
        std::fs::create_dir(&tree).unwrap();
        assert!(git(&tree, &["init", "-q"]));
        for (name, text) in [
            ("file.x", "one"),
            ("gone.x", "gone before"),
            ("file.y", "y"),
        ] {
            std::fs::write(tree.join(name), text).unwrap();
        }
        assert!(git(&tree, &["add", "."]) && git(&tree, &["commit", "-qm", "first"]));
        assert!(
            git(&tree, &["mv", "gone.x", "there.x"]) && git(&tree, &["commit", "-qm", "second"])
        );
        let trap = tree.join(".git/trap");
        let script = format!("#!/bin/sh\ntouch '{}'\nexit 1\n", mark.display());
        std::fs::write(&trap, script).unwrap();
        std::fs::set_permissions(&trap, PermissionsExt::from_mode(0o755)).unwrap();
        let trap = trap.to_str().unwrap().to_owned();
        for name in [
            "core.fsmonitor",
            "core.sshCommand",
            "core.pager",
            "core.editor",
            "core.askPass",
            "core.gitProxy",
            "core.alternateRefsCommand",
            "diff.external",
            "diff.x.textconv",
            "diff.x.command",
            "filter.x.clean",
            "filter.x.smudge",
            "filter.y.process",
            "merge.x.driver",
            "credential.helper",
            "gpg.program",
            "gpg.ssh.program",
            "submodule.sub.update",
            "alias.ls-files",
            "uploadpack.packObjectsHook",
        ] {
            assert!(git(&tree, &["config", name, &trap]), "{name}");
        }
        assert!(git(&tree, &["config", "log.showSignature", "true"]));
        assert!(git(&tree, &["config", "core.hooksPath", ".git"]));
        std::fs::copy(&trap, tree.join(".git/post-index-change")).unwrap();
        std::fs::create_dir_all(tree.join(".git/info")).unwrap();
        std::fs::write(tree.join(".git/info/attributes"), "*.x filter=x diff=x\n").unwrap();
        std::fs::write(tree.join(".gitattributes"), "*.y filter=y diff=x\n").unwrap();
        std::fs::write(tree.join("file.x"), "two").unwrap();
        let _ = std::fs::remove_file(&mark);
        Self {
            _folder: folder,
            tree,
            mark,
            trap,
        }
    }

    fn git(&self) -> Git<'_> {
        Git::new(&self.tree, LIMIT, 1 << 20)
    }

    /// True if something ran since the last look.
    fn has_run(&self) -> bool {
        std::fs::remove_file(&self.mark).is_ok()
    }

    /// Takes a blob away, and names a remote that would have it.
    fn lacks(&self, blob: &str, url: &str) {
        let blob = self.git().ask(&["rev-parse", blob]).unwrap();
        let blob = String::from_utf8(blob).unwrap();
        let (folder, file) = blob.trim().split_at(2);
        std::fs::remove_file(self.tree.join(".git/objects").join(folder).join(file)).unwrap();
        for (name, value) in [
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialCloneFilter", "blob:none"),
            ("remote.origin.url", url),
            ("remote.origin.uploadPack", &self.trap),
            ("protocol.allow", "always"),
            ("protocol.ext.allow", "always"),
            ("protocol.file.allow", "always"),
            ("protocol.ssh.allow", "always"),
        ] {
            assert!(git(&self.tree, &["config", name, value]), "{name}");
        }
    }
}

#[test]
fn no_question_runs_what_a_repository_names() {
    let hostile = Hostile::new();
    for question in ASKED {
        hostile.git().ask(question).unwrap();
        assert!(!hostile.has_run(), "{question:?}");
    }
    // They are traps.
    git(&hostile.tree, &["config", "--unset", "alias.status"]);
    let status = Command::new("git")
        .arg("status")
        .current_dir(&hostile.tree)
        .output();
    status.unwrap();
    assert!(hostile.has_run());
}

#[test]
fn a_blob_that_is_missing_is_not_fetched() {
    let hostile = Hostile::new();
    let trap = &hostile.trap;
    for (index, url) in [
        format!("ext::{trap}"),
        "/nowhere".into(),
        "ssh://nowhere.invalid/x".into(),
    ]
    .iter()
    .enumerate()
    {
        match index {
            0 => hostile.lacks("HEAD:file.x", url),
            _ => assert!(git(&hostile.tree, &["config", "remote.origin.url", url])),
        }
        for question in ASKED {
            let _ = hostile.git().ask(question);
            assert!(!hostile.has_run(), "{question:?} {url}");
        }
        let missing = hostile.git().ask(&["cat-file", "blob", "HEAD:file.x"]);
        assert!(
            matches!(missing, Err(GitError::Refused { .. })),
            "{missing:?}"
        );
        let asked = Command::new("git")
            .args(["cat-file", "blob", "HEAD:file.x"])
            .current_dir(&hostile.tree)
            .output();
        asked.unwrap();
        assert!(hostile.has_run(), "no trap: {url}");
    }
}

#[test]
fn a_bare_repository_in_a_tree_is_none() {
    let hostile = Hostile::new();
    let bare = hostile.tree.join("docs");
    std::fs::rename(hostile.tree.join(".git"), &bare).unwrap();
    for tree in [bare.as_path(), &bare.join("refs"), &hostile.tree] {
        let asked = Git::new(tree, LIMIT, 1 << 20).ask(&["ls-files", "-z"]);
        assert!(matches!(asked, Err(GitError::Refused { .. })), "{asked:?}");
        assert!(!hostile.has_run());
    }
}

#[test]
fn a_tree_is_where_it_is_asked_for() {
    let hostile = Hostile::new();
    let elsewhere = hostile.mark.with_file_name("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("secret"), "").unwrap();
    assert!(git(
        &hostile.tree,
        &["config", "core.worktree", elsewhere.to_str().unwrap()]
    ));
    let others = ["ls-files", "--others", "--exclude-standard", "-z"];
    assert_eq!(
        names(&hostile.git().ask(&others).unwrap()),
        [".gitattributes"]
    );
    // One above it is not asked.
    let below = hostile.tree.join("below");
    std::fs::create_dir(&below).unwrap();
    let asked = Git::new(&below, LIMIT, 1 << 20).ask(&["ls-files"]);
    assert!(matches!(asked, Err(GitError::Refused { .. })), "{asked:?}");
}

#[test]
fn a_pipe_in_the_place_of_a_file_costs_the_limit() {
    let hostile = Hostile::new();
    for name in ["packed-refs", "index", "info/exclude", "config"] {
        let path = hostile.tree.join(".git").join(name);
        let kept = std::fs::read(&path).ok();
        let _ = std::fs::remove_file(&path);
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        let git = Git::new(&hostile.tree, Duration::from_millis(200), 1 << 20);
        let begin = Instant::now();
        let _ = git.ask(&["ls-files", "-z", "--others", "--exclude-standard"]);
        let _ = git.ask(&["rev-parse", "--verify", "-q", "HEAD"]);
        assert!(begin.elapsed() < LIMIT, "{name}");
        std::fs::remove_file(&path).unwrap();
        if let Some(kept) = kept {
            std::fs::write(&path, kept).unwrap();
        }
    }
    assert!(git_pipe_is_late(&hostile));
}

fn git_pipe_is_late(hostile: &Hostile) -> bool {
    let path = hostile.tree.join(".git/config");
    std::fs::remove_file(&path).unwrap();
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    let git = Git::new(&hostile.tree, Duration::from_millis(50), 1 << 20);
    matches!(git.ask(&["ls-files"]), Err(GitError::Late(_)))
}

#[test]
fn an_answer_has_a_limit_and_a_refusal_its_reason() {
    let hostile = Hostile::new();
    let short = Git::new(&hostile.tree, LIMIT, 10).ask(&["ls-files", "--stage"]);
    assert!(matches!(short, Err(GitError::Long(10))), "{short:?}");
    let refused = hostile.git().ask(&["cat-file", "blob", "HEAD:none"]);
    let said = refused.unwrap_err().to_string();
    assert_eq!(said, "git: path 'none' does not exist in 'HEAD'");
    let nothing = hostile
        .git()
        .ask(&["grep", "-q", "-F", "-e", "nowhere", "--", "."]);
    assert!(matches!(
        nothing,
        Err(GitError::Refused { code: Some(1), .. })
    ));
}

/// git is started here and nowhere else.
#[test]
fn this_file_alone_starts_git() {
    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, name) = (
                entry.path(),
                entry.file_name().into_string().unwrap_or_default(),
            );
            if path.is_dir() {
                if !matches!(name.as_str(), "tests" | "target" | "waynote-testing") {
                    sources(&path, found);
                }
            } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && name != "traps.rs" {
                found.push(path);
            }
        }
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut files, mut callers) = (Vec::new(), Vec::new());
    sources(crates, &mut files);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        // Unit tests come last in a file.
        let product = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        if product.contains("new(\"git\")")
            || product.contains("\"git \"")
            || product.contains("/git\"")
        {
            callers.push(file.strip_prefix(crates).unwrap().display().to_string());
        }
    }
    callers.sort();
    assert_eq!(callers, ["waynote-system/src/git.rs"]);
}
