//! Forgetting: revisions lose their contents, contents that nobody says any more go, and then every residue of them.

use std::collections::BTreeSet;

use crate::address::{Address, AddressAt};
use crate::content::Content;
use crate::engine::{Engine, Read, Transaction, Writing};
use crate::error::Result;
use crate::forget::{Erasure, Forget, Forgotten, Holders, decide};
use crate::note::{Revision, Stamp};
use crate::search::upkeep;

use super::apply::{View, put};

pub(super) fn forget(engine: &dyn Engine, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
    let mut forgotten = None;
    // Nobody may write between the erasure and the clearing of its old bytes.
    engine.exclusively(&mut |engine| {
        let mut reply = None;
        engine.write(Writing::Erasing, &mut |tx| {
            let erasure = decide(request, &View(tx), stamp)?;
            let files = carry_out(tx, &erasure, stamp)?;
            reply = Some(replied(request, erasure, files));
            Ok(())
        })?;
        forgotten = reply.map(|reply| Forgotten {
            residue: engine.scrub(),
            ..reply
        });
        Ok(())
    })?;
    forgotten.ok_or_else(|| request.not_found())
}

/// What forgetting would come to.
pub(super) fn would_forget(rows: &dyn Read, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
    let erasure = decide(request, &View(rows), stamp)?;
    let files = marked(rows, &unheld(rows, &erasure)?)?;
    Ok(replied(request, erasure, files))
}

fn replied(request: &Forget, erasure: Erasure, files: Vec<String>) -> Forgotten {
    let at = |(address, revision): (Address, u64)| AddressAt {
        address,
        revision: Some(revision),
    };
    let gone = erasure.writes.iter().map(|write| &write.revision);
    Forgotten {
        named: request.named(),
        gone: gone.map(|revision| revision.address().clone()).collect(),
        revisions: erasure.revisions.into_iter().map(at).collect(),
        kept: erasure.kept,
        shared: erasure.shared.into_iter().map(at).collect(),
        files,
        residue: None,
    }
}

/// Returns the files that were last known to hold one of the contents.
fn carry_out(tx: &dyn Transaction, erasure: &Erasure, stamp: &Stamp) -> Result<Vec<String>> {
    let rows: &dyn Read = tx;
    let mut positions = Vec::new();
    let notes: BTreeSet<&Address> = erasure.revisions.iter().map(|(note, _)| note).collect();
    for note in notes {
        let history = rows.history(note)?;
        let is_meant = |revision: &&Revision| {
            let named = (note.clone(), revision.number());
            erasure.revisions.contains(&named)
        };
        let meant = history.iter().filter(is_meant);
        positions.extend(meant.filter_map(|revision| revision.position));
    }
    let numbers: Vec<i64> = positions.iter().map(|position| position.number()).collect();
    upkeep::forget(tx, &numbers)?;
    for write in &erasure.writes {
        put(tx, write)?;
    }
    tx.erase(&positions, stamp.now, &stamp.author)?;
    let unheld = unheld(rows, erasure)?;
    let files = marked(rows, &unheld)?;
    tx.remove_contents(&unheld)?;
    Ok(files)
}

/// The contents that no revision has but those that are erased.
fn unheld(rows: &dyn Read, erasure: &Erasure) -> Result<Vec<Content>> {
    let is_erased = |at: &AddressAt| {
        let revision = at.revision.unwrap_or_default();
        erasure.revisions.contains(&(at.address.clone(), revision))
    };
    let held = rows.holders(&erasure.contents)?;
    let unheld = erasure.contents.iter().zip(held);
    Ok(unheld
        .filter(|(_, holders)| holders.iter().all(is_erased))
        .map(|(content, _)| content.clone())
        .collect())
}

/// The files that are known to hold one of these.
fn marked(rows: &dyn Read, contents: &[Content]) -> Result<Vec<String>> {
    let files: BTreeSet<String> = rows.marked(contents)?.into_iter().flatten().collect();
    Ok(files.into_iter().collect())
}

impl Holders for View<'_> {
    fn history(&self, address: &Address) -> Result<Vec<Revision>> {
        self.0.history(address)
    }

    fn holding(&self, contents: &[Content]) -> Result<Vec<AddressAt>> {
        Ok(self.0.holders(contents)?.into_iter().flatten().collect())
    }
}
