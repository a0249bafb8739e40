//! The form for a note: its preview, and both texts if the note has changed meanwhile.

use std::collections::BTreeSet;

use maud::{Markup, html};
use waynote::{Address, EntryType, Error, Note, Result, Scope, ScopeKind, Store};

use super::{Asked, scope};
use crate::page::diff;
use crate::page::fields::Fields;
use crate::page::forms;
use crate::page::markdown;
use crate::page::site::Site;
use crate::page::words::{self, author, exact};

/// The number of scopes of each kind that are offered.
const CHOICES: usize = 50;

/// A form, filled in as far as its values are known.
#[derive(Default)]
pub(crate) struct Form {
    pub(crate) asked: Asked,
    /// The note that is edited; none for a new one.
    pub(crate) note: Option<Address>,
    /// The scope of a new note, and its key.
    pub(crate) scope: String,
    pub(crate) key: String,
    /// The type and the iteration of a new entry.
    pub(crate) kind: String,
    pub(crate) iteration: String,
    pub(crate) text: String,
    /// The revision that the text was made from; 0 for a new note.
    pub(crate) base: u64,
    pub(crate) error: Option<Error>,
    /// True if the note was to be new, but one was there.
    pub(crate) is_new: bool,
    /// The note as it is, if it is not at that revision.
    pub(crate) current: Option<Box<Note>>,
    pub(crate) is_previewed: bool,
    /// Scopes to choose from, each with the word for its kind.
    pub(crate) scopes: Vec<(String, &'static str)>,
}

impl Form {
    /// A form for a new note in the scope of the list that it was opened from.
    ///
    /// # Errors
    /// As [`Asked::of`].
    pub(crate) fn new(site: &Site<'_>, fields: &Fields) -> Result<Self> {
        let asked = Asked::of(fields)?;
        let scope = asked.scope.as_ref().map(Scope::to_string);
        let form = Self {
            scope: scope.unwrap_or_default(),
            asked,
            ..Self::sent(fields)?
        };
        Ok(form.with_scopes(site))
    }

    /// A form with a note's text.
    pub(crate) fn edit(store: &dyn Store, fields: &Fields) -> Result<Self> {
        let address: Address = fields.get("note").unwrap_or_default().parse()?;
        let note = waynote::single::get(store, &address, None)?;
        if matches!(address, Address::Session(..)) {
            return Err(Error::AppendOnly { address });
        }
        let base = fields.number("base")?.unwrap_or(note.revision);
        Ok(Self {
            asked: Asked::of(fields)?,
            text: note.content.shown().into_owned(),
            // The script asks again when a note changes. It sends the revision that the form was opened with.
            current: (fields.has("live") && base != note.revision).then(|| Box::new(note.clone())),
            base: note.revision,
            note: Some(address),
            ..Self::default()
        })
    }

    /// A form as it was sent. Browsers send a line end as two characters.
    ///
    /// # Errors
    /// As [`Asked::of`].
    pub(crate) fn sent(fields: &Fields) -> Result<Self> {
        let text = fields.text("text").unwrap_or_default();
        let field = |name| fields.get(name).unwrap_or_default().to_owned();
        Ok(Self {
            asked: Asked::of(fields)?,
            note: fields.get("note").and_then(|note| note.parse().ok()),
            scope: field("scope"),
            key: field("key"),
            kind: field("kind"),
            iteration: field("iteration"),
            text: text.replace("\r\n", "\n"),
            base: fields.number("base")?.unwrap_or(0),
            ..Self::default()
        })
    }

    /// The same with the scopes to choose from.
    pub(crate) fn with_scopes(mut self, site: &Site<'_>) -> Self {
        // The places of the reader's directory, from the inside out; notebooks; the latest sessions; other places.
        let here = site.start.map(|start| (start.lineages)(&start.place));
        let here = here
            .iter()
            .flat_map(|lineage| lineage.places().iter().rev());
        let known = |kind| site.seen.scopes(kind).take(CHOICES);
        let agents = known(ScopeKind::Agent).map(|of| of.scope.clone());
        let sessions = site.seen.sessions().into_iter().take(CHOICES);
        let places = known(ScopeKind::Place).map(|of| of.scope.clone());
        let scopes = (here.cloned().map(Scope::Place).chain(agents))
            .chain(sessions.map(|of| Scope::Session(of.session)))
            .chain(places);
        let mut listed = BTreeSet::new();
        let scopes = scopes.map(|scope| (scope.to_string(), words::scope_word(&scope)));
        self.scopes = scopes
            .filter(|(scope, _)| listed.insert(scope.clone()))
            .collect();
        self
    }

