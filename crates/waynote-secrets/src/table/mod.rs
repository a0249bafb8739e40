//! The rules, as data. The other modules are the engine that reads it.
//!
//! | to add | add a row or a word in |
//! |---|---|
//! | a token that a service marks by its form | `services.rs` |
//! | a word in names of passwords, tokens and keys | `names.rs` |
//! | an example that must not be taken for a credential; a host or part of a URL beside which tokens stand | `words.rs` |
//! | a word beside which to look for what is known already | the row in `forms.rs` |
//!
//! A row of `services.rs` is: the name, which configurations hold, and a line that says what it is; the forms, each with
//! the word that is searched for and what follows it.
//!
//! ```text
//! "acme-token" "Acme token"
//! [new("acme_", &[Run(ALNUM, 40, 40)])]
//! ```
//!
//! Each rule has examples in `tests/examples.txt`; `tests/forms.txt` has whole lines as people write them.

mod forms;
pub(crate) mod names;
mod services;
pub(crate) mod words;

pub(crate) use forms::*;
pub(crate) use services::SERVICES;

use crate::Rule;
use crate::shape::Pattern;

/// A token that a service marks by its form.
pub(crate) struct Service {
    pub(crate) rule: Rule,
    pub(crate) patterns: &'static [Pattern],
}

/// Lists of words, which stand in texts with blanks between.
macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident $($text:literal)*;)*) => {
        $($(#[$doc])* pub(crate) static $name: std::sync::LazyLock<Vec<&str>> =
            std::sync::LazyLock::new(|| concat!($($text, " "),*).split_whitespace().collect());)*
    };
}

use lists;
