//! Tries whether a note at the action prevents a repeated mistake: traps, each with a note that warns of its mistake,
//! are given to an agent in arms that differ in the note and in the moment of its delivery. See `docs/trial.md`.

mod clients;
mod home;
mod others;
mod outcome;
mod report;
mod scripted;
mod statistics;
mod traps;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use kit::random::Random;

use clients::{Agent, Client};
use home::Arm;
use outcome::{Outcome, Setting};
use report::Report;
use traps::Trap;

const USAGE: &str = "usage: trial [--with claude|codex|gemini|opencode] [--agent COMMAND] [--runs N] [--seed N] \
                     [--arms ARM,…] [--slip SHARE] [--miss SHARE] [--others N] [--limit SECONDS] [--jobs N] [--json FILE] [--keep] \
                     [--release] [--short] [--check] [TRAP…]";

/// Runs of a trap in an arm.
const RUNS: usize = 5;

fn main() -> Result<()> {
    kit::main(|words| match words {
        ["scripted", rest @ ..] => scripted::run(rest),
        words => Choice::of(words)?.run(),
    })
}

/// What is asked for on the command line.
struct Choice {
    agent: Agent,
    client: Client,
    arms: Vec<Arm>,
    traps: Vec<Trap>,
    runs: usize,
    seed: u64,
    jobs: usize,
    others: usize,
    limit: Duration,
    /// The file for the data of the report.
    json: Option<PathBuf>,
    keep: bool,
    short: bool,
    check: bool,
    profile: &'static str,
}

/// A run that is to be made.
struct Job<'t> {
    trap: &'t Trap,
    arm: Arm,
    seed: u64,
}

impl Choice {
    fn of(words: &[&str]) -> Result<Self> {
        let (mut command, mut with, mut names) = (None, None, Vec::new());
        let (mut slip, mut miss, mut given_runs) = (0.8, 0.05, None);
        let mut choice = Self {
            agent: Agent::of(None, None, slip, miss),
            client: Client::named("claude-code")?,
            arms: Arm::ALL.to_vec(),
            traps: Vec::new(),
            runs: RUNS,
            seed: 1,
            jobs: 2,
            others: 100,
            limit: Duration::from_secs(900),
            json: None,
            keep: false,
            short: false,
            check: false,
            profile: "dev",
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .with_context(|| format!("{word} needs a value"))
            };
            match *word {
                "--with" => with = Some(Client::named(value()?)?),
                "--agent" => command = Some(*value()?),
                "--runs" => given_runs = Some(value()?.parse()?),
                "--seed" => choice.seed = value()?.parse()?,
                "--arms" => choice.arms = arms(value()?)?,
                "--slip" => slip = value()?.parse()?,
                "--miss" => miss = value()?.parse()?,
                "--limit" => choice.limit = Duration::from_secs(value()?.parse()?),
                "--jobs" => choice.jobs = value()?.parse()?,
                "--others" => choice.others = value()?.parse()?,
                "--check" => choice.check = true,
                "--json" => choice.json = Some(value()?.into()),
                "--keep" => choice.keep = true,
                "--release" => choice.profile = "release",
                "--short" => choice.short = true,
                word if word.starts_with('-') => bail!("{word} is unknown\n{USAGE}"),
                name => names.push(name),
            }
        }
        if choice.short {
            ensure!(
                command.is_none() && with.is_none(),
                "--short is for the scripted agent"
            );
            // Each trap once, without chance: the mistake is made but where a note warns of it.
            (choice.arms, choice.runs) = (vec![Arm::None, Arm::Both], 1);
            (slip, miss) = (1.0, 0.0);
        }
        choice.runs = given_runs.unwrap_or(choice.runs);
        choice.traps = Trap::all()?;
        if !names.is_empty() {
            choice.traps = names.into_iter().map(Trap::named).collect::<Result<_>>()?;
        }
        choice.agent = Agent::of(command, with, slip, miss);
        choice.client = with.unwrap_or(choice.client);
        Ok(choice)
    }

    fn run(&self) -> Result<()> {
        let waynote = kit::steps::program(self.profile)?;
        let begin = Instant::now();
        let setting = Setting {
            agent: self.agent.clone(),
            client: self.client,
            waynote: &waynote,
            others: self.others,
            limit: self.limit,
            keep: self.keep,
        };
        let outcomes = play(self.jobs(), self.jobs, &setting)?;
        let report = Report::new(self.arms.clone(), outcomes, self.agent.is_scripted());
        println!("{}\n", report.head());
        println!(
            "{} traps, {} runs of each in an arm, {} other notes, seed {}, hooks of {}; {:.0} s\n",
            self.traps.len(),
            self.runs,
            self.others,
            self.seed,
            self.client.word,
            begin.elapsed().as_secs_f64()
        );
        println!("{}", report.text());
        if let Some(file) = &self.json {
            std::fs::write(file, format!("{:#}\n", report.json()))?;
        }
        report.has_a_task_done()?;
        match (self.short, self.check) {
            (true, _) => report.is_as_told(),
            (false, true) => report.shows_an_effect(),
            (false, false) => Ok(()),
        }
    }

    /// The runs, in an order that follows from the seed. Arms of the same run of a trap have the same store but for the
    /// note that is tried.
    fn jobs(&self) -> VecDeque<Job<'_>> {
        let mut jobs = Vec::new();
        for (number, trap) in self.traps.iter().enumerate() {
            for run in 0..self.runs {
                let mark = (number * self.runs + run) as u64;
                let seed = Random::of(self.seed, mark).number();
                jobs.extend(self.arms.iter().map(|arm| Job {
                    trap,
                    arm: *arm,
                    seed,
                }));
            }
        }
        others::shuffle(&mut jobs, &mut Random(self.seed));
        jobs.into()
    }
}

