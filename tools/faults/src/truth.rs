//! Writes that were begun and acknowledged. Every text names its note and the number of the write, and the rest of it
//! follows from both: so every text can be checked by itself.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};
use jiff::Timestamp;
use waynote::context::{Budget, Request, render};
use waynote::{Address, Change, EntryType, Filter, LocalStore, Note, ScopeKind};
use waynote_testing::values::{at, entry, save_pinned};

use kit::random::Random;

/// Notes by name (`k1`, `p1`, `e1`) with the number of a write.
#[derive(Clone, Debug, Default)]
pub(crate) struct Truth {
    /// The last write that was acknowledged.
    acknowledged: BTreeMap<String, u64>,
    /// The last write that was begun: it may be there.
    begun: BTreeMap<String, u64>,
}

/// A store's wrong and missing notes.
#[derive(Debug, Default)]
pub(crate) struct StoreReport {
    /// Acknowledged notes that are not there, or in an older state.
    pub(crate) missing: Vec<String>,
    /// Texts that were never written.
    pub(crate) wrong: Vec<String>,
    /// Reads that failed.
    pub(crate) refused: Vec<String>,
    /// The problems that a check for damage names; none when it could not be done.
    pub(crate) verified: Option<Vec<String>>,
}

impl StoreReport {
    /// The store claims to be sound.
    pub(crate) fn is_sound(&self) -> bool {
        self.verified.as_ref().is_some_and(Vec::is_empty)
    }

    /// A note is gone and nothing says so.
    pub(crate) fn is_silent_loss(&self) -> bool {
        self.is_sound() && !self.missing.is_empty()
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.is_sound()
            && self.missing.is_empty()
            && self.wrong.is_empty()
            && self.refused.is_empty()
    }

    /// The first thing of each kind.
    pub(crate) fn first(&self) -> String {
        let mut says = Vec::new();
        for (what, found) in [
            ("missing", &self.missing),
            ("never written", &self.wrong),
            ("refused", &self.refused),
        ] {
            if let Some(first) = found.first() {
                says.push(format!("{} {what}: {first}", found.len()));
            }
        }
        match &self.verified {
            None => says.push("it cannot be verified".into()),
            Some(problems) if problems.is_empty() => says.push("verify: sound".into()),
            Some(problems) => says.push(format!("verify: {}", problems[0])),
        }
        says.join("; ").chars().take(300).collect()
    }
}

/// The text of a note after a write.
pub(crate) fn text(name: &str, write: u64) -> String {
    let mut words = words_of(name, write);
    let count = match words.number() % 17 {
        // Pages of its own.
        0 => 900,
        more => 6 + more * 4,
    };
    let mut text = format!("{name} write {write}:");
    for _ in 0..count {
        text.push_str(&word(words.number()));
    }
    text
}

