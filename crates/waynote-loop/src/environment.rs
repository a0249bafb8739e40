//! Environment variables for an agent and all that it starts.

use std::ffi::OsString;

use waynote::event::EventAddress;
use waynote_system::variables::{AGENT, AUTHOR, ITERATION, LOOP, SESSION, STORE};

use crate::error::{Error, Result};
use crate::plan::Plan;

/// The variables of an iteration.
pub(crate) fn of_iteration(
    plan: &Plan,
    number: i64,
    lease: u64,
) -> Result<Vec<(String, OsString)>> {
    let mut variables: Vec<(String, OsString)> = Vec::new();
    let mut set = |name: &str, value: OsString| variables.push((name.to_owned(), value));
    if let Some(store) = &plan.store_file {
        let store = std::path::absolute(store)
            .map_err(|error| Error::file(store.clone(), "found", error))?;
        set(STORE, store.into());
    }
    set(SESSION, plan.session.as_str().into());
    set(ITERATION, number.to_string().into());
    set(AGENT, plan.prompt.notes.agent.as_str().into());
    set(AUTHOR, plan.agent_author.as_str().into());
    let lease = EventAddress {
        session: plan.session.clone(),
        number: lease,
    };
    set(LOOP, lease.to_string().into());
    variables.extend(plan.environment.iter().cloned());
    Ok(variables)
}
