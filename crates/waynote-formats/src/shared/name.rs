//! Names of the files and folders of `.waynote/`: what every file system, Windows and git can hold.
//!
//! Each note has one name, and each name one note. A character that cannot be in a name is written as `%` and its bytes
//! in hexadecimal, as in an address.

use std::fmt::Write;

use percent_encoding::percent_decode_str;
use unicode_normalization::UnicodeNormalization;
use waynote::Key;
use waynote::visible::is_invisible;

use super::FOLDER;

/// The file of a place's own note.
pub(super) const OWN: &str = "README.md";

/// How the name of a note's file ends.
const END: &str = ".md";

/// Names of devices on Windows, whatever follows them after a dot.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// The name of the file of a key; none: of the place's own note.
pub(super) fn file(key: Option<&Key>) -> String {
    match key {
        None => OWN.into(),
        // Where case does not count, it would be the place's own note.
        Some(key) if key.as_str() == "readme" => format!("%72eadme{END}"),
        Some(key) => format!("{}{END}", encoded(key.as_str())),
    }
}

/// The path in the checkout of the folder for one of the repository.
pub(super) fn path(below: &str) -> String {
    let parts = below.split('/').filter(|part| !part.is_empty());
    let parts = parts.map(|part| format!("/{}", encoded(&composed(part))));
    FOLDER.to_owned() + &parts.collect::<String>()
}

/// The key that a file's name stands for; none: the place's own note.
///
/// # Errors
/// The reason why it stands for no note.
pub(super) fn key(name: &str) -> Result<Option<Key>, String> {
    if name.eq_ignore_ascii_case(OWN) {
        return match name == OWN {
            true => Ok(None),
            false => Err(format!("a place's own note is named `{OWN}`")),
        };
    }
    let stem = name
        .strip_suffix(END)
        .ok_or("the name of a note ends in `.md`")?;
    let decoded = percent_decode_str(stem).decode_utf8_lossy();
    let key = decoded.parse().ok().or_else(|| Key::suggest(&decoded));
    match key.map(|key| (file(Some(&key)), key)) {
        Some((right, key)) if right == name => Ok(Some(key)),
        Some((right, _)) => Err(format!("name it `{right}`")),
        None => Err("its name is no key".into()),
    }
}

/// The folder of the repository that a folder's name stands for.
///
/// # Errors
/// The reason why it stands for none.
pub(super) fn folder(name: &str) -> Result<String, String> {
    let decoded = composed(&percent_decode_str(name).decode_utf8_lossy());
    let is_path = decoded.contains(['/', '\0']) || matches!(&*decoded, "" | "." | "..");
    match encoded(&decoded) {
        _ if is_path => Err("no folder has this name".into()),
        right if right == composed(name) => Ok(decoded),
        right => Err(format!("name it `{right}`")),
    }
}

/// A name without case, in one form of Unicode: some file systems take two names that differ in these for one.
pub(super) fn folded(name: &str) -> String {
    composed(name).to_lowercase()
}

pub(super) fn composed(name: &str) -> String {
    name.nfc().collect()
}

fn encoded(name: &str) -> String {
    let is_reserved = is_reserved(name);
    let end = name.len();
    let ends_as_note = (name.get(end.saturating_sub(END.len())..))
        .is_some_and(|last| last.eq_ignore_ascii_case(END));
    let mut out = String::with_capacity(end);
    for (at, char) in name.char_indices() {
        let is_last = at + char.len_utf8() == end;
        let is_written_out = match char {
            '%' | '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => true,
            '.' if ends_as_note && at + END.len() == end => true,
            '.' | ' ' if is_last => true,
            _ => char.is_control() || is_invisible(char) || is_reserved && at == 0,
        };
        match is_written_out {
            false => out.push(char),
            true => char.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| {
                // A string takes everything.
                let _ = write!(out, "%{byte:02X}");
            }),
        }
    }
    out
}

