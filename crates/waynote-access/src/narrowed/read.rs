//! Questions to a store, limited to the visible part.

use waynote::store::{Answers, Ask, Count};
use waynote::{Name, Reader, ReaderExt, Recent, Result, Scope, ScopeKind, ScopeSummary};

use super::NarrowedStore;
use super::feed::of_feed;

/// Says of each question of a list whether it is passed on.
struct AskedMask(Vec<bool>);

impl AskedMask {
    /// Puts the answers in place. A question that was not passed on gets an empty one.
    fn fill<A: Default>(self, answers: Vec<A>) -> Vec<A> {
        let mut answers = answers.into_iter();
        let answer = |asked: bool| asked.then(|| answers.next()).flatten().unwrap_or_default();
        self.0.into_iter().map(answer).collect()
    }
}

/// The questions that the grant allows, and a flag for each question of the list.
fn pick<Q: Clone>(questions: &[Q], may: impl Fn(&Q) -> bool) -> (Vec<Q>, AskedMask) {
    let asked: Vec<bool> = questions.iter().map(may).collect();
    let picked = questions.iter().zip(&asked).filter(|(_, asked)| **asked);
    (
        picked.map(|(question, _)| question.clone()).collect(),
        AskedMask(asked),
    )
}

impl<R: Reader> NarrowedStore<R> {
    /// The answers to all questions. Anything outside the grant is answered as if it did not exist.
    pub(super) fn answers(&self, ask: &Ask) -> Result<Answers> {
        if !self.grant.is_narrowed() {
            let operations = ask.operations.iter();
            return self.store.read(&Ask {
                operations: operations.map(|id| self.operation(*id)).collect(),
                ..ask.clone()
            });
        }
        // These take several round trips.
        let is_in_trips = !(ask.journal.is_empty() && ask.feed.is_empty())
            || ask.kinds.contains(&ScopeKind::Place);
        match is_in_trips {
            true => self
                .store
                .on_one_state(|state| self.of_state(state).inside(ask)),
            false => self.inside(ask),
        }
    }

    fn inside(&self, ask: &Ask) -> Result<Answers> {
        let grant = &*self.grant;
        let of_session = |session: &Name| grant.sees(&Scope::Session(session.clone()));
        // Every question is named here: a new one does not compile before somebody has thought about it.
        let Ask {
            notes,
            scopes,
            kinds,
            pages,
            counts,
            summaries,
            histories,
            noted_before,
            journal,
            entry_types,
            last_iterations,
            events,
            leases,
            all_leases,
            event_sessions,
            feed,
            operations,
            steps,
            store_id,
            version,
        } = ask;
        let (notes, notes_asked) = pick(notes, |address| grant.sees_note(address));
        let (mut scopes, scopes_asked) = pick(scopes, |scope| grant.sees(scope));
        // A kind is asked as its visible scopes, in order.
        let scopes_themselves = scopes.len();
        let mut of_kinds = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let mut of_kind = self.scopes_of(*kind)?;
            of_kinds.push(of_kind.len());
            scopes.append(&mut of_kind);
        }
        let (pages, pages_asked) = pick(pages, |page| grant.sees(&Recent::scope(&page.of)));
        let noted_asked = AskedMask(pages_asked.0.clone());
        let (mut counts, counts_asked) = pick(counts, |count| match count {
            Count::Counted(scope) | Count::Keyed { scope, .. } => grant.sees(scope),
            Count::Entries { session, .. } => of_session(session),
        });
        // The grant lists its agents and sessions, so the store need not read all of them.
        let counts_themselves = counts.len();
        let mut listed = Vec::new();
        for (of, kind) in summaries.iter().enumerate() {
            if matches!(kind, ScopeKind::Agent | ScopeKind::Session) {
                for scope in self.scopes_of(*kind)? {
                    counts.push(Count::Counted(scope.clone()));
                    listed.push((of, scope));
                }
            }
        }
        let (summaries, summaries_asked) = pick(summaries, |kind| match kind {
            ScopeKind::Place => !grant.places.is_empty(),
            kind => !matches!(kind, ScopeKind::Agent | ScopeKind::Session),
        });
        let (histories, histories_asked) = pick(histories, |address| grant.sees_note(address));
        let (noted_before, noted_before_asked) =
            pick(noted_before, |of| grant.sees_note(&of.address));
        let (entry_types, entry_types_asked) = pick(entry_types, of_session);
        let (last_iterations, last_iterations_asked) = pick(last_iterations, of_session);
        let (events, events_asked) = pick(events, |of| of_session(&of.session));
        let (leases, leases_asked) = pick(leases, of_session);
        let operations = operations.iter().map(|id| self.operation(*id)).collect();
        let answers = self.store.read(&Ask {
            notes,
            scopes,
            // They are asked as scopes.
            kinds: Vec::new(),
            pages,
            counts,
            summaries,
            histories,
            noted_before,
            // These are read in pages, below.
            journal: Vec::new(),
            feed: Vec::new(),
            entry_types,
            last_iterations,
            events,
            leases,
            all_leases: *all_leases,
            event_sessions: *event_sessions,
            operations,
            steps: steps.clone(),
            store_id: *store_id,
            // The position tells how much is written in the whole store: see docs/security.md.
            version: *version,
        })?;

