//! The notes that a checkout shares: one Markdown file for each in `.waynote/`, which people edit and git merges.
//!
//! | file | note |
//! |---|---|
//! | `.waynote/README.md` | of the repository's root |
//! | `.waynote/build.md` | its key `build` |
//! | `.waynote/src/pay/README.md` | of `src/pay` |
//! | `.waynote/src/pay/currency.md` | the key `currency` of `src/pay` |
//!
//! A file is the note's text. A front matter has what is as stable as the text: `pinned`, and `cites` with the hash of the
//! code that the note was true for. It has no date, author or count, so that files of two notes never have a conflict,
//! and two people who confirm the same code write the same bytes.
//!
//! The files come from everyone who commits to the repository. So no link is followed, only regular files are opened, and
//! memory and time are bounded. Whatever is no note, or one over a limit, is left out and named
//! ([`SharedNotes::left_out`]).

mod folder;
mod form;
mod name;
mod write;
mod yaml;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use parking_lot::Mutex;
use rustix::fs::FileType;
use waynote::error::safe;
use waynote::secrets::masked;
use waynote::store::NotesBeside;
use waynote::text::plural;
use waynote::visible::{visible, without_hidden};
use waynote::{
    Address, Checkout, Citation, Content, Key, Limits, Name, Note, Place, Scope, Source,
};

use folder::{FileName, Folder, kind_in_words};
use form::Form;

pub use write::SharedFile;

/// The folder in the root of a checkout.
pub const FOLDER: &str = ".waynote";

/// How much one reading looks at.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// A folder with more in it is left out: it is not read for long, and what is read does not depend on the order that
    /// the system gives.
    in_folder: usize,
    /// A folder that is deeper is left out.
    depth: usize,
    /// Files and folders.
    files: usize,
    /// Bytes of texts.
    bytes: usize,
    time: Duration,
}

const BOUNDS: Bounds = Bounds {
    in_folder: 4096,
    depth: 64,
    files: 20_000,
    bytes: 16 << 20,
    time: Duration::from_secs(2),
};

/// The shared notes of a checkout.
#[derive(Debug)]
pub struct SharedNotes {
    root: PathBuf,
    /// The root's place by its names: the one that notes get first, its path last.
    names: Vec<Place>,
    bounds: Bounds,
    /// Each file that was left out when its folder was last read, and why.
    left_out: Mutex<BTreeMap<String, String>>,
}

/// A file that is not read as a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its path in the checkout, as it can be shown.
    pub file: String,
    /// Why, in words.
    pub reason: String,
}

impl SharedNotes {
    /// Those of a checkout, whose directory is `root`.
    pub fn new(root: PathBuf, checkout: &Checkout) -> Self {
        let also = checkout.also.iter().chain([&checkout.root]);
        Self {
            root,
            names: std::iter::once(&checkout.name)
                .chain(also)
                .cloned()
                .collect(),
            bounds: BOUNDS,
            left_out: Mutex::default(),
        }
    }

    /// How many files may be notes. None of them is read.
    pub fn count(&self) -> usize {
        let mut count = 0;
        self.walk(None, &mut |_, _, _| count += 1);
        count
    }

    /// What was left out where it was last looked, by file.
    pub fn left_out(&self) -> Vec<LeftOut> {
        let shown = |(file, reason): (&String, &String)| LeftOut {
            file: visible(&safe(file)),
            reason: visible(&safe(reason)),
        };
        self.left_out.lock().iter().map(shown).collect()
    }

