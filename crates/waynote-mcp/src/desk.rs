//! The thread that has the store. Calls are put on its desk one after another.
//!
//! A store is not made for many threads, and its calls take microseconds. One thread that owns it is the simplest thing
//! that never blocks the one that speaks to the client.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use jiff::Timestamp;
use tokio::sync::oneshot;
use waynote::context::{Renderer, Request, ShownNote};
use waynote::{Name, Stamp, Store};

use crate::caller::Here;
use crate::reply::Refusal;

/// Where the store comes from, and the time.
pub trait Source: Send + 'static {
    /// The store for reading, empty when there is none. Nothing is made and nothing locked.
    ///
    /// # Errors
    /// Why it cannot be read.
    fn for_reading(&self) -> Result<Box<dyn Opened>, Refusal>;

    /// The store for a change of what is there: one that does not exist is made only where another program's file
    /// may hold notes.
    ///
    /// # Errors
    /// Why it cannot be opened.
    fn for_changing(&self) -> Result<Box<dyn Opened>, Refusal>;

    /// The store, made when there is none.
    ///
    /// # Errors
    /// Why it cannot be made.
    fn for_writing(&self) -> Result<Box<dyn Opened>, Refusal>;

    /// The time.
    fn now(&self) -> Timestamp;
}

/// An open store.
pub trait Opened {
    /// The store.
    fn store(&self) -> &dyn Store;

    /// Whether it is there at all, and so can be written too.
    fn is_there(&self) -> bool;
}

/// What is asked of the thread.
type Job = Box<dyn FnOnce(&mut Keeper) + Send>;

/// Where calls are put.
pub(crate) struct Desk(Sender<Job>);

impl Desk {
    /// Starts the thread, which ends with the desk. The store is opened by the first call that needs it.
    pub(crate) fn start(source: Box<dyn Source>) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (sender, jobs) = channel::<Job>();
        let thread = std::thread::Builder::new()
            .name("waynote-store".into())
            .spawn(move || {
                let mut keeper = Keeper {
                    source,
                    opened: None,
                    renderer: Renderer::default(),
                };
                for job in jobs {
                    if catch_unwind(AssertUnwindSafe(|| job(&mut keeper))).is_err() {
                        // A defect of ours in the midst of something: begin anew.
                        keeper.opened = None;
                        keeper.renderer = Renderer::default();
                    }
                }
            })?;
        Ok((Self(sender), thread))
    }

    /// Does something with the store; none when it could not be done at all.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Keeper) -> T + Send + 'static,
    ) -> Option<T> {
        let (sender, done) = oneshot::channel();
        let job: Job = Box::new(move |keeper| {
            // A client that has left does not wait for it.
            let _ = sender.send(work(keeper));
        });
        self.0.send(job).ok()?;
        done.await.ok()
    }
}

/// What the thread keeps: the store, opened when it is needed and as far as it is needed.
pub(crate) struct Keeper {
    source: Box<dyn Source>,
    opened: Option<Box<dyn Opened>>,
    renderer: Renderer,
}

impl Keeper {
    /// The store for reading, empty when there is none.
    pub(crate) fn read(&mut self) -> Result<&dyn Store, Refusal> {
        self.open(|source| source.for_reading())
    }

    /// The store for a change of what is there.
    pub(crate) fn change(&mut self) -> Result<&dyn Store, Refusal> {
        self.open(|source| source.for_changing())
    }

    /// The store for writing, made when there is none.
    pub(crate) fn write(&mut self) -> Result<&dyn Store, Refusal> {
        self.open(|source| source.for_writing())
    }

    /// The text of the caller's block.
    pub(crate) fn block(&mut self, here: &Here) -> Result<String, Refusal> {
        let request = Request {
            iteration: here.iteration(self.read()?)?,
            ..here.request(self.now())
        };
        self.render(&request)
    }

    /// The same, and the notes in it.
    pub(crate) fn block_and_notes(
        &mut self,
        here: &Here,
    ) -> Result<(String, Vec<ShownNote>), Refusal> {
        let request = Request {
            iteration: here.iteration(self.read()?)?,
            ..here.request(self.now())
        };
        let store = self.read()?;
        let (block, notes) = waynote::context::block_and_notes(store, &request)?;
        Ok((waynote::visible::for_model(&block.text), notes))
    }

    /// The text of a block.
    pub(crate) fn render(&mut self, request: &Request) -> Result<String, Refusal> {
        let mut renderer = std::mem::take(&mut self.renderer);
        let rendered = self
            .read()
            .and_then(|store| Ok(renderer.render(store, request)?));
        self.renderer = renderer;
        Ok(waynote::visible::for_model(&rendered?.text))
    }

    /// The time, and who writes.
    pub(crate) fn stamp(&self, author: &Name) -> Stamp {
        Stamp::new(self.now(), author.clone())
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.source.now()
    }

    /// What is open, when the store is there; else it is looked for again.
    fn open(
        &mut self,
        open: impl FnOnce(&dyn Source) -> Result<Box<dyn Opened>, Refusal>,
    ) -> Result<&dyn Store, Refusal> {
        let opened = match self.opened.take().filter(|opened| opened.is_there()) {
            Some(opened) => opened,
            None => open(&*self.source)?,
        };
        Ok(self.opened.insert(opened).store())
    }
}