        let mut damaged = answers.damaged;
        let mut of_scopes = answers.scopes.into_iter();
        let themselves = of_scopes.by_ref().take(scopes_themselves).collect();
        let kinds = of_kinds
            .into_iter()
            .map(|scopes| of_scopes.by_ref().take(scopes).flatten().collect())
            .collect();
        let mut summaries = summaries_asked.fill(answers.summaries);
        for of_kind in &mut summaries {
            of_kind.retain(|summary| grant.sees(&summary.scope));
        }
        let mut counts = answers.counts;
        let of_listed = counts.split_off(counts_themselves.min(counts.len()));
        for ((of, scope), notes) in listed.into_iter().zip(of_listed) {
            if notes > 0 {
                summaries[of].push(ScopeSummary { scope, notes });
            }
        }
        let mut changes = Vec::with_capacity(journal.len());
        for of in journal {
            let (page, mut left_out) = self.journal_before(of.before, of.limit)?;
            changes.push(page);
            damaged.append(&mut left_out);
        }
        let mut happened = Vec::with_capacity(feed.len());
        for of in feed {
            happened.push(self.feed_after(of.after, of.limit)?);
        }
        let mut done = answers.operations;
        for of_operation in &mut done {
            // An earlier token of this name may have had a wider grant.
            of_operation
                .retain(|done| of_feed(grant, done.entry.clone()).as_ref() == Some(&done.entry));
        }
        let mut all_leases = answers.all_leases;
        all_leases.retain(|of| of_session(&of.session));
        let mut event_sessions = answers.event_sessions;
        event_sessions.retain(of_session);
        damaged.sort();
        damaged.dedup();
        Ok(Answers {
            notes: notes_asked.fill(answers.notes),
            scopes: scopes_asked.fill(themselves),
            kinds,
            pages: pages_asked.fill(answers.pages),
            pages_noted: noted_asked.fill(answers.pages_noted),
            counts: counts_asked.fill(counts),
            summaries,
            histories: histories_asked.fill(answers.histories),
            noted_before: noted_before_asked.fill(answers.noted_before),
            journal: changes,
            entry_types: entry_types_asked.fill(answers.entry_types),
            last_iterations: last_iterations_asked.fill(answers.last_iterations),
            events: events_asked.fill(answers.events),
            leases: leases_asked.fill(answers.leases),
            all_leases,
            event_sessions,
            feed: happened,
            operations: done,
            steps: answers.steps,
            store_id: answers.store_id,
            version: answers.version,
            damaged: self.noticed(damaged),
        })
    }
}
