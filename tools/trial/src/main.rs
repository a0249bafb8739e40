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

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Parser;
use kit::at_once::at_once;
use kit::random::Random;

use clients::{Agent, Client, Rates};
use home::Arm;
use outcome::Setting;
use report::Report;
use traps::Trap;

/// Runs that are made at once.
const AT_ONCE: usize = 2;

/// How often the scripted agent makes the mistake without a note, and how often it overlooks one.
const RATES: Rates = Rates {
    slip: 0.8,
    miss: 0.05,
};

fn main() -> Result<()> {
    kit::main(|words| match words {
        ["scripted", rest @ ..] => scripted::run(rest),
        words => Choice::of(words)?.run(),
    })
}

/// What is asked for on the command line.
#[derive(Parser)]
#[command(name = "trial")]
struct Choice {
    /// The client whose hooks are installed: claude, codex, gemini or opencode
    #[arg(long, value_name = "CLIENT", value_parser = Client::named)]
    with: Option<Client>,
    /// A command that gets the task on its standard input, and runs the hooks
    #[arg(long, value_name = "COMMAND")]
    agent: Option<String>,
    /// Runs of a trap in an arm
    #[arg(long, default_value_t = 5)]
    runs: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// none, placebo, start, both
    #[arg(long, value_delimiter = ',', value_parser = Arm::named)]
    arms: Vec<Arm>,
    /// How many other notes a store has
    #[arg(long, default_value_t = 100)]
    others: usize,
    /// The file for every run with its figures
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Leaves the homes
    #[arg(long)]
    keep: bool,
    /// Each trap once without a note and with one, by the scripted agent without chance
    #[arg(long, conflicts_with_all = ["with", "agent", "arms", "runs"])]
    short: bool,
    /// Fails if there are not fewer mistakes than with the placebo
    #[arg(long)]
    check: bool,
    #[arg(value_name = "TRAP", value_parser = Trap::named)]
    traps: Vec<Trap>,
}

/// A run that is to be made.
struct Job<'t> {
    trap: &'t Trap,
    arm: Arm,
    seed: u64,
}

impl Choice {
    fn of(words: &[&str]) -> Result<Self> {
        let mut choice = Self::try_parse_from([&["trial"], words].concat())?;
        if choice.arms.is_empty() {
            choice.arms = Arm::ALL.to_vec();
        }
        if choice.short {
            (choice.arms, choice.runs) = (vec![Arm::None, Arm::Both], 1);
        }
        if choice.traps.is_empty() {
            choice.traps = Trap::all()?;
        }
        Ok(choice)
    }

    fn run(&self) -> Result<()> {
        let waynote = kit::steps::program("dev")?;
        let begin = Instant::now();
        let client = match self.with {
            Some(client) => client,
            None => Client::named("claude-code")?,
        };
        // Without chance, the mistake is made but where a note warns of it.
        let (slip, miss) = if self.short {
            (1.0, 0.0)
        } else {
            (RATES.slip, RATES.miss)
        };
        let setting = Setting {
            agent: Agent::of(self.agent.as_deref(), self.with, Rates { slip, miss }),
            client,
            waynote: &waynote,
            others: self.others,
            keep: self.keep,
        };
        let outcomes = at_once(AT_ONCE, self.jobs(), |job| {
            setting.run(job.trap, job.arm, job.seed)
        });
        let outcomes = outcomes.into_iter().collect::<Result<Vec<_>>>()?;
        let report = Report::new(self.arms.clone(), outcomes, setting.agent.is_scripted());
        println!("{}\n", report.head());
        println!(
            "{} traps, {} runs of each in an arm, {} other notes, seed {}, hooks of {}; {:.0} s\n",
            self.traps.len(),
            self.runs,
            self.others,
            self.seed,
            client.word,
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
    fn jobs(&self) -> Vec<Job<'_>> {
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
        jobs
    }
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
