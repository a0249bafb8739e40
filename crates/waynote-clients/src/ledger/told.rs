//! What was delivered to each session, when, for what and at what cost, for people to read. A line of JSON for each
//! delivery.

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use waynote::context::ShownNote;
use waynote::tend::LastGiven;
use waynote_files::replace_private;
use waynote_system::plain;

use super::{Ledgers, name};

/// A longer file loses its first half.
const MAX_BYTES: usize = 1 << 20;

/// What a delivery is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct About {
    /// The client's word for the event.
    pub event: String,
    /// The tool, with its first path or its command; none at other events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// How many tokens the text has.
    pub tokens: usize,
}

impl About {
    /// The block beside a reply of the MCP server. The client counts its tokens with those of the reply.
    pub fn reply() -> Self {
        Self {
            event: "MCP reply".into(),
            action: None,
            tokens: 0,
        }
    }
}

/// A delivery to a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DeliveryRecord {
    /// The client's name of the session; of a subagent, with its own behind.
    pub session: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// What it was for.
    #[serde(flatten)]
    pub about: About,
    /// The notes.
    pub notes: Vec<ShownNote>,
}

impl DeliveryRecord {
    /// The client's name of the session, without that of a subagent.
    pub fn client_session(&self) -> &str {
        self.session.split(' ').next().unwrap_or_default()
    }
}

impl Ledgers {
    /// Adds a delivery to what a session was told. Without a record it happened all the same.
    pub(super) fn tell(&self, session: &str, about: &About, notes: &[ShownNote]) {
        let told = DeliveryRecord {
            session: session.to_owned(),
            at: self.millis(),
            about: about.clone(),
            notes: notes.to_vec(),
        };
        let path = self.folder.join(name(&["told", session]));
        let write = || -> std::io::Result<()> {
            let mut file = plain::open_or_make(&path)?;
            let end = file.seek(SeekFrom::End(0))?;
            if end > MAX_BYTES as u64 {
                let (text, _) = plain::read(plain::open(&path)?, u64::MAX)?;
                let half = &text[text.len() / 2..];
                let end = half.iter().position(|byte| *byte == b'\n');
                let whole = end.map_or(&half[..0], |at| &half[at + 1..]);
                replace_private(&path, whole, None)?;
                file = plain::open_or_make(&path)?;
                file.seek(SeekFrom::End(0))?;
            }
            file.write_all(format!("{}\n", serde_json::to_string(&told)?).as_bytes())
        };
        let _ = write();
    }

    /// What a session was told, oldest first; none: the session that was told something last. Its subagents' names begin
    /// with its own.
    pub fn told(&self, session: Option<&str>) -> Vec<DeliveryRecord> {
        let files = self.records();
        let mut all = files.iter().map(|(_, path)| read(path));
        let Some(session) = session else {
            let last = all.rfind(|told| !told.is_empty());
            let last = last.unwrap_or_default();
            let own = last.first().map(DeliveryRecord::client_session);
            return own.map_or_else(Vec::new, |own| self.told(Some(own)));
        };
        let subagents = format!("{session} ");
        let is_its =
            |told: &DeliveryRecord| told.session == session || told.session.starts_with(&subagents);
        let mut told: Vec<DeliveryRecord> = all.flatten().filter(is_its).collect();
        told.sort_by_key(|told| told.at);
        told
    }

    /// The files of what sessions were told, the oldest first.
    fn records(&self) -> Vec<(SystemTime, PathBuf)> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("told "))
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        files.sort();
        files
    }

    /// When each note was last given to any session, and since when that is recorded.
    pub fn last_given(&self) -> LastGiven {
        let mut last = LastGiven::default();
        for told in self.records().iter().flat_map(|(_, path)| read(path)) {
            last.since = Some(last.since.map_or(told.at, |since| since.min(told.at)));
            for of in told.notes {
                let at = last.notes.entry(of.address.to_string()).or_default();
                *at = told.at.max(*at);
            }
        }
        last
    }
}

fn read(path: &Path) -> Vec<DeliveryRecord> {
    let text = plain::open(path).and_then(|file| plain::read(file, 2 * MAX_BYTES as u64));
    let (text, _) = text.unwrap_or_default();
    let lines = text.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::scratch;
    use super::*;

    #[test]
    fn what_a_session_was_told_is_kept_apart_and_short() {
        let (_folder, ledgers) = scratch();
        ledgers.make_folder();
        let about = |action: &str| About {
            event: "PreToolUse".into(),
            action: Some(action.into()),
            tokens: 5,
        };
        assert_eq!(ledgers.told(None), []);
        let note = ShownNote {
            address: "place:~/p".parse().unwrap(),
            revision: 2,
            shown: waynote::context::Shown::Whole,
        };
        ledgers.tell("s", &about("Read x"), &[note]);
        ledgers.tell("s agent", &about("Read y"), &[]);
        ledgers.tell("s2", &about("Read z"), &[]);
        let actions = |session| -> Vec<String> {
            let told = ledgers.told(session).into_iter();
            told.filter_map(|told| told.about.action).collect()
        };
        assert_eq!(actions(Some("s")), ["Read x", "Read y"]);
        assert_eq!(actions(Some("s2")), ["Read z"]);
        assert_eq!(actions(Some("other")), [""; 0]);
        let last = ledgers.last_given();
        let at = ledgers.told(Some("s"))[0].at;
        assert_eq!((last.since, last.notes["place:~/p"]), (Some(at), at));
        for _ in 0..2000 {
            ledgers.tell("s2", &about(&"x".repeat(1000)), &[]);
        }
        let file = ledgers.folder.join(name(&["told", "s2"]));
        assert!(file.metadata().unwrap().len() < 2 * MAX_BYTES as u64);
        assert!(ledgers.told(Some("s2")).len() > 400);
    }
}
