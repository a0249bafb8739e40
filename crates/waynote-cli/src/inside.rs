//! In which loop this process runs, if in any.
//!
//! A loop tells its agent by the environment. An agent may start its servers and hooks without it; they still stand
//! below the loop's process, and the store knows that.

use std::path::Path;

use waynote::event::EventAddress;
use waynote::session_state::live_iteration;
use waynote::{Name, Reader, Store};
use waynote_loop::identity;
use waynote_system::variables::{AGENT, AUTHOR, SESSION, STORE};

use crate::args::Global;
use crate::error::{Failure, Outcome};
use crate::home;
use crate::settings::{Origin, Settings};
use crate::variables::LOOP;

/// The session that this process works in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Inside {
    /// Its name, when one was named or a loop runs this process.
    pub(crate) session: Option<Name>,
    /// The iteration that was named, else the live one.
    pub(crate) iteration: Option<i64>,
    /// True if a loop runs this process and waits for its signals. The loop's prompt has the block.
    pub(crate) is_in_loop: bool,
    /// The lease of the nearest loop above this process.
    pub(crate) lease: Option<EventAddress>,
}

impl Inside {
    /// Names from the settings take precedence; the rest comes from the store.
    pub(crate) fn of(settings: &Settings, store: &dyn Reader) -> Outcome<Self> {
        let told = told()?;
        let is_told = |session: &Name| told.as_ref().is_some_and(|told| told.session == *session);
        let leases = store.leases()?;
        let nearest = identity::writer().nearest_loop(&leases);
        let own = nearest.map(|of| &of.session);
        let named = settings.session.value.clone();
        let Some(session) = named.or_else(|| own.cloned()) else {
            return Ok(Self::default());
        };
        // A process works in the loop above it and in no other, whatever the environment names. If no loop is visible
        // above, as in a container, the environment decides.
        let may_be_in_loop = own.map_or_else(|| is_told(&session), |own| *own == session);
        let iteration = settings.iteration.value;
        let live = match iteration {
            Some(_) if !may_be_in_loop => None,
            _ => live_iteration(store, &session)?,
        };
        Ok(Self {
            is_in_loop: live.is_some() && may_be_in_loop,
            iteration: iteration.or(live),
            session: Some(session),
            lease: nearest.map(|of| of.recorded.address(&of.session)),
        })
    }

    /// Only the names from the settings, without a read of the store.
    pub(crate) fn named(settings: &Settings) -> Self {
        Self {
            session: settings.session.value.clone(),
            iteration: settings.iteration.value,
            ..Self::default()
        }
    }

    /// The same for a block. While the server is away, only the names from the settings: the block may be on disk.
    pub(crate) fn of_block(settings: &Settings, store: &dyn Store) -> Outcome<Self> {
        match Self::of(settings, store) {
            Err(Failure::Library(error))
                if settings.remote().is_some() && waynote_remote::is_away(&error) =>
            {
                Ok(Self::named(settings))
            }
            inside => inside,
        }
    }
}

/// The options of a process started by a client. The client's entry may name a store, a notebook and a session; in a
/// loop the loop's own ones are used, because the loop would never read notes that its agent writes elsewhere.
pub(crate) fn of_the_loop(global: &Global) -> Outcome<Global> {
    let mut global = global.clone();
    if home::variable(LOOP)?.is_none() {
        return Ok(global);
    }
    for (option, of_the_loop) in [
        (&mut global.store, STORE),
        (&mut global.agent, AGENT),
        (&mut global.session, SESSION),
        (&mut global.author, AUTHOR),
    ] {
        if home::variable(of_the_loop)?.is_some() {
            *option = None;
        }
    }
    Ok(global)
}

/// The lease in the environment of this process. It applies to the loop's store only.
pub(crate) fn told_lease(settings: &Settings) -> Outcome<Option<EventAddress>> {
    let of_the_loop = home::variable(STORE)?;
    let store = &settings.store.value;
    let is_its_store = match of_the_loop.as_deref().map(Path::new) {
        Some(its) => its == store || std::path::absolute(store).is_ok_and(|store| its == store),
        None => !matches!(settings.store.origin, Origin::Flag(_)),
    };
    Ok(told()?.filter(|_| is_its_store))
}

/// The lease that a loop has passed to its agent in the environment.
fn told() -> Outcome<Option<EventAddress>> {
    Ok(home::variable(LOOP)?.and_then(|told| told.parse().ok()))
}
