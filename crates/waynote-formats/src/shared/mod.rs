//! The notes that a checkout shares: one Markdown file for each in `.waynote/`, which people edit and git merges.
//!
//! | file | note |
//! |---|---|
//! | `.waynote/README.md` | of the repository's root |
//! | `.waynote/build.md` | its key `build` |
//! | `.waynote/src/pay/README.md` | of `src/pay` |
//! | `.waynote/src/pay/currency.md` | the key `currency` of `src/pay` |
//!
//! A file is the note's text. A front matter has what is as stable as the text: `pinned`, and `cites` with the hash of
//! the code that the note was true for. It has no date, author or count, so that files of two notes never have a
//! conflict, and two people who confirm the same code write the same bytes.
//!
//! The files come from everyone who commits to the repository. So no link is followed, only regular files are opened,
//! and memory and time are bounded. A file that is no note, or one over a limit, is left out and named
//! ([`SharedNotes::left_out`]).

mod form;
mod name;
mod write;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use parking_lot::Mutex;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};
use waynote::error::safe;
use waynote::secrets::masked;
use waynote::store::NotesBeside;
use waynote::text::plural;
use waynote::visible::{visible, without_hidden};
use waynote::{Address, Checkout, Citation, Content, Key, Limits, Note, Place, Scope, Source};
use waynote_system::plain;

use form::Form;

pub use write::SharedFile;

/// The folder in the root of a checkout.
pub const FOLDER: &str = ".waynote";

/// A folder with more in it is left out: it is not read for long, and the notes do not depend on the order that the
/// system gives.
const MOST_IN_FOLDER: usize = 4096;

/// A folder that is deeper is left out.
const MAX_DEPTH: usize = 64;

/// A file that is longer is left out: no note is so long.
const MOST_OF_FILE: u64 = 128 << 10;

/// How many files and folders one reading looks at.
const MOST: usize = 20_000;

/// How much is read.
struct Most {
    bytes: usize,
    time: Duration,
}

/// For a block, which has room for little of it and is waited for.
const OF_SCOPES: Most = Most {
    bytes: 1 << 20,
    time: Duration::from_millis(400),
};

/// For a command that a person types.
const OF_ALL: Most = Most {
    bytes: 16 << 20,
    time: Duration::from_secs(2),
};

impl Most {
    /// Why the rest is left out.
    fn reason(&self) -> String {
        let (mib, time) = (self.bytes >> 20, self.time);
        format!("there is more than is read: {MOST} files and folders, {mib} MiB, or {time:?}")
    }
}

/// A prompt asks for the notes of the same folders several times. A program that keeps running soon sees a change.
const KEPT_FOR: Duration = Duration::from_millis(250);

/// Why two names are both left out.
const ALIKE: &str = "another name differs from it only in case or accents";

/// Why a file is named whose note is read.
const CREDENTIAL: &str = "a credential in it is masked: rotate it, take it out; git still has it";

/// The shared notes of a checkout.
#[derive(Debug)]
pub struct SharedNotes {
    root: PathBuf,
    checkout: Checkout,
    kept: Mutex<Kept>,
}

/// The notes that were read last.
#[derive(Debug, Default)]
struct Kept {
    /// Until then they are not read again.
    until: Option<Instant>,
    /// By the folder of the repository.
    folders: BTreeMap<String, Vec<Note>>,
    is_whole: bool,
    bytes: usize,
    time: Duration,
    left_out: Reasons,
}

/// Each file that is left out, or in which a credential is, and why.
type Reasons = BTreeMap<String, String>;

/// A file that may be a note.
struct Found {
    /// The path in the checkout of the folder that it is in.
    folder: String,
    name: String,
    /// The folder of the repository.
    below: String,
    key: Option<Key>,
}

impl SharedNotes {
    /// Those of a checkout, whose directory is `root`.
    pub fn new(root: PathBuf, checkout: &Checkout) -> Self {
        Self {
            root: root.canonicalize().unwrap_or(root),
            checkout: checkout.clone(),
            kept: Mutex::default(),
        }
    }

    /// How many files may be notes, and whether these are all: a hint waits for no more. None of them is read.
    pub fn count(&self) -> (usize, bool) {
        let until = Instant::now() + Duration::from_millis(100);
        let mut left_out = Reasons::new();
        let files = self.files(None, until, &OF_ALL, &mut left_out);
        (files.len(), !left_out.contains_key(FOLDER))
    }

    /// The files that the last readings left out, or a credential in them, each with the reason; as they can be shown.
    pub fn left_out(&self) -> Vec<(String, String)> {
        let shown = |text: &String| visible(&safe(text));
        let kept = self.kept.lock();
        let each = kept.left_out.iter();
        each.map(|(file, why)| (shown(file), shown(why))).collect()
    }

