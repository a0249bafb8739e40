//! `waynote edit`: a note in the editor of the user.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::Command;

use waynote::visible::{dropped, visible, without_hidden};
use waynote::{Address, Content, Error, Expect, Note, NoteBefore, SaveOptions, single};
use waynote_system::shell::quoted;

use super::confirm;
use super::saved::{Saved, say_deleted};
use crate::args::{AllowArgs, EditArgs, TextArgs};
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;
use crate::typed::Use;
use crate::{home, input};

pub(super) fn run(context: &mut Context<'_>, args: &EditArgs) -> Outcome {
    let address = context.note(&args.note, Use::Keep)?;
    let content = match (&args.append, &args.file) {
        (None, None) => return in_editor(context, address, &args.allow),
        (Some(text), _) => {
            input::note_text(text, false).map_err(|failure| match failure.kind() {
                "empty" => Failure::refused("empty", failure.what(), "give the text to add"),
                _ => failure,
            })?
        }
        (_, Some(file)) => input::file(file, args.allow.empty)?,
    };
    let adds = args.append.is_some();
    save(context, address, content, Expect::Any, &args.allow, adds)?.say(context)
}

/// The result of editing a note.
pub(super) enum EditOutcome {
    /// With the text that was given.
    Saved(Box<(Note, Option<NoteBefore>, String)>),
    Deleted(Address),
    /// Nothing was written, for this reason.
    NotWritten(String),
}

impl EditOutcome {
    /// The message for the user.
    pub(super) fn message(&self) -> String {
        match self {
            Self::Saved(saved) => {
                let (note, before, given) = &**saved;
                let saved = Saved::new(note, *before, given);
                format!(
                    "{}{}{}",
                    saved.told("new note"),
                    note.cited(),
                    dropped(given)
                )
            }
            Self::Deleted(address) => {
                let (shown, undo) = (address.masked(), quoted(&address.to_string()));
                format!("deleted {shown}; `waynote undo {undo}` brings it back")
            }
            Self::NotWritten(why) => why.clone(),
        }
    }

    fn say(&self, context: &mut Context<'_>) -> Outcome {
        match self {
            Self::Saved(saved) => {
                let (note, before, given) = &**saved;
                context.answer(&Saved::new(note, *before, given), || self.message())
            }
            Self::Deleted(address) => say_deleted(context, address, self.message()),
            Self::NotWritten(why) => {
                say(why);
                Ok(())
            }
        }
    }
}

/// Edits the note of a directory or a key in the editor, and prints the result.
pub(super) fn in_editor(context: &mut Context<'_>, address: Address, allow: &AllowArgs) -> Outcome {
    edit_note(context, address, allow)?.say(context)
}

/// Edits the note of a directory or a key in the editor. Prints nothing.
pub(super) fn edit_note(
    context: &mut Context<'_>,
    address: Address,
    allow: &AllowArgs,
) -> Outcome<EditOutcome> {
    if let Address::Session(..) = address {
        return Err(Error::AppendOnly { address }.into());
    }
    let editor = editor()?;
    context.opened_for_writing()?;
    let before = context.read(|store| Ok(store.get(&address)?))?;
    let (file, shown) = draft(before.as_ref())?;
    let name = quoted(&file.to_string_lossy());
    let kept = |what: String, hint: &str| {
        let hint = format!("your text is in {name}; {hint}");
        Failure::refused("not_saved", what, hint)
    };
    // As git runs it: the variable may hold arguments.
    let status = Command::new("sh")
        .args(["-c", &format!("{editor} \"$@\""), &editor])
        .arg(&file)
        .status();
    let again = format!(
        "`waynote edit {} --file {name}` saves it",
        quoted(&address.to_string())
    );
    match status {
        Ok(status) if status.success() => {}
        Ok(status) => {
            let what = format!(
                "the editor `{}` failed ({status}): nothing was saved",
                visible(&editor)
            );
            return Err(kept(what, &again));
        }
        Err(error) => return Err(Failure::file("sh", "run", error)),
    }
    let edited = input::bytes(&file)?;
    if edited == shown.as_bytes() {
        let _ = fs::remove_file(&file);
        let shown = address.masked();
        return Ok(EditOutcome::NotWritten(format!(
            "{shown} is unchanged: nothing was written"
        )));
    }
    // Editors end the last line, even if it had no end.
    let had_end = before
        .as_ref()
        .is_some_and(|note| note.content.as_bytes().ends_with(b"\n"));
    let edited = match edited.strip_suffix(b"\n") {
        Some(without) if !had_end => without.to_vec(),
        _ => edited,
    };
    let expect = Expect::Revision(before.as_ref().map_or(0, |note| note.revision));
    let saved = match Content::written(edited) {
        Ok(content) if content.is_blank() && !allow.empty => {
            delete_if_confirmed(context, &address, before.as_ref(), expect)
        }
        Ok(content) => save(context, address.clone(), content, expect, allow, false),
        Err(error) => Err(error.into()),
    };
    match saved {
        Ok(edited) => {
            let _ = fs::remove_file(&file);
            Ok(edited)
        }
        Err(Failure::Library(Error::Conflict { current, .. })) => {
            let theirs = current.map_or("deleted it".into(), |note| {
                format!(
                    "changed it (revision {}, by {})",
                    note.revision, note.author
                )
            });
            let shown = address.masked();
            Err(Failure::refused(
                "conflict",
                format!("{shown}: while you edited it, somebody {theirs}; nothing was written"),
                format!(
                    "your text is in {name}, theirs is `waynote show {}`; bring them together in the file, then {again}",
                    quoted(&shown)
                ),
            ))
        }
        Err(failure) if failure.kind() == "empty" => {
            let _ = fs::remove_file(&file);
            Err(failure)
        }
        Err(failure) => Err(kept(
            failure.what(),
            &format!("{}; {again}", failure.hint()),
        )),
    }
}

