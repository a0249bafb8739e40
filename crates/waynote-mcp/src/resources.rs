//! Notes and the block as resources.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::model::Resource;
use waynote::event::EventAddress;
use waynote::store::Filter;
use waynote::{AddressAt, Note, Notebook};

use crate::call::{event_at, event_named, note_at};
use crate::caller::ConnectedCaller;
use crate::notes::Notes;
use crate::reply::{Refusal, for_model};

/// The block.
pub(crate) const CONTEXT: &str = "waynote://context";

/// The prefix of a note's URI, before the address.
pub(crate) const NOTE: &str = "waynote://note/";

pub(crate) const PLAIN: &str = "text/plain";
pub(crate) const MARKDOWN: &str = "text/markdown";

/// How many notes are listed at most; the template reaches all.
const LISTED: usize = 100;

/// The characters that need no escape in a URI's path.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// True if the URI is the block's. Clients that normalize URIs add a slash.
pub(crate) fn is_context(uri: &str) -> bool {
    uri.strip_suffix('/').unwrap_or(uri) == CONTEXT
}

/// The object of a URI.
pub(crate) enum ResourceTarget {
    Note(AddressAt),
    Event(EventAddress),
}

/// The note or the event that a URI names.
pub(crate) fn address(uri: &str) -> Result<ResourceTarget, Refusal> {
    let unknown = || {
        let shown: String = waynote::visible::visible(uri).chars().take(80).collect();
        Refusal::not_found(
            format!("there is no resource {shown}"),
            format!("the resources are {CONTEXT} and {NOTE}ADDRESS"),
        )
    };
    let encoded = uri.strip_prefix(NOTE).ok_or_else(unknown)?;
    let address = percent_decode_str(encoded)
        .decode_utf8()
        .map_err(|_| unknown())?;
    Ok(match event_named(&address) {
        Some(event) => ResourceTarget::Event(event),
        None => ResourceTarget::Note(address.parse()?),
    })
}

/// The block, the latest notes of the notebook, and the notes of the place and those above it, the nearest first.
pub(crate) fn list(notes: &Notes, here: &ConnectedCaller) -> Result<Vec<Resource>, Refusal> {
    let chain = here.request(notes.now()).chain();
    let store = notes.store();
    let mut notes = Notebook::of(store, here.notebook()).latest(LISTED)?;
    let applying = store.select(&Filter::Scopes(chain))?;
    notes.extend(applying.into_iter().rev().take(LISTED));
    let block = Resource::new(CONTEXT, "context")
        .with_description("The notes that apply here, within the budget")
        .with_mime_type(MARKDOWN);
    Ok([block]
        .into_iter()
        .chain(notes.iter().filter_map(resource))
        .collect())
}

/// The note as a resource; none if its address holds a credential, which its URI would show.
fn resource(note: &Note) -> Option<Resource> {
    let address = note.address.to_string();
    if note.address.masked() != address {
        return None;
    }
    let uri = format!("{NOTE}{}", utf8_percent_encode(&address, ESCAPED));
    let resource = Resource::new(uri, for_model(&waynote::visible::visible(&address)))
        .with_description(for_model(&waynote::visible::visible(&note.preview)))
        .with_mime_type(PLAIN)
        .with_size(note.content.len() as u64);
    Some(resource)
}

pub(crate) fn read(
    notes: &Notes,
    here: &ConnectedCaller,
    named: ResourceTarget,
) -> Result<String, Refusal> {
    let AddressAt { address, revision } = match named {
        ResourceTarget::Note(named) => named,
        ResourceTarget::Event(event) => return event_at(notes.store(), &event),
    };
    let address = here.note(None, None, Some(&address.to_string()))?.address;
    let note = note_at(notes.store(), &AddressAt { address, revision })?;
    Ok(note.content.shown().into_owned())
}
