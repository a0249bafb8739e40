//! Real clients end to end: the clients from the npm registry, each in a scratch home, talking to a scripted model on
//! loopback. Every client is driven through every moment that it has.

mod clients;
mod expected;
mod home;
mod model;
mod scenarios;
mod wire;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use clients::{AGENTS, Agent};
use expected::{Cell, MOMENTS, Moment, cell};
use kit::at_once::at_once;
use kit::unchecked::not_checked;
use scenarios::Subject;

fn main() -> Result<()> {
    kit::main(|words| run(&Choice::of(words)?))
}

/// Cells to run.
#[derive(Clone, Debug, Default)]
struct Choice {
    /// The cells that take long, too.
    all: bool,
    /// The newest version of each client beside the pinned one.
    newest: bool,
    /// The homes and requests stay.
    keep: bool,
    /// Clients and moments by their words; none for all.
    clients: Vec<String>,
    moments: Vec<String>,
}

impl Choice {
    /// From the words of a command line.
    fn of(words: &[&str]) -> Result<Self> {
        let mut choice = Self::default();
        for word in words {
            match *word {
                "--all" => choice.all = true,
                "--newest" => choice.newest = true,
                "--keep" => choice.keep = true,
                word if AGENTS.iter().any(|agent| agent.client == word) => {
                    choice.clients.push(word.to_owned());
                }
                word if MOMENTS.iter().any(|moment| moment.word == word) => {
                    choice.moments.push(word.to_owned());
                }
                word => bail!("`{word}` is no client and no moment"),
            }
        }
        Ok(choice)
    }

    fn chooses(&self, agent: &Agent, moment: &Moment) -> bool {
        let is_in =
            |list: &[String], word: &str| list.is_empty() || list.iter().any(|of| of == word);
        let is_named = !self.clients.is_empty() || !self.moments.is_empty();
        let in_gate = match cell(agent, moment) {
            Cell::Gate | Cell::Fed => true,
            Cell::All => self.all || is_named,
            Cell::None(_) => false,
        };
        in_gate && is_in(&self.clients, agent.client) && is_in(&self.moments, moment.word)
    }
}

/// A cell that is to be played.
struct Job {
    agent: Agent,
    program: PathBuf,
    moment: &'static Moment,
    /// The version, where it is not the pinned one.
    newest: Option<String>,
}

/// How a cell went.
struct CellResult {
    job: Job,
    took: Duration,
    outcome: Result<()>,
}

/// Plays what was chosen, prints the table, and fails where a pinned client does not do what is expected.
fn run(choice: &Choice) -> Result<()> {
    let waynote = kit::steps::program("dev")?;
    let mut jobs = Vec::new();
    for agent in AGENTS {
        let chosen = MOMENTS
            .iter()
            .filter(|moment| choice.chooses(&agent, moment));
        let moments: Vec<_> = chosen.collect();
        if moments.is_empty() {
            continue;
        }
        match programs(&agent, choice.newest) {
            Ok(programs) => {
                jobs.extend(programs.iter().flat_map(|(newest, program)| {
                    moments.iter().map(|moment| Job {
                        agent,
                        program: program.clone(),
                        moment,
                        newest: newest.clone(),
                    })
                }));
            }
            Err(error) => not_checked(agent.title, format!("{error:#}")),
        }
    }
    // Cells that load the machine themselves are played alone, at the end.
    let (alone, beside): (Vec<Job>, Vec<Job>) =
        jobs.into_iter().partition(|job| job.moment.word == "load");
    let play = |job| play(job, &waynote, choice.keep);
    let mut played = at_once(2, beside, play);
    played.extend(at_once(1, alone, play));
    report(&played)
}

/// The programs of a client that are tried: the pinned one, and the newest where that is asked for and another one.
fn programs(agent: &Agent, newest: bool) -> Result<Vec<(Option<String>, PathBuf)>> {
    let mut programs = vec![(None, agent.installed()?)];
    if newest {
        match agent.newest()? {
            Some((version, program)) => programs.push((Some(version), program)),
            None => println!("{}: {} is the newest version", agent.title, agent.version),
        }
    }
    Ok(programs)
}

/// Plays a job, and says how it went.
fn play(job: Job, waynote: &Path, keep: bool) -> CellResult {
    let begin = Instant::now();
    let subject = Subject {
        agent: job.agent,
        program: &job.program,
        waynote,
        keep,
    };
    let outcome = subject.play(job.moment);
    let took = begin.elapsed();
    let said = match &outcome {
        Ok(()) => "ok".to_owned(),
        Err(error) => format!("FAILS: {}", shortened(&format!("{error:#}"))),
    };
    let (name, word) = (job.name(), job.moment.word);
    println!("{name} {word}: {said} ({:.1} s)", took.as_secs_f64());
    CellResult { job, took, outcome }
}

/// The beginning and the end of a long text.
fn shortened(text: &str) -> String {
    const MOST: usize = 600;
    let chars: Vec<char> = text.chars().collect();
    if chars.len() <= 2 * MOST {
        return text.to_owned();
    }
    let part = |chars: &[char]| chars.iter().collect::<String>();
    format!(
        "{} […] {}",
        part(&chars[..MOST]),
        part(&chars[chars.len() - MOST..])
    )
}

impl Job {
    fn name(&self) -> String {
        let version = self.newest.as_deref().unwrap_or(self.agent.version);
        format!("{} {version}", self.agent.client)
    }
}

/// Prints the table; an error when a pinned client fails where it is expected to work.
fn report(played: &[CellResult]) -> Result<()> {
    let mut names: Vec<String> = played.iter().map(|played| played.job.name()).collect();
    names.sort();
    names.dedup();
    let row = |head: &str, cells: Vec<String>| {
        let cells = cells.iter().map(|cell| format!("{cell:22}"));
        println!("{head:18}{}", cells.collect::<String>());
    };
    println!();
    row("", names.clone());
    for moment in &MOMENTS {
        let of = |name: &String| {
            let is_it = |played: &&CellResult| {
                played.job.moment.word == moment.word && played.job.name() == *name
            };
            played.iter().find(is_it).map_or("-".to_owned(), |played| {
                let word = if played.outcome.is_ok() {
                    "ok"
                } else {
                    "FAILS"
                };
                format!("{word} {:.1} s", played.took.as_secs_f64())
            })
        };
        row(moment.word, names.iter().map(of).collect());
    }
    let failed = |newest: bool| {
        let failed = played
            .iter()
            .filter(move |played| played.outcome.is_err() && played.job.newest.is_some() == newest);
        failed.map(|played| format!("{} at {}", played.job.name(), played.job.moment.word))
    };
    for name in failed(true) {
        println!("DIFFERS: the newest version of a client fails: {name}");
    }
    let failed: Vec<String> = failed(false).collect();
    if failed.is_empty() {
        return Ok(());
    }
    bail!(
        "{} of {} fail: {}",
        failed.len(),
        played.len(),
        failed.join(", ")
    )
}