fn arms(words: &str) -> Result<Vec<Arm>> {
    let named = |word: &str| {
        let found = Arm::ALL.into_iter().find(|arm| arm.word() == word);
        found.with_context(|| format!("no arm `{word}`: none, placebo, start, both"))
    };
    let arms: Vec<Arm> = words.split(',').map(named).collect::<Result<_>>()?;
    ensure!(!arms.is_empty(), "no arm");
    Ok(arms)
}

/// Makes the runs, some at a time; the first one that cannot be made ends them.
fn play(jobs: VecDeque<Job<'_>>, at_once: usize, setting: &Setting<'_>) -> Result<Vec<Outcome>> {
    let (jobs, outcomes) = (Mutex::new(jobs), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..at_once.max(1) {
            scope.spawn(|| {
                loop {
                    let job = lock(&jobs).pop_front();
                    let Some(job) = job else { return };
                    let outcome = setting.run(job.trap, job.arm, job.seed);
                    if outcome.is_err() {
                        lock(&jobs).clear();
                    }
                    lock(&outcomes).push(outcome);
                }
            });
        }
    });
    let outcomes = outcomes
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    outcomes.into_iter().collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_order_of_the_runs() {
        let order = |words: &[&str]| {
            let choice = Choice::of(words).unwrap();
            let jobs = choice.jobs();
            let name = |job: &Job<'_>| format!("{} {} {}", job.trap.name, job.arm.word(), job.seed);
            jobs.iter().map(name).collect::<Vec<_>>()
        };
        let one = order(&["--short", "--seed", "3"]);
        assert_eq!(one, order(&["--short", "--seed", "3"]));
        assert_ne!(one, order(&["--short", "--seed", "4"]));
        assert_eq!(one.len(), 20);
        assert_eq!(order(&["money", "--runs", "2", "--arms", "start"]).len(), 2);
    }

    #[test]
    fn a_wrong_word_is_named() {
        for words in [
            &["--what"][..],
            &["nobody"],
            &["--arms", "all"],
            &["--with", "x"],
        ] {
            assert!(Choice::of(words).is_err(), "{words:?}");
        }
    }
}
