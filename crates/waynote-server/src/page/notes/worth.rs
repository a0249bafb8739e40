//! The filter "worth a look" of Notes: the notes that `waynote tend` finds, each with what settles it.

use jiff::Timestamp;
use maud::{Markup, html};
use waynote::store::Filter;
use waynote::tend::{LastGiven, Reason, findings, findings_among};
use waynote::visible::{lines, visible};
use waynote::{
    Address, Change, Expect, Note, Reader, Result, Store, cites, secrets::masked, single,
};

use super::{Asked, action, edit_link};
use crate::page::diff;
use crate::page::fields::Fields;
use crate::page::forms::{self, Outcome, Sent};
use crate::page::site::{Site, View};
use crate::page::words::{self, chip, day, grouped, unseen};

/// The most notes of a part.
const LISTED: usize = 30;

/// The most notes that are looked through for one page: all of them are read.
pub(super) const LOOKED: u64 = 2_000;

/// The notes that are worth a look, in a scope or in the whole store.
pub(crate) enum Worth {
    /// There are too many notes to look through.
    TooMany(u64),
    Found(Box<Found>),
}

pub(crate) struct Found {
    stale: Vec<Note>,
    /// Pairs that say nearly the same, the earlier note first.
    alike: Vec<[Note; 2]>,
    /// Notes that no session was given for long, pins first.
    not_given: Vec<Note>,
    /// The number of all notes that were found.
    number: usize,
    given: LastGiven,
}

impl Worth {
    pub(super) fn gather(store: &dyn Reader, asked: &Asked, site: &Site<'_>) -> Result<Self> {
        let notes = site.seen.notes(asked.scope.as_ref());
        if notes > LOOKED {
            return Ok(Self::TooMany(notes));
        }
        let given = site.last_given.map(|given| given()).unwrap_or_default();
        let found = match &asked.scope {
            Some(scope) => {
                let notes = store.select(&Filter::Scopes(vec![scope.clone()]))?;
                findings_among(&notes, &given, site.now)
            }
            None => findings(store, &given, site.now)?,
        };
        let number = found.len();
        let (mut stale, mut alike, mut not_given) = (Vec::new(), Vec::new(), Vec::new());
        for of in found {
            match of.reason {
                Reason::Stale => stale.push(of.note),
                Reason::Like(other) => alike.push((other, of.note)),
                _ => not_given.push(of.note),
            }
        }
        stale.truncate(LISTED);
        alike.truncate(LISTED);
        not_given.truncate(LISTED);
        let others = store.get_all(alike.iter().map(|(other, _)| other.clone()).collect())?;
        let pair = |(other, (_, note)): (Option<Note>, (Address, Note))| Some([other?, note]);
        let pairs = others.into_iter().zip(alike).filter_map(pair);
        Ok(Self::Found(Box::new(Found {
            stale,
            alike: pairs.collect(),
            not_given,
            number,
            given,
        })))
    }
}

pub(super) fn view(store: &dyn Store, site: &Site<'_>, asked: &Asked, worth: &Worth) -> Markup {
    let found = match worth {
        Worth::Found(found) => found,
        Worth::TooMany(notes) => {
            return html! {
                div.stack.tend { section.card { div.empty {
                    p { (grouped(*notes)) " notes are too many to look through for one page." }
                    p { "Choose a place or a notebook on the left, or run " code { "waynote tend" } "." }
                } } }
            };
        }
    };
    let several = site.link("notes/several").href();
    html! {
        // The script renews the rail alone: what is chosen here stays chosen.
        div.stack.tend data-again=(several) {
            @if site.may_write() && found.stale.len() + found.not_given.len() > 0 {
                form.inline id="several" method="get" action=(several) {
                    small { "Ticked notes: " }
                    button.btn name="do" value="delete" { "Delete…" } " "
                    button.btn name="do" value="unpin" { "Unpin…" }
                }
            }
            @if found.number == 0 { section.card { p.empty { "No note is worth a look: none says what another one says." } } }
            @if !found.stale.is_empty() { (stale(store, site, asked, found)) }
            @for pair in &found.alike { (alike(site, asked, pair)) }
            @if !found.not_given.is_empty() { (not_given(site, asked, found)) }
            @if found.number > LISTED { p.none { "Each part lists at most " (LISTED) " notes; " (grouped(found.number as u64)) " were found." } }
            @if site.last_given.is_none() {
                p.none { "Notes that cite changed code, and notes that no session was given, are known where agents run: " code { "waynote ui" } " shows them there." }
            }
        }
    }
}