    /// The path of a place inside the checkout; none for one that is not in it.
    fn below<'p>(&self, place: &'p Place) -> Option<&'p str> {
        let Checkout { root, name, also } = &self.checkout;
        let mut names = [name, root].into_iter().chain(also);
        names.find_map(|name| place.below(name))
    }

    /// The notes of these folders; none: of all.
    fn notes(&self, wanted: Option<&BTreeSet<&str>>) -> Vec<Note> {
        let mut kept = self.kept.lock();
        let is_over = kept.until.is_none_or(|until| Instant::now() > until);
        if is_over || wanted.is_none() && !kept.is_whole {
            *kept = Kept::default();
        }
        let is_new = |below: &&&str| !kept.is_whole && !kept.folders.contains_key(**below);
        let new: Option<BTreeSet<&str>> =
            wanted.map(|wanted| wanted.iter().filter(is_new).copied().collect());
        if !kept.is_whole && new.as_ref().is_none_or(|new| !new.is_empty()) {
            self.read(new.as_ref(), &mut kept);
        }
        let is_asked = |below: &&String| wanted.is_none_or(|wanted| wanted.contains(&***below));
        let folders = kept.folders.iter().filter(|(below, _)| is_asked(below));
        folders.flat_map(|(_, notes)| notes.clone()).collect()
    }

    /// Reads the notes of these folders, which are not kept; none: of all.
    fn read(&self, wanted: Option<&BTreeSet<&str>>, kept: &mut Kept) {
        let begin = Instant::now();
        let most = wanted.map_or(OF_ALL, |_| OF_SCOPES);
        // Questions that come together have so much time in all.
        let until = begin + most.time.saturating_sub(kept.time);
        let files = self.files(wanted, until, &most, &mut kept.left_out);
        for files in files.chunk_by(|one, other| one.folder == other.folder) {
            let folder = plain::folder(&self.root.join(&files[0].folder), false);
            let mut notes = Vec::new();
            for found in files {
                let file = || format!("{}/{}", found.folder, found.name);
                let note = match &folder {
                    _ if kept.bytes > most.bytes || Instant::now() > until => Err(most.reason()),
                    Ok(folder) => self.note(folder, found, &mut kept.bytes),
                    Err(error) => Err(error.to_string()),
                };
                match note {
                    Ok((note, is_masked)) => {
                        if is_masked {
                            kept.left_out.insert(file(), CREDENTIAL.into());
                        }
                        notes.push(note);
                    }
                    Err(reason) => {
                        kept.left_out.insert(file(), reason);
                    }
                }
            }
            kept.folders.insert(files[0].below.clone(), notes);
        }
        for below in wanted.into_iter().flatten() {
            kept.folders.entry((*below).to_owned()).or_default();
        }
        kept.time += begin.elapsed();
        kept.is_whole = wanted.is_none();
        kept.until.get_or_insert(Instant::now() + KEPT_FOR);
    }

    /// The note of a file, and whether a credential in it is masked.
    fn note(&self, at: &OwnedFd, of: &Found, sum: &mut usize) -> Result<(Note, bool), String> {
        let place = self.checkout.name.join(&of.below);
        if !place.as_str().parse::<Place>().is_ok_and(|of| of == place) {
            return Err("no place has its name".into());
        }
        let address = Address::on(place, of.key.clone());
        let said = |error: waynote::Error| error.to_string();
        let bytes = read(plain::open_in(at, &of.name)).map_err(|error| error.to_string())?;
        *sum += bytes.len();
        let file = Content::written(bytes).map_err(said)?;
        let file = file.shown();
        let file = without_hidden(&file);
        let read = Form::of(&file)?.said;
        let masked = masked(read.text);
        let content = Content::imported(&*masked);
        let limits = Limits::default();
        limits.check_bytes(&address, &content).map_err(said)?;
        let in_repository = |cited| Citation {
            repository: Some(self.checkout.name.clone()),
            ..cited
        };
        let note = Note {
            preview: content.preview(),
            address,
            content,
            kind: None,
            iteration: None,
            resolved_by: None,
            cites: read.cites.into_iter().map(in_repository).collect(),
            pinned: read.pinned,
            revision: 0,
            // Git knows who wrote it and when.
            author: "shared".parse().map_err(said)?,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            source: Source::Shared,
        };
        Ok((note, masked != read.text))
    }

    /// The files that may be notes, of these folders or of all.
    fn files(
        &self,
        wanted: Option<&BTreeSet<&str>>,
        until: Instant,
        most: &Most,
        left_out: &mut Reasons,
    ) -> Vec<Found> {
        let (mut files, mut seen) = (Vec::new(), 0);
        let mut open = vec![(FOLDER.to_owned(), String::new())];
        while let Some((path, below)) = open.pop() {
            let entries = match entries(&self.root.join(&path)) {
                Ok(_) if path.matches('/').count() > MAX_DEPTH => {
                    Err(format!("it is more than {MAX_DEPTH} folders deep"))
                }
                // The checkout has none.
                Err(error) if error.kind() == io::ErrorKind::NotFound && below.is_empty() => break,
                entries => entries.map_err(|error| error.to_string()),
            };
            let entries = entries.unwrap_or_else(|reason| {
                left_out.insert(path.clone(), reason);
                Vec::new()
            });
            let mut alike: BTreeMap<String, usize> = BTreeMap::new();
            for (name, _) in &entries {
                *alike.entry(name::folded(name)).or_default() += 1;
            }
            let is_wanted = wanted.is_none_or(|wanted| wanted.contains(&*below));
            for (name, kind) in entries {
                seen += 1;
                if seen > MOST || Instant::now() > until {
                    left_out.insert(FOLDER.into(), most.reason());
                    return files;
                }
                let looked_at = match kind {
                    // Others are of git and of editors.
                    FileType::RegularFile if name.starts_with('.') && !name.ends_with(".md") => {
                        continue;
                    }
                    FileType::RegularFile if !is_wanted => continue,
                    // No two right names of notes are alike.
                    FileType::RegularFile => name::key(&name).map(|key| {
                        files.push(Found {
                            folder: path.clone(),
                            name: name.clone(),
                            below: below.clone(),
                            key,
                        });
                    }),
                    _ if alike[&name::folded(&name)] > 1 => Err(ALIKE.into()),
                    FileType::Directory => name::folder(&name).map(|part| {
                        let below = format!("{below}/{part}").trim_start_matches('/').to_owned();
                        if leads_to(wanted, &below) {
                            open.push((format!("{path}/{name}"), below));
                        }
                    }),
                    FileType::Symlink => Err("it is a link".into()),
                    _ => Err("it is no regular file".into()),
                };
                if let Err(reason) = looked_at {
                    left_out.insert(format!("{path}/{name}"), reason);
                }
            }
        }
        files.sort_unstable_by(|one, other| {
            (&one.folder, &one.name).cmp(&(&other.folder, &other.name))
        });
        files
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
        // A note on the path, or by another name, is not the file's.
        address.place()?.below(&self.checkout.name)?;
        let path = name::folded(self.path_of(address)?.to_str()?);
        let mut left_out = self.left_out().into_iter();
        if let Some((file, why)) = left_out.find(|(file, _)| name::folded(file) == path) {
            return Some(format!("{file} ({why})"));
        }
        let file = self.file_of(address).ok()?;
        let found = self.root.join(&file).symlink_metadata().ok()?;
        found.is_file().then(|| file.display().to_string())
    }

    /// A name with other characters could say something to a model.
    fn not_read(&self) -> Option<String> {
        const NAMED: usize = 3;
        let left_out = &self.kept.lock().left_out;
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "._-/%".contains(char);
        let each = left_out.iter();
        let names = each.map(|(file, why)| match why.split_once(';') {
            // Of a conflict: no word of it comes from the file.
            Some((why, _)) if why.starts_with("line ") => (file, format!(" ({why})")),
            _ => (file, String::new()),
        });
        let names = names.filter(|(file, _)| file.chars().all(is_plain));
        let names = names.map(|(file, of)| file.clone() + &of);
        let (files, names) = (plural(left_out.len() as u64, "file"), names.take(NAMED));
        let names = names.collect::<Vec<_>>().join(", ");
        let said = format!("The shared notes of {files} are not read whole: {names}");
        (!left_out.is_empty()).then(|| said.trim_end_matches(": ").to_owned())
    }
}