/// True for a device of Windows, and for a name that git takes for its own folder.
fn is_reserved(name: &str) -> bool {
    let name = name.to_lowercase();
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let port = stem.strip_prefix("com").or(stem.strip_prefix("lpt"));
    let is_port = port.is_some_and(|of| of.chars().count() == 1 && "0123456789¹²³".contains(of));
    DEVICES.contains(&stem) || is_port || name == ".git" || name.starts_with("git~")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn path(below: &str) -> String {
        let path = super::path(below);
        let inside = path.strip_prefix(FOLDER).unwrap();
        inside.trim_start_matches('/').to_owned()
    }

    #[test]
    fn names_are_plain_where_they_can_be() {
        for (below, written) in [
            ("", ""),
            ("src/pay", "src/pay"),
            (".github/Straße", ".github/Straße"),
            ("cafe\u{301}", "caf\u{e9}"),
            ("a:b/c*d/50%", "a%3Ab/c%2Ad/50%25"),
            ("docs/x.md/old.MD", "docs/x%2Emd/old%2EMD"),
            ("dot./space ", "dot%2E/space%20"),
            (
                "aux/NUL.d/com1/com10/lpt²",
                "%61ux/%4EUL.d/%63om1/com10/%6Cpt²",
            ),
            (".git/GIT~1/.gitignore", "%2Egit/%47IT~1/.gitignore"),
            ("a\u{202e}b/\u{7}", "a%E2%80%AEb/%07"),
        ] {
            assert_eq!(path(below), written);
        }
        let file = |key: &str| super::file(Some(&key.parse().unwrap()));
        assert_eq!(
            ["build", "readme", "nul", "a_b-c"].map(file).join(" "),
            "build.md %72eadme.md %6Eul.md a_b-c.md"
        );
    }

    #[test]
    fn a_name_that_stands_for_no_note_says_why() {
        for (name, reason) in [
            ("readme.md", "a place's own note is named `README.md`"),
            ("notes.txt", "the name of a note ends in `.md`"),
            ("Build it.md", "name it `build-it.md`"),
            ("%62uild.md", "name it `build.md`"),
            ("nul.md", "name it `%6Eul.md`"),
            ("%2E%2E%2Fx.md", "name it `x.md`"),
            ("\u{44f}.md", "its name is no key"),
        ] {
            assert_eq!(key(name).unwrap_err(), reason, "{name}");
        }
        for (name, reason) in [
            ("%2E%2E", "no folder has this name"),
            ("%2e", "no folder has this name"),
            ("a%2Fb", "no folder has this name"),
            ("a%00", "no folder has this name"),
            ("%FF", "name it `\u{fffd}`"),
            ("%61", "name it `a`"),
            ("50%", "name it `50%25`"),
            (".Git", "name it `%2EGit`"),
        ] {
            assert_eq!(folder(name).unwrap_err(), reason, "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_folder_and_key_is_read_back(part in "[^/\0]{1,12}", text in "[a-z0-9][a-z0-9_-]{0,63}") {
            prop_assume!(part != "." && part != "..");
            let written = path(&part);
            prop_assert!(!written.contains(['\\', ':', '*', '?', '"', '<', '>', '|', '\n']));
            prop_assert!(!written.ends_with(['.', ' ']) && !written.to_lowercase().ends_with(".md"));
            prop_assert_eq!(folder(&written).unwrap(), composed(&part));
            let wanted: Key = text.parse().unwrap();
            prop_assert_eq!(key(&file(Some(&wanted))), Ok(Some(wanted)));
        }

        #[test]
        fn no_two_names_stand_for_the_same(name in "(%[0-9A-Fa-f]{2}|[a-cA-C.%~ :]|con|\\.md){1,4}") {
            if let Ok(decoded) = folder(&name) {
                prop_assert_eq!(path(&decoded), composed(&name));
            }
            if let Ok(Some(of)) = key(&name) {
                prop_assert_eq!(file(Some(&of)), name);
            }
        }
    }
}
