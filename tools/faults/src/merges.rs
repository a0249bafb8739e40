//! Shared notes in five clones: whatever people write and git merges, two notes never have a conflict, one of a note is in
//! its text, and each file is read as it stands or named.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use waynote::store::NotesBeside;
use waynote::{Address, Checkout, Citation, Content, Place};
use waynote_formats::SharedNotes;

use super::work::copy_folder;
use super::{Row, Setup};
use kit::at_once::at_once;
use kit::random::Random;

const CLONES: usize = 5;
const ROUNDS: usize = 3;
const FOLDERS: [&str; 4] = ["", "src", "src/pay", "docs"];
const KEYS: [&str; 4] = ["", "#build", "#test", "#release"];

/// Conflicts that git may have about one note.
const OF_ONE_NOTE: [&str; 5] = [
    // A sentence against a sentence.
    "content",
    // Two notes that two people wrote under one name.
    "add/add",
    // A new text, or a new name, against a deletion.
    "modify/delete",
    "rename/delete",
    // Two new names.
    "rename/rename",
];

pub(crate) fn run(setup: &Setup) -> Result<Vec<Row>> {
    let mut row = Row::new("histories of five clones that share notes");
    let template = tempfile::tempdir()?;
    let init = Command::new("git")
        .args(["init", "-q", "--template="])
        .arg(template.path())
        .status();
    if !init.is_ok_and(|done| done.success()) {
        return Ok(vec![Row::skipped(row.what, "there is no git")]);
    }
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for made in at_once(2, 0..setup.count(1000, 20), |trial| {
        let mut team = Team::new(setup, trial, template.path())?;
        team.live().with_context(|| format!("history {trial}"))?;
        Ok::<_, anyhow::Error>((trial, team.faults, team.counts))
    }) {
        let (trial, faults, of) = made?;
        row.trials += 1;
        if let Some(first) = faults.first() {
            row.fail(format!("history {trial}: {first}"));
        }
        for (what, count) in of {
            *counts.entry(what).or_default() += count;
        }
    }
    let counts: Vec<String> = counts
        .iter()
        .map(|(what, count)| format!("{what} {count}"))
        .collect();
    row.says = counts.join(", ");
    Ok(vec![row])
}

/// A clone: its folder, its commit, and the commits of its branches that it left.
struct Member {
    root: PathBuf,
    head: String,
    branches: Vec<String>,
}

struct Team {
    folder: tempfile::TempDir,
    random: Random,
    /// True if notes move from folder to folder. By default, git then takes a folder that is gone for one that has another
    /// name, and moves notes that others add to it: docs/teams.md says how not to.
    moves_far: bool,
    members: Vec<Member>,
    /// The commit that the team has agreed on.
    main: String,
    /// Commits that can be picked or reverted.
    commits: Vec<String>,
    /// The sentences of each commit.
    known: BTreeMap<String, BTreeSet<String>>,
    /// How many sentences there have been.
    sentences: usize,
    /// The sentences that a person has struck.
    struck: BTreeSet<String>,
    faults: Vec<String>,
    counts: BTreeMap<String, u64>,
}

/// The files of shared notes in a clone.
type Files = BTreeMap<String, String>;

impl Team {
    fn new(setup: &Setup, trial: u64, template: &Path) -> Result<Self> {
        let folder = setup.quick()?;
        fs::create_dir(folder.path().join("objects"))?;
        copy_folder(&template.join(".git"), &folder.path().join("hub"))?;
        fs::write(folder.path().join("hub/config"), "[core]\nbare = true\n")?;
        let mut team = Self {
            folder,
            random: Random::of(setup.seed ^ 0x6e72_6765, trial),
            moves_far: trial % 2 == 0,
            members: Vec::new(),
            main: String::new(),
            commits: Vec::new(),
            known: BTreeMap::new(),
            sentences: 0,
            struck: BTreeSet::new(),
            faults: Vec::new(),
            counts: BTreeMap::new(),
        };
        for who in 0..CLONES {
            let root = team.folder.path().join(format!("clone{who}"));
            copy_folder(template, &root)?;
            let (head, branches) = (String::new(), Vec::new());
            team.members.push(Member {
                root,
                head,
                branches,
            });
        }
        for _ in 0..6 {
            team.add(0)?;
        }
        team.commit(0)?;
        team.main.clone_from(&team.members[0].head);
        for who in 0..CLONES {
            team.switch(who, &team.main.clone())?;
        }
        Ok(team)
    }

