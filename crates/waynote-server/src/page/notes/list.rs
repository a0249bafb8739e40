//! The list of notes, in pages: the matches of a query, the notes of a scope, or the last changed notes of the store.

use waynote::store::Filter;
use waynote::{
    Address, EntryType, Listing, Note, Position, Result, Scope, ScopeFilter, ScopeKind, ScopeList,
    SearchKind, SearchRequest, Snippet, Store,
};

use super::worth::LOOKED;
use crate::page::fields::Fields;
use crate::page::site::Site;

/// The number of notes on a page.
pub(crate) const PAGE: usize = 40;

/// The most hits of a search.
const HITS: usize = 60;

/// The notes that are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) scope: Option<Scope>,
    pub(crate) query: String,
    pub(crate) only: Only,
    pub(crate) show: Show,
    /// A part of the author's name, for changes.
    pub(crate) author: String,
    /// The point after which the page begins: a number of notes in a scope, a position in the whole store.
    pub(crate) after: Option<u64>,
}

/// What is listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Show {
    #[default]
    Notes,
    /// The latest changes.
    Changes,
    /// What is worth a look.
    Worth,
}

impl Show {
    /// Its word in links; none for the notes.
    pub(crate) fn word(self) -> Option<String> {
        let word: &str = self.into();
        (self != Self::Notes).then(|| word.to_owned())
    }
}

/// A filter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Only {
    #[default]
    All,
    Kind(ScopeKind),
    Pinned,
    Type(EntryType),
}

impl Only {
    /// The filter's word in links.
    pub(crate) fn word(&self) -> Option<String> {
        match self {
            Self::All => None,
            Self::Kind(kind) => Some(kind.as_str().into()),
            Self::Pinned => Some("pinned".into()),
            Self::Type(kind) => Some(kind.as_str().into()),
        }
    }

    fn of(word: &str) -> Self {
        if word == "pinned" {
            return Self::Pinned;
        }
        match (word.parse(), word.parse()) {
            (Ok(kind), _) => Self::Kind(kind),
            (_, Ok(kind)) => Self::Type(kind),
            _ => Self::All,
        }
    }

    fn holds(&self, note: &Note) -> bool {
        match self {
            Self::All => true,
            Self::Kind(kind) => note.address.scope().kind() == *kind,
            Self::Pinned => note.pinned,
            Self::Type(kind) => note.kind.as_ref() == Some(kind),
        }
    }
}

impl Asked {
    /// Reads the fields of a link or a form. A link to a note without a list leads to the list of the note's scope.
    ///
    /// # Errors
    /// As [`scope`]; [`BadField`](crate::page::fields::BadField).
    pub(crate) fn of(fields: &Fields) -> Result<Self> {
        let has_list = ["in", "q", "only", "after", "show"]
            .iter()
            .any(|name| fields.has(name));
        let note: Option<Address> = fields.get("note").and_then(|note| note.parse().ok());
        let of_note = note.filter(|_| !has_list).map(|note| note.scope());
        let field = |name| fields.get(name).unwrap_or_default();
        Ok(Self {
            scope: fields.get("in").map(scope).transpose()?.or(of_note),
            query: field("q").to_owned(),
            only: fields.get("only").map(Only::of).unwrap_or_default(),
            after: fields.number("after")?,
            author: field("author").to_owned(),
            show: field("show").parse().unwrap_or_default(),
        })
    }

    /// The point after which the page begins, in the whole store.
    pub(super) fn position(&self) -> Option<Position> {
        let number = i64::try_from(self.after?).unwrap_or(i64::MAX);
        Some(Position::new(number))
    }
}

/// A position in a link to the page that begins after it.
pub(super) fn after(of: Position) -> Option<u64> {
    u64::try_from(of.number()).ok()
}

/// Reads a scope as addresses write it, `agent:name` or `repo:host/name//dir`, or the path of a place.
///
/// # Errors
/// [`waynote::Error::InvalidAddress`], [`waynote::Error::InvalidPlace`], [`waynote::Error::InvalidName`].
pub(crate) fn scope(text: &str) -> Result<Scope> {
    if text.starts_with(['~', '/']) {
        return text.parse().map(Scope::Place);
    }
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
    match decoded.split_once(':').unwrap_or((&decoded, "")) {
        ("repo", _) => decoded.parse().map(Scope::Place),
        (kind, name) => Scope::from_parts(kind.parse()?, name),
    }
}

