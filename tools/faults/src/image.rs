//! A disk as POSIX promises it, no better: synced bytes are there, and any part of the rest. A file's sync says nothing
//! about its name, which is on disk once its folder was synced.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::strace::Call;
use kit::random::Random;

const SECTOR: usize = 512;

/// The part of unsynced writes that survives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Survival {
    Nothing,
    Everything,
    /// Each sector and each name by chance, in any order.
    Some,
}

/// The calls that change files or names.
pub(crate) const CALLS: &str = "openat,open,creat,close,dup,dup2,dup3,fcntl,write,pwrite64,writev,pwritev,pwritev2,\
    ftruncate,truncate,fallocate,copy_file_range,sendfile,fsync,fdatasync,sync_file_range,rename,renameat,renameat2,\
    unlink,unlinkat,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat";

enum Node {
    File(Layers<Vec<u8>, Change>),
    Folder {
        /// Names as processes see them.
        seen: Names,
        layers: Layers<Names, NameChange>,
    },
}

/// What is on disk, and the changes that may be there or not.
struct Layers<T, C> {
    synced: T,
    since: Vec<C>,
}

impl<T: Default, C> Layers<T, C> {
    fn new() -> Self {
        let (synced, since) = (T::default(), Vec::new());
        Self { synced, since }
    }
}

/// The files and folders of a folder.
type Names = BTreeMap<String, usize>;

enum Change {
    Write(usize, Vec<u8>),
    Length(usize),
}

/// A name that goes, one that comes, or both at once.
#[derive(Clone)]
struct NameChange {
    gone: Option<String>,
    put: Option<(String, usize)>,
}

/// An open file and the position in it.
#[derive(Clone, Copy, Debug)]
struct OpenFile {
    node: usize,
    at: usize,
    is_appending: bool,
}

/// The disk below one folder.
pub(crate) struct Disk {
    root: String,
    nodes: Vec<Node>,
    opened: BTreeMap<i64, OpenFile>,
}

impl Disk {
    /// A folder that is on disk, and in it these folders, one in the other.
    pub(crate) fn new(root: &Path, folders: &str) -> Result<Self> {
        let root = root.to_str().context("the path is not UTF-8")?.to_owned();
        let mut disk = Self {
            nodes: vec![folder()],
            opened: BTreeMap::new(),
            root,
        };
        let mut path = disk.root.clone();
        for name in folders.split('/').filter(|name| !name.is_empty()) {
            path = format!("{path}/{name}");
            disk.make(&path)?;
        }
        disk.nodes.iter_mut().for_each(Node::sync);
        Ok(disk)
    }

    /// The next process begins.
    pub(crate) fn close_all(&mut self) {
        self.opened.clear();
    }

    /// Does what a call did; true if that changed anything.
    pub(crate) fn apply(&mut self, call: &Call) -> Result<bool> {
        if call.result < 0 {
            return self.failed(call);
        }
        match call.name.as_str() {
            "openat" => self.open(&text(call.bytes(1)?), call.word(2), call.result),
            "open" => self.open(&text(call.bytes(0)?), call.word(1), call.result),
            "close" => {
                self.opened.remove(&call.number(0)?);
                Ok(false)
            }
            "dup" | "dup2" | "dup3" => self.copied(call),
            "fcntl" if call.word(1).starts_with("F_DUPFD") => self.copied(call),
            "fcntl" => Ok(false),
            "pwrite64" => {
                let at = usize::try_from(call.number(3)?)?;
                self.written(call, Some(at))
            }
            "write" => self.written(call, None),
            "ftruncate" => match self.opened.get(&call.number(0)?) {
                None => Ok(false),
                Some(opened) => {
                    let length = usize::try_from(call.number(1)?)?;
                    self.changed(opened.node, Change::Length(length))
                }
            },
            "fsync" | "fdatasync" => match self.opened.get(&call.number(0)?) {
                None => Ok(false),
                Some(opened) => {
                    self.nodes[opened.node].sync();
                    Ok(true)
                }
            },
            "mkdir" => self.make(&text(call.bytes(0)?)),
            "mkdirat" => self.make(&text(call.bytes(1)?)),
            "unlink" | "rmdir" => self.remove(&text(call.bytes(0)?)),
            "unlinkat" => self.remove(&text(call.bytes(1)?)),
            "rename" => self.rename(&text(call.bytes(0)?), &text(call.bytes(1)?)),
            "renameat" | "renameat2" => self.rename(&text(call.bytes(1)?), &text(call.bytes(3)?)),
            "linkat" => self.link(&text(call.bytes(1)?), &text(call.bytes(3)?)),
            "link" => self.link(&text(call.bytes(0)?), &text(call.bytes(1)?)),
            "fallocate" | "sync_file_range" => Ok(false),
            other => {
                let is_ours = call
                    .number(0)
                    .is_ok_and(|file| self.opened.contains_key(&file));
                if is_ours || other.starts_with("symlink") || other == "truncate" {
                    bail!("{other} is not modelled: {call:?}");
                }
                Ok(false)
            }
        }
    }