    /// The path of a place inside the checkout; none for one that is not in it.
    fn below<'p>(&self, place: &'p Place) -> Option<&'p str> {
        self.names.iter().find_map(|name| place.below(name))
    }

    /// The notes of these folders; none: of all.
    fn notes(&self, wanted: Option<&BTreeSet<&str>>) -> Vec<Note> {
        let mut notes = Vec::new();
        let mut bytes = 0;
        let left_out = self.walk(wanted, &mut |walk, folder, found| {
            if bytes > self.bounds.bytes {
                let mib = self.bounds.bytes >> 20;
                return walk.stop(format!("only the first {mib} MiB are read"));
            }
            match self.note(folder, &found) {
                Ok(note) => {
                    bytes += note.content.len();
                    notes.push(note);
                }
                Err(reason) => walk.leave_out(found.file, reason),
            }
        });
        let read = wanted.map(|wanted| wanted.iter().map(|below| path_of(below)));
        let read: Option<BTreeSet<String>> = read.map(Iterator::collect);
        let mut known = self.left_out.lock();
        known.retain(|file, _| match (&read, file.rsplit_once('/')) {
            (Some(read), Some((folder, _))) => !read.contains(folder),
            _ => false,
        });
        known.extend(left_out);
        notes
    }

    fn note(&self, folder: &Folder, found: &Found) -> Result<Note, String> {
        let address = self.address(&found.below, found.key.as_ref());
        let address = address.ok_or("no place can have its name")?;
        let most = most_bytes(&address) + form::MAX_HEAD;
        let bytes = folder.read(&found.name, most as u64);
        let bytes = bytes.map_err(|error| error.to_string())?;
        let content = Content::written(bytes).map_err(|error| error.to_string())?;
        let text = content.shown();
        let text = without_hidden(&text);
        let form = Form::of(&text)?;
        let content = Content::imported(&*masked(form.text));
        Limits::default()
            .check_bytes(&address, &content)
            .map_err(|error| error.to_string())?;
        let in_repository = |cited| Citation {
            repository: self.names.first().cloned(),
            ..cited
        };
        Ok(Note {
            preview: content.preview(),
            address,
            content,
            kind: None,
            iteration: None,
            resolved_by: None,
            cites: form.cites.into_iter().map(in_repository).collect(),
            pinned: form.pinned,
            revision: 0,
            author: author(),
            // Git has the times.
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            source: Source::Shared,
        })
    }

    /// The address of the note of a folder, by the name that counts.
    fn address(&self, below: &str, key: Option<&Key>) -> Option<Address> {
        let place = self.names.first()?.join(below);
        // Only a place that is read back from its name has notes.
        let is_place = place.as_str().parse::<Place>().is_ok_and(|of| of == place);
        is_place.then_some(match key {
            None => Address::Place(place),
            Some(key) => Address::PlaceKey(place, key.clone()),
        })
    }

    /// Looks at the files of these folders; none: of all. Returns what is left out.
    fn walk(&self, wanted: Option<&BTreeSet<&str>>, visit: &mut Visit) -> BTreeMap<String, String> {
        let mut walk = Walk {
            wanted,
            bounds: self.bounds,
            until: Instant::now() + self.bounds.time,
            seen: 0,
            is_over: false,
            left_out: BTreeMap::new(),
        };
        match Folder::named(&self.root).and_then(|root| root.inner(FOLDER)) {
            Ok(folder) => walk.folder(&folder, "", FOLDER, 0, visit),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => walk.leave_out(FOLDER.into(), error.to_string()),
        }
        walk.left_out
    }
}

impl NotesBeside for SharedNotes {
    fn of_scopes(&self, scopes: &[Scope]) -> Vec<Note> {
        let below = scopes.iter().filter_map(|scope| match scope {
            Scope::Place(place) => self.below(place),
            _ => None,
        });
        let wanted: BTreeSet<&str> = below.collect();
        match wanted.is_empty() {
            true => Vec::new(),
            false => self.notes(Some(&wanted)),
        }
    }

    fn all(&self) -> Vec<Note> {
        self.notes(None)
    }

    fn origin(&self, address: &Address) -> Option<String> {
        let file = self.file_of(address).ok()?;
        Some(file.display().to_string())
    }

    /// A name with other characters could say something to a model.
    fn not_read(&self) -> Option<String> {
        const NAMED: usize = 3;
        let left_out = self.left_out.lock();
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "._-/%".contains(char);
        let names = left_out.keys().filter(|file| file.chars().all(is_plain));
        let mut names: Vec<&str> = names.map(String::as_str).take(NAMED).collect();
        if (1..left_out.len()).contains(&names.len()) {
            names.push("…");
        }
        let named = match names.join(", ") {
            none if none.is_empty() => none,
            names => format!(" ({names})"),
        };
        let files = plural(left_out.len() as u64, "file");
        let are = if left_out.len() == 1 { "is" } else { "are" };
        let said =
            format!("The shared notes: {files} {are} left out{named}; `waynote doctor` says why");
        (!left_out.is_empty()).then_some(said)
    }
}

/// Git knows who wrote a shared note.
fn author() -> Name {
    "shared".parse().expect("it is a name")
}

/// The most bytes of a note.
fn most_bytes(address: &Address) -> usize {
    let limits = Limits::default();
    let most = match address {
        Address::Place(_) => limits.max_place_bytes,
        _ => limits.max_bytes,
    };
    usize::try_from(most).unwrap_or(usize::MAX)
}

