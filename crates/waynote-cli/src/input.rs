//! Texts and paths as they are typed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use waynote::{Address, AddressAt, Content, Place};

use crate::error::{Failure, Outcome};
use crate::home;

/// A note's text: the argument, or with `-` the bytes of standard input as they are.
pub(crate) fn text(argument: &OsStr) -> Outcome<Content> {
    let bytes = if argument == "-" {
        standard_input()?
    } else {
        argument.as_bytes().to_vec()
    };
    Ok(Content::written(bytes)?)
}

/// Standard input to its end. It is refused if it is longer than any import.
pub(crate) fn standard_input() -> Outcome<Vec<u8>> {
    const LONGEST: u64 = 512 << 20;
    let read = waynote_files::read_up_to(std::io::stdin(), LONGEST);
    read.map_err(|error| Failure::file("standard input", "read", error))
}

/// The text of a file, for a note.
pub(crate) fn file(path: &Path, allow_empty: bool) -> Outcome<Content> {
    not_blank(Content::written(bytes(path)?)?, "the file", allow_empty)
}

/// The bytes of a regular file, of at most as many as a note can have. Another kind of file is refused: `-` reads a
/// pipe.
pub(crate) fn bytes(path: &Path) -> Outcome<Vec<u8>> {
    const LONGEST: u64 = 16 << 20;
    let read = waynote_files::contents(path, LONGEST);
    read.map_err(|error| Failure::file(path, "read", error))
}

/// The text of a note. An empty or blank one is refused, unless it is allowed.
pub(crate) fn note_text(argument: &OsStr, allow_empty: bool) -> Outcome<Content> {
    let content = text(argument)?;
    let from = if argument == "-" {
        "standard input"
    } else {
        "the text"
    };
    not_blank(content, from, allow_empty)
}

/// The text, unless it is blank.
pub(crate) fn not_blank(content: Content, from: &str, allow_empty: bool) -> Outcome<Content> {
    if allow_empty || !content.is_blank() {
        return Ok(content);
    }
    let how = if content.is_empty() { "empty" } else { "blank" };
    let why = match from {
        "standard input" => "the command before the pipe may have failed; ",
        _ => "",
    };
    let hint = format!("{why}`--allow-empty` writes it anyway");
    let what = format!("{from} is {how}: nothing was written");
    Err(Failure::refused("empty", what, hint))
}

/// A place: a path, or the address of one.
pub(crate) fn place(path: &str) -> Outcome<Place> {
    if Address::is_meant(path) {
        return match address(path)? {
            AddressAt {
                address: Address::Place(place),
                revision: None,
            } => Ok(place),
            _ => Err(Failure::usage(
                format!("`{path}` is a keyed note, not a directory"),
                "use `waynote key show KEY --at PATH`, or `waynote show ADDRESS`",
            )),
        };
    }
    if Place::is_relative(path) {
        if is_name_of_repository(path) {
            let hint = format!("did you mean `repo:{path}`? As a path it is `./{path}`");
            let what = format!("`{path}` begins with the name of a host");
            return Err(Failure::usage(what, hint));
        }
        return Ok(Place::resolve(path, &home::base()?)?);
    }
    if path.starts_with('~') {
        // Says why there is none.
        home::home()?;
    }
    let base = home::base_of_home()?;
    Ok(Place::resolve(path, &base)?)
}

/// True if a relative path is a repository's name as people write it, `github.com/acme/shop`, and no directory here.
fn is_name_of_repository(path: &str) -> bool {
    let Some((host, inside)) = path.split_once('/') else {
        return false;
    };
    let has_dot = host.find('.').is_some_and(|at| at > 0);
    has_dot && inside.contains('/') && !Path::new(host).exists()
}

/// An address as it is typed. A place's absolute path inside home is the place with `~`.
pub(crate) fn address(typed: &str) -> Outcome<AddressAt> {
    let AddressAt { address, revision } = typed.parse()?;
    let address = match &address {
        Address::Place(_) | Address::PlaceKey(..) => address.within(&home::base_of_home()?),
        _ => address,
    };
    Ok(AddressAt { address, revision })
}
