//! The store: each function is one request.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use waynote::change::{Applied, Change};
use waynote::context::{BlockAnswer, BlockAsk};
use waynote::event::SessionEvent;
use waynote::forget::{Forget, Forgotten};
use waynote::search::{Hit, SearchRequest};
use waynote::store::{Answers, Ask, Damage, unless_written};
use waynote::{AsOf, Error, Name, Note, OperationId, Reader, Report, Result, Scope, Stamp, Store};

use crate::error::is_away;
use crate::exchange::Exchange;
use crate::keep::Keep;
use crate::options::Options;
use crate::url::Url;

/// A store on a server.
pub struct RemoteStore {
    pub(crate) exchange: Exchange,
    keep: Option<Keep>,
    damage: Mutex<Damage>,
}

impl RemoteStore {
    /// The store at this address. Nothing is sent yet.
    ///
    /// # Errors
    /// [`RemoteError`](crate::RemoteError) for an address or certificates that cannot be used.
    pub fn open(url: &str, options: Options) -> Result<Self> {
        Ok(Self {
            exchange: Exchange::new(url, &options)?,
            keep: options.keep,
            damage: Mutex::default(),
        })
    }

    /// Its address.
    pub fn url(&self) -> &Url {
        &self.exchange.url
    }

    /// Notes what was damaged in an answer.
    fn damaged(&self, new: Damage) {
        if new.is_none() {
            return;
        }
        let mut damage = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
        damage.notes.extend(new.notes);
        damage.notes.sort();
        damage.notes.dedup();
        damage.index |= new.index;
    }

    fn damaged_notes(&self, notes: &[String]) {
        let mut damage = Damage::default();
        damage.notes.extend_from_slice(notes);
        self.damaged(damage);
    }

    /// The stamp with an id, by which the server knows a call that is sent again.
    fn known(&self, stamp: &Stamp) -> Result<Stamp> {
        if stamp.operation.is_some() {
            return Ok(stamp.clone());
        }
        let mut id = [0; 16];
        getrandom::fill(&mut id).map_err(|error| {
            let source = std::io::Error::other(error.to_string());
            Error::file("the system's random numbers", "read", source)
        })?;
        Ok(stamp.clone().of_operation(OperationId::new(id)))
    }

    fn forgets(&self, request: &Forget, stamp: &Stamp, dry_run: bool) -> Result<Forgotten> {
        let request = waynote_api::ForgetRequest::new(request, stamp, dry_run)?;
        let forgotten: waynote_api::Forgotten = self.exchange.post("forget", &request)?;
        forgotten.try_into()
    }

    /// What the server made of a block, or what was kept of it while the server is away.
    fn block(&self, ask: &BlockAsk) -> Result<BlockAnswer> {
        let form = waynote_api::BlockAsk::try_from(ask)?;
        let answer = self
            .exchange
            .post::<waynote_api::BlockAnswer>("context", &form);
        let Some(keep) = &self.keep else {
            return answer?.try_into();
        };
        // Without a token nothing was asked either.
        let token = self.exchange.token.get().ok().flatten();
        let kept = keep.of(&self.exchange.url, token.as_deref(), &form);
        match answer {
            Ok(answer) => {
                kept.put(&answer);
                answer.try_into()
            }
            Err(error) if is_away(&error) => match kept.take(&error) {
                Some(answer) => answer.try_into(),
                None => Err(error),
            },
            Err(error) => Err(error),
        }
    }
}

impl Reader for RemoteStore {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        let ask = waynote_api::Ask::try_from(ask)?;
        let answers: waynote_api::Answers = self.exchange.post("read", &ask)?;
        self.damaged_notes(&answers.damaged);
        answers.try_into()
    }

    fn select_at(&self, scopes: &[Scope], moment: AsOf) -> Result<Vec<Note>> {
        let request = waynote_api::AsOfRequest::new(scopes, moment)?;
        let found: waynote_api::NotesFound = self.exchange.post("as-of", &request)?;
        let (notes, damage) = found.parts()?;
        self.damaged(damage);
        Ok(notes)
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        let request = waynote_api::SearchRequest::try_from(request)?;
        let found: waynote_api::HitsFound = self.exchange.post("search", &request)?;
        let (hits, damage) = found.parts()?;
        self.damaged(damage);
        Ok(hits)
    }

    fn take_damage(&self) -> Damage {
        let mut damage = self.damage.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut damage)
    }

    fn rendered(&self, ask: &BlockAsk) -> Result<Option<BlockAnswer>> {
        let answer = self.block(ask)?;
        if let BlockAnswer::Block(block, _) | BlockAnswer::BlockAndNotes(block, _) = &answer {
            self.damaged_notes(&block.receipt.damaged);
        }
        Ok(Some(answer))
    }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        unless_written(self, work)
    }
}

impl Store for RemoteStore {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        let request = waynote_api::ApplyRequest::new(changes, &self.known(stamp)?)?;
        let answer: waynote_api::ApplyAnswer = self.exchange.post("apply", &request)?;
        let applied = answer.applied()?;
        // Whoever asked for a change looks for its result by its place.
        if applied.len() != changes.len() {
            let reason = "it did not answer every change";
            return Err(self.exchange.not_a_server(&reason));
        }
        Ok(applied)
    }

    fn record(
        &self,
        session: &Name,
        events: &[SessionEvent],
        lease: Option<u64>,
        stamp: &Stamp,
    ) -> Result<()> {
        let stamp = self.known(stamp)?;
        let request = waynote_api::RecordRequest::new(session, events, lease, &stamp)?;
        self.exchange.tell("record", &request)
    }

    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        let removes = || {
            if let Some(keep) = &self.keep {
                keep.forget(&self.exchange.url);
            }
        };
        // Even if the answer is lost: what is forgotten must not be shown from here.
        removes();
        let forgotten = self.forgets(request, &self.known(stamp)?, false)?;
        // What was kept while the server was forgetting.
        removes();
        Ok(forgotten)
    }

    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.forgets(request, stamp, true)
    }

    fn verify(&self) -> Result<Report> {
        let report: waynote_api::Report = self.exchange.get("verify")?;
        Ok(report.into())
    }

    fn beat(&self, session: &Name, lease: u64) -> Result<()> {
        let lease = waynote_api::Lease::new(session, lease);
        self.exchange.tell("beat", &lease)
    }

    fn silence(&self, session: &Name, lease: u64) -> Result<Option<Duration>> {
        let lease = waynote_api::Lease::new(session, lease);
        let silence: waynote_api::Silence = self.exchange.post("silence", &lease)?;
        Ok(silence.into())
    }
}