fn stale(store: &dyn Store, site: &Site<'_>, asked: &Asked, found: &Found) -> Markup {
    html! {
        section.card {
            header { h2 { "May no longer be true" } (chip("line", &found.stale.len().to_string())) span.grow {} small { "the code that they cite has changed" } }
            @for note in &found.stale {
                (row(site, asked, note, &html! {}))
                @for cited in note.cites.iter().filter(|cited| cited.changed) {
                    @let (old, now) = store.checkouts().map_or((None, None), |of| cites::spans(of, cited));
                    div.cited {
                        small.mono { (visible(&cited.code)) @if now.is_none() { " is not there any more" } @else if old.is_none() { ": what it said is not kept" } }
                        @if let (Some(old), Some(now)) = (&old, &now) { (diff::view(&masked(old), &masked(now))) }
                    }
                }
            }
        }
    }
}

fn not_given(site: &Site<'_>, asked: &Asked, found: &Found) -> Markup {
    let last = |note: &Note| {
        let at = found.given.notes.get(&note.address.to_string());
        at.and_then(|at| Timestamp::from_millisecond(i64::try_from(*at).ok()?).ok())
    };
    html! {
        section.card {
            header { h2 { "Never given in 90 days" } (chip("out", &found.not_given.len().to_string())) span.grow {} small { "to no session on this machine" } }
            @for note in &found.not_given {
                (row(site, asked, note, &html! {
                    @if note.pinned { (chip("", "pinned, matched nothing")) }
                    small.dimmer { @match last(note) { Some(at) => { "last given " (day(at, site.now)) } None => { "never given" } } }
                }))
            }
        }
    }
}

/// A note with its acts, and a box to choose it with others.
fn row(site: &Site<'_>, asked: &Asked, note: &Note, more: &Markup) -> Markup {
    let (of, base) = (&note.address, note.revision);
    let may_change = site.may_write() && note.source.is_own();
    let is_entry = matches!(of, Address::Session(..));
    let act = |what: &str, word: &str| {
        let button = html! { button.btn { (word) (unseen(&format!(" {of}"))) } };
        action(site, asked, what, of, base, button)
    };
    html! {
        div.worth {
            @if may_change && !is_entry {
                input type="checkbox" form="several" name="chosen" value={ (base) " " (of) } aria-label={ "choose " (of) };
            }
            div.grow {
                a href=(site.view(View::Notes).with("note", of).href()) { (words::name(note)) } (words::whose(site, note))
                p { (visible(&masked(&note.preview))) }
            }
            (more)
            @if may_change {
                (act("confirm", "Still true"))
                @if !is_entry {
                    a.btn href=(edit_link(site, asked, of, base)) { "Edit" (unseen(&format!(" {of}"))) }
                    @if note.pinned { (act("unpin", "Unpin")) }
                    (act("delete", "Delete"))
                }
            }
        }
    }
}

/// Two notes side by side, each to keep; or both joined.
fn alike(site: &Site<'_>, asked: &Asked, pair: &[Note; 2]) -> Markup {
    let [left, right] = pair;
    let keep = |gone: &Note, word| {
        let button = html! { button.btn { (word) } };
        action(site, asked, "delete", &gone.address, gone.revision, button)
    };
    html! {
        section.card {
            header {
                h2 { "Said twice" } span.grow {}
                @if site.may_write() && pair.iter().all(|note| note.source.is_own()) {
                    (keep(right, "Keep the first")) (keep(left, "Keep the second"))
                    form.inline method="post" action=(site.link("notes/join").href()) {
                        (forms::hidden(&[("kept", left.address.to_string()), ("base", left.revision.to_string())]))
                        (forms::hidden(&[("gone", right.address.to_string()), ("gone_base", right.revision.to_string())]))
                        button.btn { "Join and edit" }
                    }
                }
            }
            div.pair { @for note in pair {
                div {
                    a href=(site.view(View::Notes).with("note", &note.address).href()) { (words::name(note)) } " "
                    @if let Some(mark) = note.mark(visible) { (chip("", &mark)) " " }
                    small { "by " (words::author(&note.author)) ", " (day(note.updated_at, site.now)) @if note.pinned { ", pinned" } }
                    pre.block { (lines(&masked(&note.content.shown()).chars().take(2000).collect::<String>())) }
                }
            } }
        }
    }
}

