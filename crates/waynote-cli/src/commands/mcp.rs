//! `waynote mcp`: the notes for an agent, over standard input and output.

use std::fs::File;
use std::io::{self, BufReader};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use serde_json::{Map, Value};
use waynote::context::ShownNote;
use waynote::event::EventAddress;
use waynote::store::Damage;
use waynote::{Lineage, Place, Store};
use waynote_clients::{About, CallerSession, Channel, Client, Ledgers};
use waynote_mcp::{Caller, Delivery, Host, Lineages, Options, Refusal, Set};
use waynote_system::process::Process;

use crate::error::{Failure, Outcome};
use crate::home;
use crate::inside::{Inside, told_lease};
use crate::invocation::Context;
use crate::opened::{OpenStore, Wait};
use crate::settings::Settings;
use crate::team::AT_START;

/// The lineages of directories of this machine. What cannot be found out about one is said where a note is written.
pub(super) fn lineages(settings: &Settings) -> Lineages {
    let settings = settings.clone();
    Arc::new(move |place| {
        let lineage = settings.lineage(place);
        lineage.unwrap_or_else(|failure| Lineage::from(place.clone()).of_unknown(failure.what()))
    })
}

/// The same; where a client works is remembered, and the notes that others have there are laid over the store.
fn remembered(settings: &Settings, opened: Arc<OpenStore>) -> Lineages {
    let (lineages, settings) = (lineages(settings), settings.clone());
    Arc::new(move |place| {
        let lineage = lineages(place);
        super::stands::remember(&settings, &lineage);
        match settings.is_team_due(&lineage) {
            true => opened.beside_asked(&lineage, AT_START),
            false => opened.beside(&lineage, None),
        }
        lineage
    })
}

pub(super) fn run(context: &Context<'_>, tools: &[String]) -> Outcome {
    let settings = &context.settings;
    let tools = sets(tools)?;
    // Asked once before the client waits for anything.
    crate::clock::now()?;
    let mut directories = Vec::new();
    for variable in Client::project_variables() {
        directories.extend(home::variable(variable)?);
    }
    let opened = Arc::new(OpenStore::of(settings, false, Wait::AtTheFirstCall)?);
    // An unreadable store is reported when it is asked for notes.
    let inside = Inside::of(settings, opened.store());
    let inside = inside.unwrap_or_else(|_| Inside::named(settings));
    let lease = told_lease(settings)?.or(inside.lease.clone());
    let mut caller = Caller {
        session: inside.session,
        // The live one may be another by the time of a call.
        iteration: settings.iteration.value,
        is_in_loop: inside.is_in_loop,
        author: settings.agents_author()?,
        agent: settings.agent.value.clone(),
        limits: settings.limits(None, None),
        style: settings.style.value,
        budget: settings.budget(None),
        home: home::if_any()?,
        directories,
        lineages: Some(remembered(settings, Arc::clone(&opened))),
    };
    let has_project = caller.names_project();
    // One that is gone or has no name in UTF-8 is no project.
    let cwd = std::env::current_dir().ok();
    let cwd = cwd.and_then(|cwd| cwd.into_os_string().into_string().ok());
    caller.directories.extend(cwd);
    let to_client = ToClient {
        ledgers: super::hook::ledgers()?,
        client: Process::client(),
        is_in_loop: caller.is_in_loop,
        place: home::base().map_or_else(|_| Place::home(), |base| base.cwd()),
        settings: settings.clone(),
        opened: Arc::clone(&opened),
        was_given: AtomicBool::new(false),
    };
    let options = Options {
        caller,
        tools,
        has_project,
        delivery: Some(Arc::new(to_client)),
    };
    end_with_parent();
    let host = Arc::new(Notes { opened, lease });
    // Not through the standard library's lock, which the rest of the program holds.
    let output = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    waynote_mcp::serve(BufReader::new(io::stdin()), output, options, host).map_err(Failure::from)
}

/// The sets that the words name.
fn sets(words: &[String]) -> Outcome<Vec<Set>> {
    let mut sets = Vec::new();
    for word in words.iter().map(|word| word.trim()) {
        if word == "all" {
            sets.extend(Set::ALL);
            continue;
        }
        let refused = |hint: String| {
            let word = waynote::visible::visible(word);
            Failure::usage(format!("`{word}` is not a set of tools"), hint)
        };
        sets.push(word.parse().map_err(refused)?);
    }
    Ok(sets)
}

