//! Citations of code over histories that are made up: lines above, moves, renames, new indenting, and real changes.
//! Which spans have changed is worked out from what was done to their lines, not from their texts.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use jiff::Timestamp;
use kit::measure::{below, percent};
use kit::random::Random;
use waynote::cites::{Checkouts, Standing, cite, standing};
use waynote::{Citation, Place};
use waynote_system::Environment;
use waynote_system::checkouts::GitCheckouts;

const REPOSITORIES: usize = 30;
const FILES: usize = 12;
const CITATIONS: usize = 40;
const COMMITS: usize = 6;
const EDITS: usize = 8;

/// A line that knows itself again: a change gives it another number.
#[derive(Clone)]
struct Line {
    number: usize,
    text: String,
}

/// The files of a repository.
struct Tree {
    random: Random,
    lines: usize,
    files: Vec<(String, Vec<Line>)>,
}

impl Tree {
    fn new(seed: u64) -> Self {
        let mut tree = Self {
            random: Random(seed),
            lines: 0,
            files: Vec::new(),
        };
        for file in 0..FILES {
            let ending = ["rs", "py", "ts", "go"][file % 4];
            let functions = (0..6 + tree.random.below(8)).flat_map(|_| tree.function());
            let lines = functions.collect();
            tree.files
                .push((format!("src/part{}/file{file}.{ending}", file % 3), lines));
        }
        tree
    }

    fn line(&mut self, text: String) -> Line {
        self.lines += 1;
        Line {
            number: self.lines,
            text,
        }
    }

    fn word(&mut self) -> String {
        const PARTS: [&str; 16] = [
            "pay", "cart", "rate", "sum", "user", "load", "map", "key", "row", "page", "token",
            "item", "date", "cent", "send", "count",
        ];
        let (one, other) = (self.random.below(16), self.random.below(16));
        format!("{}_{}{}", PARTS[one], PARTS[other], self.random.below(40))
    }

    fn statement(&mut self) -> Line {
        let (one, other, third) = (self.word(), self.word(), self.word());
        let text = match self.random.below(6) {
            0 => format!("    let {one} = {other}({third});"),
            1 => format!("    if {one} > {} {{", self.random.below(100)),
            2 => "    }".to_owned(),
            3 => format!("    {one}.{other}({third})?;"),
            4 => "    return;".to_owned(),
            _ => format!("    // {one} is {other}"),
        };
        self.line(text)
    }

    fn function(&mut self) -> Vec<Line> {
        let (name, argument) = (self.word(), self.word());
        let mut lines = vec![self.line(format!("fn {name}({argument}: u64) {{"))];
        for _ in 0..4 + self.random.below(14) {
            let statement = self.statement();
            lines.push(statement);
        }
        lines.push(self.line("}".into()));
        lines.push(self.line(String::new()));
        lines
    }

    fn place(&mut self) -> (usize, usize) {
        let file = self.random.below(self.files.len());
        (file, self.random.below(self.files[file].1.len().max(1)))
    }

    fn edit(&mut self) {
        let (file, at) = self.place();
        match self.random.below(10) {
            0 | 1 => {
                let above = self.function();
                self.files[file].1.splice(0..0, above);
            }
            2 => {
                let (other, to) = self.place();
                let end = (at + 12).min(self.files[file].1.len());
                let moved: Vec<Line> = self.files[file].1.drain(at..end).collect();
                let to = to.min(self.files[other].1.len());
                self.files[other].1.splice(to..to, moved);
            }
            3 => {
                let folder = self.random.below(5);
                let path = &mut self.files[file].0;
                let name = path.rsplit('/').next().unwrap_or_default();
                *path = format!("lib/new{folder}/{name}");
            }
            4 | 5 => {
                for line in &mut self.files[file].1 {
                    line.text = line.text.replace("    ", "\t  ");
                }
            }
            kind @ (6 | 7) => {
                let new = match kind {
                    6 => self.line(String::new()),
                    _ => self.statement(),
                };
                self.files[file].1.insert(at, new);
            }
            8 if at < self.files[file].1.len() => {
                self.files[file].1.remove(at);
            }
            _ => {
                let new = self.statement();
                if let Some(line) = self.files[file].1.get_mut(at) {
                    *line = new;
                }
            }
        }
    }