/// Joins two notes as they were shown, and opens the one that is kept.
///
/// # Errors
/// As [`waynote::tend::merge`].
pub(crate) fn join(sent: &Sent<'_>) -> Result<Outcome> {
    let (store, site, fields) = (sent.store, sent.site, sent.fields);
    let shown = |note, base| -> Result<Note> {
        let address: Address = fields.get(note).unwrap_or_default().parse()?;
        let mut note = single::get(store, &address, None)?;
        // If it is another revision by now, the store refuses.
        note.revision = fields.number(base)?.unwrap_or_default();
        Ok(note)
    };
    let (kept, gone) = (shown("kept", "base")?, shown("gone", "gone_base")?);
    waynote::tend::merge(store, &kept, &gone, site.limits, sent.stamp)?;
    let note = single::get(store, &kept.address, None)?;
    let asked = Asked::worth();
    Ok(Outcome::Done(edit_link(
        site,
        &asked,
        &note.address,
        note.revision,
    )))
}

/// Notes to delete or to unpin, whose texts are shown before.
pub(crate) struct Several {
    act: String,
    notes: Vec<Note>,
}

impl Several {
    pub(crate) fn gather(store: &dyn Store, fields: &Fields) -> Result<Self> {
        let mut notes = Vec::new();
        for chosen in fields.all("chosen") {
            let (base, address) = chosen.split_once(' ').unwrap_or_default();
            let mut note = single::get(store, &address.parse()?, None)?;
            // The revision that the person saw.
            note.revision = base.parse().unwrap_or_default();
            notes.push(note);
        }
        let act = fields.get("do").unwrap_or("delete").to_owned();
        notes.retain(|note| act != "unpin" || note.pinned);
        Ok(Self { act, notes })
    }
}

/// The question, with the texts.
pub(crate) fn question(site: &Site<'_>, several: &Several) -> Markup {
    let (word, number) = (&several.act, several.notes.len() as u64);
    let title = if word == "unpin" { "Unpin" } else { "Delete" };
    let back = Asked::worth().link(site).href();
    html! {
        div.head { h1 { (title) " " (waynote::text::plural(number, "note")) } }
        @if several.notes.is_empty() {
            p { "Nothing is ticked. " a href=(back) { "Back" } }
        } @else {
            form.card.confirm method="post" action=(site.link("notes/several").href()) {
                ul.log.pad { @for note in &several.notes {
                    li { (words::address(&note.address)) @if note.pinned { " " (chip("", "pinned")) }
                        pre.block { (lines(&masked(&note.content.shown()))) } }
                    input type="hidden" name="chosen" value={ (note.revision) " " (note.address) };
                } }
                div.pad {
                    (forms::hidden(&[("do", word.clone()), ("sure", "yes".into())]))
                    p { "Their history stays, and each can be brought back." }
                    div.bar { button.btn.danger { (title) } a.btn href=(back) { "Leave them" } }
                }
            }
        }
    }
}

/// Deletes or unpins the notes, all or none.
///
/// # Errors
/// Those of [`Store::apply`].
pub(crate) fn several(sent: &Sent<'_>) -> Result<Outcome> {
    let several = Several::gather(sent.store, sent.fields)?;
    if sent.fields.get("sure") != Some("yes") || several.notes.is_empty() {
        return Ok(Outcome::Again(question(sent.site, &several)));
    }
    let is_unpinned = several.act == "unpin";
    let change = |note: &Note| {
        let (address, expect) = (note.address.clone(), Expect::Revision(note.revision));
        match is_unpinned {
            true => Change::Pin {
                address,
                pinned: false,
                expect,
            },
            false => Change::Delete { address, expect },
        }
    };
    let changes: Vec<Change> = several.notes.iter().map(change).collect();
    sent.store.apply(&changes, sent.stamp)?;
    let said = if is_unpinned { "unpinned" } else { "deleted" };
    let back = Asked::worth().link(sent.site).with("done", said);
    Ok(Outcome::Done(back.href()))
}