    fn live(&mut self) -> Result<()> {
        for _ in 0..ROUNDS {
            for who in 0..CLONES {
                for _ in 0..1 + self.random.below(3) {
                    self.change(who)?;
                }
                self.commit(who)?;
                if self.random.one_in(6) {
                    let head = self.members[who].head.clone();
                    self.members[who].branches.push(head);
                    self.switch(who, &self.main.clone())?;
                    self.change(who)?;
                    self.commit(who)?;
                }
            }
            for _ in 0..CLONES {
                let who = self.random.below(CLONES);
                self.integrate(who)?;
            }
        }
        for who in 0..CLONES {
            while let Some(branch) = self.members[who].branches.pop() {
                self.merge(who, &branch)?;
            }
            let main = self.main.clone();
            self.merge(who, &main)?;
            self.main.clone_from(&self.members[who].head);
        }
        // The last clone has everything.
        let there = sentences(&files(&self.members[CLONES - 1].root)?);
        let written = self
            .known
            .values()
            .flatten()
            .filter(|of| !self.struck.contains(*of));
        let gone: BTreeSet<&String> = written.filter(|of| !there.contains(*of)).collect();
        if !gone.is_empty() {
            self.fault(format!("{gone:?} gone in the end"));
        }
        Ok(())
    }

    /// A person brings the work of a clone and the team's together, in one of git's ways.
    fn integrate(&mut self, who: usize) -> Result<()> {
        let (main, head) = (self.main.clone(), self.members[who].head.clone());
        let commit = self.random.pick(&self.commits[1..]).clone();
        match self.random.below(6) {
            0 => drop(self.carry_out(who, "rebase", &[&main], &main)?),
            1 => {
                self.switch(who, &main)?;
                self.carry_out(who, "merge", &["--squash", &head], &head)?;
                self.commit(who)?;
            }
            2 => {
                let words = ["--allow-empty", "--keep-redundant-commits", &commit];
                self.carry_out(who, "cherry-pick", &words, &head)?;
                self.merge(who, &main)?;
            }
            3 => {
                let is_mine = ["merge-base", "--is-ancestor", &commit, "HEAD"];
                if self.git(&self.members[who].root, &is_mine)?.0 {
                    self.carry_out(who, "revert", &["--no-commit", &commit], &head)?;
                    self.commit(who)?;
                }
                self.merge(who, &main)?;
            }
            _ => self.merge(who, &main)?,
        }
        self.main.clone_from(&self.members[who].head);
        Ok(())
    }

    /// Merges a commit in a bare repository and in a clone: both come to the same.
    fn merge(&mut self, who: usize, other: &str) -> Result<()> {
        let head = self.members[who].head.clone();
        let words = ["merge-tree", "--write-tree", "--messages", &head, other];
        let (is_clean, said) = self.git(&self.folder.path().join("hub"), &words)?;
        let has_conflict = self.carry_out(who, "merge", &["--no-edit", other], other)?;
        let tree = self
            .git(&self.members[who].root, &["rev-parse", "HEAD^{tree}"])?
            .1;
        let is_same = !is_clean || said.lines().next() == Some(tree.trim());
        if is_clean == has_conflict || !is_same {
            self.fault(format!(
                "a bare repository merges to something else: {said}"
            ));
        }
        Ok(())
    }

