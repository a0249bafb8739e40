//! The sets of tools, and which of them a server offers.

mod default;
mod list;
mod memory;
mod openotters;
mod ralph;
mod remote;
mod session;
mod zrb;

use std::str::FromStr;

use crate::caller::Caller;
use crate::tool::{Parameter, Spec};

/// A set of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Set {
    /// waynote's own.
    Default,
    /// Those of openotters: six, over an agent's notebook.
    Openotters,
    /// Those of ralph.nu: two, over a session's log.
    Ralph,
    /// Those of Zrb: four, over directories.
    Zrb,
    /// Anthropic's memory tool: one, over files in `/memories`.
    Memory,
}

impl Set {
    /// All of them, in the order in which the first with a name keeps it.
    pub const ALL: [Self; 5] = [
        Self::Default,
        Self::Openotters,
        Self::Ralph,
        Self::Zrb,
        Self::Memory,
    ];

    /// The set's word.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    fn tools(self) -> &'static [Spec] {
        match self {
            Self::Default => default::TOOLS,
            Self::Openotters => openotters::TOOLS,
            Self::Ralph => ralph::TOOLS,
            Self::Zrb => zrb::TOOLS,
            Self::Memory => memory::TOOLS,
        }
    }

    /// The tools of these sets, each name once: where two sets have one, the set that is named first keeps it. A tool
    /// of a session's log is left out where there is no session and a call cannot name one. To the agent of a loop two
    /// more are offered, and beside waynote's own tools one more where the model has to ask for the block.
    pub(crate) fn offered(
        sets: &[Self],
        caller: &Caller,
        asks_for_block: bool,
    ) -> Vec<&'static Spec> {
        let mut offered: Vec<&'static Spec> = Vec::new();
        let has_session = caller.session.is_some();
        let of_loop = if caller.is_in_loop {
            session::TOOLS
        } else {
            &[]
        };
        let of_remote = match asks_for_block && sets.contains(&Self::Default) {
            true => remote::TOOLS,
            false => &[],
        };
        let of_sets = sets.iter().flat_map(|set| set.tools());
        for spec in of_remote.iter().chain(of_sets).chain(of_loop) {
            let is_known = offered.iter().any(|of| of.name == spec.name);
            let names_session = |parameter: &Parameter| parameter.name == "session_name";
            let needs_session =
                spec.name == "note_add" && !spec.parameters.iter().any(names_session);
            if !is_known && (has_session || !needs_session) {
                offered.push(spec);
            }
        }
        offered
    }
}

impl FromStr for Set {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|set| set.as_str() == word);
        known.ok_or_else(|| {
            let words: Vec<&str> = Self::ALL.map(Self::as_str).to_vec();
            format!("the sets are {} and all", words.join(", "))
        })
    }
}
