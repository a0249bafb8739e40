//! The context of a command: the settings, the output, and the store once it is needed.

use std::cell::{Cell, OnceCell, RefCell};

use serde::Serialize;
use waynote::visible::visible;
use waynote::{Author, Lineage, Name, Place, Reader, SecretPolicy, Stamp, Store, Writer, person};
use waynote_loop::identity;

use crate::args::AllowArgs;
use crate::error::{Failure, Outcome};
use crate::inside::{self, Inside};
use crate::opened::{OpenStore, Wait};
use crate::output::Output;
use crate::settings::{Origin, Settings};

/// The context of a command.
pub(crate) struct Context<'o> {
    pub(crate) settings: Settings,
    pub(crate) output: &'o mut Output,
    /// The store, opened when it is first needed: opening it costs more than most commands do.
    pub(crate) opened: OnceCell<OpenStore>,
    /// The directories whose notes of others are laid over the store when it is opened.
    lineages: RefCell<Vec<Lineage>>,
    /// True once the command is known to write.
    writes: Cell<bool>,
    /// The lineage that was made last: a command asks for that of the working directory several times.
    last: RefCell<Option<Lineage>>,
    notebook: OnceCell<Name>,
}

impl<'o> Context<'o> {
    pub(crate) fn new(settings: Settings, output: &'o mut Output) -> Self {
        Self {
            settings,
            output,
            opened: OnceCell::new(),
            lineages: RefCell::default(),
            writes: Cell::new(false),
            last: RefCell::default(),
            notebook: OnceCell::new(),
        }
    }

    /// Every place whose notes apply at a directory.
    pub(crate) fn around(&self, place: &Place) -> Outcome<Lineage> {
        let mut last = self.last.borrow_mut();
        if let Some(last) = last.as_ref().filter(|of| of.place() == place) {
            return Ok(last.clone());
        }
        Ok(last.insert(self.settings.lineage(place)?).clone())
    }

    /// The agent of the notebook. Only a store elsewhere may have another one for who names none.
    pub(crate) fn notebook(&self) -> Outcome<&Name> {
        let agent = &self.settings.agent.value;
        if self.settings.remote().is_none() && self.settings.database().is_none() {
            return Ok(agent);
        }
        if let Some(known) = self.notebook.get() {
            return Ok(known);
        }
        let found = person::notebook(self.opened()?.store(), agent)?;
        Ok(self.notebook.get_or_init(|| found))
    }

    /// Author and time of a change. Inside a loop the store takes the agent for the author, even if a setting names a
    /// person; it refuses a person who is named for this call. A person replaces any text, an agent only what it has
    /// read.
    pub(crate) fn stamp(&self) -> Outcome<Stamp> {
        self.writes.set(true);
        let author = &self.settings.author;
        let stamp = Stamp::new(crate::clock::now()?, author.value.clone());
        let by = Author::of(&author.value);
        // The agent of a client's shell may run inside a loop, too.
        let is_asked = by == Author::Person || author.is_default();
        let writer = is_asked.then(|| self.writer()).transpose()?;
        let stamp = match by {
            Author::Agent(_) => stamp.careful(),
            _ => stamp,
        };
        let stamp = stamp.inside(inside::told_lease(&self.settings)?).by(writer);
        Ok(stamp.allowing(self.settings.secret_policy()))
    }

    /// This process, for a store that has to know whether it runs inside a loop.
    pub(crate) fn writer(&self) -> Outcome<Writer> {
        let agent = match self.settings.author.origin {
            Origin::Flag(_) | Origin::Variable(_) => None,
            _ => Some(self.settings.agents_author()?),
        };
        Ok(identity::writer().agent(agent))
    }

    /// The same for a write that may be allowed to hold a credential.
    pub(crate) fn stamp_allowing(&self, allow: &AllowArgs) -> Outcome<Stamp> {
        let stamp = self.stamp()?;
        Ok(if allow.secret {
            stamp.allowing(SecretPolicy::AllowAll)
        } else {
            stamp
        })
    }

    /// The session that this process works in, and the iteration; a refusal when there is none.
    pub(crate) fn session(&self) -> Outcome<(Name, Option<i64>)> {
        self.read(|store| self.session_in(store))
    }

    /// The same with a reader of the store.
    pub(crate) fn session_in(&self, store: &dyn Reader) -> Outcome<(Name, Option<i64>)> {
        let inside = Inside::of(&self.settings, store)?;
        match inside.session {
            Some(session) => Ok((session, inside.iteration)),
            None => Ok((self.settings.session()?.clone(), None)),
        }
    }

    /// The store. It is opened once, so that all of a command works on the same file.
    pub(crate) fn opened(&self) -> Outcome<&OpenStore> {
        if let Some(opened) = self.opened.get() {
            return Ok(opened);
        }
        if !self.writes.get() {
            self.names_no_missing_store()?;
        }
        let opened = OpenStore::of(&self.settings, self.output.json, Wait::Now)?;
        let opened = self.opened.get_or_init(|| opened);
        for lineage in self.lineages.take() {
            opened.beside(&lineage, None);
        }
        Ok(opened)
    }

    /// Lays the notes that others have for a directory over the store.
    pub(crate) fn beside(&self, lineage: &Lineage) {
        match self.opened.get() {
            Some(opened) => opened.beside(lineage, None),
            None => self.lineages.borrow_mut().push(lineage.clone()),
        }
    }

    /// Refuses to read a store that this call names and that does not exist: it is misspelt. One that the settings name
    /// is made by the first write.
    fn names_no_missing_store(&self) -> Outcome {
        let Some(path) = self.settings.missing_store() else {
            return Ok(());
        };
        let what = format!("there is no store {}", visible(&path.to_string_lossy()));
        match self.settings.store.origin {
            Origin::Flag(_) => Err(Failure::refused(
                "no_store",
                what,
                "correct `--store`, or make the store by a first note: `waynote note TEXT`",
            )),
            _ => {
                crate::error::say(&format!("{what} yet; the first note makes it"));
                Ok(())
            }
        }
    }

    /// Says that the command may write: then a store that does not exist is made.
    pub(crate) fn may_write(&self) {
        self.writes.set(true);
    }

    /// The store for a command that writes.
    pub(crate) fn opened_for_writing(&self) -> Outcome<&OpenStore> {
        self.writes.set(true);
        self.opened()
    }

    /// Reads something from the store.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&dyn Store) -> Outcome<T>) -> Outcome<T> {
        self.opened()?.work(work)
    }

    /// Writes something to the store.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&dyn Store) -> Outcome<T>) -> Outcome<T> {
        let is_flag = matches!(self.settings.store.origin, Origin::Flag(_));
        let created = self.settings.missing_store().filter(|_| is_flag);
        let done = self.opened_for_writing()?.work(work)?;
        if let Some(path) = created.filter(|path| path.exists() && !self.output.json) {
            let path = visible(&path.to_string_lossy());
            crate::error::say(&format!("created the store {path}, which was not there"));
        }
        Ok(done)
    }

    /// Prints a line.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> Outcome {
        self.output.line(text)
    }

    /// Prints a text that may have colours.
    pub(crate) fn coloured(&mut self, text: &str) -> Outcome {
        self.output.coloured(text)
    }

    /// Prints a value as JSON.
    pub(crate) fn value(&mut self, value: &impl Serialize) -> Outcome {
        self.output.value(value)
    }

    /// Prints a value with `--json`, else a line of text.
    pub(crate) fn answer(
        &mut self,
        value: &impl Serialize,
        text: impl FnOnce() -> String,
    ) -> Outcome {
        self.output.answer(value, text)
    }
}
