//! Agents' own files: sets waynote up in them, answers their hooks, and checks that the notes arrive.
//!
//! | what | takes | gives |
//! |---|---|---|
//! | [`Installation`], [`Removal`] | a [`Setup`]: which client, whose files | steps to show, then to carry out |
//! | [`Call`], [`Hook`], [`Answer`] | what a client sent, a store | the notes that the session lacks, in the client's form |
//! | [`Ledgers`] | a folder | what each session of a client was given already |
//! | [`Plugin`] | a machine, a store | a folder that clients install as a whole |
//! | [`examine`] | a [`Setup`] | what was found of a client, for `doctor` |
//! | [`rights`], [`missing_rights`] | a client and its command line | what the agent of a loop may do, and may not |
//!
//! Nothing here prints, reads the environment or asks the clock: an [`Environment`](waynote_system::Environment), a
//! [`Machine`] and a clock are handed in. Errors say what and why; the way out is the caller's to word.
//!
//! ```
//! use waynote_clients::{Action, Client, Installation, Machine, InstallScope, Setup};
//! use waynote_system::Environment;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let home = folder.path();
//! let environment = Environment::new([("HOME".into(), home.into())])
//!     .with_own_program(Ok("/opt/bin/waynote".into()));
//! let machine = Machine {
//!     environment: &environment,
//!     handed_on: &["WAYNOTE_STORE"],
//! };
//! let setup = Setup::new(machine, Client::Codex, InstallScope::User)?;
//! let installation = Installation::plan(&setup, false)?;
//! assert!(installation.steps().iter().all(|step| step.action == Action::Made));
//! installation.carry_out()?;
//! assert!(home.join(".codex/hooks.json").is_file());
//! # Ok(())
//! # }
//! ```
//!
//! # Where things are, and where to add one
//!
//! - `clients/` has a file for each client: its files and entries, its events and the form of its answers, its arguments in
//!   a loop, and how it reads its files. A new client is a file there and a row in `clients/mod.rs`; one that has only a
//!   server is a row in `others.rs`.
//! - `profile/` is what these files fill in (the struct `Profile`) and what they build with.
//! - `formats/` puts our entries into files of JSON with comments and TOML, and takes them out. A new format is a file
//!   there and a line in `formats/edit.rs`. No client is known there.
//! - `install/`, `plugin/`, `hook/`, `ledger/`, `doctor/` use all of these, for every client alike.

mod client;
mod clients;
mod doctor;
mod error;
mod formats;
mod hook;
mod install;
mod ledger;
mod plugin;
mod profile;
mod rights;

pub use client::{Client, Event};
pub use doctor::examine;
pub use doctor::probe;
pub use error::{Error, Lacking, Result};
pub use formats::refusal::Refusal;
pub use hook::payload::Payload;
pub use hook::{Answer, Call, Hook, Says};
pub use install::plan::{Action, Installation, Remark, Removal, Step};
pub use install::record::folder as records_folder;
pub use install::state::{State, is_set_up, states};
pub use ledger::{
    About, CallerSession, Channel, Deliveries, Delivery, DeliveryRecord, Ledgers, PauseTarget,
    PendingDelivery,
};
pub use plugin::Plugin;
pub use profile::Snippet;
pub use profile::findings::{Finding, Findings, Verdict};
pub use profile::setup::{ClientFile, InstallScope, Machine, Part, Setup};
pub use profile::target::Target;
pub use rights::{Rights, missing_rights, rights};