    /// Runs a command of git in a clone, whose conflicts a person resolves. Whatever the clone and the other commit have is
    /// there afterwards, but for what was struck. Returns whether there was a conflict.
    fn carry_out(&mut self, who: usize, how: &str, words: &[&str], other: &str) -> Result<bool> {
        let root = self.members[who].root.clone();
        let mut wanted = sentences(&files(&root)?);
        wanted.extend(self.known[other].iter().cloned());
        let (mut is_done, mut said) = self.git(&root, &[&[how], words].concat())?;
        let has_conflict = !is_done;
        self.count(how);
        while !is_done {
            ensure!(said.contains("CONFLICT ("), "git {how} {words:?}: {said}");
            self.look_at_conflict(who, &said)?;
            self.resolve(&root)?;
            self.look(who, 0)?;
            self.git(&root, &["add", "-A"])?;
            (is_done, said) = match how {
                "rebase" => self.git(&root, &["rebase", "--continue"])?,
                _ => self.git(&root, &["commit", "--allow-empty", "-m", "resolved"])?,
            };
        }
        self.members[who].head = head(&root)?;
        let there = sentences(&files(&root)?);
        if how == "revert" {
            let reverted = words.last().and_then(|commit| self.known.get(*commit));
            self.struck.extend(
                reverted
                    .into_iter()
                    .flatten()
                    .filter(|of| !there.contains(*of))
                    .cloned(),
            );
        }
        let gone: Vec<&String> = wanted
            .difference(&there)
            .filter(|of| !self.struck.contains(*of))
            .collect();
        if !gone.is_empty() {
            let gone = format!("{gone:?} gone by {how} {words:?} in clone {who}: {said}");
            self.fault(gone);
        }
        self.known.insert(self.members[who].head.clone(), there);
        self.look(who, 0)?;
        Ok(has_conflict)
    }

    /// What git calls a conflict is one of a note, in its text; and a file with its marks is named.
    fn look_at_conflict(&mut self, who: usize, said: &str) -> Result<()> {
        for line in said
            .lines()
            .filter_map(|line| line.strip_prefix("CONFLICT ("))
        {
            let kind = line.split(')').next().unwrap_or_default();
            self.count(&format!("conflict {kind}"));
            if !OF_ONE_NOTE.contains(&kind) {
                self.fault(format!("a conflict of two notes: {line}"));
            }
        }
        let mut torn = 0;
        for (path, text) in files(&self.members[who].root)? {
            let Some(first) = text.find("<<<<<<< ") else {
                continue;
            };
            torn += 1;
            let has_front = text.starts_with("---\n");
            let is_in_text = !has_front || text.find("\n---\n").is_some_and(|end| end < first);
            // Without a common base, git compares whole files.
            if !is_in_text && !said.contains(&format!("(add/add): Merge conflict in {path}")) {
                self.fault(format!("a conflict in the front matter of {path}: {text}"));
            }
        }
        self.look(who, torn)
    }

    /// Each file is a note as it stands, or named; so many have a conflict's marks.
    fn look(&mut self, who: usize, torn: usize) -> Result<()> {
        let notes = self.notes(who)?;
        let mut read = BTreeMap::new();
        for note in notes.all() {
            read.insert(notes.file_of(&note.address)?, note.content.to_string());
        }
        let left_out = notes.left_out();
        for (path, text) in files(&self.members[who].root)? {
            let body = match text
                .strip_prefix("---\n")
                .and_then(|rest| rest.split_once("\n---\n"))
            {
                Some((_, body)) => body,
                None => &text,
            };
            let is_named = left_out.iter().any(|of| of.file == path);
            let is_read = read
                .get(Path::new(&path))
                .is_some_and(|of| of == body.trim_matches('\n'));
            if is_read == is_named {
                self.fault(format!("{path} is not read as it stands: {text}"));
            }
            if words(&text, '¶').len() > 1 {
                self.fault(format!("two notes in {path}: {text}"));
            }
        }
        let markers = left_out
            .iter()
            .filter(|of| of.reason.ends_with("a conflict marker"))
            .count();
        if markers != torn {
            self.fault(format!("{torn} files with marks, {left_out:?}"));
        }
        Ok(())
    }

