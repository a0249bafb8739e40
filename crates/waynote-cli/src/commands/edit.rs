//! `waynote edit`: a note in the editor of the user.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use waynote::visible::{visible, without_hidden};
use waynote::{Address, Content, Error, Expect, Note};
use waynote_system::shell::quoted;

use super::saved::{self, Saved, Saving};
use super::share;
use crate::args::{AllowArgs, EditArgs, TextArgs};
use crate::error::{Failure, Outcome, say};
use crate::invocation::Context;
use crate::typed::Use;
use crate::{home, input};

pub(super) fn run(context: &mut Context<'_>, args: &EditArgs) -> Outcome {
    let saving = Saving::of(context, context.note(&args.note, Use::Edit)?);
    let saving = Saving {
        adds: args.append.is_some(),
        options: saving.options.expect(args.expect.if_revision.into()),
        ..saving
    };
    let content = match (&args.append, &args.file) {
        (None, None) => None,
        (Some(text), _) => Some(input::note_text(text, false)?),
        (_, Some(file)) => Some(input::file(file, args.allow.empty)?),
    };
    if let Some((sharing, _)) = share::to_change(context, &saving.address)? {
        if content.is_none() {
            return share::edit(context, &sharing, &saving.address);
        }
        // None begins where a file cannot be read.
        context.opened()?.store().others(&saving.address)?;
    }
    saved::save(context, saving, content, None, &args.allow)
}

/// Edits the note of a directory or a key in the editor, and says so.
pub(super) fn in_editor(context: &mut Context<'_>, saving: Saving, allow: &AllowArgs) -> Outcome {
    match edited(context, saving, allow)? {
        Some(saved) => context.answer(&saved, || saved.said.clone()),
        None => {
            say(UNCHANGED);
            Ok(())
        }
    }
}

/// The reply where an editor left the text as it was.
pub(super) const UNCHANGED: &str = "the text is unchanged: nothing was written";

/// Edits the note of a directory or a key in the editor, and prints nothing. None if the text is unchanged.
pub(super) fn edited(
    context: &mut Context<'_>,
    mut saving: Saving,
    allow: &AllowArgs,
) -> Outcome<Option<Saved>> {
    let address = saving.address.clone();
    if let Address::Session(..) = address {
        return Err(Error::AppendOnly { address }.into());
    }
    let editor = editor()?;
    context.opened_for_writing()?;
    let before = context.read(|store| Ok(store.get(&address)?))?;
    let (file, shown) = draft(before.as_ref())?;
    let name = quoted(&file.to_string_lossy());
    let of = quoted(&address.to_string());
    let again = format!("`waynote edit {of} --file {name}` saves it");
    let kept = |what: String, hint: &str| {
        let hint = format!("your text is in {name}; {hint}{again}");
        Failure::refused("not_saved", what, hint)
    };
    if let Err(failure) = open(&editor, &file) {
        return Err(kept(format!("{}: nothing was saved", failure.what()), ""));
    }
    let mut edited = input::bytes(&file)?;
    let saved = if edited == shown.as_bytes() {
        Ok(None)
    } else {
        // Editors end the last line, even if it had no end.
        let had_end = |note: &Note| note.content.as_bytes().ends_with(b"\n");
        if !before.as_ref().is_some_and(had_end) && edited.ends_with(b"\n") {
            edited.pop();
        }
        if saving.options.expect == Expect::Any {
            saving.options.expect = Expect::Revision(before.map_or(0, |note| note.revision));
        }
        saving.adds = false;
        Content::written(edited)
            .map_err(Failure::from)
            .and_then(|content| input::not_blank(content, "the text", allow.empty))
            .and_then(|content| {
                let stamp = context.stamp_allowing(allow)?;
                Saved::write(context, saving, content, &stamp)
            })
            .map(Some)
    };
    match saved {
        Err(failure) if failure.kind() != "empty" => {
            let hint = match &failure {
                Failure::Library(Error::Conflict { .. }) => {
                    format!("`waynote show {of}` prints the other; bring them together, then ")
                }
                _ => format!("{}; then ", failure.hint()),
            };
            Err(kept(failure.what(), &hint))
        }
        saved => {
            let _ = fs::remove_file(&file);
            saved
        }
    }
}

/// A private file with the text to edit, and that text.
fn draft(before: Option<&Note>) -> Outcome<(PathBuf, String)> {
    let text = |note: &Note| without_hidden(&note.content.shown()).into_owned();
    let mut shown = before.map_or(String::new(), text);
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

/// Edits a file. As git runs an editor: the variable may hold arguments.
pub(super) fn open(editor: &str, file: &Path) -> Outcome {
    let status = Command::new("sh")
        .args(["-c", &format!("{editor} \"$@\""), editor])
        .arg(file)
        .status()
        .map_err(|error| Failure::file("sh", "run", error))?;
    let failed = || format!("the editor `{}` failed ({status})", visible(editor));
    let failed = (!status.success()).then(|| Failure::refused("not_saved", failed(), ""));
    failed.map_or(Ok(()), Err)
}

/// The command of the user's editor; on a terminal, vi is the last resort, as for git.
pub(super) fn editor() -> Outcome<String> {
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

/// The text of an argument or a file; none if the editor has to ask for it.
pub(super) fn text_or_editor(given: &TextArgs, allow: &AllowArgs) -> Outcome<Option<Content>> {
    let is_possible = io::stdin().is_terminal() && io::stdout().is_terminal();
    match (&given.text, &given.file) {
        (Some(text), _) => input::note_text(text, allow.empty).map(Some),
        (None, Some(file)) => input::file(file, allow.empty).map(Some),
        (None, None) if is_possible => Ok(None),
        (None, None) => Err(Failure::usage(
            "no text is given",
            "write it as an argument; `-` reads it from standard input, `--file FILE` from a file",
        )),
    }
}
