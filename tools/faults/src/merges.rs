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
const CHANGES: [&str; 9] = [
    "edit", "edit", "insert", "mend", "strike", "delete", "move", "confirm", "pin",
];

/// Conflicts that git may have about one note: a sentence against a sentence, two notes that two people wrote under one
/// name, a new text or name against a deletion, two new names.
const OF_ONE_NOTE: [&str; 5] = [
    "content",
    "add/add",
    "modify/delete",
    "rename/delete",
    "rename/rename",
];

pub(crate) fn run(setup: &Setup) -> Result<Vec<Row>> {
    let mut row = Row::new("histories of five clones that share notes");
    let template = tempfile::tempdir()?;
    let mut init = Command::new("git");
    init.args(["init", "-q", "--template="])
        .arg(template.path());
    if !init.status().is_ok_and(|done| done.success()) {
        return Ok(vec![Row::skipped(row.what, "there is no git")]);
    }
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let histories = at_once(2, 0..setup.count(1000, 20), |trial| {
        let mut team = Team::new(setup, trial, template.path())?;
        team.live().with_context(|| format!("history {trial}"))?;
        Ok::<_, anyhow::Error>((trial, team))
    });
    for history in histories {
        let (trial, team) = history?;
        row.trials += 1;
        if let Some(first) = team.faults.first() {
            row.fail(format!("history {trial}: {first}"));
        }
        for (what, count) in team.counts {
            *counts.entry(what).or_default() += count;
        }
    }
    let counts = counts.iter().map(|(what, count)| format!("{what} {count}"));
    row.says = counts.collect::<Vec<_>>().join(", ");
    Ok(vec![row])
}

/// Sentences, each by the word that is in no other.
type Sentences = BTreeSet<String>;

struct Team {
    folder: tempfile::TempDir,
    random: Random,
    /// True if notes move from folder to folder. By default, git then takes a folder that is gone for one that has another
    /// name, and moves notes that others add to it: docs/teams.md says how not to.
    moves_far: bool,
    /// The folders of the clones, each with a commit checked out.
    clones: Vec<PathBuf>,
    /// The commit that the team has agreed on, and those of branches that someone left.
    main: String,
    branches: Vec<String>,
    /// The commits that can be picked or reverted.
    commits: Vec<String>,
    /// The sentences of each commit, how many there have been, and those that a person has struck.
    known: BTreeMap<String, Sentences>,
    written: usize,
    struck: Sentences,
    /// The names under which a note was written, and those under which another one was written later.
    names: BTreeSet<String>,
    again: BTreeSet<String>,
    faults: Vec<String>,
    counts: BTreeMap<String, u64>,
}

