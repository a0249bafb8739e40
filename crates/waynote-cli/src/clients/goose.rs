//! What earlier versions wrote for Goose: a file with the notes, which Goose read at every turn. The server's instructions hold
//! them now, so the file would show notes of another project, as they were.

use std::io::ErrorKind;
use std::path::PathBuf;

use crate::error::{Failure, Outcome};
use crate::home;

/// The variable by which Goose was told of the file.
pub(crate) const VARIABLE: &str = "GOOSE_MOIM_MESSAGE_FILE";

/// The file.
pub(crate) fn old_file() -> Outcome<PathBuf> {
    Ok(home::data()?.join("waynote/goose.md"))
}

/// Removes the file, if it is there.
pub(crate) fn remove_old_file() -> Outcome {
    let path = old_file()?;
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Failure::file(path, "removed", error))
        }
        _ => Ok(()),
    }
}

/// What the user does about the variable, where it still names the file.
pub(crate) fn left_to_the_user() -> Outcome<Option<String>> {
    let named = home::variable(VARIABLE)?.map(PathBuf::from);
    Ok((named == Some(old_file()?)).then(|| {
        format!("take {VARIABLE} out of your shell's profile: the server's instructions hold the notes now")
    }))
}
