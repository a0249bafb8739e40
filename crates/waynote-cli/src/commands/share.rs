//! `waynote share`: gives notes of this repository to everybody who has it, as files that a person commits.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use waynote::error::safe;
use waynote::store::NotesBeside;
use waynote::text::plural;
use waynote::visible::visible;
use waynote::{
    Address, Change, Checkout, Citation, Expect, Filter, Limits, Note, Revision, SaveOptions,
    Scope, ScopeKind, Source, cites, single,
};
use waynote_formats::SharedNotes;
use waynote_formats::shared::SharedFile;
use waynote_system::git::Git;
use waynote_system::shell::quoted;

use super::{edit, share_team, trust};
use crate::args::{ShareArgs, ShareTo};
use crate::beside;
use crate::error::{Failure, Outcome, complain, say};
use crate::home::{self, environment};
use crate::invocation::Context;
use crate::team::TYPED;
use crate::typed::{Use, in_shell};
use crate::{clock, input};

/// A checkout and its shared notes.
pub(super) struct Sharing {
    checkout: Checkout,
    root: PathBuf,
    pub(super) files: SharedNotes,
}

pub(super) fn run(context: &mut Context<'_>, args: &ShareArgs) -> Outcome {
    trust::only_a_person("shares notes")?;
    let settings = &context.settings;
    let elsewhere = settings.remote().or(settings.database());
    let is_teams = elsewhere.is_some() && elsewhere == settings.team_store.value.as_deref();
    if is_teams || context.opened()?.own().is_shared()? {
        let what = "`share` gives notes of your own store, not of one of several people";
        return Err(Failure::refused("not_own", what, "leave out `--store`"));
    }
    let lineage = context.around(&home::base()?.cwd())?;
    let sharing = Sharing::of(trust::innermost(&lineage)?)?;
    if args.to == ShareTo::Team {
        let notes = sharing.own(context, args)?;
        share_team::run(context, &notes, args)?;
        // What this machine keeps is older now.
        context.opened()?.beside_asked(&lineage, TYPED);
        return Ok(());
    }
    // Where there may be notes of others, a person is asked to trust them.
    if !args.dry_run
        && beside::shares(&sharing.checkout)
        && !context.settings.trusts(&sharing.checkout)
    {
        trust::given(context, &sharing.checkout)?;
        environment().trust(&sharing.checkout, true)?;
    }
    let notes = sharing.own(context, args)?;
    match args.prune {
        true => sharing.prune(context, notes, args.dry_run),
        false => sharing.share(context, &notes, args),
    }
}

impl Sharing {
    pub(super) fn of(checkout: &Checkout) -> Outcome<Self> {
        let root = home::expanded(checkout.root.as_str())?;
        Ok(Self {
            checkout: checkout.clone(),
            files: SharedNotes::new(root.clone(), checkout),
            root,
        })
    }

    /// The own notes that are named, or all of this repository.
    fn own(&self, context: &Context<'_>, args: &ShareArgs) -> Outcome<Vec<Note>> {
        let own = context.opened()?.own();
        if args.notes.is_empty() {
            let scopes = own.scopes(ScopeKind::Place)?.into_iter();
            let name = &self.checkout.name;
            let is_here = |of: &Scope| matches!(of, Scope::Place(of) if of.below(name).is_some());
            let scopes = scopes.map(|of| of.scope).filter(is_here).collect();
            return Ok(own.select(&Filter::Scopes(scopes))?);
        }
        let named = args.notes.iter().map(|typed| {
            let address = context.note(typed, Use::Keep)?;
            self.check_address(&address)?;
            let shown = address.masked();
            let others = context.opened()?.store().get(&address)?;
            own.get(&address)?.ok_or_else(|| {
                let does = others.map_or("writes one", |_| "begins with theirs");
                let hint = format!("`waynote edit {}` {does}", quoted(&shown));
                let what = format!("there is no note {shown} in your own store");
                Failure::refused("not_found", what, hint)
            })
        });
        named.collect()
    }