fn words_of(name: &str, write: u64) -> Random {
    let seed = name.bytes().fold(write, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    Random::of(seed, write)
}

fn word(number: u64) -> String {
    format!(" w{:06x}", number & 0xff_ffff)
}

/// The number of the write in a text that is exactly what was written.
fn write_in(name: &str, read: &str) -> Option<u64> {
    let rest = read.strip_prefix(name)?.strip_prefix(" write ")?;
    let write = rest.split_once(':')?.0.parse().ok()?;
    (read == text(name, write)).then_some(write)
}

/// A note's name as its address, and back.
pub(crate) fn address(name: &str) -> Result<Address> {
    let address = match name.as_bytes().first() {
        Some(b'k') => format!("agent:a#{name}"),
        _ => format!("place:~/{name}"),
    };
    Ok(address.parse()?)
}

fn name_of(note: &Note) -> Option<String> {
    match &note.address {
        Address::Agent(_, key) => Some(key.to_string()),
        Address::Place(place) => place.to_string().strip_prefix("~/").map(ToOwned::to_owned),
        // An entry's id is made by the store; its text says which one it is.
        Address::Session(..) => note
            .content
            .shown()
            .split(' ')
            .next()
            .map(ToOwned::to_owned),
        _ => None,
    }
}

impl Truth {
    /// The next write of a note, which begins.
    pub(crate) fn begin(&mut self, name: &str) -> u64 {
        let write = self.begun.entry(name.to_owned()).or_default();
        *write += 1;
        *write
    }

    pub(crate) fn acknowledge(&mut self, name: &str, write: u64) {
        self.acknowledged.insert(name.to_owned(), write);
    }

    /// A note is being forgotten: it may be there or not.
    pub(crate) fn forget(&mut self, name: &str) {
        self.acknowledged.remove(name);
    }

    /// Some keyed note that is there.
    pub(crate) fn first_key(&self) -> Result<String> {
        let mut keys = self
            .acknowledged
            .keys()
            .filter(|name| name.starts_with('k'));
        keys.next()
            .cloned()
            .ok_or_else(|| anyhow!("no key was written"))
    }

    pub(crate) fn notes(&self) -> usize {
        self.acknowledged.len()
    }

    /// Some note, new or known, to be written next.
    pub(crate) fn choose(&self, random: &mut Random) -> String {
        let entries = self.begun.keys().filter(|name| name.starts_with('e'));
        match random.below(10) {
            0..6 => format!("k{}", random.below(60)),
            6..9 => format!("e{}", entries.count()),
            _ => format!("p{}", random.below(12)),
        }
    }

    /// Writes a note.
    pub(crate) fn write(&mut self, store: &dyn LocalStore, name: &str) -> Result<()> {
        let write = self.begin(name);
        store.apply(&[change(name, write)?], &at(1_800_000_000))?;
        self.acknowledge(name, write);
        Ok(())
    }

    /// Reads everything in every way.
    pub(crate) fn check(&self, store: &dyn LocalStore) -> StoreReport {
        let mut seen = StoreReport::default();
        let mut entries: BTreeMap<String, u64> = BTreeMap::new();
        for kind in [ScopeKind::Agent, ScopeKind::Place, ScopeKind::Session] {
            match store.select(&Filter::Kind(kind)) {
                Err(error) => seen
                    .refused
                    .push(format!("the list of {kind:?} notes: {error}")),
                Ok(notes) => {
                    for note in notes {
                        if let Some((name, write)) = self.known(&note, &mut seen)
                            && kind == ScopeKind::Session
                        {
                            entries.insert(name, write);
                        }
                    }
                }
            }
        }
        for (name, acknowledged) in &self.acknowledged {
            if name.starts_with('e') {
                if !entries.contains_key(name) {
                    seen.missing.push(name.clone());
                }
                continue;
            }
            match address(name).and_then(|address| Ok((store.get(&address)?, address))) {
                Err(error) => seen.refused.push(format!("{name}: {error}")),
                Ok((None, _)) => seen.missing.push(name.clone()),
                Ok((Some(note), address)) => {
                    if let Some((_, write)) = self.known(&note, &mut seen)
                        && write < *acknowledged
                    {
                        let older = format!("{name}: write {write} instead of {acknowledged}");
                        seen.missing.push(older);
                    }
                    self.history(store, name, &address, &mut seen);
                }
            }
        }
        self.block(store, &mut seen);
        self.search(store, &mut seen);
        match store.verify() {
            Ok(report) => seen.verified = Some(report.problems),
            Err(error) => seen.refused.push(format!("verify: {error}")),
        }
        seen
    }

    /// The name of a note and the number of its write, if it is one that was written.
    fn known(&self, note: &Note, seen: &mut StoreReport) -> Option<(String, u64)> {
        let read = note.content.shown();
        let known = name_of(note).and_then(|name| {
            let write = write_in(&name, &read)?;
            let begun = *self.begun.get(&name)?;
            (write <= begun).then_some((name, write))
        });
        if known.is_none() {
            let start: String = read.chars().take(60).collect();
            seen.wrong.push(format!("{}: {start:?}", note.address));
        } else if note.preview != note.content.preview() {
            let wrong = format!("{}: the preview {:?}", note.address, note.preview);
            seen.wrong.push(wrong);
        }
        known
    }

    fn history(
        &self,
        store: &dyn LocalStore,
        name: &str,
        address: &Address,
        seen: &mut StoreReport,
    ) {
        match store.history(address) {
            Err(error) => seen.refused.push(format!("history of {name}: {error}")),
            Ok(revisions) => {
                for revision in revisions {
                    if let Some(note) = revision.note() {
                        self.known(note, seen);
                    }
                }
            }
        }
    }

    /// The prompt's block: every run of words in it has to be a part of some text.
    fn block(&self, store: &dyn LocalStore, seen: &mut StoreReport) {
        let block = (|| -> Result<String> {
            let request = Request::new(
                "a".parse()?,
                "~/p1".parse::<waynote::Place>()?,
                Timestamp::UNIX_EPOCH,
            )
            .session(Some("s".parse()?))
            .budget(Budget::of(0));
            Ok(render(store, &request)?.text)
        })();
        let block = match block {
            Ok(block) => block,
            Err(error) => return seen.refused.push(format!("the block: {error}")),
        };
        for line in block.lines() {
            let Some((before, rest)) = line.split_once(" write ") else {
                continue;
            };
            let name = before
                .rsplit(|char: char| !char.is_ascii_alphanumeric())
                .next();
            let name = name.unwrap_or_default();
            let write = rest
                .split_once(':')
                .and_then(|(write, _)| write.parse().ok());
            let begun = self.begun.get(name).copied().unwrap_or(0);
            let written: Option<u64> = write.filter(|write| *write <= begun);
            let is_written = written.is_some_and(|write| {
                let whole = text(name, write);
                let words: Vec<&str> = rest.split(' ').filter(|word| is_word(word)).collect();
                whole.contains(&words.join(" "))
            });
            if !is_written {
                seen.wrong.push(format!("in the block: {line:.80}"));
            }
        }
    }

    /// A word of a text finds its note.
    fn search(&self, store: &dyn LocalStore, seen: &mut StoreReport) {
        for (name, acknowledged) in self.acknowledged.iter().step_by(9) {
            if self.begun.get(name) != Some(acknowledged) {
                continue;
            }
            let whole = text(name, *acknowledged);
            let Some(rare) = whole.split(' ').find(|word| is_word(word)) else {
                continue;
            };
            let mut request = waynote::SearchRequest::new(rare.to_owned());
            request.limit = 50;
            match store.search(&request) {
                Err(error) => seen.refused.push(format!("search: {error}")),
                Ok(hits) => {
                    let mut found = hits.iter().filter_map(|hit| name_of(&hit.note));
                    if !found.any(|found| found == *name) {
                        seen.missing
                            .push(format!("{name}: not found by its word {rare}"));
                    }
                }
            }
        }
    }
}

fn is_word(word: &str) -> bool {
    word.len() == 7
        && word.starts_with('w')
        && word[1..].bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn change(name: &str, write: u64) -> Result<Change> {
    let text = text(name, write);
    Ok(match name.as_bytes().first() {
        Some(b'e') => entry(EntryType::Tip, 1 + i64::try_from(write)?, &text),
        _ => save_pinned(address(name)?, &text, name.ends_with('7')),
    })
}

/// The command line that writes a note.
pub(crate) fn words(name: &str, write: u64) -> Vec<String> {
    let text = text(name, write);
    let words: &[&str] = match name.as_bytes().first() {
        Some(b'k') => &[
            "key",
            "save",
            name,
            &text,
            "--max-bytes",
            "0",
            "--agent",
            "a",
        ],
        Some(b'e') => &[
            "log",
            "add",
            &text,
            "--type",
            "tip",
            "--session",
            "s",
            "--iteration",
            "1",
        ],
        _ => &["place", "write", "--at", &format!("~/{name}"), &text],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}
