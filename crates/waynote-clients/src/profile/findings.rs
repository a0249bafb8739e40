//! What `doctor` finds, in words.

use serde::Serialize;
use waynote::visible::visible;

/// How good or bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Verdict {
    /// It works.
    Ok,
    /// Not wrong, and perhaps wanted: only a person knows.
    Note,
    /// Something does not work.
    Wrong,
}

/// Something that was found.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// How good or bad it is.
    pub verdict: Verdict,
    /// The finding, without control characters.
    pub what: String,
    /// The remedy.
    pub next: Option<String>,
}

/// Findings, in the order of the checks.
#[derive(Debug, Default)]
pub struct Findings(Vec<Finding>);

impl Findings {
    /// Something works.
    pub fn ok(&mut self, what: impl AsRef<str>) {
        self.push(Verdict::Ok, what.as_ref(), None);
    }

    /// Something is perhaps wanted, and perhaps not.
    pub fn note(&mut self, what: impl AsRef<str>, next: impl Into<String>) {
        self.push(Verdict::Note, what.as_ref(), Some(next.into()));
    }

    /// Something does not work.
    pub fn wrong(&mut self, what: impl AsRef<str>, next: impl Into<String>) {
        self.push(Verdict::Wrong, what.as_ref(), Some(next.into()));
    }

    /// Something does not work, which several files may say.
    pub(crate) fn wrong_once(&mut self, what: String, next: &str) {
        if self.0.iter().all(|finding| finding.what != what) {
            self.wrong(what, next);
        }
    }

    fn push(&mut self, verdict: Verdict, what: &str, next: Option<String>) {
        self.0.push(Finding {
            verdict,
            what: visible(what),
            next,
        });
    }

    /// All of them.
    pub fn all(&self) -> &[Finding] {
        &self.0
    }

    /// True if nothing is wrong.
    pub fn is_well(&self) -> bool {
        self.0
            .iter()
            .all(|finding| finding.verdict != Verdict::Wrong)
    }

    /// Adds the findings of another check.
    pub fn append(&mut self, mut more: Self) {
        self.0.append(&mut more.0);
    }
}