    /// A note by another name than that of the repository would stand beside its file.
    fn check_address(&self, address: &Address) -> Outcome {
        let (name, shown) = (&self.checkout.name, address.masked());
        let place = address.place();
        if place.is_some_and(|place| place.below(name).is_some()) {
            return Ok(());
        }
        let what = format!("{shown} is no note of this repository, and only those are shared");
        let key = address.key().map(|key| format!("#{key}"));
        let to = Scope::Place(name.clone()).to_string() + &key.unwrap_or_default();
        let hint = format!(
            "`waynote mv {} {}` makes it one",
            quoted(&shown),
            quoted(&visible(&to))
        );
        Err(Failure::refused("not_of_repository", what, hint))
    }

    /// A note's file with its text.
    fn file(&self, note: &Note) -> Outcome<SharedFile> {
        let is_here = |of: &&Citation| of.repository.as_ref() == Some(&self.checkout.name);
        let cites: Vec<Citation> = note.cites.iter().filter(is_here).cloned().collect();
        let (files, pinned) = (&self.files, Some(note.pinned));
        Ok(files.file_with(&note.address, &note.content, pinned, Some(&cites))?)
    }

    /// A note's file with its text, if nothing is lost by it: the text so far is in git, or was the note's own. Where
    /// `all` notes are shared, none replaces another text.
    fn to_write(&self, context: &Context<'_>, note: &Note, all: bool) -> Outcome<SharedFile> {
        let file = self.file(note)?;
        let Some(before) = file.before.as_ref().filter(|_| file.is_changed()) else {
            return Ok(file);
        };
        let mut shared = self.files.of_scopes(&[note.address.scope()]).into_iter();
        let shared = shared.find(|of| of.address == note.address);
        let text = |of: &Note| of.content.shown().trim().to_owned();
        let shared = shared.as_ref().map(text);
        let says = |own: &Note| shared == Some(text(own));
        let (path, shown) = (safe(file.path.display()), note.address.masked());
        if !self.is_committed("HEAD", &file.path, before) {
            let history = context.opened()?.own().history(&note.address)?;
            if !history.iter().filter_map(Revision::note).any(says) {
                let what = format!("{path} has a text that is not committed");
                let hint = "commit it, or restore the file; then share the note again";
                return Err(Failure::refused("not_committed", what, hint));
            }
        }
        let what = format!("{path} says something else; `waynote share {shown}` replaces it");
        let is_kept = all && !says(note);
        let refused = is_kept.then(|| Failure::refused("says_else", what, ""));
        refused.map_or(Ok(file), Err)
    }

    fn share(&self, context: &mut Context<'_>, notes: &[Note], args: &ShareArgs) -> Outcome {
        let write = |note: &Note| self.to_write(context, note, args.all);
        let (mut files, left_out, refused) = each(notes, args.all, write);
        refused?;
        let scopes: Vec<Scope> = files.iter().map(|(note, _)| note.address.scope()).collect();
        let before = self.files.of_scopes(&scopes);
        let all = files.len();
        files.retain(|(_, file)| file.is_changed());
        // Whoever shares the first note of a checkout trusts it.
        let is_first = !args.dry_run && !context.settings.trusts(&self.checkout);
        let to_put = files.iter().filter(|_| !args.dry_run);
        for (index, (_, file)) in to_put.enumerate() {
            self.files.put(file)?;
            if is_first && index == 0 {
                environment().trust(&self.checkout, true)?;
            }
        }
        let paths: Vec<&Path> = files.iter().map(|(_, file)| &*file.path).collect();
        let commit = self.commit("Share", &paths)?;
        let written = files
            .iter()
            .map(|(note, file)| json!({ "address": note.address, "file": file.path }));
        let value = json!({
            "files": written.collect::<Vec<_>>(), "unchanged": all - files.len(),
            "left_out": left_out, "written": !args.dry_run, "commit": commit,
        });
        context.answer(&value, || {
            let mut said = String::new();
            for (note, file) in &files {
                let did = if args.dry_run { "would write" } else { "wrote" };
                said += &format!("{did} {}", safe(file.path.display()));
                if let Some(before) = before.iter().find(|of| of.address == note.address) {
                    said += &format!(", which said: {}", visible(&before.preview));
                }
                said.push('\n');
            }
            said + &match (all - files.len(), commit.is_empty()) {
                (_, false) if args.dry_run => "nothing was written".into(),
                (_, false) => next(&commit) + MERGED + if is_first { READ } else { "" },
                (_, true) if !left_out.is_empty() => "there is nothing else to write".into(),
                (0, true) => "there is nothing to share".into(),
                (_, true) => "the files have the same text already".into(),
            }
        })
    }

