//! `waynote ls` and the history of the whole store: lists of everything, and what narrows them.

use jiff::Timestamp;
use waynote::author::shown;
use waynote::{EntryType, Listing, Name, Note, Revision, Scope, ScopeKind};

use crate::args::{KindArg, ListArgs, NarrowArgs};
use crate::error::Outcome;
use crate::invocation::Context;
use crate::settings::Origin;
use crate::table::{list, preview, written};

/// What a list is narrowed to.
pub(super) struct Narrow {
    since: Option<Timestamp>,
    author: Option<Name>,
    limit: usize,
}

impl Narrow {
    /// `--author` is the author of what is written; for a list it is the one of what is listed.
    pub(super) fn of(context: &Context<'_>, args: &NarrowArgs) -> Outcome<Self> {
        let author = &context.settings.author;
        Ok(Self {
            since: args.since.as_deref().map(crate::when::read).transpose()?,
            author: is_flag(&author.origin).then(|| author.value.clone()),
            limit: args.limit.map_or(usize::MAX, unlimited_if_zero),
        })
    }

    fn takes(&self, author: &Name, at: Timestamp) -> bool {
        self.since.is_none_or(|since| at >= since)
            && self.author.as_ref().is_none_or(|of| of == author)
    }

    /// The notes that are left, in their order; of those the last `--limit`.
    pub(super) fn last(&self, mut notes: Vec<Note>) -> Vec<Note> {
        notes.retain(|note| self.takes(&note.author, note.updated_at));
        notes.split_off(notes.len().saturating_sub(self.limit))
    }
}

/// A limit as it is given: 0 is none, as in every option and setting.
pub(super) fn unlimited_if_zero(limit: usize) -> usize {
    if limit == 0 { usize::MAX } else { limit }
}

fn is_flag(origin: &Origin) -> bool {
    matches!(origin, Origin::Flag(_))
}

/// Lists notes of all kinds, latest first.
pub(super) fn run(context: &mut Context<'_>, args: &ListArgs) -> Outcome {
    let narrow = Narrow::of(context, &args.narrow)?;
    // Where there is no home directory, own notes alone.
    let _ = context.here();
    let at = args.at.as_ref();
    let at = at.map(|path| context.lineage(&context.place(Some(path))?));
    let at = at.transpose()?.map(|lineage| lineage.places().to_vec());
    let kind = match args.kind {
        Some(KindArg::Place) => Some(ScopeKind::Place),
        Some(KindArg::Log) => Some(ScopeKind::Session),
        Some(KindArg::Key) | None => None,
    };
    let listing = Listing::default().at(at).kind(kind);
    let (agent, session) = (&context.settings.agent, &context.settings.session);
    let entry_type = args.entry_type.as_deref().map(EntryType::imported);
    let is_listed = |note: &Note| {
        let is_of_scope = match note.address.scope() {
            Scope::Agent(name) => !is_flag(&agent.origin) || name == agent.value,
            Scope::Session(_) if args.kind == Some(KindArg::Key) => false,
            Scope::Session(name) => {
                !is_flag(&session.origin) || session.value.as_ref() == Some(&name)
            }
            _ => args.kind != Some(KindArg::Key) || note.address.key().is_some(),
        };
        is_of_scope && (entry_type.is_none() || note.kind == entry_type)
    };
    let listed = context.read(|store| Ok(listing.page(store, None, usize::MAX)?))?;
    let mut notes = listed.notes;
    notes.retain(is_listed);
    notes.sort_by_key(|note| note.updated_at);
    let mut notes = narrow.last(notes);
    notes.reverse();
    let heading = ["note", "updated", "author", "preview"];
    list(context.output, &notes, "no notes", &heading, |note| {
        let author = match note.source.is_dated() {
            true => shown(&note.author, None),
            false => "-".into(),
        };
        vec![note.address.to_string(), written(note), author, said(note)]
    })
}

/// The first line of a note, of an entry behind its iteration and type.
fn said(note: &Note) -> String {
    match (&note.kind, note.iteration) {
        (Some(kind), Some(iteration)) => format!("#{iteration} {kind}: {}", note.preview),
        _ => preview(note),
    }
}

/// The newest changes of the whole store.
pub(super) fn changes(context: &mut Context<'_>, args: &NarrowArgs) -> Outcome {
    /// How many changes are read at once.
    const PAGE: usize = 500;
    /// How many are shown unless `--limit` says otherwise.
    const SHOWN: usize = 30;
    let narrow = Narrow::of(context, args)?;
    let most = args.limit.map_or(SHOWN, unlimited_if_zero);
    let changes = context.read(|store| {
        let (mut changes, mut before) = (Vec::new(), None);
        loop {
            let page = store.journal(before, PAGE)?;
            before = page.last().and_then(|of| of.position);
            let is_last = page.len() < PAGE;
            let wanted = |of: &Revision| narrow.takes(of.author(), of.recorded_at);
            changes.extend(page.into_iter().filter(wanted));
            if is_last || changes.len() >= most {
                changes.truncate(most);
                return Ok(changes);
            }
        }
    })?;
    let heading = ["note", "action", "author", "recorded", "preview"];
    list(
        context.output,
        &changes,
        "no changes",
        &heading,
        |revision| {
            let note = format!("{}@{}", revision.address(), revision.number());
            let mut row = super::history::row(revision);
            row[0] = note;
            row
        },
    )
}
