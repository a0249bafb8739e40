//! Texts and paths as they are typed.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;

use waynote::{Base, Content, Place};

use crate::error::{Failure, Outcome};

/// A note's text: the argument, or with `-` the bytes of standard input as they are.
pub(crate) fn text(argument: &OsStr) -> Outcome<Content> {
    let bytes = if argument == "-" {
        let mut bytes = Vec::new();
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(|error| Failure::file("standard input", "read", error))?;
        bytes
    } else {
        argument.as_bytes().to_vec()
    };
    Ok(Content::written(bytes)?)
}

/// A place: a path, or the address of one; without either the working directory.
pub(crate) fn place(argument: Option<&OsStr>, base: &Base) -> Outcome<Place> {
    let Some(argument) = argument else {
        return Ok(base.cwd());
    };
    let path = argument
        .to_str()
        .ok_or_else(|| waynote::Error::InvalidPlace {
            path: argument.to_string_lossy().into_owned(),
            reason: "it is not UTF-8".into(),
        })?;
    let is_address = ["place:", "agent:", "session:"]
        .iter()
        .any(|kind| path.starts_with(kind));
    if is_address {
        return match path.parse::<waynote::Address>()?.within(base) {
            waynote::Address::Place(place) => Ok(place),
            _ => Err(Failure::usage(
                format!("`{path}` is a keyed note, not a directory"),
                "use `waynote key … --at PATH`, or `waynote show ADDRESS`",
            )),
        };
    }
    Ok(Place::resolve(path, base)?)
}
