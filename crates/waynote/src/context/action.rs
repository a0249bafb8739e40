//! The notes for an action: those of the paths that a tool touches, and of the directories above them. An agent gets
//! them beside the tool's result, where they help most.

use std::collections::HashSet;

use shlex::Shlex;

use super::answer::shown_of;
use super::telling::NoteSelection;
use super::{Matching, Request, ShownNote};
use crate::error::Result;
use crate::model::lineage::Lineage;
use crate::note::Note;
use crate::place::{Base, Place};
use crate::rules::person::reading;
use crate::scope::Scope;
use crate::store::{Ask, Page, Reader, Recent, answers};

/// How many notes an action gets at most, and how many tokens they take.
const MOST: usize = 5;
const TOKENS: usize = 400;

/// What a session is to get at tools, in tokens: a long one is not to fill up with notes. A note takes at most a
/// [`SHARE`]th of what is left, else it is a line; and a short line once that is less than [`LINE`].
const ALLOWANCE: usize = 1_200;
const SHARE: usize = 4;
const LINE: usize = 60;

/// How many places are asked for: those of paths of any sensible depth.
const MOST_PLACES: usize = 1024;

/// How many paths of an action are looked at.
pub const MOST_PATHS: usize = 64;

/// The paths that an action touches.
pub struct Action<'a> {
    /// The places whose notes may be told, with all below them.
    pub roots: &'a [Place],
    /// Paths that a tool names, in its order.
    pub paths: &'a [Place],
    /// Paths that a command may name: see [`named_in`].
    pub named: &'a [Place],
    /// The tokens that the session was told at tools before.
    pub spent: usize,
    /// Whether something is at a path. It is asked only for paths of `named`, below the roots, that notes are for.
    pub exists: &'a dyn Fn(&Place) -> bool,
}

/// A place whose notes are for an action.
struct NearbyPlace<'a> {
    /// How far it is above the path: 0 for the path itself.
    distance: usize,
    place: Place,
    /// The path, if it may be none.
    doubtful: Option<&'a Place>,
}

impl<'a> Action<'a> {
    /// The places whose notes are for the action, the nearest first, by each name in a repository and by path: not those
    /// that the start of the session considered.
    fn near(&self, lineage: &Lineage) -> Vec<NearbyPlace<'a>> {
        let certain = self.paths.iter().map(|path| (path, None));
        let named = self.named.iter().map(|path| (path, Some(path)));
        let mut near: Vec<NearbyPlace<'a>> = Vec::new();
        for (path, doubtful) in certain.chain(named).take(MOST_PATHS) {
            let above = path.chain().into_iter().rev().enumerate();
            let above = above.take_while(|(_, place)| self.is_below_a_root(place));
            near.extend(above.flat_map(|(distance, path)| {
                let mut places = lineage.names(&path);
                places.push(path);
                let near = move |place| NearbyPlace {
                    distance,
                    place,
                    doubtful,
                };
                places.into_iter().map(near)
            }));
        }
        near.sort_by_key(|near| (near.distance, near.doubtful.is_some()));
        near.retain(|near| !lineage.places().contains(&near.place));
        near
    }

    /// True for a root and for all below it.
    fn is_below_a_root(&self, place: &Place) -> bool {
        self.roots.iter().any(|root| place.below(root).is_some())
    }

    /// True if a path is there, or the directory in which it would be made.
    fn is_path(&self, path: &Place) -> bool {
        let above = path.parent().filter(|above| self.is_below_a_root(above));
        (self.exists)(path) || above.is_some_and(|above| (self.exists)(&above))
    }
}

/// The notes for an action that are new to its reader: at most five, the nearest first, within 400 tokens and the
/// budget. `request` is that of the session's start: the places that it considers are left out. `known` says how much
/// of which revision the reader has been shown.
///
/// One reading of the store finds them; without a path below the roots there is none.
///
/// # Errors
/// [`crate::Error::Busy`], [`crate::Error::DamagedStore`] or [`crate::Error::Engine`] when the store cannot be read.
pub fn at_action(
    store: &dyn Reader,
    request: &Request,
    action: &Action<'_>,
    known: &[ShownNote],
) -> Result<Matching> {
    let near = action.near(&request.lineage);
    let mut seen = HashSet::new();
    let mut scopes: Vec<Scope> = near
        .iter()
        .map(|near| Scope::Place(near.place.clone()))
        .collect();
    scopes.retain(|scope| seen.insert(scope.clone()));
    scopes.truncate(MOST_PLACES);
    if scopes.is_empty() {
        return Ok(Matching::default());
    }
    let page = |scope: &Scope| Page {
        of: Recent::ByKey {
            scope: scope.clone(),
        },
        skip: 0,
        limit: MOST
            + known
                .iter()
                .filter(|known| known.address.scope() == *scope)
                .count(),
    };
    let pages = answers!(store, pages: scopes.iter().map(page).collect());
    let known = shown_of(known);
    let whole = ALLOWANCE.saturating_sub(action.spent) / SHARE;
    let request = &*reading(store, request)?;
    let mut telling = NoteSelection::new(request, TOKENS, MOST)
        .whole_to(whole)
        .briefly(whole < LINE);
    for (scope, notes) in scopes.iter().zip(pages) {
        let is_for = |near: &NearbyPlace<'_>| {
            *scope == Scope::Place(near.place.clone())
                && near.doubtful.is_none_or(|path| action.is_path(path))
        };
        if telling.is_full() || notes.is_empty() || !near.iter().any(is_for) {
            continue;
        }
        let (stale, fresh): (Vec<_>, Vec<_>) = notes.into_iter().partition(Note::is_stale);
        for note in fresh.into_iter().chain(stale) {
            let known = known(&note);
            telling.tell(note, 1, known);
        }
    }
    Ok(telling.done())
}

