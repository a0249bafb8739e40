//! The rules, as data. The other modules are the engine that reads it.
//!
//! | to add | add a row or a word in |
//! |---|---|
//! | a token that a service marks by its form | `services.rs` |
//! | a program, or an option of one, that takes a password | `programs.rs` |
//! | a word in names of passwords, tokens and keys | `names.rs` |
//! | an example that must not be taken for a credential; a host or part of a URL beside which tokens stand | `words.rs` |
//! | a word beside which to look for what is known already | the row in `forms.rs` |
//!
//! A row of `services.rs` is: the name, which configurations hold, and a line that says what it is; the forms, each with
//! the word that is searched for and what follows it; texts in which it is found; texts in which nothing is.
//!
//! ```text
//! "acme-token" "Acme token"
//! patterns [new("acme_", &[Run(ALNUM, 40, 40)])]
//! yes ["ACME=acme_{alnum:40}"]
//! no ["acme_token", "acme_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]
//! ```
//!
//! `{alnum:40}` stands for so many random characters and `{}` for nothing, so that no example looks like a credential
//! before a test has made it. The tests check every row; `forms.txt` beside them has whole lines as people write them.

mod forms;
pub(crate) mod names;
pub(crate) mod programs;
mod services;
pub(crate) mod words;

pub(crate) use forms::*;
pub(crate) use services::SERVICES;

use crate::shape::Pattern;
use crate::triggers::Look;

/// The rule of what is found by its lengths alone, in `discord.rs`, and by its form.
pub(crate) const DISCORD: &str = "discord-token";

/// A kind of credential.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Its own forms.
    pub(crate) patterns: &'static [Pattern],
    /// Beside which words to look for it. Words that several rows share stand in one of them.
    pub(crate) words: &'static [Trigger],
    /// Texts in which it is found.
    #[cfg(test)]
    pub(crate) yes: &'static [&'static str],
    /// Texts in which nothing is found.
    #[cfg(test)]
    pub(crate) no: &'static [&'static str],
}

/// A word, as it is written or in any case, and what to look at where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Trigger {
    pub(crate) word: &'static str,
    pub(crate) exact: bool,
    pub(crate) look: Look,
}

pub(crate) const fn word(word: &'static str, exact: bool, look: Look) -> Trigger {
    Trigger { word, exact, look }
}

/// Makes rows, each with its examples in tests.
macro_rules! rows {
    ($rows:ident $($name:tt $about:literal
        $(patterns [$($pattern:expr),* $(,)?])? $(words [$($word:expr),* $(,)?])?
        yes [$($yes:literal),* $(,)?] no [$($no:literal),* $(,)?])*) => {
        pub(crate) static $rows: &[super::Row] = &[$(super::Row {
            name: $name,
            about: $about,
            patterns: &[$($($pattern),*)?],
            words: &[$($($word),*)?],
            #[cfg(test)]
            yes: &[$($yes),*],
            #[cfg(test)]
            no: &[$($no),*],
        }),*];
    };
}
use rows;
