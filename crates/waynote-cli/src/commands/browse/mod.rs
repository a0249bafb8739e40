//! `waynote browse`: the notes in the terminal, on a screen of its own.

mod app;
mod fit;
#[cfg(test)]
mod tests;
mod view;
mod worker;

use std::fs::File;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::Duration;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::{Frame, Terminal};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Signal, kill_current_process_group};
use waynote::Address;
use waynote::context::render;
use waynote_clients::DeliveryRecord;

use super::import_progress::Interrupt;
use super::{context as block, edit, hook};
use crate::args::{AllowArgs, ContextArgs};
use crate::error::{Failure, Outcome};
use crate::inside::Inside;
use crate::invocation::Context;
use crate::opened::{OpenStore, Wait};
use crate::{clock, home};
use app::{App, Wish};
use worker::{Job, ReadUses, Reply, Worker, told};

/// How long keys are waited for before signals and replies are looked at: shorter while a reply is due.
const CALM: Duration = Duration::from_millis(200);
const BUSY: Duration = Duration::from_millis(15);

/// The exit code of a program whose terminal was closed, as if the signal had come.
const HUNG_UP: u8 = 129;

/// How long the end waits for a store that does not answer.
const LAST_WAIT: Duration = Duration::from_millis(500);

/// How many sessions of agents are asked what they were given.
const SESSIONS: usize = 20;

pub(super) fn run(context: &mut Context<'_>) -> Outcome<ExitCode> {
    if context.output.json || !io::stdin().is_terminal() || !context.output.is_terminal() {
        return Err(Failure::refused(
            "no_terminal",
            "`waynote browse` shows notes on a terminal, and this is none",
            "`waynote ls` lists the notes; `waynote search WORDS` finds them",
        ));
    }
    let interrupt = Interrupt::listen()?;
    let mut browser = Browser {
        app: App::new(name(context)),
        desk: Desk::of(context)?,
        screen: Screen::enter()?,
        context,
    };
    let ended = browser.work(&interrupt);
    let Browser { desk, screen, .. } = browser;
    drop(screen);
    desk.close();
    ended
}

struct Browser<'b, 'c> {
    context: &'b mut Context<'c>,
    app: App,
    desk: Desk,
    screen: Screen,
}

impl Browser<'_, '_> {
    /// The keys and the replies, until the end.
    fn work(&mut self, interrupt: &Interrupt) -> Outcome<ExitCode> {
        let colour = self.context.output.has_colour();
        loop {
            if let Some((of, pages)) = self.app.wanted() {
                self.send(Job::List(of, pages));
            }
            let now = clock::now()?;
            let draw = |frame: &mut Frame<'_>| view::draw(frame, &mut self.app, now, colour);
            self.screen.terminal.draw(draw).map_err(of_terminal)?;
            let mut wait = if self.app.is_waiting() { BUSY } else { CALM };
            loop {
                if let ControlFlow::Break(()) = interrupt.is_requested() {
                    return Ok(interrupt.exit_code());
                }
                match typed_within(wait).map_err(of_terminal)? {
                    Keys::None => break,
                    Keys::Gone => return Ok(ExitCode::from(HUNG_UP)),
                    Keys::Typed => {}
                }
                // More keys may have been typed meanwhile: one drawing for all.
                wait = Duration::ZERO;
                match event::read().map_err(of_terminal)? {
                    Event::Key(key) => match self.app.key(key) {
                        Some(Wish::Quit) => return Ok(ExitCode::SUCCESS),
                        Some(wish) => self.grant(wish)?,
                        None => {}
                    },
                    Event::Paste(text) => self.app.paste(&text),
                    Event::Resize(..) => self.screen.again()?,
                    _ => {}
                }
            }
            loop {
                match self.desk.replies.try_recv() {
                    Ok(reply) => self.app.take(reply),
                    Err(TryRecvError::Empty) => break,
                    // Its panic has been reported.
                    Err(TryRecvError::Disconnected) => {
                        let what = "the part of `waynote browse` that reads the store has ended";
                        return Err(Failure::refused("failed", what, "start it again"));
                    }
                }
            }
        }
    }

    fn send(&mut self, job: Job) {
        self.desk.send(&mut self.app, job);
    }

    /// Does what a key asks for.
    fn grant(&mut self, wish: Wish) -> Outcome {
        match wish {
            Wish::Quit => {}
            Wish::Suspend => {
                let stop = || kill_current_process_group(Signal::TSTP);
                let stopped = self.screen.away(stop)?;
                stopped.map_err(|error| of_terminal(error.into()))?;
            }
            Wish::Edit(address) => {
                let address = match address {
                    Some(address) => address,
                    None => Address::Place(home::base()?.cwd()),
                };
                let edit = || edit::edited(self.context, address, &AllowArgs::default());
                let said = match self.screen.away(edit)? {
                    Ok(Some(saved)) => saved.said(),
                    Ok(None) => edit::UNCHANGED.into(),
                    Err(failure) => told(&failure),
                };
                self.app.say(said);
                self.send(Job::Refresh);
            }
            Wish::Write(write) => match self.context.stamp() {
                Ok(stamp) => self.send(Job::Write(write, Box::new(stamp))),
                Err(failure) => self.app.say(told(&failure)),
            },
        }
        Ok(())
    }
}