/// The client that started this server. Its hooks record its session, and the notes delivered to that.
struct ToClient {
    /// None: nothing can be remembered beyond this process.
    ledgers: Option<Ledgers>,
    client: Option<Process>,
    is_in_loop: bool,
    /// The working directory of the server.
    place: Place,
    settings: Settings,
    opened: Arc<OpenStore>,
    /// True once the block was delivered to a session that no hook has named.
    was_given: AtomicBool,
}

impl ToClient {
    /// In which session the client calls.
    fn calling(&self) -> CallerSession {
        match (&self.ledgers, &self.client) {
            (Some(ledgers), Some(client)) => ledgers.calling(client),
            _ => CallerSession::Unnamed,
        }
    }
}

impl Delivery for ToClient {
    fn is_owed(&self) -> bool {
        if super::hook::is_off() {
            return false;
        }
        match (self.calling(), &self.ledgers) {
            (CallerSession::Only(session), Some(ledgers)) => {
                let given = ledgers.delivered(&session);
                if given.is_off || ledgers.is_paused(&session, &self.place) {
                    return false;
                }
                // A loop's prompt has the block, unless the conversation has lost it.
                given.block.is_none() && (given.was_reset || !self.is_in_loop)
            }
            (CallerSession::Unnamed, _) => {
                !self.is_in_loop && !self.was_given.load(Ordering::Relaxed)
            }
            // The reply would go to any of them. The hook of the one that lacks it brings it.
            _ => false,
        }
    }

    fn take(&self, notes: Vec<ShownNote>) -> bool {
        match (self.calling(), &self.ledgers) {
            (CallerSession::Only(session), Some(ledgers)) => {
                let given = ledgers.delivered(&session);
                let delivery = waynote_clients::Delivery::Block(Channel::Server);
                let owed = given.block.is_none();
                let pending = ledgers.prepare(&session, &given, delivery, notes);
                owed && pending.about(About::reply()).claim()
            }
            (CallerSession::Unnamed, ledgers) => {
                let is_first = !self.was_given.swap(true, Ordering::Relaxed);
                if let (true, Some(client), Some(ledgers)) = (is_first, &self.client, ledgers) {
                    ledgers.serve(client, notes);
                }
                is_first
            }
            _ => false,
        }
    }

    fn says(&self, store: &dyn Store, here: &Lineage) -> String {
        super::stands::in_block(&self.settings, store, here)
    }

    /// A failure says nothing: the client would show it as an error of the tool.
    fn hook(&self, _store: &dyn Store, arguments: &Map<String, Value>) -> Option<String> {
        let said = super::hook::answered(
            &self.settings,
            &self.opened,
            self.ledgers.clone(),
            arguments,
        );
        Some(said.unwrap_or_default())
    }
}

/// The notes as the settings name them.
struct Notes {
    opened: Arc<OpenStore>,
    lease: Option<EventAddress>,
}

impl Host for Notes {
    fn store(&self) -> &(dyn Store + Send + Sync) {
        self.opened.store()
    }

    fn now(&self) -> Timestamp {
        crate::clock::now().unwrap_or_default()
    }

    fn lease(&self) -> Option<EventAddress> {
        self.lease.clone()
    }

    fn may_write(&self) -> Result<(), Refusal> {
        Ok(())
    }

    fn after_call(&self, damage: &Damage) {
        self.opened.say_damage(damage);
        self.opened.say_notices();
    }
}

/// Ends this process when its parent dies, even if another process holds our input open. A parent that dies nearly
/// always ends our input too, so that way gets one second first.
#[cfg(target_os = "linux")]
fn end_with_parent() {
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{PidfdFlags, getppid, pidfd_open};

    let Some(parent) = getppid().and_then(|parent| pidfd_open(parent, PidfdFlags::empty()).ok())
    else {
        return;
    };
    let wait = move || {
        let mut parent = [PollFd::new(&parent, PollFlags::IN)];
        while poll(&mut parent, None).is_err() {}
        std::thread::sleep(std::time::Duration::from_secs(1));
        std::process::exit(0);
    };
    // Without this thread, the end of the input ends this process.
    let _ = std::thread::Builder::new()
        .name("waynote-parent".into())
        .spawn(wait);
}

#[cfg(not(target_os = "linux"))]
fn end_with_parent() {}
