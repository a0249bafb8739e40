//! Search in the notes that the grant sees.

use waynote::search::{Hit, SearchRequest, among};
use waynote::{Note, Reader, Result, Scope, ScopeKind};

use super::NarrowedStore;

/// How many matches are ranked again, at least.
const CANDIDATES: usize = 256;

impl<R: Reader> NarrowedStore<R> {
    /// The matches that the grant sees. The scores of the store inside count the notes of everybody: they tell which
    /// words others use. So its matches are ranked again, among themselves. Only of a query with more matches than are
    /// ranked again, the choice of these still depends on others' notes.
    pub(super) fn hits(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        if !self.grant.is_narrowed() {
            return self.store.search(request);
        }
        let scopes = match request.scopes.is_empty() {
            true => self.scopes_seen()?,
            false => {
                let asked = request.scopes.iter();
                asked.filter(|of| self.grant.sees(of)).cloned().collect()
            }
        };
        if scopes.is_empty() || request.limit == 0 {
            return Ok(Vec::new());
        }
        let inside = request.clone().scopes(scopes);
        let inside = inside.limit(request.limit.max(CANDIDATES));
        let mut found = self.store.search(&inside)?;
        found.retain(|hit| self.grant.sees_note(&hit.note.address));
        let notes: Vec<Note> = found.iter().map(|hit| hit.note.clone()).collect();
        let mut hits = among(&notes, request)?;
        // An entry that was found by those beside it in its log does not match alone. Which of them is better, only the
        // scores of everybody say: the latest comes first.
        let is_left = |hit: &Hit| !hits.iter().any(|of| of.note == hit.note);
        let mut beside: Vec<Hit> = found.into_iter().filter(is_left).collect();
        if request.limit > hits.len() {
            beside.sort_by(|one, other| {
                let (one, other) = (&one.note, &other.note);
                let later = other.updated_at.cmp(&one.updated_at);
                later.then_with(|| one.address.cmp(&other.address))
            });
            beside.truncate(request.limit - hits.len());
            hits.extend(beside.into_iter().map(|hit| Hit { score: 0.0, ..hit }));
        }
        Ok(hits)
    }

    /// Every scope that the grant sees and that has notes.
    fn scopes_seen(&self) -> Result<Vec<Scope>> {
        let mut scopes = self.scopes_of(ScopeKind::Place)?;
        scopes.extend(self.scopes_of(ScopeKind::Agent)?);
        scopes.extend(self.scopes_of(ScopeKind::Session)?);
        Ok(scopes)
    }

    /// The scopes of a kind that the grant sees, by name. Agents and sessions may have no notes.
    pub(super) fn scopes_of(&self, kind: ScopeKind) -> Result<Vec<Scope>> {
        let mut scopes: Vec<Scope> = match kind {
            ScopeKind::Place if self.grant.places.is_empty() => Vec::new(),
            ScopeKind::Agent => self
                .grant
                .agents
                .iter()
                .cloned()
                .map(Scope::Agent)
                .collect(),
            ScopeKind::Session => self
                .grant
                .sessions
                .iter()
                .cloned()
                .map(Scope::Session)
                .collect(),
            // The places below one have no list in the grant.
            _ => {
                let summaries = self.store.scopes(kind)?.into_iter();
                let scopes = summaries.map(|summary| summary.scope);
                scopes.filter(|scope| self.grant.sees(scope)).collect()
            }
        };
        scopes.sort_by(|one, other| one.name().cmp(other.name()));
        scopes.dedup();
        Ok(scopes)
    }
}
