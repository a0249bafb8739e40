//! Real clients end to end: the clients from the npm registry, each in a scratch home, talking to a scripted model on
//! loopback. Every client is driven through every moment that it has.

mod clients;
mod expected;
mod home;
mod load;
mod model;
mod scenarios;
mod wire;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};

use clients::{AGENTS, Agent};
use expected::{Cell, Moment, cell};
use kit::unchecked::not_checked;
use scenarios::Subject;

fn main() -> Result<()> {
    kit::main(|words| run(&Choice::of(words)?))
}

/// Cells to run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Choice {
    /// The cells that take long, too.
    pub(crate) all: bool,
    /// The newest version of each client beside the pinned one.
    pub(crate) newest: bool,
    /// Under four busy threads.
    pub(crate) load: bool,
    /// The homes and requests stay.
    pub(crate) keep: bool,
    /// Clients and moments by their words; none for all.
    pub(crate) words: Vec<String>,
}

impl Choice {
    /// From the words of a command line.
    pub(crate) fn of(words: &[&str]) -> Result<Self> {
        let mut choice = Self::default();
        for word in words {
            match *word {
                "--all" => choice.all = true,
                "--newest" => choice.newest = true,
                "--load" => choice.load = true,
                "--keep" => choice.keep = true,
                word => {
                    let is_client = AGENTS.iter().any(|agent| agent.client == word);
                    let is_moment = Moment::ALL.iter().any(|moment| moment.word() == word);
                    ensure!(
                        is_client || is_moment,
                        "`{word}` is no client and no moment"
                    );
                    choice.words.push(word.to_owned());
                }
            }
        }
        Ok(choice)
    }

    fn chooses(&self, agent: &Agent, moment: Moment) -> bool {
        let named = |is_it: &dyn Fn(&str) -> bool, all: &mut dyn Iterator<Item = &'static str>| {
            let all: Vec<_> = all.collect();
            let mut words = self
                .words
                .iter()
                .filter(|word| all.contains(&word.as_str()));
            match words.clone().next() {
                None => true,
                Some(_) => words.any(|word| is_it(word)),
            }
        };
        let mut clients = AGENTS.iter().map(|agent| agent.client);
        let mut moments = Moment::ALL.iter().map(|moment| moment.word());
        let in_gate = match cell(agent, moment) {
            Cell::Gate | Cell::Fed => true,
            Cell::All => self.all || !self.words.is_empty(),
            Cell::None(_) => false,
        };
        in_gate
            && named(&|word| word == agent.client, &mut clients)
            && named(&|word| word == moment.word(), &mut moments)
    }
}

/// A cell that is to be played.
struct Job {
    agent: Agent,
    program: PathBuf,
    moment: Moment,
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
pub(crate) fn run(choice: &Choice) -> Result<()> {
    let waynote = kit::steps::program("dev")?;
    let mut jobs = Vec::new();
    for agent in AGENTS {
        match programs(&agent, choice) {
            Ok(programs) => {
                for (newest, program) in programs {
                    let moments = Moment::ALL.into_iter();
                    jobs.extend(
                        moments
                            .filter(|moment| choice.chooses(&agent, *moment))
                            .map(|moment| Job {
                                agent,
                                program: program.clone(),
                                moment,
                                newest: newest.clone(),
                            }),
                    );
                }
            }
            Err(error) => not_checked(agent.title, format!("{error:#}")),
        }
    }
    let busy = choice.load.then(|| load::BusyThreads::start(4));
    // Cells that load the machine themselves are played alone, at the end.
    let (alone, beside): (Vec<Job>, Vec<Job>) =
        jobs.into_iter().partition(|job| job.moment == Moment::Load);
    let mut played = play(beside, 2, &waynote, choice.keep);
    played.extend(play(alone, 1, &waynote, choice.keep));
    drop(busy);
    report(&played)
}

/// The programs of a client that are tried: the pinned one, and the newest where that is asked for and another one.
fn programs(agent: &Agent, choice: &Choice) -> Result<Vec<(Option<String>, PathBuf)>> {
    if !Moment::ALL
        .iter()
        .any(|moment| choice.chooses(agent, *moment))
    {
        return Ok(Vec::new());
    }
    let mut programs = vec![(None, agent.installed()?)];
    if choice.newest {
        match agent.newest()? {
            Some((version, program)) => programs.push((Some(version), program)),
            None => println!("{}: {} is the newest version", agent.title, agent.version),
        }
    }
    Ok(programs)
}

/// Plays jobs, some at a time, and says of each how it went.
fn play(jobs: Vec<Job>, at_once: usize, waynote: &Path, keep: bool) -> Vec<CellResult> {
    let jobs = Mutex::new(VecDeque::from(jobs));
    let played = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let job = lock(&jobs).pop_front();
                    let Some(job) = job else { return };
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
                    println!(
                        "{} {}: {said} ({:.1} s)",
                        job.name(),
                        job.moment.word(),
                        took.as_secs_f64()
                    );
                    lock(&played).push(CellResult { job, took, outcome });
                }
            });
        }
    });
    played.into_inner().unwrap_or_else(PoisonError::into_inner)
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

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Prints the table; an error when a pinned client fails where it is expected to work.
fn report(played: &[CellResult]) -> Result<()> {
    let mut names: Vec<String> = played.iter().map(|played| played.job.name()).collect();
    names.sort();
    names.dedup();
    println!(
        "\n{:18}{}",
        "",
        names
            .iter()
            .map(|name| format!("{name:22}"))
            .collect::<String>()
    );
    for moment in Moment::ALL {
        let of = |name: &String| {
            let found = played
                .iter()
                .find(|played| played.job.moment == moment && played.job.name() == *name);
            let text = match found {
                None => "-".to_owned(),
                Some(played) => format!(
                    "{} {:.1} s",
                    if played.outcome.is_ok() {
                        "ok"
                    } else {
                        "FAILS"
                    },
                    played.took.as_secs_f64()
                ),
            };
            format!("{text:22}")
        };
        println!(
            "{:18}{}",
            moment.word(),
            names.iter().map(of).collect::<String>()
        );
    }
    let failed = |newest: bool| {
        let failed = played
            .iter()
            .filter(move |played| played.outcome.is_err() && played.job.newest.is_some() == newest);
        failed.map(|played| format!("{} at {}", played.job.name(), played.job.moment.word()))
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
