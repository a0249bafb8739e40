//! The errors of the command line. Each has a message with its reason, a hint, and an exit code.

use std::collections::HashSet;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU8, Ordering};

use anstyle::AnsiColor;
use clap::error::{ContextKind, ContextValue};
use serde_json::{Value, json};
use waynote::FlaggedNote;
use waynote::secrets::masked;
use waynote::store::Damage;
use waynote::{ErrorClass, SecretPolicy};

use crate::escaped::escaped;
use crate::{hints, program, session_view};

/// The exit code of a loop that waits for an answer.
pub(crate) const BLOCKED: u8 = 4;

/// The kind of a refusal by the person who was asked: nothing is wrong.
pub(crate) const KEPT: &str = "kept";

/// The exit code of each family of errors.
fn exit_code(class: ErrorClass) -> u8 {
    match class {
        ErrorClass::Invalid => 2,
        // A loop that waits for a person has one exit code, whether it stops for that or does not start.
        ErrorClass::Blocked => BLOCKED,
        _ => 1,
    }
}

/// A command that could not be carried out.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reader of our output has closed it. That is no error.
    BrokenPipe,
    /// The arguments cannot be read.
    Arguments(clap::Error),
    /// A refusal or a failure of the library.
    Library(waynote::Error),
    /// A refusal or a failure of a loop, but for those of its store.
    Loop(waynote_loop::Error),
    /// A refusal by the command line itself: its family, a code for programs, a message with its reason, and a hint.
    Own {
        class: ErrorClass,
        kind: &'static str,
        what: String,
        hint: String,
    },
}

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    /// A request that does not hold together.
    pub(crate) fn usage(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Own {
            class: ErrorClass::Invalid,
            kind: "usage",
            what: what.into(),
            hint: hint.into(),
        }
    }

    pub(crate) fn refused(
        kind: &'static str,
        what: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self::Own {
            class: ErrorClass::Refused,
            kind,
            what: what.into(),
            hint: hint.into(),
        }
    }

    /// Something that this program was built without.
    #[cfg(not(all(feature = "browse", feature = "server", feature = "postgres")))]
    pub(crate) fn left_out(feature: &str) -> Self {
        Self::refused(
            "left_out",
            format!("this program was built without the feature `{feature}`"),
            format!(
                "install it with the feature: `cargo install waynote-cli --features {feature}`"
            ),
        )
    }

    /// A file that cannot be read or written.
    pub(crate) fn file(path: impl Into<PathBuf>, action: &'static str, source: io::Error) -> Self {
        Self::Library(waynote::Error::file(path, action, source))
    }

    pub(crate) fn kind(&self) -> &str {
        match self {
            Self::BrokenPipe => "broken_pipe",
            Self::Arguments(_) => "usage",
            Self::Library(error) => error.kind(),
            Self::Loop(error) => error.kind(),
            Self::Own { kind, .. } => kind,
        }
    }

    pub(crate) fn class(&self) -> ErrorClass {
        match self {
            Self::Arguments(_) => ErrorClass::Invalid,
            Self::Library(error) => error.class(),
            Self::Loop(error) => error.class(),
            Self::Own { class, .. } => *class,
            Self::BrokenPipe => ErrorClass::Unreachable,
        }
    }

    /// The message with its reason; credentials are masked.
    pub(crate) fn what(&self) -> String {
        let what = match self {
            Self::BrokenPipe => "the output was closed".into(),
            Self::Arguments(error) => {
                let text = error.to_string();
                let first = text.split("\n\n").next().unwrap_or_default();
                let first = first.trim_start_matches("error: ").trim();
                first.replace("\n  ", " ")
            }
            Self::Library(error) => error.to_string(),
            Self::Loop(error) => error.to_string(),
            Self::Own { what, .. } => what.clone(),
        };
        masked(&what).into_owned()
    }

    /// The hint: the next step of the user; credentials are masked.
    pub(crate) fn hint(&self) -> String {
        let hint = match self {
            Self::BrokenPipe => String::new(),
            Self::Arguments(error) => match error.get(ContextKind::Suggested) {
                Some(ContextValue::StyledStrs(tips)) if !tips.is_empty() => tips[0].to_string(),
                _ => "try `waynote --help`".into(),
            },
            Self::Library(error) => program::calling(&hints::hint(error)),
            Self::Loop(error) => hints::of_runner(error),
            Self::Own { hint, .. } => program::calling(hint),
        };
        masked(&hint).into_owned()
    }

    /// The message with its reason, in one line.
    pub(crate) fn line(&self) -> String {
        waynote::visible::visible(&self.what())
    }

    /// Says it on standard error and gives the exit code.
    pub(crate) fn report(&self, as_json: bool) -> ExitCode {
        match self {
            Self::BrokenPipe => return ExitCode::SUCCESS,
            _ if as_json => {
                let mut error = json!({
                    "kind": self.kind(), "message": self.what(), "hint": self.hint(),
                });
                if let Self::Library(library) = self
                    && let Some(note) = library.current()
                {
                    error["current"] = json!(note);
                    error["current"]["content"] = json!(masked(&note.content.shown()));
                }
                say_json(&json!({ "error": error }));
            }
            Self::Own {
                kind: KEPT, what, ..
            } => complain(&masked(what)),
            // clap's own wording knows the usage line and the possible values.
            Self::Arguments(error) => complain(&masked(error.to_string().trim_end())),
            _ => {
                complain(&format!("error: {}\n  {}", self.line(), self.hint()));
                if let Self::Library(error) = self {
                    error.current_text().iter().for_each(|text| complain(text));
                }
            }
        }
        ExitCode::from(exit_code(self.class()))
    }
}

