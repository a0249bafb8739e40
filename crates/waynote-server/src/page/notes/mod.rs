//! Notes: the scopes as a tree, the list, and one note to read, to write and to forget.

pub(crate) mod act;
mod done;
pub(crate) mod edit;
pub(crate) mod forget;
mod list;
mod reader;
mod tree;
mod view;

use waynote::{Place, Result, ScopeKind, Store};

use super::fields::{Fields, Link};
use super::site::{Site, View};
pub(crate) use done::Done;
pub(crate) use list::{Asked, List, scope};
pub(crate) use reader::Reader;
use tree::Row;
pub(crate) use view::view;

/// Everything that the view shows.
pub(crate) struct Notes {
    pub(crate) asked: Asked,
    pub(crate) list: List,
    pub(crate) tree: [(&'static str, Vec<Row>); 3],
    /// The notes of the whole store.
    pub(crate) all: u64,
    pub(crate) reader: Option<Reader>,
    /// The action that led to this page, if any.
    pub(crate) done: Option<Done>,
}

impl Notes {
    /// Reads what was asked for.
    pub(crate) fn gather(store: &dyn Store, fields: &Fields, site: &Site<'_>) -> Result<Self> {
        let asked = Asked::of(fields)?;
        let reader = Reader::gather(store, fields)?;
        let open = reader.as_ref().and_then(Reader::note);
        let chosen = |kind| asked.scope.as_ref().filter(|scope| scope.kind() == kind);
        let place: Option<Place> = chosen(ScopeKind::Place).and_then(|of| of.name().parse().ok());
        let name = |kind| chosen(kind).and_then(|of| of.name().parse().ok());
        Ok(Self {
            list: list::gather(store, &asked, open, site)?,
            tree: [
                (
                    "Places",
                    tree::places(site.seen.scopes(ScopeKind::Place), place.as_ref()),
                ),
                (
                    "Notebooks",
                    tree::names(
                        site.seen.scopes(ScopeKind::Agent),
                        name(ScopeKind::Agent).as_ref(),
                    ),
                ),
                (
                    "Sessions",
                    tree::names(
                        site.seen.scopes(ScopeKind::Session),
                        name(ScopeKind::Session).as_ref(),
                    ),
                ),
            ],
            all: site.seen.notes(),
            done: Done::gather(store, fields, reader.as_ref())?,
            reader,
            asked,
        })
    }
}

impl Asked {
    /// The link to this list.
    pub(crate) fn link(&self, site: &Site<'_>) -> Link {
        self.on(site.view(View::Notes))
    }

    /// Adds the fields of this list to a link, so that the way back leads to this list.
    pub(crate) fn on(&self, link: Link) -> Link {
        let query = Some(&self.query).filter(|query| !query.is_empty());
        link.with_some("in", self.scope_field())
            .with_some("q", query)
            .with_some("only", self.only.word())
            .with_some(
                "sort",
                Some(self.sort.word()).filter(|word| *word != "latest"),
            )
            .with_some("after", self.after)
    }

    /// The scope of the list. The list of all notes names none expressly, because a link to a note without a list leads
    /// to the list of its scope.
    fn scope_field(&self) -> Option<String> {
        match &self.scope {
            Some(scope) => Some(scope.to_string()),
            None => self.query.is_empty().then(String::new),
        }
    }

    /// The fields of this list, for a form.
    pub(crate) fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = Vec::new();
        fields.extend(self.scope_field().map(|scope| ("in", scope)));
        fields.extend(Some(("q", self.query.clone())).filter(|(_, query)| !query.is_empty()));
        fields.extend(self.only.word().map(|word| ("only", word)));
        fields.extend(
            Some(("sort", self.sort.word().to_owned())).filter(|(_, sort)| sort != "latest"),
        );
        fields.extend(self.after.map(|after| ("after", after.to_string())));
        fields
    }
}