    /// True if it is an entry for a session's log.
    fn is_entry(&self) -> bool {
        scope(&self.scope).is_ok_and(|scope| scope.kind() == ScopeKind::Session)
    }
}

/// The title of the page with this form.
pub(crate) fn title(form: &Form) -> String {
    match &form.note {
        Some(address) => format!("Edit {address}"),
        None => "New note".into(),
    }
}

pub(crate) fn view(site: &Site<'_>, form: &Form) -> Markup {
    // The script asks for this address when something changes. The form itself may be the answer to another form.
    let again = match &form.note {
        Some(address) => site
            .link("notes/edit")
            .with("note", address)
            .with("base", form.base),
        None => form.asked.on(site.link("notes/new")),
    };
    let again = again.href();
    let back = form.asked.link(site);
    let back = back.with_some("note", form.note.as_ref()).href();
    html! {
        div.head { h1 { @match &form.note { Some(address) => { "Edit " (words::address(address)) } None => { "New note" } } } }
        @if let Some(error) = &form.error {
            @if !matches!(error, Error::Conflict { .. }) { (words::error(error)) }
        }
        @match (&form.current, &form.error) {
            // The message stays until the next save.
            (Some(current), Some(Error::Conflict { .. })) => { (conflict(form, current)) }
            (Some(current), _) => { div data-live="changed" { (newer(current)) } }
            _ => { div data-live="changed" {} }
        }
        form.write method="post" action=(site.link("notes/save").href()) data-keep="" data-again=(again) {
            (forms::hidden(&form.asked.fields()))
            input type="hidden" name="base" value=(form.base);
            @match &form.note {
                Some(address) => { input type="hidden" name="note" value=(address); }
                None => { (place(form)) }
            }
            div.write-cols {
                div.card.pane {
                    label.pane-title for="text" { "Text, in Markdown" }
                    textarea id="text" name="text" rows="18" required autofocus[form.note.is_some()] spellcheck="true" data-preview=(site.link("notes/preview").href())
                        aria-describedby="text-help" { "\n" (form.text) }
                }
                section.card.pane.preview aria-label="Preview" {
                    div.pane-title { "Preview" }
                    div.prose data-preview-of="text" aria-live="off" {
                        @if form.is_previewed || form.note.is_some() { (markdown::rendered(&form.text)) }
                        @else { p.none { "What you write is shown here." } }
                    }
                }
            }
            div.bar {
                button.btn.primary name="do" value="save" { @if form.current.is_some() { "Save this text" } @else { "Save" } }
                button.btn.no-script name="do" value="preview" { "Preview" }
                a.btn href=(back) { "Cancel" }
                span.grow {}
                small id="text-help" { "Don't put credentials in notes. " kbd { "Ctrl" } "+" kbd { "Enter" } " saves." }
            }
        }
    }
}

/// The fields for the scope and the key of a new note.
fn place(form: &Form) -> Markup {
    let is_entry = form.is_entry();
    html! {
        div.bar {
            label.field.wide { span { "in" }
                input name="scope" value=(form.scope) list="scope-names" required autofocus[form.scope.is_empty()] data-scope=""
                    placeholder="~/projects/shop, repo:github.com/acme/shop, agent:builder or session:nightly" autocomplete="off" spellcheck="false";
            }
            datalist id="scope-names" { @for (scope, kind) in &form.scopes { option value=(scope) { (kind) } } }
            // Without the script all fields are shown, because the scope may change while the form is filled in.
            label.field.off[is_entry] data-of="notes" { span { "key" }
                input.key name="key" value=(form.key) autofocus[!form.scope.is_empty()]
                    placeholder="deploy-steps" title="The note of a place itself has no key" autocomplete="off" spellcheck="false";
            }
            label.field.off[!is_entry] data-of="session" { span { "type" }
                select name="kind" {
                    option value="" { "choose" }
                    @for kind in EntryType::WORDS { option value=(kind) selected[form.kind == kind] { (kind) } }
                }
            }
            label.field.short.off[!is_entry] data-of="session" { span { "iteration" }
                input name="iteration" value=(form.iteration) inputmode="numeric" autocomplete="off";
            }
        }
    }
}

/// The message that the note has changed since the form was opened.
fn newer(current: &Note) -> Markup {
    html! {
        div.notice.warn role="status" {
            span {
                "While you write, " (author(&current.author)) " changed this note: it is at revision "
                b.num { (current.revision) } ". If you save, you get to see both texts."
            }
        }
    }
}

/// Both texts: the stored one, and its difference from the typed one.
fn conflict(form: &Form, current: &Note) -> Markup {
    let title = match form.is_new {
        true => "This note exists already",
        false => "This note was changed meanwhile",
    };
    html! {
        section.card.conflict aria-labelledby="conflict-title" role="alert" {
            header {
                h2 id="conflict-title" { (title) }
                span.grow {}
                small { "revision " b.num { (current.revision) } " by " (author(&current.author)) ", " (exact(current.updated_at)) }
            }
            p.pad { "Nothing is lost: your text is in the field below, theirs is here. Take over what you need, then save." }
            div.write-cols.pad {
                div { h3 { "Theirs" } pre.block { (waynote::visible::lines(&current.content.shown())) } }
                div { h3 { "What saving yours would change" } (diff::view(&current.content.shown(), &form.text)) }
            }
        }
    }
}