/// The paths that a shell command may name, in its order: words that can be a path, seen from the working directory of
/// `base` or from where a `cd` before them leads. Nothing is looked up.
pub fn named_in(command: &str, base: &Base) -> Vec<Place> {
    let mut paths: Vec<Place> = Vec::new();
    let mut base = base.clone();
    let mut changes = false;
    let text = without_documents(command);
    for word in Shlex::new(&text) {
        // Operators stand in a word with their neighbours.
        for part in word.split(['|', '&', ';', '<', '>', '(', ')']) {
            let Some(path) = path_in(part).and_then(|path| Place::resolve(path, &base).ok()) else {
                continue;
            };
            if changes {
                base = base.at(&path);
            }
            changes = part == "cd";
            if !changes && !paths.contains(&path) {
                paths.push(path);
            }
            if paths.len() == MOST_PATHS {
                return paths;
            }
        }
    }
    paths
}

/// The part of a word that can be a path.
fn path_in(word: &str) -> Option<&str> {
    let value = match word.strip_prefix('-') {
        Some(option) => option.split_once('=')?.1,
        None => word,
    };
    // An assignment, or an argument with a name.
    let value = match value.split_once('=') {
        Some((name, value)) if !name.contains('/') => value,
        _ => value,
    };
    // Before a pattern stands the directory in which it matches.
    let path = match value.find(['*', '?', '[', '{']) {
        Some(end) => &value[..value[..end].rfind('/')?],
        None => value,
    };
    // As compilers and tests name a line: `src/x.rs:40`.
    let path = match path.split_once(':') {
        Some((path, rest)) if rest.starts_with(|char: char| char.is_ascii_digit()) => path,
        Some((_, rest)) if rest.starts_with("//") => return None,
        _ => path,
    };
    let is_path = !path.is_empty() && !path.contains(['$', '`', '\n', '\0', '!', '"', '\'']);
    is_path.then_some(path)
}

/// A command without the texts of its here-documents: they are no arguments.
fn without_documents(command: &str) -> String {
    let mut text = String::new();
    let mut end: Option<String> = None;
    for line in command.lines() {
        if let Some(word) = &end {
            if line.trim() == word {
                end = None;
            }
            continue;
        }
        text.push_str(line);
        text.push('\n');
        // `<<<` gives a text in the same line.
        let begin = line
            .split_once("<<")
            .filter(|(_, rest)| !rest.starts_with('<'));
        let word = begin.map(|(_, rest)| rest.trim_start_matches('-').trim_start());
        let word = word.and_then(|word| word.split([' ', '|', '>', ';', '&', ')']).next());
        end = word
            .map(|word| word.replace(['\'', '"', '\\'], ""))
            .filter(|word| word.starts_with(|char: char| char.is_alphabetic() || char == '_'));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(command: &str) -> String {
        let base = Base::new("/home/u", "/home/u/p").unwrap();
        let paths = named_in(command, &base).into_iter();
        paths
            .map(|path| path.as_str().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn paths_are_read_from_commands() {
        for (command, paths) in [
            ("cat src/pay/x.rs", "~/p/cat ~/p/src/pay/x.rs"),
            (
                "sed -n '1,20p' \"src/a b.rs\"",
                "~/p/sed ~/p/1,20p ~/p/src/a b.rs",
            ),
            ("cd src/pay && ls", "~/p/src/pay ~/p/src/pay/ls"),
            (
                "cd /srv; cd x\ntouch y",
                "/srv /srv/x /srv/x/touch /srv/x/y",
            ),
            ("x>src/out 2>&1", "~/p/x ~/p/src/out ~/p/2 ~/p/1"),
            ("cc -Isrc --out=build/x.o -v", "~/p/cc ~/p/build/x.o"),
            ("A=src/x y", "~/p/src/x ~/p/y"),
            ("ls src/*.rs *.toml", "~/p/ls ~/p/src"),
            (
                "p tests/x.py::t src/x.rs:40:1",
                "~/p/p ~/p/tests/x.py::t ~/p/src/x.rs",
            ),
            ("curl https://h/x $HOME/y `z`", "~/p/curl"),
            ("w ~/q ../r /home/u/s", "~/p/w ~/q ~/r ~/s"),
            (
                "cat <<'EOF' > src/x\nit's src/no\nEOF\nls src/y",
                "~/p/cat ~/p/EOF ~/p/src/x ~/p/ls ~/p/src/y",
            ),
            ("cat <<< a src/x", "~/p/cat ~/p/a ~/p/src/x"),
            ("echo 'not closed src/x", "~/p/echo"),
            ("git commit -m 'one\ntwo' src", "~/p/git ~/p/commit ~/p/src"),
            ("", ""),
        ] {
            assert_eq!(named(command), paths, "{command}");
        }
        let many: String = (0..200).map(|n| format!("src/{n} ")).collect();
        assert_eq!(named(&many).split(' ').count(), MOST_PATHS);
    }

    proptest::proptest! {
        #[test]
        fn no_command_panics(command in "\\PC*") {
            let _ = named(&command);
        }
    }
}