/// Something that went wrong beside a command that was carried out.
pub(crate) fn warn(error: &waynote::Error, as_json: bool) {
    let message = masked(&error.to_string()).into_owned();
    let hint = format!("the store is used without it; {}", hints::hint(error));
    let message = match as_json {
        true => message,
        false => waynote::visible::visible(&message),
    };
    warning(error.kind(), &message, &masked(&hint), json!({}), as_json);
}

/// Says a warning with its hint. Programs read the fields of `more` too.
pub(crate) fn warning(kind: &str, message: &str, hint: &str, mut more: Value, as_json: bool) {
    if !as_json {
        return complain(&format!("warning: {message}\n  {hint}"));
    }
    for (name, text) in [("kind", kind), ("message", message), ("hint", hint)] {
        more[name] = text.into();
    }
    say_json(&json!({ "warning": more }));
}

/// Names the damage that was left out of an answer, each item once.
pub(crate) fn warn_of_damage(damage: &Damage, said: &mut HashSet<String>, as_json: bool) {
    let new = damage.notes.iter();
    let new = new.filter(|what| said.insert((*what).clone()));
    let (of_store, new): (Vec<&String>, Vec<_>) = new.partition(|what| Damage::is_sentence(what));
    let none = || json!({ "addresses": [] });
    for what in of_store {
        let hint = "`waynote doctor` says what to do";
        warning("damaged_store", what, hint, none(), as_json);
    }
    if !new.is_empty() {
        let mut what = match new.len() {
            1 => "1 note is damaged and left out".to_owned(),
            many => format!("{many} notes are damaged and left out"),
        };
        if !as_json {
            for address in &new {
                what += &format!("\n  {}", waynote::visible::visible(&masked(address)));
            }
        }
        let hint =
            "`waynote verify` lists all damage; `waynote copy STORE NEW` saves what is whole";
        let more = json!({ "addresses": new });
        warning("damaged_note", &what, hint, more, as_json);
    }
    if damage.index && said.insert("search index".into()) {
        let what = "the search index is damaged; the notes were searched without it";
        let hint = "the next write builds it again, or `waynote verify --repair-index` does";
        warning("damaged_index", what, hint, none(), as_json);
    }
}

/// Names the notes that were brought in from elsewhere and hold a credential that is not allowed.
pub(crate) fn warn_of_secrets(flagged: &[FlaggedNote], allowed: &SecretPolicy, as_json: bool) {
    let refused = |note: &&FlaggedNote| note.rules.iter().any(|rule| allowed.refuses(rule));
    let flagged: Vec<&FlaggedNote> = flagged.iter().filter(refused).collect();
    let mut what = match flagged.len() {
        0 => return,
        1 => "1 note taken in from outside holds a credential".into(),
        many => format!("{many} notes taken in from outside hold a credential"),
    };
    if !as_json {
        what += ":";
        for FlaggedNote { address, rules } in &flagged {
            let address = waynote::visible::visible(&masked(&address.to_string()));
            what += &format!("\n  {address}: {}", rules.join(", "));
        }
    }
    let hint = "rotate it (create a new one, revoke the old one), then run `waynote forget ADDRESS`; prompts and lists mask it";
    let more = json!({ "notes": flagged });
    warning("holds_secret", &what, hint, more, as_json);
}

/// What is said: 0 all, 1 errors and warnings, 2 nothing.
static SILENCE: AtomicU8 = AtomicU8::new(0);

pub(crate) fn set_quiet(is_quiet: bool) {
    SILENCE.store(is_quiet.into(), Ordering::Relaxed);
}

/// Says nothing from here on: a shell asks for completions.
pub(crate) fn silence() {
    SILENCE.store(2, Ordering::Relaxed);
}

/// Says something on standard error that the user can do without, in characters that a terminal only shows.
pub(crate) fn say(text: &str) {
    say_coloured(&waynote::visible::lines(text));
}

/// The same of an error or a warning.
pub(crate) fn complain(text: &str) {
    let text = waynote::visible::lines(text);
    let colour = session_view::stderr_has_colour();
    let painted = |word: &str, colour_of: AnsiColor| {
        let rest = text.strip_prefix(word)?;
        let word = session_view::painted(word, colour_of.on_default().bold(), colour);
        Some(format!("{word}{rest}"))
    };
    let painted =
        painted("error:", AnsiColor::Red).or_else(|| painted("warning:", AnsiColor::Yellow));
    print(&painted.unwrap_or(text));
}

/// The same in colours of our own. What comes from elsewhere was made visible before.
pub(crate) fn say_coloured(text: &str) {
    if SILENCE.load(Ordering::Relaxed) == 0 {
        print(text);
    }
}

/// Gives the terminal that standard error is a title, and rings its bell if `rings`.
pub(crate) fn title(text: &str, rings: bool) {
    if io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb") {
        let bell = if rings { "\u{7}" } else { "" };
        let text = waynote::visible::visible(text);
        let _ = write!(io::stderr(), "\u{1b}]0;{text}\u{7}{bell}");
    }
}

fn print(text: &str) {
    if SILENCE.load(Ordering::Relaxed) > 1 {
        return;
    }
    // Nowhere is left to complain about a closed standard error.
    let _ = writeln!(io::stderr(), "{text}");
}

/// Says something on standard error for programs.
pub(crate) fn say_json(value: &Value) {
    print(&escaped(&value.to_string()));
}

impl From<waynote::Error> for Failure {
    fn from(error: waynote::Error) -> Self {
        Self::Library(error)
    }
}

impl From<waynote_loop::Error> for Failure {
    fn from(error: waynote_loop::Error) -> Self {
        match error {
            waynote_loop::Error::Store(error) => Self::Library(error),
            error => Self::Loop(error),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::BrokenPipe;
        }
        Self::file("standard output", "written", error)
    }
}
