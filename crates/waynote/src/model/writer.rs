//! The process that a change comes from.

use serde::{Deserialize, Serialize};

use crate::event::{SessionEvent, SessionsEvent};
use crate::key::Name;

/// The process that a change comes from. A store can tell from it whether a loop runs that process: then an agent
/// writes, and not a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Writer {
    /// The machine's name.
    pub host: String,
    /// The boot id of the machine's kernel; empty if it has none.
    pub boot: String,
    /// The PID namespace in which the processes have their numbers; none if the system has no such thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<u64>,
    /// The processes above it, the nearest first.
    pub above: Vec<Ancestor>,
    /// The author of what it writes inside a loop in a person's name; none: that is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Name>,
}

/// A process above a writing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Ancestor {
    /// The process id.
    pub pid: u32,
    /// Its start time, in the ticks of the kernel.
    pub start: u64,
}

impl Writer {
    /// A process below these, the nearest first.
    pub fn new(
        host: impl Into<String>,
        boot: impl Into<String>,
        namespace: Option<u64>,
        above: Vec<Ancestor>,
    ) -> Self {
        Self {
            host: host.into(),
            boot: boot.into(),
            namespace,
            above,
            agent: None,
        }
    }

    /// Sets the author of what it writes inside a loop in a person's name.
    pub fn agent(self, agent: impl Into<Option<Name>>) -> Self {
        Self {
            agent: agent.into(),
            ..self
        }
    }

    /// The lease of the nearest loop above it: a loop may run in another one's agent.
    pub fn nearest_loop<'l>(
        &self,
        leases: impl IntoIterator<Item = &'l SessionsEvent>,
    ) -> Option<&'l SessionsEvent> {
        let distance = |lease: &SessionsEvent| {
            let SessionEvent::LoopStarted { holder, .. } = &lease.recorded.event else {
                return None;
            };
            let is_here = (&holder.host, &holder.boot) == (&self.host, &self.boot);
            // An identity without a namespace is of an earlier version, or of a system that has none.
            let is_numbered_here = match (self.namespace, holder.namespace) {
                (Some(here), Some(there)) => here == there,
                _ => true,
            };
            let holder = Ancestor {
                pid: holder.pid,
                start: holder.start,
            };
            let above = self.above.iter().position(|above| *above == holder);
            above.filter(|_| is_here && is_numbered_here)
        };
        let above = leases.into_iter();
        let above = above.filter_map(|lease| Some((distance(lease)?, lease)));
        above
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, lease)| lease)
    }
}