    fn write(&self, root: &Path) -> Result<()> {
        fs::remove_dir_all(root.join("src")).ok();
        fs::remove_dir_all(root.join("lib")).ok();
        for (path, lines) in &self.files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().context("no folder")?)?;
            let lines = lines.iter().map(|line| format!("{}\n", line.text));
            fs::write(path, lines.collect::<String>())?;
        }
        Ok(())
    }

    /// The lines of a span that are not blank, by number.
    fn said(lines: &[Line]) -> Vec<usize> {
        let lines = lines.iter().filter(|line| !line.text.trim().is_empty());
        lines.map(|line| line.number).collect()
    }

    /// True if these lines still stand together somewhere.
    fn has(&self, said: &[usize]) -> bool {
        let files = self.files.iter();
        files
            .map(|(_, lines)| Self::said(lines))
            .any(|all| all.windows(said.len()).any(|of| of == said))
    }
}

pub(crate) fn run() -> Result<()> {
    let (mut changed, mut labelled, mut same, mut wrong, mut unknown) = (0, 0, 0, 0, 0);
    let mut times = Vec::new();
    for number in 0..REPOSITORIES {
        let folder = tempfile::tempdir_in("target")?;
        let home = folder.path().canonicalize()?;
        let root = home.join("p");
        fs::create_dir(&root)?;
        let mut tree = Tree::new(number as u64 + 1);
        tree.write(&root)?;
        git(&root, &["init", "-q"])?;
        commit(&root)?;
        let environment = Environment::new([("HOME".into(), home.into())])
            .with_working_directory(Ok(root.clone()));
        let checkouts = GitCheckouts::new(&environment, SystemTime::now, Duration::from_mins(1));
        let place: Place = "~/p".parse()?;
        let mut cited: Vec<(Citation, Vec<usize>)> = Vec::new();
        while cited.len() < CITATIONS {
            let (file, at) = tree.place();
            let (path, lines) = &tree.files[file];
            let end = (at + 2 + cited.len() % 16).min(lines.len());
            let said = Tree::said(&lines[at..end]);
            if said.len() > 1 {
                let code = format!("{path}:{}-{end}", at + 1);
                cited.push((
                    cite(&checkouts, Some(&place), &code, Timestamp::UNIX_EPOCH)?,
                    said,
                ));
            }
        }
        for _ in 0..COMMITS {
            (0..EDITS).for_each(|_| tree.edit());
            tree.write(&root)?;
            commit(&root)?;
        }
        // The last edits of every other repository are not committed.
        if number % 2 == 0 {
            (0..EDITS).for_each(|_| tree.edit());
            tree.write(&root)?;
            git(&root, &["add", "-A"])?;
        }
        for (citation, said) in &cited {
            checkouts.begin();
            let begin = Instant::now();
            let found = standing(&checkouts, citation);
            times.push(begin.elapsed().as_secs_f64() * 1e3);
            unknown += usize::from(found == Standing::Unknown);
            let is_labelled = usize::from(found == Standing::Changed);
            match tree.has(said) {
                true => (same, wrong) = (same + 1, wrong + is_labelled),
                false => (changed, labelled) = (changed + 1, labelled + is_labelled),
            }
        }
    }
    let all = changed + same;
    println!("freshness: {REPOSITORIES} repositories, {all} citations, {unknown} unknown");
    for (what, of, labelled) in [("changed", changed, labelled), ("the same", same, wrong)] {
        println!("{what}: {of}, labelled {:.1} %", percent(labelled, of));
    }
    let at = |share| below(times.iter().copied(), share);
    println!("a check: p50 {:.1} ms, p99 {:.1} ms", at(0.5), at(0.99));
    Ok(())
}

fn commit(root: &Path) -> Result<()> {
    git(root, &["add", "-A"])?;
    git(root, &["commit", "-q", "--allow-empty", "-m", "edit"])
}

fn git(root: &Path, words: &[&str]) -> Result<()> {
    let mut git = Command::new("git");
    git.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
    let done = git.args(words).current_dir(root).status()?;
    ensure!(done.success(), "git {}", words.join(" "));
    Ok(())
}
