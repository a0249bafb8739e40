//! `waynote browse`: the notes in the terminal, on a screen of its own.

mod app;
mod fit;
mod store;
#[cfg(test)]
mod tests;
mod view;

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
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
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use waynote::Store;
use waynote::context::render;
use waynote_loop::Signals;
use waynote_system::process;

use super::saved::Saving;
use super::{context as block, edit};
use crate::args::{AllowArgs, ContextArgs};
use crate::clock;
use crate::error::{Failure, Outcome};
use crate::inside::Inside;
use crate::invocation::Context;
use crate::opened::{OpenStore, Wait};
use crate::typed::Use;
use app::{App, Wish};
use store::{Reading, told};

/// How long keys are waited for before the store is asked whether something has changed.
const POLL: Duration = Duration::from_secs(1);

/// How long a store may take to answer: meanwhile keys wait.
const LONGEST: Duration = Duration::from_secs(2);

/// The exit code of a program whose terminal was closed, as if the signal had come.
const HUNG_UP: u8 = 129;

pub(super) fn run(context: &mut Context<'_>) -> Outcome<ExitCode> {
    if context.output.json || !io::stdin().is_terminal() || !context.output.is_terminal() {
        let what = "`waynote browse` shows notes on a terminal, and this is none";
        let hint = "`waynote ls` lists the notes; `waynote search WORDS` finds them";
        return Err(Failure::refused("no_terminal", what, hint));
    }
    let signals = Signals::listen()?;
    // A second one ends the process at once, as it would any other.
    let is_second = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if !process::ignores(signal) {
            flag::register_conditional_default(signal, Arc::clone(&is_second))
                .and_then(|_| flag::register(signal, Arc::clone(&is_second)))
                .map_err(|error| Failure::file("signals", "listened to", error))?;
        }
    }
    // Its own store: the editor has another one.
    let opened = OpenStore::of(&context.settings, false, Wait::Within(LONGEST))?;
    let request = block::request(context, &ContextArgs::default())?;
    opened.beside(&request.lineage, None);
    let settings = context.settings.clone();
    let receipt = move |store: &dyn Store| {
        let inside = Inside::of_block(&settings, store)?;
        let mut request = request.clone();
        request.now = clock::now()?;
        (request.session, request.iteration) = (inside.session, inside.iteration);
        Ok(render(store, &request)?.receipt)
    };
    let mut browser = Browser {
        app: App::new(context.settings.store.value.display().to_string()),
        reading: Reading::new(opened.store(), Box::new(receipt)),
        screen: Screen::enter()?,
        context,
    };
    browser.work(&signals)
}

struct Browser<'b, 'c> {
    context: &'b mut Context<'c>,
    app: App,
    reading: Reading<'b>,
    screen: Screen,
}

impl Browser<'_, '_> {
    /// Reads the store, draws, and takes the keys, until the end.
    fn work(&mut self, signals: &Signals) -> Outcome<ExitCode> {
        let colour = self.context.output.has_colour();
        loop {
            self.app.read(&mut self.reading);
            let now = clock::now()?;
            let draw = |frame: &mut Frame<'_>| view::draw(frame, &mut self.app, now, colour);
            self.screen.terminal.draw(draw).map_err(of_terminal)?;
            let mut wait = POLL;
            loop {
                if let Some(signal) = signals.asked() {
                    // As shells tell it.
                    return Ok(ExitCode::from(u8::try_from(128 + signal).unwrap_or(1)));
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
        }
    }

    /// Does what a key asks for.
    fn grant(&mut self, wish: Wish) -> Outcome {
        match wish {
            Wish::Quit => {}
            Wish::Suspend => {
                let stop = || kill_current_process_group(Signal::TSTP);
                (self.screen.away(stop)?).map_err(|error| of_terminal(error.into()))?;
            }
            Wish::Edit(address) => {
                let edit = || {
                    let address = match address {
                        Some(address) => address,
                        None => {
                            let here = self.context.directory(None)?;
                            self.context.on_directory(here, None, Use::Make)?
                        }
                    };
                    let saving = Saving::of(self.context, address);
                    edit::edited(self.context, saving, &AllowArgs::default())
                };
                let said = match self.screen.away(edit)? {
                    Ok(Some(saved)) => saved.said,
                    Ok(None) => edit::UNCHANGED.into(),
                    Err(failure) => told(&failure),
                };
                self.app.say(said);
            }
            Wish::Write(write) => match self.context.stamp() {
                Ok(stamp) => self.app.write(&mut self.reading, write, &stamp),
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
    let is_typed = event::poll(Duration::ZERO)?;
    Ok(if is_typed { Keys::Typed } else { Keys::None })
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