    /// Deletes own notes that a file of the remote's default branch says as well, or one of the current commit where
    /// there is none.
    fn prune(&self, context: &mut Context<'_>, mut notes: Vec<Note>, dry_run: bool) -> Outcome {
        let default = ["rev-parse", "--verify", "refs/remotes/origin/HEAD"];
        let is_there = self.git().ask(&default).is_ok();
        let merged = if is_there { "origin/HEAD" } else { "HEAD" };
        let mut written = 0;
        notes.retain(|note| {
            let file = self.file(note).ok().filter(|file| !file.is_changed());
            written += usize::from(file.is_some());
            file.is_some_and(|file| self.is_committed(merged, &file.path, &file.text))
        });
        let delete = |note: &Note| Change::Delete {
            address: note.address.clone(),
            expect: Expect::Revision(note.revision),
        };
        let changes: Vec<Change> = notes.iter().map(delete).collect();
        if !dry_run && !changes.is_empty() {
            let stamp = context.stamp()?;
            context.write(|store| Ok(store.apply(&changes, &stamp)?))?;
        }
        let pruned: Vec<&Address> = notes.iter().map(|note| &note.address).collect();
        let value = json!({ "pruned": pruned, "merged": merged, "written": !dry_run });
        context.answer(&value, || {
            let did = if dry_run { "would delete" } else { "deleted" };
            let line = |of: &&Address| format!("{did} your own {}\n", of.masked());
            let said: String = pruned.iter().map(line).collect();
            said + &match (pruned.is_empty(), dry_run) {
                (true, _) if written > 0 => {
                    let notes = plural(written as u64, "note");
                    format!("{merged} does not have the files of {notes} of yours yet")
                }
                (true, _) => format!("no note of your own says the same as a file of {merged}"),
                (_, true) => "nothing was deleted".into(),
                _ => format!("{merged} has the shared ones; `waynote undo` brings yours back"),
            }
        })
    }

    /// True if a commit has a file with this text.
    fn is_committed(&self, commit: &str, path: &Path, text: &str) -> bool {
        let blob = format!("{commit}:{}", path.display());
        let committed = self.git().ask(&["cat-file", "blob", &blob]);
        committed.is_ok_and(|committed| committed == text.as_bytes())
    }

    fn git(&self) -> Git<'_> {
        Git::new(&self.root, Duration::from_secs(5), 1 << 20)
    }

    /// The commands that commit files, with what was done to them.
    fn commit(&self, did: &str, paths: &[&Path]) -> Outcome<Vec<String>> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let is_here = home::base()?.cwd() == self.checkout.root;
        let elsewhere = || format!("git -C {}", in_shell(&self.checkout.root));
        let git = if is_here { "git".into() } else { elsewhere() };
        let names = paths.iter().map(|path| quoted(&path.to_string_lossy()));
        let names = visible(&names.collect::<Vec<_>>().join(" "));
        let message = match paths {
            [_] => format!("{did} a note"),
            paths => format!("{did} {} notes", paths.len()),
        };
        let commit = format!("{git} commit -m {}", quoted(&message));
        Ok(vec![format!("{git} add {names}"), commit])
    }
}

/// Does something with each note, up to the first that it refuses. With `--all`, those are left out and named.
pub(super) fn each<T>(
    notes: &[Note],
    all: bool,
    one: impl Fn(&Note) -> Outcome<T>,
) -> (Vec<(&Note, T)>, Vec<Value>, Outcome) {
    let (mut done, mut left_out) = (Vec::new(), Vec::new());
    for note in notes {
        let shown = note.address.masked();
        match one(note) {
            Ok(of) => done.push((note, of)),
            Err(failure) if all => {
                let why = failure.line();
                let why = why.strip_prefix(&shown).unwrap_or(&why);
                let shows = format!("; `waynote share {} --to team` shows it", quoted(&shown));
                let is_others = failure.kind() == "others_text";
                let next = if is_others { &*shows } else { "" };
                say(&format!("left out {shown}: {}{next}", why.trim_start()));
                left_out.push(json!({ "address": note.address, "reason": failure.what() }));
            }
            Err(failure) if failure.kind().ends_with("holds_secret") => {
                let what = format!("{shown}: {}", failure.what());
                let hint = "a shared note has no credential, not even an allowed one: write where it is kept";
                let refused = Failure::refused("holds_secret", what, hint);
                return (done, left_out, Err(refused));
            }
            Err(failure) => return (done, left_out, Err(failure)),
        }
    }
    (done, left_out, Ok(()))
}