    /// A person resolves each conflict: one side, the other, or both.
    fn resolve(&mut self, root: &Path) -> Result<()> {
        let before = files(root)?;
        for (path, text) in &before {
            if !text.contains("<<<<<<< ") {
                continue;
            }
            let (mut side, mut choice, mut resolved) = (0, 0, String::new());
            for line in text.split_inclusive('\n') {
                match line.get(..7) {
                    Some("<<<<<<<") => (side, choice) = (1, 1 + self.random.below(3)),
                    Some("=======") => side = 2,
                    Some(">>>>>>>") => side = 0,
                    _ if side == 0 || side & choice != 0 => resolved.push_str(line),
                    _ => {}
                }
            }
            fs::write(root.join(path), resolved)?;
        }
        let after = sentences(&files(root)?);
        self.struck
            .extend(sentences(&before).difference(&after).cloned());
        Ok(())
    }

    /// Someone changes a note, with waynote or in an editor.
    fn change(&mut self, who: usize) -> Result<()> {
        let notes = self.notes(who)?;
        let all = notes.all();
        if all.is_empty() || self.random.one_in(5) {
            return self.add(who);
        }
        let note = self.random.pick(&all);
        let path = self.members[who].root.join(notes.file_of(&note.address)?);
        let text = fs::read_to_string(&path)?;
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let own: Vec<usize> = (0..lines.len())
            .filter(|at| lines[*at].contains('§'))
            .collect();
        let at = if own.is_empty() {
            lines.len()
        } else {
            *self.random.pick(&own)
        };
        let action = self.random.below(9);
        self.count(
            [
                "edit", "edit", "add", "mend", "strike", "delete", "move", "confirm", "pin",
            ][action],
        );
        match action {
            0 | 1 if at < lines.len() => lines[at] = self.sentence(),
            3 => lines
                .iter_mut()
                .for_each(|line| *line = line.replace("teh", "the")),
            4 if at < lines.len() => drop(lines.remove(at)),
            5 => lines.clear(),
            6 => {
                self.sentences += 1;
                let name = format!("moved{}.md", self.sentences);
                let folder = self.members[who]
                    .root
                    .join(".waynote")
                    .join(self.random.pick(&FOLDERS));
                let to = match self.moves_far {
                    true => folder.join(name),
                    false => path.with_file_name(name),
                };
                fs::create_dir_all(to.parent().context("no folder")?)?;
                return Ok(fs::rename(path, to)?);
            }
            7 if note.cites.is_empty() => {}
            7 => {
                // Two people find the same code.
                let cites = [cited("the-code-as-it-is")];
                notes.write(&note.address, &note.content, None, Some(&cites))?;
                return Ok(());
            }
            8 => {
                notes.write(&note.address, &note.content, Some(true), None)?;
                return Ok(());
            }
            _ => lines.insert(at, self.sentence()),
        }
        let new = lines
            .iter()
            .fold(String::new(), |text, line| text + line + "\n");
        let is_kept = |of: &&String| !new.split_whitespace().any(|word| word == of.as_str());
        self.struck
            .extend(words(&text, '§').iter().filter(is_kept).cloned());
        match lines.is_empty() {
            true => fs::remove_file(path)?,
            false => fs::write(path, new)?,
        }
        Ok(())
    }

    fn add(&mut self, who: usize) -> Result<()> {
        let notes = self.notes(who)?;
        let (folder, key) = (self.random.pick(&FOLDERS), self.random.pick(&KEYS));
        let address: Address = format!("repo:a/shop//{folder}{key}").parse()?;
        if self.members[who]
            .root
            .join(notes.file_of(&address)?)
            .exists()
        {
            return Ok(());
        }
        let lines = (0..3 + self.random.below(5)).map(|_| self.sentence());
        let text = format!("# ¶{address}\n\n{}", lines.collect::<Vec<_>>().join("\n"));
        let cites = self.random.one_in(2).then(|| cited("the-code-as-it-was"));
        notes.write(
            &address,
            &Content::text(text)?,
            None,
            Some(cites.as_slice()),
        )?;
        Ok(())
    }

