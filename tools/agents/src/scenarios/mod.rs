//! Scenarios: the acts of a client at each moment, and the checks that follow.

pub(super) mod conversations;
pub(super) mod loops;
pub(super) mod people;
pub(super) mod plugins;
pub(super) mod projects;
pub(super) mod remote;
pub(super) mod setting_up;
pub(super) mod tools;

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::clients::Agent;
use super::expected::Moment;
use super::home::Bench;
use super::model::Request;

/// A client and the programs that are tried together.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) agent: Agent,
    pub(super) program: &'a Path,
    pub(super) waynote: &'a Path,
    /// True if the homes stay for a developer to look at.
    pub(super) keep: bool,
}

impl Subject<'_> {
    /// Plays one moment.
    pub(super) fn play(self, moment: &Moment) -> Result<()> {
        let bench = match moment.is_bare {
            true => Bench::bare(self.agent, self.program, self.waynote)?,
            false => Bench::new(self.agent, self.program, self.waynote)?,
        };
        let played = (moment.plays)(&bench).context(moment.promise);
        if self.keep {
            let name = format!("{}-{}", self.agent.client, moment.word);
            println!("kept: {name}: {}", bench.keep(&name)?.display());
        }
        played
    }
}

/// Checks that each request holds a text exactly once.
fn each_once(requests: &[Request], text: &str, when: &str) -> Result<()> {
    ensure!(
        !requests.is_empty(),
        "{when}: the client asked its model nothing"
    );
    for (number, request) in requests.iter().enumerate() {
        let times = request.count(text);
        ensure!(
            times == 1,
            "{when}: request {} of {} holds `{}` {times} times",
            number + 1,
            requests.len(),
            name(text),
        );
    }
    Ok(())
}

/// Checks that no request holds a text.
fn none_holds(requests: &[Request], text: &str, when: &str) -> Result<()> {
    let found = requests.iter().any(|request| request.contains(text));
    ensure!(!found, "{when}: a request holds `{}`", name(text));
    Ok(())
}

/// The first request of those in which a person asked something.
fn asked<'r>(requests: &'r [Request], prompt: &str) -> Result<&'r Request> {
    let found = requests.iter().find(|request| request.contains(prompt));
    found.with_context(|| format!("no request asks `{prompt}`"))
}

/// A note's first word, which is enough in a message.
fn name(text: &str) -> &str {
    text.split(':').next().unwrap_or(text)
}