/// True for a folder that is wanted, and for one on the way to it.
fn leads_to(wanted: Option<&BTreeSet<&str>>, below: &str) -> bool {
    let inside = format!("{below}/");
    let is_on_way = |wanted: &&str| format!("{wanted}/").starts_with(&inside);
    wanted.is_none_or(|wanted| wanted.iter().any(is_on_way))
}

/// The files and folders in a folder, by name. No part of its path may be a link.
fn entries(folder: &Path) -> io::Result<Vec<(String, FileType)>> {
    let mut entries = Vec::new();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = plain::folder(folder, false)?;
    let open = openat(&folder, ".", flags, Mode::empty())?;
    for entry in Dir::new(open)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy();
        if matches!(&*name, "." | "..") {
            continue;
        }
        if entries.len() == MOST_IN_FOLDER {
            let reason = format!("there are more than {MOST_IN_FOLDER} files in it");
            return Err(io::Error::other(reason));
        }
        let kind = match entry.file_type() {
            // Some file systems tell it apart.
            FileType::Unknown => {
                let found = statat(&folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
                FileType::from_raw_mode(found.st_mode)
            }
            kind => kind,
        };
        entries.push((name.into_owned(), kind));
    }
    entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    Ok(entries)
}

/// The bytes of a file.
fn read(opened: io::Result<File>) -> io::Result<Vec<u8>> {
    let (bytes, length) = plain::read(opened?, MOST_OF_FILE)?;
    match length > MOST_OF_FILE {
        true => Err(io::Error::other(format!("it has {length} bytes"))),
        false => Ok(bytes),
    }
}