impl Team {
    fn new(setup: &Setup, trial: u64, template: &Path) -> Result<Self> {
        let folder = setup.quick()?;
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("objects"))?;
        copy_folder(&template.join(".git"), &at("hub"))?;
        fs::write(at("hub/config"), "[core]\nbare = true\n")?;
        let mut team = Self {
            random: Random::of(setup.seed ^ 0x6e72_6765, trial),
            moves_far: trial.is_multiple_of(2),
            clones: (0..CLONES).map(|who| at(&format!("clone{who}"))).collect(),
            main: String::new(),
            branches: Vec::new(),
            commits: Vec::new(),
            known: BTreeMap::new(),
            written: 0,
            struck: Sentences::new(),
            names: BTreeSet::new(),
            again: BTreeSet::new(),
            faults: Vec::new(),
            counts: BTreeMap::new(),
            folder,
        };
        for clone in &team.clones {
            copy_folder(template, clone)?;
        }
        (0..6).try_for_each(|_| team.add(0))?;
        team.main = team.commit(0)?;
        (0..CLONES).try_for_each(|who| team.switch(who, &team.main.clone()))?;
        Ok(team)
    }

    fn live(&mut self) -> Result<()> {
        for _ in 0..ROUNDS {
            for who in 0..CLONES {
                for _ in 0..1 + self.random.below(3) {
                    self.change(who)?;
                }
                let commit = self.commit(who)?;
                if self.random.one_in(6) {
                    self.branches.push(commit);
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
            self.merge(who, &self.main.clone())?;
            self.main = head(&self.clones[who])?;
        }
        while let Some(branch) = self.branches.pop() {
            self.merge(CLONES - 1, &branch)?;
        }
        // The last clone has everything.
        let written: Sentences = self.known.values().flatten().cloned().collect();
        let there = sentences(&files(&self.clones[CLONES - 1])?);
        self.ensure_kept(&written, &there, "in the end");
        Ok(())
    }

    /// A person brings the work of a clone and the team's together, in one of git's ways.
    fn integrate(&mut self, who: usize) -> Result<()> {
        let (main, mine) = (self.main.clone(), head(&self.clones[who])?);
        let commit = self.random.pick(&self.commits[1..]).clone();
        let ancestor = ["merge-base", "--is-ancestor", &commit, "HEAD"];
        let is_mine = self.git(&self.clones[who], &ancestor)?.0;
        let way = self.random.below(6);
        match way {
            0 => drop(self.carry_out(who, "rebase", &[&main], &main)?),
            1 => {
                self.switch(who, &main)?;
                self.carry_out(who, "merge", &["--squash", &mine], &mine)?;
                self.commit(who)?;
            }
            // A commit that the branch has is not picked again: if it moved a note, and another note has the old name
            // since, git 2.47 deletes that one without a conflict.
            2 if !is_mine => {
                let words = ["--allow-empty", "--keep-redundant-commits", &commit];
                self.carry_out(who, "cherry-pick", &words, &mine)?;
            }
            3 if is_mine => {
                self.carry_out(who, "revert", &["--no-commit", &commit], &mine)?;
                self.commit(who)?;
            }
            _ => {}
        }
        if way > 1 {
            self.merge(who, &main)?;
        }
        self.main = head(&self.clones[who])?;
        Ok(())
    }

    /// Merges a commit in a bare repository and in a clone: both come to the same.
    fn merge(&mut self, who: usize, other: &str) -> Result<()> {
        let mine = head(&self.clones[who])?;
        let words = ["merge-tree", "--write-tree", "--messages", &mine, other];
        let (is_clean, said) = self.git(&self.folder.path().join("hub"), &words)?;
        let has_conflict = self.carry_out(who, "merge", &["--no-edit", other], other)?;
        let (_, tree) = self.git(&self.clones[who], &["rev-parse", "HEAD^{tree}"])?;
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
        let root = self.clones[who].clone();
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
            let next: &[&str] = match how {
                "rebase" => &["rebase", "--continue"],
                _ => &["commit", "--allow-empty", "-m", "resolved"],
            };
            (is_done, said) = self.git(&root, next)?;
        }
        let there = sentences(&files(&root)?);
        if how == "revert" {
            let reverted = words.last().and_then(|commit| self.known.get(*commit));
            let gone = reverted.into_iter().flat_map(|of| of.difference(&there));
            self.struck.extend(gone.cloned());
        }
        self.ensure_kept(&wanted, &there, &format!("by {how} {words:?}: {said}"));
        // After a squash or a revert, that is still the commit before.
        self.known.entry(head(&root)?).or_insert(there);
        self.look(who, 0)?;
        Ok(has_conflict)
    }

    fn ensure_kept(&mut self, wanted: &Sentences, there: &Sentences, when: &str) {
        let gone = wanted
            .difference(there)
            .filter(|of| !self.struck.contains(*of));
        let gone: Vec<&String> = gone.collect();
        if !gone.is_empty() {
            let gone = format!("{gone:?} gone {when}");
            self.fault(gone);
        }
    }

    /// Every conflict is one of a note, in its text; and a file with its marks is named.
    fn look_at_conflict(&mut self, who: usize, said: &str) -> Result<()> {
        let conflicts = said
            .lines()
            .filter_map(|line| line.strip_prefix("CONFLICT ("));
        for line in conflicts {
            let kind = line.split(')').next().unwrap_or_default();
            self.count(&format!("conflict {kind}"));
            if !OF_ONE_NOTE.contains(&kind) {
                self.fault(format!("a conflict of two notes: {line}"));
            }
        }
        let mut torn = 0;
        for (path, text) in files(&self.clones[who])? {
            let (head, body) = parts(&text);
            // Without a common base, git compares whole files.
            let is_whole = said.contains(&format!("(add/add): Merge conflict in {path}"));
            if head.contains("<<<<<<< ") && !is_whole {
                self.count("conflict in a front matter");
                // Another person wrote a note under the same name, or someone took fields back.
                let is_new = words(&text, '¶')
                    .iter()
                    .any(|name| self.again.contains(name));
                if !is_new && !self.counts.contains_key("revert") {
                    self.fault(format!("a conflict in the front matter of {path}: {text}"));
                }
            }
            torn += usize::from(head.contains("<<<<<<< ") || body.contains("<<<<<<< "));
        }
        self.look(who, torn)
    }

    /// Each file is a note as it stands, or named; so many have a conflict's marks.
    fn look(&mut self, who: usize, torn: usize) -> Result<()> {
        let notes = self.notes(who)?;
        let mut read = BTreeMap::new();
        for note in notes.all() {
            let file = notes.file_of(&note.address)?.to_string_lossy().into_owned();
            read.insert(file, note.content.to_string());
        }
        let left_out = notes.left_out();
        for (path, text) in files(&self.clones[who])? {
            let is_named = left_out.iter().any(|(file, _)| *file == path);
            let body = parts(&text).1.trim_matches('\n');
            let is_read = read.get(&path).is_some_and(|of| of == body);
            if is_read == is_named {
                self.fault(format!("{path} is not read as it stands: {text}"));
            }
            if words(&text, '¶').len() > 1 {
                self.fault(format!("two notes in {path}: {text}"));
            }
        }
        let named = left_out
            .iter()
            .filter(|(_, reason)| reason.contains("is a conflict marker"));
        if named.count() != torn {
            self.fault(format!("{torn} files with marks, {left_out:?}"));
        }
        Ok(())
    }

    /// A person resolves each conflict: one side, the other, or both, and each sentence once. Of a note that is in two
    /// files, one is deleted: git 2.47 can lose a change of the other when it merges a move to the first.
    fn resolve(&mut self, root: &Path) -> Result<()> {
        let (before, mut notes) = (files(root)?, BTreeSet::new());
        for (path, text) in &before {
            let (mut side, mut choice, mut resolved) = (0, 0, String::new());
            let mut kept = Sentences::new();
            for line in text.split_inclusive('\n') {
                match line.get(..7) {
                    Some("<<<<<<<") => (side, choice) = (1, 1 + self.random.below(3)),
                    Some("=======") => side = 2,
                    Some(">>>>>>>") => side = 0,
                    _ if side != 0 && side & choice == 0 => {}
                    _ if words(line, '§').into_iter().all(|of| kept.insert(of)) => {
                        resolved.push_str(line);
                    }
                    _ => {}
                }
            }
            let mut names = words(text, '¶').into_iter();
            if names.any(|name| !notes.insert(name)) {
                fs::remove_file(root.join(path))?;
            } else if resolved != *text {
                fs::write(root.join(path), resolved)?;
            }
        }
        self.struck
            .extend(&sentences(&before) - &sentences(&files(root)?));
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
        let path = self.clones[who].join(notes.file_of(&note.address)?);
        let text = fs::read_to_string(&path)?;
        let lines: Vec<&str> = text.lines().filter(|line| line.contains('§')).collect();
        if lines.is_empty() {
            return self.add(who);
        }
        let line = *self.random.pick(&lines);
        let new = self.sentence();
        let change = *self.random.pick(&CHANGES);
        self.count(change);
        let new = match change {
            "edit" => text.replacen(line, &new, 1),
            "mend" => text.replace("teh", "the"),
            "strike" => text.replacen(&format!("{line}\n"), "", 1),
            "delete" => String::new(),
            "move" => {
                let name = format!("moved{}.md", self.written);
                let far = self.clones[who]
                    .join(".waynote")
                    .join(self.random.pick(&FOLDERS));
                let near = path.parent().context("no folder")?.to_owned();
                let folder = if self.moves_far { far } else { near };
                fs::create_dir_all(&folder)?;
                return Ok(fs::rename(path, folder.join(name))?);
            }
            "confirm" | "pin" if change == "pin" || !note.cites.is_empty() => {
                // Two people find the same code.
                let cites = [cited("the-code-as-it-is")];
                let (pinned, cites) = match change {
                    "pin" => (Some(true), None),
                    _ => (None, Some(&cites[..])),
                };
                let file = notes.file_with(&note.address, &note.content, pinned, cites)?;
                return Ok(notes.put(&file)?);
            }
            _ => text.replacen(line, &format!("{line}\n{new}"), 1),
        };
        let mut struck = &words(&text, '§') - &words(&new, '§');
        if change == "edit" || change == "strike" {
            // Where a sentence stands twice, another branch may take the other one.
            struck.extend(words(line, '§'));
        }
        self.struck.extend(struck);
        match new.is_empty() {
            true => fs::remove_file(path)?,
            false => fs::write(path, new)?,
        }
        Ok(())
    }

    fn add(&mut self, who: usize) -> Result<()> {
        let notes = self.notes(who)?;
        let (folder, key) = (self.random.pick(&FOLDERS), self.random.pick(&KEYS));
        let address: Address = format!("repo:a/shop//{folder}{key}").parse()?;
        if self.clones[who].join(notes.file_of(&address)?).exists() {
            return Ok(());
        }
        let name = format!("¶{address}");
        if !self.names.insert(name.clone()) {
            self.again.insert(name);
        }
        let lines = (0..3 + self.random.below(5)).map(|_| self.sentence());
        let lines = lines.collect::<Vec<_>>().join("\n");
        let text = Content::text(format!("# ¶{address}\n\n{lines}"))?;
        let cites = self.random.one_in(2).then(|| cited("the-code-as-it-was"));
        let file = notes.file_with(&address, &text, None, Some(cites.as_slice()))?;
        Ok(notes.put(&file)?)
    }

    fn sentence(&mut self) -> String {
        self.written += 1;
        format!("§{} says teh {:x}", self.written, self.random.number())
    }

    fn commit(&mut self, who: usize) -> Result<String> {
        let root = self.clones[who].clone();
        self.look(who, 0)?;
        self.git(&root, &["add", "-A"])?;
        let message = format!("change {}", self.commits.len());
        let (is_done, said) = self.git(&root, &["commit", "--allow-empty", "-m", &message])?;
        ensure!(is_done, "git commit: {said}");
        let made = head(&root)?;
        self.known.insert(made.clone(), sentences(&files(&root)?));
        self.commits.push(made.clone());
        Ok(made)
    }

    fn switch(&mut self, who: usize, to: &str) -> Result<()> {
        let (is_done, said) = self.git(&self.clones[who], &["checkout", "-q", "--detach", to])?;
        ensure!(is_done, "git checkout: {said}");
        self.look(who, 0)
    }

    fn notes(&self, who: usize) -> Result<SharedNotes> {
        let root: Place = "~/shop".parse()?;
        let (name, also) = ("repo:a/shop".parse()?, Vec::new());
        let checkout = Checkout { root, name, also };
        Ok(SharedNotes::new(self.clones[who].clone(), &checkout))
    }

    /// Runs git, with the objects that all clones have: true if it succeeds, and what it says.
    fn git(&self, at: &Path, words: &[&str]) -> Result<(bool, String)> {
        let config = "[gc]\nauto = 0\n[core]\nfsync = none\neditor = true\n[user]\nname = Alice\n\
                      email = alice@example.org\n";
        let directories = if self.moves_far {
            "[merge]\ndirectoryRenames = false\n"
        } else {
            ""
        };
        let file = self.folder.path().join("config");
        if !file.exists() {
            fs::write(&file, format!("{config}{directories}"))?;
        }
        let mut git = Command::new("git");
        git.args(words).current_dir(at).env_remove("GIT_DIR");
        git.env("GIT_OBJECT_DIRECTORY", self.folder.path().join("objects"));
        git.env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", file);
        for time in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
            git.env(time, "1700000000 +0000");
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

/// The files of shared notes in a clone, by their paths.
fn files(root: &Path) -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
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

/// The front matter and the text of a file.
fn parts(file: &str) -> (&str, &str) {
    let rest = file.strip_prefix("---\n");
    rest.and_then(|rest| rest.split_once("\n---\n"))
        .unwrap_or(("", file))
}

/// The words that begin with a mark.
fn words(text: &str, mark: char) -> Sentences {
    let words = text.split_whitespace().map(str::to_owned);
    words.filter(|word| word.starts_with(mark)).collect()
}

fn sentences(files: &BTreeMap<String, String>) -> Sentences {
    files.values().flat_map(|text| words(text, '§')).collect()
}
