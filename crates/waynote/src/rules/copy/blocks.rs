//! Compares the blocks that agents get from a copy with those from its source.

use jiff::Timestamp;

use super::compare::Comparison;
use super::{CopyPhase, CopyProgress};
use crate::context::{Request, render};
use crate::engine::{Ask, Engine, Read, Rows};
use crate::error::Result;
use crate::key::Name;
use crate::model::report::Report;
use crate::place::Place;
use crate::rules::{Memory, OneState};
use crate::scope::Scope;
use crate::store::Damage;

/// Compares the blocks of these scopes, byte by byte.
pub(super) fn compare(
    (from, rows): (&dyn Engine, &dyn Read),
    (to, copy): (&dyn Engine, &dyn Read),
    scopes: &[Scope],
    compared: &mut Comparison,
    watch: &mut dyn FnMut(CopyProgress) -> Result<()>,
) -> Result<()> {
    let (memory, copy_memory) = (Memory::default(), Memory::default());
    let (rows, copy) = (WithoutFaults(rows), WithoutFaults(copy));
    let source = OneState::new(&rows, &memory, from);
    let copy = OneState::new(&copy, &copy_memory, to);
    let somebody: Name = "person".parse()?;
    for (done, scope) in scopes.iter().enumerate() {
        watch(CopyProgress {
            phase: CopyPhase::Blocks,
            done: done as u64,
            total: scopes.len() as u64,
        })?;
        let request = |agent: &Name, place: Place| {
            // In style stable the time does not matter.
            Request::new(agent.clone(), place, Timestamp::UNIX_EPOCH)
        };
        let request = match scope {
            Scope::Agent(agent) => request(agent, Place::home()),
            Scope::Place(place) => request(&somebody, place.clone()),
            Scope::Session(session) => {
                request(&somebody, Place::home()).session(Some(session.clone()))
            }
        };
        let ours = render(&source, &request)?;
        // A block also lists the faults of its store as a whole, which are not copied.
        if !ours.receipt.damaged.is_empty() {
            continue;
        }
        compared.blocks += 1;
        if ours.text != render(&copy, &request)?.text {
            compared.differs(format_args!("the block of {scope}"));
        }
    }
    Ok(())
}

/// Rows without the faults of the store as a whole. A block lists them, and a copy is made to be rid of them.
struct WithoutFaults<'r>(&'r dyn Read);

impl Read for WithoutFaults<'_> {
    fn read(&self, ask: &Ask) -> Result<Rows> {
        let mut rows = self.0.read(ask)?;
        let damaged = &mut rows.store.damaged;
        damaged.retain(|damage| !Damage::is_of_store(damage));
        Ok(rows)
    }

    fn verify(&self, report: &mut Report) -> Result<bool> {
        self.0.verify(report)
    }
}
