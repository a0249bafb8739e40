//! Texts and paths as they are typed.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

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
    let failed = |error| Failure::file("standard input", "read", error);
    let mut bytes = Vec::new();
    let mut input = std::io::stdin().take(LONGEST + 1);
    input.read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LONGEST {
        let reason = format!("it is larger than {} MiB", LONGEST >> 20);
        return Err(failed(std::io::Error::other(reason)));
    }
    Ok(bytes)
}

/// The text of a note. An empty or blank one is refused, unless it is allowed.
pub(crate) fn note_text(argument: &OsStr, allow_empty: bool) -> Outcome<Content> {
    let content = text(argument)?;
    if allow_empty || !content.is_blank() {
        return Ok(content);
    }
    let (what, why) = match (argument == "-", content.is_empty()) {
        (true, true) => (
            "standard input is empty",
            "the command before the pipe may have failed; ",
        ),
        (true, false) => (
            "standard input is blank",
            "the command before the pipe may have failed; ",
        ),
        (false, true) => ("the text is empty", ""),
        (false, false) => ("the text is blank", ""),
    };
    Err(Failure::refused(
        "empty",
        format!("{what}: nothing was written"),
        format!("{why}`--allow-empty` writes it anyway"),
    ))
}

/// A place: a path, or the address of one; without either the working directory.
pub(crate) fn place(argument: Option<&OsStr>) -> Outcome<Place> {
    let Some(argument) = argument else {
        return Ok(home::base()?.cwd());
    };
    let path = argument.to_str().ok_or_else(|| {
        waynote::Error::invalid_place(argument.to_string_lossy().into_owned(), "it is not UTF-8")
    })?;
    if Address::is_meant(path) {
        return match path
            .parse::<waynote::Address>()?
            .within(&home::base_of_home()?)
        {
            Address::Place(place) => Ok(place),
            _ => Err(Failure::usage(
                format!("`{path}` is a keyed note, not a directory"),
                "use `waynote key show KEY --at PATH`, or `waynote show ADDRESS`",
            )),
        };
    }
    if Place::is_relative(path) {
        return Ok(Place::resolve(path, &home::base()?)?);
    }
    if path.starts_with('~') {
        // Says why there is none.
        home::home()?;
    }
    let base = home::base_of_home()?;
    Ok(Place::resolve(path, &base)?)
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

/// An address with the revision that is named in it or beside it.
pub(crate) fn address_and_revision(typed: &str, revision: Option<u64>) -> Outcome<AddressAt> {
    let named = address(typed)?;
    match (named.revision, revision) {
        (Some(named), Some(revision)) if named != revision => {
            let what = format!("two revisions are given: {named} and {revision}");
            let hint = "give one: `@N` or `--revision N`";
            Err(Failure::usage(what, hint))
        }
        (in_address, beside) => Ok(AddressAt::new(named.address, beside.or(in_address))),
    }
}

/// The address of a note itself; one of a revision is refused.
pub(crate) fn note(typed: &str) -> Outcome<Address> {
    typed.parse::<Address>()?;
    Ok(address(typed)?.address)
}