/// A page of notes.
#[derive(Default)]
pub(crate) struct List {
    pub(crate) items: Vec<Item>,
    /// The number of all notes in the list, if it is known.
    pub(crate) total: Option<u64>,
    /// The point where the next page begins; none on the last page.
    pub(crate) next: Option<u64>,
}

/// A note, with the line of it that matches.
pub(crate) struct Item {
    pub(crate) note: Note,
    pub(crate) snippet: Option<Snippet>,
}

impl From<Note> for Item {
    fn from(note: Note) -> Self {
        let snippet = None;
        Self { note, snippet }
    }
}

/// Reads the page that was asked for. A note that is open is on the first page of its scope's list, even if it belongs
/// on a later one.
pub(crate) fn gather(
    store: &dyn Store,
    site: &Site<'_>,
    asked: &Asked,
    open: Option<&Note>,
) -> Result<List> {
    let Some(scope) = asked.scope.as_ref().filter(|_| asked.query.is_empty()) else {
        return match asked.query.is_empty() {
            true => changed(store, site, asked),
            false => found(store, asked),
        };
    };
    let mut list = of_scope(store, asked, scope)?;
    let is_listed = |note: &Note| list.items.iter().any(|of| of.note.address == note.address);
    let is_whole = asked.after.is_none() && asked.only == Only::All;
    let open = open.filter(|note| is_whole && note.address.scope() == *scope && !is_listed(note));
    if let Some(note) = open.cloned() {
        list.items.insert(0, note.into());
    }
    Ok(list)
}

fn found(store: &dyn Store, asked: &Asked) -> Result<List> {
    let kinds = match &asked.only {
        Only::Kind(ScopeKind::Place) => vec![SearchKind::Place, SearchKind::Key],
        Only::Kind(ScopeKind::Agent) => vec![SearchKind::Key],
        Only::Kind(ScopeKind::Session) | Only::Type(_) => vec![SearchKind::Log],
        _ => Vec::new(),
    };
    let scopes = asked.scope.iter().cloned().collect();
    let request = SearchRequest::new(asked.query.as_str())
        .kinds(kinds)
        .scopes(scopes)
        .limit(HITS);
    let hits = store.search(&request)?.into_iter();
    let items: Vec<Item> = hits
        .filter(|hit| asked.only.holds(&hit.note))
        .map(|hit| Item {
            note: hit.note,
            snippet: Some(hit.snippet),
        })
        .collect();
    Ok(List {
        total: (items.len() < HITS).then_some(items.len() as u64),
        items,
        next: None,
    })
}

/// The notes of the whole store, last changed first, and then those that only others have.
fn changed(store: &dyn Store, site: &Site<'_>, asked: &Asked) -> Result<List> {
    let kind = match &asked.only {
        Only::Kind(kind) => Some(*kind),
        _ => None,
    };
    let latest = Listing::default()
        .kind(kind)
        .latest(&store, asked.position(), PAGE)?;
    let mut notes = latest.notes;
    if latest.next.is_none() && site.start.is_some() && site.seen.notes(None) <= LOOKED {
        let places = store.select(&Filter::Kind(ScopeKind::Place))?.into_iter();
        notes.extend(places.filter(|note| note.revision == 0 && asked.only.holds(note)));
    }
    Ok(List {
        items: notes.into_iter().map(Item::from).collect(),
        total: None,
        next: latest.next.and_then(after),
    })
}

fn of_scope(store: &dyn Store, asked: &Asked, scope: &Scope) -> Result<List> {
    let only = match &asked.only {
        Only::Pinned => ScopeFilter::Pinned,
        Only::Type(kind) => ScopeFilter::Type(kind.clone()),
        _ => ScopeFilter::All,
    };
    let list = ScopeList::of(store, scope, &only)?;
    let (total, first) = (list.total(), asked.after.unwrap_or(0));
    let notes = list.page(store, first, PAGE as u64)?;
    let end = first + notes.len() as u64;
    Ok(List {
        items: notes.into_iter().map(Item::from).collect(),
        total: Some(total),
        next: (end < total).then_some(end),
    })
}