/// A file that may be a note.
struct Found {
    /// Its path in the checkout.
    file: String,
    name: String,
    /// The folder of the repository.
    below: String,
    key: Option<Key>,
}

/// Takes each file that may be a note, with its open folder.
type Visit<'v> = dyn FnMut(&mut Walk, &Folder, Found) + 'v;

struct Walk<'s> {
    wanted: Option<&'s BTreeSet<&'s str>>,
    bounds: Bounds,
    until: Instant,
    /// The files and folders so far.
    seen: usize,
    is_over: bool,
    left_out: BTreeMap<String, String>,
}

impl Walk<'_> {
    fn leave_out(&mut self, file: String, reason: String) {
        self.left_out.insert(file, reason);
    }

    fn stop(&mut self, reason: String) {
        self.is_over = true;
        self.leave_out(FOLDER.into(), reason);
    }

    /// Counts a file or a folder; false if there is no time or no room for it.
    fn has_room(&mut self) -> bool {
        let Bounds { files, time, .. } = self.bounds;
        self.seen += 1;
        if !self.is_over && self.seen > files {
            self.stop(format!("only the first {files} files and folders are read"));
        } else if !self.is_over && Instant::now() > self.until {
            self.stop(format!("only what can be read in {time:?} is read"));
        }
        !self.is_over
    }

    /// Looks at a folder that stands for `below`, and is at `path` in the checkout.
    fn folder(
        &mut self,
        folder: &Folder,
        below: &str,
        path: &str,
        depth: usize,
        visit: &mut Visit,
    ) {
        let Bounds {
            in_folder,
            depth: deepest,
            ..
        } = self.bounds;
        let entries = match folder.entries(in_folder) {
            _ if depth > deepest => Err(format!("it is more than {deepest} folders deep")),
            Ok(Some(entries)) => Ok(entries),
            Ok(None) => Err(format!("there are more than {in_folder} files in it")),
            Err(error) => Err(error.to_string()),
        };
        let entries = match entries {
            Ok(entries) => entries,
            Err(reason) => return self.leave_out(path.into(), reason),
        };
        let mut alike: BTreeMap<String, usize> = BTreeMap::new();
        for (name, _) in &entries {
            *alike.entry(name::folded(name.shown())).or_default() += 1;
        }
        let is_wanted = self.wanted.is_none_or(|wanted| wanted.contains(below));
        for (name, kind) in entries {
            let shown = name.shown();
            let is_file = kind == FileType::RegularFile;
            // Of git and of editors.
            let is_hidden = is_file && shown.starts_with('.') && !shown.ends_with(".md");
            if is_hidden || is_file && !is_wanted {
                continue;
            }
            if !self.has_room() {
                return;
            }
            let file = format!("{path}/{shown}");
            let is_alone = alike.get(&name::folded(shown)) == Some(&1);
            let looked_at = match name {
                _ if !is_alone => Err(ALIKE.into()),
                FileName::NotText(_) => Err("its name is not UTF-8".into()),
                FileName::Text(name) => match kind {
                    FileType::RegularFile => name::key(&name).map(|key| {
                        let (file, below) = (file.clone(), below.to_owned());
                        visit(
                            self,
                            folder,
                            Found {
                                file,
                                name,
                                below,
                                key,
                            },
                        );
                    }),
                    FileType::Directory => name::folder(&name).and_then(|part| {
                        let below = join(below, &part);
                        if self.leads_to(&below) {
                            let inner = folder.inner(&name).map_err(|error| error.to_string())?;
                            self.folder(&inner, &below, &file, depth + 1, visit);
                        }
                        Ok(())
                    }),
                    kind => Err(kind_in_words(kind).into()),
                },
            };
            if let Err(reason) = looked_at {
                self.leave_out(file, reason);
            }
        }
    }

    /// True for a folder that is wanted, and one on the way to it.
    fn leads_to(&self, below: &str) -> bool {
        let is_on_way = |wanted: &&str| {
            let rest = wanted.strip_prefix(below);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.wanted
            .is_none_or(|wanted| wanted.iter().any(is_on_way))
    }
}

/// A path inside the repository, one folder down.
fn join(below: &str, part: &str) -> String {
    match below {
        "" => part.into(),
        below => format!("{below}/{part}"),
    }
}

/// Where the folder of a place is in a checkout.
fn path_of(below: &str) -> String {
    let parts = std::iter::once(FOLDER.to_owned()).chain(name::folders(below));
    parts.collect::<Vec<_>>().join("/")
}

/// Why two names are both left out.
const ALIKE: &str = "another name differs from it only in case or accents";