    /// A sync that fails leaves pages behind that the kernel takes for written: no later sync writes them.
    fn failed(&mut self, call: &Call) -> Result<bool> {
        if !["fsync", "fdatasync"].contains(&call.name.as_str()) {
            return Ok(false);
        }
        if let Some(opened) = self.opened.get(&call.number(0)?)
            && let Node::File(layers) = &mut self.nodes[opened.node]
        {
            layers.since.clear();
        }
        Ok(true)
    }

    fn open(&mut self, path: &str, flags: &str, file: i64) -> Result<bool> {
        self.opened.remove(&file);
        // A file without a name is gone after a power cut.
        if flags.contains("O_TMPFILE") {
            return Ok(false);
        }
        let Some((folder, name)) = self.place(path) else {
            return Ok(false);
        };
        let (node, is_new) = match (name.is_empty(), self.seen(folder)?.get(&name)) {
            (true, _) => (folder, false),
            (false, Some(node)) => (*node, false),
            (false, None) => {
                if !flags.contains("O_CREAT") {
                    bail!("{path} was opened and is not known");
                }
                let node = self.add(Node::File(Layers::new()));
                self.named(folder, NameChange::put(name, node))?;
                (node, true)
            }
        };
        if flags.contains("O_TRUNC") && !is_new {
            self.changed(node, Change::Length(0))?;
        }
        let is_appending = flags.contains("O_APPEND");
        let opened = OpenFile {
            node,
            at: 0,
            is_appending,
        };
        self.opened.insert(file, opened);
        Ok(is_new || flags.contains("O_TRUNC"))
    }

    fn copied(&mut self, call: &Call) -> Result<bool> {
        if let Some(opened) = self.opened.get(&call.number(0)?) {
            self.opened.insert(call.result, *opened);
        }
        Ok(false)
    }

    fn written(&mut self, call: &Call, at: Option<usize>) -> Result<bool> {
        let file = call.number(0)?;
        let Some(opened) = self.opened.get(&file).copied() else {
            return Ok(false);
        };
        let length = usize::try_from(call.result)?;
        let bytes = call.bytes(1)?[..length].to_vec();
        let from = match at {
            Some(at) => at,
            None if opened.is_appending => self.nodes[opened.node].length(),
            None => opened.at,
        };
        if at.is_none()
            && let Some(opened) = self.opened.get_mut(&file)
        {
            opened.at = from + length;
        }
        self.changed(opened.node, Change::Write(from, bytes))
    }

    fn changed(&mut self, node: usize, change: Change) -> Result<bool> {
        let Node::File(layers) = &mut self.nodes[node] else {
            bail!("a folder was written");
        };
        layers.since.push(change);
        Ok(true)
    }