/// A private file with the text to edit, and that text.
fn draft(before: Option<&Note>) -> Outcome<(PathBuf, String)> {
    let mut shown = match before {
        None => String::new(),
        Some(note) => without_hidden(&note.content.shown()).into_owned(),
    };
    if !shown.is_empty() && !shown.ends_with('\n') {
        shown.push('\n');
    }
    let failed = |error| Failure::file("temporary file", "written", error);
    let named = tempfile::Builder::new()
        .prefix("waynote-")
        .suffix(".md")
        .tempfile();
    let mut file = named.map_err(failed)?;
    file.write_all(shown.as_bytes()).map_err(failed)?;
    // The file stays if its text cannot be saved.
    let (_, path) = file.keep().map_err(|error| failed(error.error))?;
    Ok((path, shown))
}

/// The command of the user's editor; on a terminal, vi is the last resort, as for git.
fn editor() -> Outcome<String> {
    for variable in ["VISUAL", "EDITOR"] {
        if let Some(editor) = home::variable(variable)?.filter(|editor| !editor.trim().is_empty()) {
            return Ok(editor);
        }
    }
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return Ok("vi".into());
    }
    Err(Failure::refused(
        "no_editor",
        "no editor is set",
        "set VISUAL or EDITOR, for example `export EDITOR=nano`; or give the text: `--append TEXT`, `--file FILE`",
    ))
}

/// Asks whether to delete the note, since an empty text may be a mistake.
fn delete_if_confirmed(
    context: &mut Context<'_>,
    address: &Address,
    before: Option<&Note>,
    expect: Expect,
) -> Outcome<EditOutcome> {
    let shown = address.masked();
    if before.is_none() {
        return Ok(EditOutcome::NotWritten(
            "the text is empty: nothing was written".into(),
        ));
    }
    let delete = format!("The text is empty. Delete {}?", visible(&shown));
    if !confirm::can_ask() {
        let hint = "`waynote key delete` and `waynote place delete` delete a note; `--allow-empty` writes the text";
        return Err(Failure::refused(
            "empty",
            "the text is empty: nothing was written",
            hint,
        ));
    }
    if !confirm::is_yes(&delete)? {
        return Ok(EditOutcome::NotWritten("nothing was written".into()));
    }
    let stamp = context.stamp()?;
    context.write(|store| Ok(single::delete(store, address.clone(), expect, &stamp)?))?;
    Ok(EditOutcome::Deleted(address.clone()))
}

/// Saves the text, or adds it to the end.
fn save(
    context: &mut Context<'_>,
    address: Address,
    content: Content,
    expect: Expect,
    allow: &AllowArgs,
    adds: bool,
) -> Outcome<EditOutcome> {
    let stamp = context.stamp_allowing(allow)?;
    let limits = context.settings.limits(None, None);
    let options = SaveOptions::default().limits(limits).expect(expect);
    let given = content.shown().into_owned();
    let (note, before) = context.write(|store| {
        Ok(match adds {
            true => single::append(store, &address, &content, options, &stamp)?,
            false => single::save(store, address, content, options, &stamp)?,
        })
    })?;
    Ok(EditOutcome::Saved(Box::new((note, before, given))))
}

/// The text of an argument or a file; none if the editor has to ask for it.
pub(super) fn text_or_editor(
    context: &Context<'_>,
    given: &TextArgs,
    allow: &AllowArgs,
) -> Outcome<Option<Content>> {
    let is_possible = io::stdin().is_terminal() && io::stdout().is_terminal();
    match (&given.text, &given.file) {
        (Some(text), _) => {
            if !context.output.json {
                input::say_if_file(text);
            }
            input::note_text(text, allow.empty).map(Some)
        }
        (None, Some(file)) => input::file(file, allow.empty).map(Some),
        (None, None) if is_possible => Ok(None),
        (None, None) => Err(Failure::usage(
            "no text is given",
            "write it as an argument; `-` reads it from standard input, `--file FILE` from a file",
        )),
    }
}
