//! Forgetting.

use serde::{Deserialize, Serialize};
use waynote::forget::{self, ForgetTarget};
use waynote::{AddressAt, Error, Result, Scope};

use crate::malformed::{malformed, no_form, printed, texts};
use crate::stamp::Stamp;

/// A request to forget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct ForgetRequest {
    /// A note, a revision of one, an event, or what was said in a session: `agent:name#key`, `agent:name#key@3`,
    /// `session:name#event-3`, `session:name`.
    pub target: String,
    /// Also in other notes that have the same text.
    #[serde(default)]
    pub everywhere: bool,
    /// Who forgets it, and when.
    pub stamp: Stamp,
    /// Only say what would be forgotten.
    #[serde(default)]
    pub dry_run: bool,
}

/// What was forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Forgotten {
    /// What was named.
    pub named: String,
    /// The revisions whose texts were forgotten.
    pub revisions: Vec<String>,
    /// The events of which what was said was forgotten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// The notes that no longer exist.
    pub gone: Vec<String>,
    /// The number of revisions of the note that were left.
    pub kept: u64,
    /// Where the text remains, because other notes have it.
    pub shared: Vec<String>,
    /// The events in which it remains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared_events: Vec<String>,
    /// Where programs kept it beside the notes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spaces: Vec<String>,
    /// Why bytes of it may be left in the store's files.
    #[serde(default)]
    pub residue: Option<Residue>,
}

/// Why bytes of a text may be left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Residue {
    /// The files are an application's.
    Lent,
    /// The files hold tables of another program.
    Foreign,
    /// Somebody still reads the store as it was before.
    Read,
    /// This went wrong.
    Failed(String),
    /// The files are a database server's, and its administrator can do this.
    Database(String),
}

fn target(text: &str) -> Result<ForgetTarget> {
    if let Ok(event) = text.parse() {
        return Ok(ForgetTarget::Event(event));
    }
    let note = match text.parse::<AddressAt>() {
        Ok(note) => return Ok(ForgetTarget::Note(note)),
        Err(error) => error,
    };
    match text.parse() {
        Ok(Scope::Session(session)) => Ok(ForgetTarget::Session(session)),
        _ => Err(note),
    }
}

impl TryFrom<&waynote::Forgotten> for Forgotten {
    type Error = Error;

    fn try_from(forgotten: &waynote::Forgotten) -> Result<Self> {
        let residue = forgotten.residue.as_ref().map(|residue| match residue {
            forget::Residue::Lent => Ok(Residue::Lent),
            forget::Residue::Foreign => Ok(Residue::Foreign),
            forget::Residue::Read => Ok(Residue::Read),
            forget::Residue::Failed(reason) => Ok(Residue::Failed(reason.clone())),
            forget::Residue::Database(left) => Ok(Residue::Database(left.clone())),
            _ => Err(no_form("this residue over HTTP")),
        });
        Ok(Self {
            named: forgotten.named.to_string(),
            revisions: printed(&forgotten.revisions),
            events: printed(&forgotten.events),
            gone: printed(&forgotten.gone),
            kept: forgotten.kept,
            shared: printed(&forgotten.shared),
            shared_events: printed(&forgotten.shared_events),
            spaces: forgotten.spaces.clone(),
            residue: residue.transpose()?,
        })
    }
}

impl TryFrom<Forgotten> for waynote::Forgotten {
    type Error = Error;

    fn try_from(forgotten: Forgotten) -> Result<Self> {
        Ok(Self {
            named: target(&forgotten.named)?,
            revisions: texts(&forgotten.revisions)?,
            events: texts(&forgotten.events)?,
            gone: texts(&forgotten.gone)?,
            kept: forgotten.kept,
            shared: texts(&forgotten.shared)?,
            shared_events: texts(&forgotten.shared_events)?,
            spaces: forgotten.spaces,
            residue: forgotten.residue.map(|residue| match residue {
                Residue::Lent => forget::Residue::Lent,
                Residue::Foreign => forget::Residue::Foreign,
                Residue::Read => forget::Residue::Read,
                Residue::Failed(reason) => forget::Residue::Failed(reason),
                Residue::Database(left) => forget::Residue::Database(left),
            }),
        })
    }
}

impl ForgetRequest {
    /// A request to forget, or to say what would be forgotten.
    ///
    /// # Errors
    /// [`Error::NotBuiltIn`] for a stamp that the API has no form for.
    pub fn new(forget: &waynote::Forget, stamp: &waynote::Stamp, dry_run: bool) -> Result<Self> {
        Ok(Self {
            target: forget.target.to_string(),
            everywhere: forget.everywhere,
            stamp: Stamp::try_from(stamp)?,
            dry_run,
        })
    }

    /// What to forget, and the stamp.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`], [`Error::InvalidKey`], [`Error::InvalidName`], [`Error::InvalidPlace`],
    /// [`crate::Malformed`].
    pub fn parts(self) -> Result<(waynote::Forget, waynote::Stamp)> {
        let forget = match target(&self.target)? {
            ForgetTarget::Note(AddressAt { address, revision }) => {
                waynote::Forget::new(address).revision(revision)
            }
            ForgetTarget::Event(event) => waynote::Forget::event(event),
            ForgetTarget::Session(session) => waynote::Forget::session(session),
            _ => {
                return Err(malformed(
                    &self.target,
                    "something that can be forgotten",
                    "name a note, an event or a session",
                ));
            }
        };
        Ok((forget.everywhere(self.everywhere), self.stamp.try_into()?))
    }
}