const MERGED: &str =
    "\nonce it is merged, `waynote share --prune` deletes yours: it would stand before later ones";

const READ: &str = "\nthe shared notes of this checkout are read from now on, also those of others; `waynote trust \
                    --remove` ends that";

/// The next step with files that were written.
fn next(commit: &[String]) -> String {
    format!(
        "commit it for the others, and push:\n  {}",
        commit.join("\n  ")
    )
}

/// The checkout with the shared note of an address, and the note, if it can be read, for a person, who changes it; none
/// for an agent, and for a note that is in a store.
pub(super) fn to_change(
    context: &Context<'_>,
    address: &Address,
) -> Outcome<Option<(Sharing, Option<Note>)>> {
    let is_persons = trust::only_a_person("changes a shared note").is_ok();
    let store = context.opened()?.store();
    let note = store.get(address)?;
    let is_torn = note.is_none() && store.others(address).is_err();
    let is_shared = is_torn || note.as_ref().is_some_and(|of| of.source == Source::Shared);
    let Some(place) = address.place().filter(|_| is_persons && is_shared) else {
        return Ok(None);
    };
    let lineage = context.settings.lineage(place)?;
    let mut checkouts = lineage.checkouts().iter();
    let checkout = checkouts.find(|of| place.below(&of.name).is_some());
    let sharing = checkout.map(Sharing::of).transpose()?;
    Ok(sharing.map(|sharing| (sharing, note)))
}

/// The files of a checkout that are no notes, or have a credential, and why.
pub(super) fn left_out(checkout: &Checkout) -> Vec<String> {
    let files = beside::shared_notes(checkout);
    let left_out = files.map(|files| {
        files.all();
        files.left_out()
    });
    let each = left_out.unwrap_or_default().into_iter();
    each.map(|(file, why)| format!("{file}: {why}")).collect()
}

/// Opens the file of a shared note in the editor.
pub(super) fn edit(context: &mut Context<'_>, sharing: &Sharing, address: &Address) -> Outcome {
    let path = sharing.files.file_of(address)?;
    let whole = sharing.root.join(&path);
    let read = || input::bytes(&whole);
    let before = read()?;
    edit::open(&edit::editor()?, &whole)?;
    if read()? == before {
        say(edit::UNCHANGED);
        return Ok(());
    }
    let mut notes = sharing.files.of_scopes(&[address.scope()]).into_iter();
    let own = context.opened()?.own();
    if let Some(note) = notes.find(|of| of.address == *address)
        && let Some(silent) = own.get(address)?
    {
        // It would stand before the file from now on.
        let options = SaveOptions::default().expect(Expect::Revision(silent.revision));
        let options = options.limits(Limits::NONE);
        single::save(own, note.address, note.content, options, &context.stamp()?)?;
    }
    // A file that is no note any more is named.
    for (file, reason) in sharing.files.left_out() {
        complain(&format!("warning: {file}: {reason}"));
    }
    let commit = sharing.commit("Change", &[&path])?;
    let value = json!({ "address": address, "file": path, "commit": commit });
    context.answer(&value, || {
        let path = visible(&path.to_string_lossy());
        format!("edited {path}; {}", next(&commit))
    })
}

/// Says that a shared note is still true: in its file, it cites the code as it is now.
pub(super) fn confirmed(
    context: &Context<'_>,
    (sharing, note): (Sharing, Note),
) -> Outcome<(Note, Vec<Citation>)> {
    let now = clock::now()?;
    let (cites, gone) = context.read(|store| Ok(cites::renewed(store.checkouts(), &note, now)))?;
    let (address, content) = (&note.address, &note.content);
    let file = sharing
        .files
        .file_with(address, content, None, Some(&cites))?;
    sharing.files.put(&file)?;
    Ok((Note { cites, ..note }, gone))
}