enum Keys {
    None,
    Typed,
    /// The terminal was closed.
    Gone,
}

/// Waits so long for keys. crossterm alone would read the end of a closed terminal for ever.
fn typed_within(wait: Duration) -> io::Result<Keys> {
    let stdin = io::stdin();
    let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
    let wait = wait.try_into().map_err(io::Error::other)?;
    match poll(&mut polled, Some(&wait)) {
        // A signal: perhaps the size has changed.
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
    if polled[0].revents().intersects(gone) {
        return Ok(Keys::Gone);
    }
    Ok(match event::poll(Duration::ZERO)? {
        true => Keys::Typed,
        false => Keys::None,
    })
}

/// The store's name on the screen.
fn name(context: &Context<'_>) -> String {
    let settings = &context.settings;
    let url = settings.remote().map(ToString::to_string);
    let url = url.or_else(|| settings.database().map(ToString::to_string));
    url.unwrap_or_else(|| settings.store.value.display().to_string())
}

/// The way to the thread that works on the store.
struct Desk {
    jobs: Sender<(u64, Job)>,
    replies: Receiver<Reply>,
}

impl Desk {
    fn of(context: &Context<'_>) -> Outcome<Self> {
        // Its own store: the editor's goes on meanwhile.
        let store = OpenStore::of(&context.settings, false, Wait::Now)?;
        let request = block::request(context, &ContextArgs::default())?;
        let settings = context.settings.clone();
        let ledgers = hook::ledgers()?;
        let read_uses: ReadUses = Box::new(move |store| {
            let inside = Inside::of_block(&settings, store)?;
            let mut request = request.clone();
            request.now = clock::now()?;
            (request.session, request.iteration) = (inside.session, inside.iteration);
            let given = ledgers.as_ref().map(|of| of.latest(SESSIONS));
            let notes = |told: Vec<DeliveryRecord>| {
                let notes = told.into_iter().flat_map(|told| told.notes);
                notes.map(|of| of.address).collect()
            };
            let given = given.unwrap_or_default().into_iter().map(notes);
            Ok((render(store, &request)?.receipt, given.collect()))
        });
        Self::start(move |jobs, replies| {
            Worker::new(store.store(), read_uses, replies).run(&jobs);
        })
    }

    fn start(
        work: impl FnOnce(Receiver<(u64, Job)>, Sender<Reply>) + Send + 'static,
    ) -> Outcome<Self> {
        let (jobs, taken) = channel();
        let (sender, replies) = channel();
        let thread = std::thread::Builder::new().name("store".into());
        let started = thread.spawn(move || work(taken, sender));
        started.map_err(|error| Failure::file("thread", "started", error))?;
        Ok(Self { jobs, replies })
    }

    fn send(&self, app: &mut App, job: Job) {
        // Without the thread, the missing reply ends the loop.
        let _ = self.jobs.send((app.number(), job));
    }

    /// Lets the thread report what it met in the store, unless the store does not answer.
    fn close(self) {
        let Self { jobs, replies } = self;
        drop(jobs);
        while replies.recv_timeout(LAST_WAIT).is_ok() {}
    }
}

/// The terminal while it shows our screen. However this program ends, the terminal is as it was before.
struct Screen {
    terminal: Terminal<CrosstermBackend<File>>,
}

impl Screen {
    fn enter() -> Outcome<Self> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            before(panic);
        }));
        let terminal = shown().inspect_err(|_| leave()).map_err(of_terminal)?;
        Ok(Self { terminal })
    }

    /// Draws all of it again.
    fn again(&mut self) -> Outcome {
        self.terminal = shown().map_err(of_terminal)?;
        Ok(())
    }

    /// Does something on the usual screen, and comes back.
    fn away<T>(&mut self, work: impl FnOnce() -> T) -> Outcome<T> {
        leave();
        let done = work();
        self.again()?;
        Ok(done)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// Standard output without its lock, which the output of a command holds.
fn tty() -> io::Result<File> {
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}

fn shown() -> io::Result<Terminal<CrosstermBackend<File>>> {
    enable_raw_mode()?;
    let mut tty = tty()?;
    let clear = ratatui::crossterm::terminal::Clear(ratatui::crossterm::terminal::ClearType::All);
    execute!(tty, EnterAlternateScreen, EnableBracketedPaste, clear)?;
    Terminal::new(CrosstermBackend::new(tty))
}

fn leave() {
    // A terminal that is gone has nothing to restore.
    if let Ok(mut tty) = tty() {
        let _ = execute!(tty, DisableBracketedPaste, LeaveAlternateScreen, Show);
    }
    let _ = disable_raw_mode();
}

fn of_terminal(error: io::Error) -> Failure {
    Failure::file("terminal", "used", error)
}
