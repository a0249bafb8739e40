//! The store: each function is one request.

use parking_lot::Mutex;
use std::time::Duration;

use waynote::change::{Applied, Change};
use waynote::context::{BlockAnswer, BlockAsk};
use waynote::event::SessionEvent;
use waynote::forget::{Forget, Forgotten};
use waynote::search::{Hit, SearchRequest};
use waynote::store::{Answers, Ask, Damage, unless_written};
use waynote::wire::{
    ApplyAnswer, ApplyRequest, AsOfRequest, ForgetRequest, HitsFound, Lease, NotesFound,
    RecordRequest, Silence,
};
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

    /// Who writes here in place of a person, and whether the store is one of several people.
    fn held(&self) -> Result<(Option<Name>, bool)> {
        let known = || self.exchange.holder.lock().clone();
        if let Some(known) = known() {
            return Ok(known);
        }
        self.version()?;
        Ok(known().unwrap_or_default())
    }

    /// Records the damage in an answer.
    fn damaged(&self, notes: &[String], index: bool) {
        let mut damage = self.damage.lock();
        damage.notes.extend_from_slice(notes);
        damage.notes.sort();
        damage.notes.dedup();
        damage.index |= index;
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
        let request = ForgetRequest {
            target: request.target.clone(),
            everywhere: request.everywhere,
            stamp: stamp.clone(),
            dry_run,
            up_to: request.up_to,
        };
        self.exchange.post("forget", &request)
    }

    /// The server's block, or the cached one while the server is away.
    fn block(&self, ask: &BlockAsk) -> Result<BlockAnswer> {
        let answer = self.exchange.post("context", ask);
        let Some(keep) = &self.keep else {
            return answer;
        };
        // Without a token nothing was asked either.
        let token = self.exchange.token.get().ok().flatten();
        let kept = keep.of(&self.exchange.url, token.as_deref(), ask);
        match answer {
            Ok(answer) => {
                kept.put(&answer);
                Ok(answer)
            }
            Err(error) if is_away(&error) => kept.take(&error).ok_or(error),
            Err(error) => Err(error),
        }
    }
}

impl Reader for RemoteStore {
    fn read(&self, ask: &Ask) -> Result<Answers> {
        let answers: Answers = self.exchange.post("read", ask)?;
        self.damaged(&answers.damaged, false);
        Ok(answers)
    }

    fn select_at(&self, scopes: &[Scope], moment: AsOf) -> Result<Vec<Note>> {
        let request = AsOfRequest {
            scopes: scopes.to_vec(),
            moment,
        };
        let found: NotesFound = self.exchange.post("as-of", &request)?;
        self.damaged(&found.damage.notes, found.damage.index);
        Ok(found.notes)
    }

    fn search(&self, request: &SearchRequest) -> Result<Vec<Hit>> {
        let found: HitsFound = self.exchange.post("search", request)?;
        self.damaged(&found.damage.notes, found.damage.index);
        Ok(found.hits)
    }

    fn take_damage(&self) -> Damage {
        let mut damage = self.damage.lock();
        std::mem::take(&mut damage)
    }

    fn rendered(&self, ask: &BlockAsk) -> Result<Option<BlockAnswer>> {
        let answer = self.block(ask)?;
        if let BlockAnswer::Block { block, .. } | BlockAnswer::BlockAndNotes { block, .. } = &answer
        {
            self.damaged(&block.receipt.damaged, false);
        }
        Ok(Some(answer))
    }

    fn holder(&self) -> Result<Option<Name>> {
        Ok(self.held()?.0)
    }

    fn is_shared(&self) -> Result<bool> {
        Ok(self.held()?.1)
    }

    fn one_state(&self, work: &mut dyn FnMut(&dyn Reader) -> Result<()>) -> Result<()> {
        unless_written(self, work)
    }
}

impl Store for RemoteStore {
    fn apply(&self, changes: &[Change], stamp: &Stamp) -> Result<Vec<Applied>> {
        // The server refuses a credential, too; this one does not leave the machine.
        for change in changes {
            change.check_secrets(stamp)?;
        }
        let request = ApplyRequest {
            changes: changes.to_vec(),
            stamp: self.known(stamp)?,
        };
        let ApplyAnswer { applied } = self.exchange.post("apply", &request)?;
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
        let request = RecordRequest {
            session: session.clone(),
            events: events.to_vec(),
            lease,
            stamp: self.known(stamp)?,
        };
        self.exchange.tell("record", &request)
    }

    fn forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        let removes = || {
            if let Some(keep) = &self.keep {
                keep.forget(&self.exchange.url);
            }
        };
        // First, even if the answer will be lost: a forgotten text must not be shown from here.
        removes();
        let forgotten = self.forgets(request, &self.known(stamp)?, false)?;
        // Again, because a block may have been cached while the server was forgetting.
        removes();
        Ok(forgotten)
    }

    fn would_forget(&self, request: &Forget, stamp: &Stamp) -> Result<Forgotten> {
        self.forgets(request, stamp, true)
    }

    fn verify(&self) -> Result<Report> {
        self.exchange.get("verify")
    }

    fn heartbeat(&self, session: &Name, lease: u64) -> Result<()> {
        let session = session.clone();
        self.exchange.tell("beat", &Lease { session, lease })
    }

    fn silence(&self, session: &Name, lease: u64) -> Result<Option<Duration>> {
        let session = session.clone();
        let silence: Silence = self.exchange.post("silence", &Lease { session, lease })?;
        Ok(silence.into())
    }
}