    /// A new sentence, which is known by its number.
    fn sentence(&mut self) -> String {
        self.sentences += 1;
        format!("§{} says teh {:x}", self.sentences, self.random.number())
    }

    fn commit(&mut self, who: usize) -> Result<()> {
        let root = self.members[who].root.clone();
        self.look(who, 0)?;
        self.git(&root, &["add", "-A"])?;
        let message = format!("change {}", self.commits.len());
        let (is_done, said) =
            self.git(&root, &["commit", "--allow-empty", "-q", "-m", &message])?;
        ensure!(is_done, "git commit: {said}");
        let head: String = head(&root)?;
        self.known.insert(head.clone(), sentences(&files(&root)?));
        self.commits.push(head.clone());
        self.members[who].head = head;
        Ok(())
    }

    fn switch(&mut self, who: usize, to: &str) -> Result<()> {
        let root = self.members[who].root.clone();
        let (is_done, said) = self.git(&root, &["checkout", "-q", "--detach", to])?;
        ensure!(is_done, "git checkout: {said}");
        self.members[who].head = to.into();
        self.look(who, 0)
    }

    fn notes(&self, who: usize) -> Result<SharedNotes> {
        let root: Place = "~/shop".parse()?;
        let (name, also) = ("repo:a/shop".parse()?, Vec::new());
        Ok(SharedNotes::new(
            self.members[who].root.clone(),
            &Checkout { root, name, also },
        ))
    }

    /// Runs git, with the objects that all clones have: true if it succeeds, and what it says.
    fn git(&self, at: &Path, words: &[&str]) -> Result<(bool, String)> {
        let mut git = Command::new("git");
        git.args([
            "-c",
            "gc.auto=0",
            "-c",
            "core.fsync=none",
            "-c",
            "core.editor=true",
        ]);
        git.args(
            self.moves_far
                .then_some(["-c", "merge.directoryRenames=false"])
                .iter()
                .flatten(),
        );
        git.args(words).current_dir(at).env_remove("GIT_DIR");
        git.env("GIT_OBJECT_DIRECTORY", self.folder.path().join("objects"));
        git.env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        for whose in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{whose}_NAME"), "Alice");
            git.env(format!("GIT_{whose}_EMAIL"), "alice@example.org");
            git.env(format!("GIT_{whose}_DATE"), "1700000000 +0000");
        }
        let output = git.output()?;
        let said = [output.stdout, output.stderr].concat();
        Ok((
            output.status.success(),
            String::from_utf8_lossy(&said).into_owned(),
        ))
    }

    fn count(&mut self, what: &str) {
        *self.counts.entry(what.to_owned()).or_default() += 1;
    }

    fn fault(&mut self, what: String) {
        self.faults.push(what);
    }
}

fn cited(said: &str) -> Citation {
    let mut cited = Citation::new("src/pay.rs:40-60");
    cited.said = Some(said.into());
    cited
}

/// The commit that is checked out.
fn head(root: &Path) -> Result<String> {
    let git = root.join(".git");
    let head = fs::read_to_string(git.join("HEAD"))?;
    let commit = match head.strip_prefix("ref: ") {
        Some(branch) => fs::read_to_string(git.join(branch.trim()))?,
        None => head,
    };
    Ok(commit.trim().to_owned())
}

/// The files in `.waynote/`, by their paths in the clone.
fn files(root: &Path) -> Result<Files> {
    let mut files = Files::new();
    let mut open = vec![root.join(".waynote")];
    while let Some(folder) = open.pop().filter(|folder| folder.exists()) {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root)?.to_string_lossy().into_owned();
                files.insert(name, fs::read_to_string(path)?);
            }
        }
    }
    Ok(files)
}

/// The words that begin with a mark.
fn words(text: &str, mark: char) -> BTreeSet<String> {
    let words = text
        .split_whitespace()
        .filter(|word| word.starts_with(mark));
    words.map(str::to_owned).collect()
}

fn sentences(files: &Files) -> BTreeSet<String> {
    files.values().flat_map(|text| words(text, '§')).collect()
}
