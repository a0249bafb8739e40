//! Checks the heads of the search index. Its terms are not compared with the notes: if in doubt, it is built again.

use crate::engine::Read;
use crate::error::{Error, Result};
use crate::model::report::Report;

use super::indexed::FORMAT;

/// Adds the faults of the index to the report.
pub(crate) fn verify(rows: &dyn Read, report: &mut Report) -> Result<()> {
    let mut says = |what: &str| report.add(format!("search index: {what}"));
    let (state, heads) = match rows.segments() {
        Err(Error::DamagedIndex { reason, .. }) => {
            says(&reason);
            return Ok(());
        }
        found => found?,
    };
    if state.is_new(&heads) {
        return Ok(());
    }
    if state.format != FORMAT {
        says("its format is unknown; it is not used, and the next writes build it again");
        return Ok(());
    }
    let mut reached = i64::MIN;
    for head in &heads {
        if head.first <= reached || head.last > state.indexed {
            says(&format!("segment {} is out of place", head.id));
        }
        reached = head.last;
    }
    let (met, wanted) = (heads.len(), state.segments);
    if met != wanted as usize {
        says(&format!("segments found: {met}, expected: {wanted}"));
    }
    Ok(())
}
