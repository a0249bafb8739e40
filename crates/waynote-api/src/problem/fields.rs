//! The fields of the library's errors. Texts from outside have their credentials masked; paths are left out.

use serde::{Deserialize, Serialize};

/// The fields of an error of the library, by its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "each is an error of the library, with its fields"
)]
pub enum Fields {
    InvalidKey {
        key: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        suggestion: Option<String>,
    },
    InvalidName {
        name: String,
        reason: String,
    },
    InvalidPlace {
        path: String,
        reason: String,
    },
    InvalidAddress {
        address: String,
        reason: String,
    },
    UnknownType {
        entry_type: String,
    },
    InvalidIteration {
        iteration: i64,
    },
    InvalidTokenFactor {
        factor: f64,
    },
    NotText {
        what: String,
    },
    HoldsSecret {
        rule: String,
        line: usize,
        column: usize,
    },
    NameHoldsSecret {
        what: String,
        rule: String,
    },
    NoteTooLarge {
        bytes: usize,
        max_bytes: i64,
        limit: String,
    },
    TooManyNotes {
        notes: u64,
        max_notes: i64,
    },
    NotFound {
        what: String,
    },
    Conflict {
        address: String,
        expected: String,
    },
    AppendOnly {
        address: String,
    },
    NotResolved {
        address: String,
        reason: String,
    },
    NoSuchStuck {
        named: String,
        several: bool,
        candidates: Vec<(String, String)>,
    },
    Empty {
        what: String,
    },
    Forgotten {
        what: String,
        at: String,
        by: String,
    },
    Denied {
        what: String,
        reason: String,
    },
    DamagedStore {
        reason: String,
    },
    DamagedNote {
        what: String,
    },
    DamagedIndex {
        reason: String,
    },
    ForeignStore,
    NotAStore {
        reason: String,
    },
    NewerStore {
        found: u32,
        known: u32,
    },
    StoreLost {
        reason: String,
    },
    LostWrites {
        acknowledged: String,
        found: String,
    },
    ReadOnly {
        reason: String,
    },
    DiskFull,
    Busy {
        waited_ms: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        holder: Option<u32>,
    },
    File {
        action: String,
        what: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        io: Option<String>,
    },
    Engine {
        what: String,
    },
    NotBuiltIn {
        feature: String,
    },
    QuotaExceeded,
    FileSizeLimit,
    DiskError {
        action: String,
    },
    SideFile {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        other_owner: Option<(u32, u32, u32)>,
    },
    /// The number of hard links; none: the file is mounted by itself.
    SecondName {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        links: Option<u64>,
    },
    LoopRunning {
        session: String,
        holder: String,
        since: String,
    },
    LeaseLost {
        session: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        held: Option<(String, String)>,
    },
    NoLiveIteration {
        session: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        iteration: Option<i64>,
    },
    Unanswered {
        session: String,
        question: String,
    },
    AlreadySaid {
        iteration: i64,
        has_asked: bool,
    },
    NothingAsked {
        session: String,
    },
    AlreadyAnswered {
        session: String,
        by: String,
        at: String,
    },
    NothingToUndo {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last: Option<(String, String)>,
    },
    NothingToRedo {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        address: Option<String>,
    },
    Superseded {
        what: String,
        address: String,
        by: String,
    },
}
