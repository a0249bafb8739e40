//! Notes: the scopes as a tree; their notes, the latest changes, or what is worth a look; one note to read or to write.

pub(crate) mod act;
mod changes;
mod done;
pub(crate) mod edit;
pub(crate) mod history;
mod list;
mod reader;
mod tree;
mod view;
pub(crate) mod worth;

use waynote::{Result, ScopeKind, Store};

use super::fields::{Fields, Link};
use super::site::{Site, View};
use changes::Changes;
use done::Done;
pub(crate) use list::{Asked, scope};
use list::{List, Show};
use reader::{Reader, action, edit_link};
use tree::Row;
pub(crate) use view::view;
use worth::Worth;

/// What is listed.
enum Shown {
    Notes(List),
    Changes(Changes),
    Worth(Worth),
}

/// Everything that the view shows.
pub(crate) struct Notes {
    pub(crate) asked: Asked,
    shown: Shown,
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
        let chosen = asked.scope.as_ref();
        let tree = [
            ("Places", ScopeKind::Place),
            ("Notebooks", ScopeKind::Agent),
            ("Sessions", ScopeKind::Session),
        ];
        Ok(Self {
            shown: match asked.show {
                Show::Notes => Shown::Notes(list::gather(store, site, &asked, open)?),
                Show::Changes => Shown::Changes(Changes::gather(&store, &asked)?),
                Show::Worth => Shown::Worth(Worth::gather(&store, &asked, site)?),
            },
            tree: tree.map(|(title, kind)| (title, tree::rows(site.seen.scopes(kind), chosen))),
            all: site.seen.notes(None),
            done: Done::gather(store, fields, reader.as_ref())?,
            reader,
            asked,
        })
    }
}

impl Asked {
    /// What is worth a look in the whole store.
    pub(crate) fn worth() -> Self {
        Self {
            show: Show::Worth,
            ..Self::default()
        }
    }

    /// The link to this list.
    pub(crate) fn link(&self, site: &Site<'_>) -> Link {
        self.on(site.view(View::Notes))
    }

    /// The link to the page of this list that begins after a point.
    fn page(&self, site: &Site<'_>, after: Option<u64>) -> Link {
        Self {
            after,
            ..self.clone()
        }
        .link(site)
    }

    /// Adds the fields of this list to a link, so that the way back leads to this list.
    pub(crate) fn on(&self, link: Link) -> Link {
        let fields = self.fields().into_iter();
        fields.fold(link, |link, (name, value)| link.with(name, value))
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
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let fields = [
            ("in", self.scope_field()),
            ("q", given(&self.query)),
            ("only", self.only.word()),
            ("after", self.after.map(|after| after.to_string())),
            ("author", given(&self.author)),
            ("show", self.show.word()),
        ];
        let given = fields.into_iter();
        given
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}