    fn make(&mut self, path: &str) -> Result<bool> {
        let Some((parent, name)) = self.place(path) else {
            return Ok(false);
        };
        let node = self.add(folder());
        self.named(parent, NameChange::put(name, node))
    }

    fn remove(&mut self, path: &str) -> Result<bool> {
        match self.place(path) {
            Some((folder, name)) => {
                let (gone, put) = (Some(name), None);
                self.named(folder, NameChange { gone, put })
            }
            None => Ok(false),
        }
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<bool> {
        match (self.place(from), self.place(to)) {
            (Some((folder, from)), Some((other, to))) if folder == other => {
                let node = *self
                    .seen(folder)?
                    .get(&from)
                    .context("renamed from nothing")?;
                let (gone, put) = (Some(from), Some((to, node)));
                self.named(folder, NameChange { gone, put })
            }
            (None, None) => Ok(false),
            _ => bail!("a rename from folder to folder is not modelled: {from} to {to}"),
        }
    }

    fn link(&mut self, from: &str, to: &str) -> Result<bool> {
        match (self.place(from), self.place(to)) {
            (Some((folder, from)), Some((other, to))) => {
                let node = *self.seen(folder)?.get(&from).context("a link to nothing")?;
                self.named(other, NameChange::put(to, node))
            }
            _ => Ok(false),
        }
    }

    /// The folder of a path and the name in it, empty for the root itself; none outside of what is modelled.
    fn place(&self, path: &str) -> Option<(usize, String)> {
        let below = path.strip_prefix(&self.root)?;
        let mut parts: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
        let name = parts.pop().unwrap_or_default().to_owned();
        let mut folder = 0;
        for part in parts {
            folder = *self.seen(folder).ok()?.get(part)?;
        }
        // An opened folder is the folder itself.
        Some((folder, name))
    }

    fn seen(&self, node: usize) -> Result<&Names> {
        match &self.nodes[node] {
            Node::Folder { seen, .. } => Ok(seen),
            Node::File(_) => bail!("a file is no folder"),
        }
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn named(&mut self, folder: usize, naming: NameChange) -> Result<bool> {
        let Node::Folder { seen, layers } = &mut self.nodes[folder] else {
            bail!("a file is no folder");
        };
        naming.apply(seen);
        layers.since.push(naming);
        Ok(true)
    }

    /// Writes what the disk may hold if the power goes now.
    pub(crate) fn write(&self, to: &Path, left: Survival, random: &mut Random) -> Result<()> {
        self.write_node(0, to, left, random)
    }

    fn write_node(
        &self,
        node: usize,
        to: &Path,
        left: Survival,
        random: &mut Random,
    ) -> Result<()> {
        match &self.nodes[node] {
            Node::File(layers) => std::fs::write(to, left.of_file(layers, random))?,
            Node::Folder { layers, .. } => {
                std::fs::create_dir_all(to)?;
                for (name, node) in left.of_folder(layers, random) {
                    // Memory that processes share: made again when the store is opened.
                    if !name.ends_with("-shm") {
                        self.write_node(node, &to.join(name), left, random)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn folder() -> Node {
    Node::Folder {
        seen: Names::new(),
        layers: Layers::new(),
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Node {
    fn sync(&mut self) {
        match self {
            Self::File(Layers { synced, since }) => {
                since.drain(..).for_each(|change| change.apply(synced));
            }
            Self::Folder { layers, .. } => {
                let Layers { synced, since } = layers;
                since.drain(..).for_each(|naming| naming.apply(synced));
            }
        }
    }

    /// The length of a file as processes see it.
    fn length(&self) -> usize {
        let Self::File(Layers { synced, since }) = self else {
            return 0;
        };
        let after = |length: usize, change: &Change| match change {
            Change::Length(length) => *length,
            Change::Write(at, new) => length.max(at + new.len()),
        };
        since.iter().fold(synced.len(), after)
    }
}

impl Change {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Length(length) => bytes.resize(*length, 0),
            Self::Write(at, new) => put(bytes, *at, new),
        }
    }
}

fn put(bytes: &mut Vec<u8>, at: usize, new: &[u8]) {
    let end = at + new.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[at..end].copy_from_slice(new);
}

impl NameChange {
    fn put(name: String, node: usize) -> Self {
        let put = Some((name, node));
        Self { gone: None, put }
    }

    fn apply(&self, names: &mut Names) {
        if let Some(gone) = &self.gone {
            names.remove(gone);
        }
        names.extend(self.put.clone());
    }
}

impl Survival {
    /// True if a change that was not synced is left.
    fn keeps(self, random: &mut Random) -> bool {
        match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::Some => random.one_in(2),
        }
    }

    fn of_file(self, layers: &Layers<Vec<u8>, Change>, random: &mut Random) -> Vec<u8> {
        let mut bytes = layers.synced.clone();
        for change in &layers.since {
            match (self, change) {
                (Self::Some, Change::Write(at, new)) => torn(&mut bytes, *at, new, random),
                _ if self.keeps(random) => change.apply(&mut bytes),
                _ => {}
            }
        }
        bytes
    }

    fn of_folder(self, layers: &Layers<Names, NameChange>, random: &mut Random) -> Names {
        let mut names = layers.synced.clone();
        for naming in &layers.since {
            if self.keeps(random) {
                naming.apply(&mut names);
            }
        }
        names
    }
}

/// Of a write, nothing, all of it, or some of its sectors.
fn torn(bytes: &mut Vec<u8>, at: usize, new: &[u8], random: &mut Random) {
    match random.below(4) {
        0 => {}
        1 => put(bytes, at, new),
        _ => {
            let mut from = 0;
            while from < new.len() {
                let until = new.len().min((at + from) / SECTOR * SECTOR + SECTOR - at);
                if random.one_in(2) {
                    put(bytes, at + from, &new[from..until]);
                }
                from = until;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: Vec<super::super::strace::Argument>, result: i64) -> Call {
        Call {
            name: name.into(),
            arguments,
            result,
        }
    }

    #[test]
    fn what_was_not_synced_may_be_gone() {
        use super::super::strace::Argument::{Text, Word};
        let folder = tempfile::tempdir().unwrap();
        let mut disk = Disk::new(Path::new("/r"), "").unwrap();
        let word = |word: &str| Word(word.into());
        let path = |path: &str| Text(path.into());
        let mut apply = |name, arguments, result| {
            disk.apply(&call(name, arguments, result)).unwrap();
        };
        apply(
            "openat",
            vec![word("AT_FDCWD"), path("/r/a"), word("O_RDWR|O_CREAT")],
            3,
        );
        apply("write", vec![word("3"), path("one"), word("3")], 3);
        apply("fsync", vec![word("3")], 0);
        apply(
            "pwrite64",
            vec![word("3"), path("two"), word("3"), word("3")],
            3,
        );
        let read = |disk: &Disk, left| {
            let to = folder.path().join("image");
            let _ = std::fs::remove_dir_all(&to);
            disk.write(&to, left, &mut Random(1)).unwrap();
            std::fs::read_to_string(to.join("a")).ok()
        };
        // The file was synced, its name was not.
        assert_eq!(read(&disk, Survival::Nothing), None);
        assert_eq!(read(&disk, Survival::Everything).as_deref(), Some("onetwo"));
        let mut apply = |name, arguments, result| {
            disk.apply(&call(name, arguments, result)).unwrap();
        };
        apply(
            "openat",
            vec![word("AT_FDCWD"), path("/r"), word("O_RDONLY")],
            4,
        );
        apply("fsync", vec![word("4")], 0);
        assert_eq!(read(&disk, Survival::Nothing).as_deref(), Some("one"));
        assert_eq!(read(&disk, Survival::Everything).as_deref(), Some("onetwo"));
    }
}
