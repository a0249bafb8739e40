//! Flags over environment over configuration file over default, each value with where it came from.

mod file;
pub(crate) mod known;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;
use waynote::context::{Budget, Style};
use waynote::secrets::masked;
use waynote::{Limits, Name, SecretPolicy};

use crate::args::{Global, StyleArg};
use crate::error::{Failure, Outcome, say};
use crate::home;
use crate::variables::ITERATION;
pub(crate) use file::Problem;

use file::File;

/// A value and where it came from.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: String,
}

impl<T> Setting<T> {
    /// Whether nobody set it.
    pub(crate) fn is_default(&self) -> bool {
        self.origin == DEFAULT
    }
}

/// Every setting.
#[derive(Clone)]
pub(crate) struct Settings {
    /// Read even if it does not exist.
    pub(crate) file: PathBuf,
    pub(crate) store: Setting<PathBuf>,
    /// Whether the store's tables go beside another program's.
    pub(crate) attach: bool,
    pub(crate) agent: Setting<Name>,
    pub(crate) session: Setting<Option<Name>>,
    pub(crate) iteration: Setting<Option<i64>>,
    pub(crate) author: Setting<Name>,
    pub(crate) max_bytes: Setting<i64>,
    pub(crate) max_notes: Setting<i64>,
    pub(crate) max_place_bytes: Setting<i64>,
    /// The notes.json that places are kept in step with.
    pub(crate) notes_file: Setting<Option<PathBuf>>,
    pub(crate) style: Setting<Style>,
    /// The most tokens of a block; 0: no cap.
    pub(crate) budget: Setting<usize>,
    /// How many tokens of the model that reads blocks one token of o200k comes to.
    pub(crate) token_factor: Setting<f64>,
    /// How long a writer waits for the writers before it.
    pub(crate) lock_wait: Setting<Duration>,
    /// Rules whose credentials may be written.
    pub(crate) allow_secrets: Setting<Vec<&'static str>>,
    /// What could not be used.
    pub(crate) problems: Vec<Problem>,
    /// Settings that a variable or the file names in a way that cannot be used.
    unsure: BTreeSet<&'static str>,
}

const DEFAULT: &str = "default";

/// The author of what nobody else is named for.
pub(crate) const PERSON: &str = "person";

impl Settings {
    /// The settings, as far as they can be used: `problems` has the rest.
    ///
    /// # Errors
    /// A flag that cannot be used; and a store that is named in a way that cannot be used, because notes would be read from and
    /// written to another store.
    pub(crate) fn read(flags: &Global) -> Outcome<Self> {
        let settings = Self::read_for_repair(flags)?;
        settings.has_store()?;
        Ok(settings)
    }

    /// Refused where a store is named in a way that cannot be used.
    pub(crate) fn has_store(&self) -> Outcome {
        self.unusable("store").map_or(Ok(()), Err)
    }

    /// The same for commands that do not touch the store, or that explain what is wrong: a store that cannot be used is no error.
    pub(crate) fn read_for_repair(flags: &Global) -> Outcome<Self> {
        let mut layers = Layers::read()?;
        let limits = Limits::default();
        let optional_name = |text: &str| Ok(Some(text.parse()?));
        let store = layers.one("store", flags.store.clone(), store)?;
        Ok(Self {
            store: match store {
                Some(store) => store,
                None => by_default(home::data()?.join("waynote/notes.db")),
            },
            attach: flags.attach,
            agent: layers
                .one("agent", flags.agent.clone(), name)?
                .unwrap_or(by_default(name("default")?)),
            session: layers
                .one("session", flags.session.clone(), optional_name)?
                .unwrap_or(by_default(None)),
            iteration: layers
                .one(
                    "iteration",
                    flags.iteration.map(|iteration| iteration.to_string()),
                    |text| Ok(Some(whole(text)?)),
                )?
                .unwrap_or(by_default(None)),
            author: layers
                .one("author", flags.author.clone(), name)?
                .unwrap_or(by_default(name(PERSON)?)),
            max_bytes: layers
                .one("max_bytes", None, whole)?
                .unwrap_or(by_default(limits.max_bytes)),
            max_notes: layers
                .one("max_notes", None, whole)?
                .unwrap_or(by_default(limits.max_notes)),
            max_place_bytes: layers
                .one("max_place_bytes", None, whole)?
                .unwrap_or(by_default(limits.max_place_bytes)),
            notes_file: layers
                .one("notes_file", None, |text| Ok(Some(file(text)?)))?
                .unwrap_or(by_default(None)),
            style: layers
                .one("style", None, style)?
                .unwrap_or(by_default(Style::Stable)),
            budget: layers
                .one("budget", None, budget)?
                .unwrap_or(by_default(Budget::default().tokens)),
            token_factor: layers
                .one("token_factor", None, token_factor)?
                .unwrap_or(by_default(Budget::default().factor)),
            lock_wait: layers
                .one("lock_wait", None, lock_wait)?
                .unwrap_or(by_default(waynote::Options::default().wait)),
            allow_secrets: layers
                .one("allow_secrets", None, allow_secrets)?
                .unwrap_or(by_default(Vec::new())),
            file: layers.file.path,
            problems: layers.file.problems,
            unsure: layers.unsure,
        })
    }

    /// Why a setting that should say where notes go, or whose they are, cannot be used.
    fn unusable(&self, name: &'static str) -> Option<Failure> {
        self.unsure.contains(name).then(|| {
            let its_own = |problem: &&Problem| problem.setting == Some(name);
            let problem = self.problems.iter().find(its_own);
            let problem = problem.or(self.problems.first());
            let what = problem.map(Problem::told).unwrap_or_default();
            let hint = problem
                .map(|problem| problem.hint.clone())
                .unwrap_or_default();
            Failure::refused(
                "config",
                format!("the setting `{name}` cannot be used: {what}"),
                format!(
                    "{hint} (or name it for this command with `--{name}`); `waynote doctor` explains"
                ),
            )
        })
    }

    /// Refuses a write whose author or notebook would be another than the settings were meant to say.
    pub(crate) fn may_write(&self) -> Outcome {
        let named = known::IDENTITY.into_iter();
        named
            .filter_map(|name| self.unusable(name))
            .next()
            .map_or(Ok(()), Err)
    }

    /// Says on standard error, in one line, that a setting could not be used.
    pub(crate) fn warn(&self, as_json: bool) {
        let Some(problem) = self.problems.first() else {
            return;
        };
        let more = match self.problems.len() {
            1 => String::new(),
            problems => format!(" (and {} more)", problems - 1),
        };
        let told = masked(&format!("{}{more}", problem.told())).into_owned();
        if as_json {
            let warning = serde_json::json!({
                "kind": "config", "message": told, "hint": problem.hint, "problems": self.problems,
            });
            crate::error::say_json(&serde_json::json!({ "warning": warning }));
        } else {
            say(&format!("warning: {told}; `waynote doctor` explains"));
        }
    }

    /// The budget of a block, unless the call names its own.
    pub(crate) fn budget(&self, tokens: Option<usize>) -> Budget {
        Budget {
            tokens: tokens.unwrap_or(self.budget.value),
            factor: self.token_factor.value,
        }
    }

    /// The caps, unless the call names its own.
    pub(crate) fn limits(&self, max_bytes: Option<i64>, max_notes: Option<i64>) -> Limits {
        Limits {
            max_bytes: max_bytes.unwrap_or(self.max_bytes.value),
            max_notes: max_notes.unwrap_or(self.max_notes.value),
            max_place_bytes: self.max_place_bytes.value,
        }
    }

    /// The same for a directory's own note.
    pub(crate) fn place_limits(&self, max_bytes: Option<i64>) -> Limits {
        let limits = self.limits(None, None);
        Limits {
            max_place_bytes: max_bytes.unwrap_or(limits.max_place_bytes),
            ..limits
        }
    }

    /// Style and budget of a block, unless the call names its own.
    pub(crate) fn style_and_budget(
        &self,
        style: Option<StyleArg>,
        tokens: Option<usize>,
    ) -> Outcome<(Style, Budget)> {
        let style = match style {
            Some(StyleArg::Stable) => Style::Stable,
            Some(StyleArg::Faithful) => Style::Faithful,
            None => self.style.value,
        };
        match style {
            Style::Stable => Ok((style, self.budget(tokens))),
            Style::Faithful if tokens.is_some_and(|most| most > 0) => Err(faithful_shows_all()),
            Style::Faithful => Ok((style, self.budget(Some(0)))),
        }
    }

    /// Who writes what an agent writes: whoever calls a tool or runs in a loop is no person.
    pub(crate) fn agents_author(&self) -> Outcome<Name> {
        Ok(match self.author.value.as_str() == PERSON {
            true => format!("agent:{}", self.agent.value).parse()?,
            false => self.author.value.clone(),
        })
    }

    /// Which credentials may be written, unless the call says more.
    pub(crate) fn secret_policy(&self) -> SecretPolicy {
        match self.allow_secrets.value.as_slice() {
            [] => SecretPolicy::RefuseAll,
            rules => SecretPolicy::Allow(rules.to_vec()),
        }
    }

    /// The session that a command about one needs.
    pub(crate) fn session(&self) -> Outcome<&Name> {
        self.session.value.as_ref().ok_or_else(|| {
            Failure::usage(
                "no session is named",
                "name one with `--session NAME` or WAYNOTE_SESSION",
            )
        })
    }
}

/// What a block in style faithful cannot be asked for.
pub(crate) fn faithful_shows_all() -> Failure {
    Failure::usage(
        "style faithful prints all that its sources print",
        "leave `--budget`, `--explain` and `--query` away, or use `--style stable`",
    )
}

/// Where a value comes from: a flag, else a variable, else the file.
struct Layers {
    file: File,
    /// Settings that a layer names in a way that cannot be used.
    unsure: BTreeSet<&'static str>,
}

impl Layers {
    fn read() -> Outcome<Self> {
        Ok(Self {
            file: File::read()?,
            unsure: BTreeSet::new(),
        })
    }

    /// The first layer's value that can be used. A flag must be; what another layer says and cannot be used is a problem.
    fn one<T>(
        &mut self,
        name: &'static str,
        flag: Option<String>,
        read: impl Fn(&str) -> Outcome<T>,
    ) -> Outcome<Option<Setting<T>>> {
        if let Some(text) = flag {
            let origin = format!("--{name}");
            return Ok(Some(Setting {
                value: read(&text)?,
                origin,
            }));
        }
        let variable = known::known(name).map_or(ITERATION, |known| known.variable);
        match home::variable(variable).and_then(|text| text.as_deref().map(&read).transpose()) {
            Ok(Some(value)) => {
                let origin = variable.to_owned();
                return Ok(Some(Setting { value, origin }));
            }
            Ok(None) => {}
            Err(failure) => {
                self.unsure.insert(name);
                self.file.problems.push(Problem {
                    origin: variable.to_owned(),
                    line: None,
                    what: failure.what(),
                    hint: format!("{}, or unset {variable}", failure.hint()),
                    setting: Some(name),
                });
            }
        }
        let in_file = self.file.values.get(name).cloned();
        let value = in_file.and_then(|(text, line)| {
            read(&text)
                .map_err(|failure| self.file.unfit(name, line, &failure))
                .ok()
        });
        if self.file.unsure.contains(name) {
            self.unsure.insert(name);
        }
        let origin = self.file.path.display().to_string();
        Ok(value.map(|value| Setting { value, origin }))
    }
}

/// Whether a text can be the value of a setting.
///
/// # Errors
/// `Failure::Usage` or the library's, as the setting's own reader has it.
pub(crate) fn check(name: &str, text: &str) -> Outcome {
    match name {
        "store" => store(text).map(drop),
        "notes_file" => file(text).map(drop),
        "max_bytes" | "max_notes" | "max_place_bytes" => whole(text).map(drop),
        "style" => style(text).map(drop),
        "budget" => budget(text).map(drop),
        "token_factor" => token_factor(text).map(drop),
        "lock_wait" => lock_wait(text).map(drop),
        "allow_secrets" => allow_secrets(text).map(drop),
        _ => self::name(text).map(drop),
    }
}

fn store(text: &str) -> Outcome<PathBuf> {
    if text.trim().is_empty() {
        return Err(Failure::usage(
            "the store has no name",
            "name a file, or leave it away",
        ));
    }
    if text.contains("://") {
        let what = format!("`{}` is no path", waynote::visible::visible(text));
        return Err(Failure::usage(
            what,
            "name a file; other stores are not there yet",
        ));
    }
    home::expanded(text)
}

fn file(text: &str) -> Outcome<PathBuf> {
    if text.trim().is_empty() {
        return Err(Failure::usage(
            "the notes file has no name",
            "name a file, or leave it away",
        ));
    }
    home::expanded(text)
}

fn name(text: &str) -> Outcome<Name> {
    Ok(text.parse()?)
}

fn whole(text: &str) -> Outcome<i64> {
    i64::from_str(text.trim()).map_err(|_| {
        Failure::usage(
            format!("`{text}` is not a whole number"),
            "write digits, as 4096",
        )
    })
}

fn style(text: &str) -> Outcome<Style> {
    text.parse()
        .map_err(|hint: String| Failure::usage(format!("`{text}` is not a style"), hint))
}

fn budget(text: &str) -> Outcome<usize> {
    whole(text)
        .ok()
        .and_then(|tokens| usize::try_from(tokens).ok())
        .ok_or_else(|| {
            Failure::usage(
                format!("`{text}` is no budget"),
                "write a number of tokens, as 2000; 0 is no cap",
            )
        })
}

/// Within what any vocabulary can differ by.
fn token_factor(text: &str) -> Outcome<f64> {
    match text.parse() {
        Ok(value) if (0.1..=10.0).contains(&value) => Ok(value),
        _ => Err(Failure::usage(
            format!("`{text}` is no token factor"),
            "write a number from 0.1 to 10: your model's tokens over those of o200k, as 1.2",
        )),
    }
}

/// Names of rules, separated by commas; one that there is not is named with the nearest.
fn allow_secrets(text: &str) -> Outcome<Vec<&'static str>> {
    let names = text.split(',').map(str::trim);
    let named = names.filter(|name| !name.is_empty()).map(|name| {
        let rule = waynote::secrets::rule(name);
        rule.map(|rule| rule.name).ok_or_else(|| unknown_rule(name))
    });
    named.collect()
}

fn unknown_rule(name: &str) -> Failure {
    let likeness = |rule: &waynote::secrets::Rule| strsim::jaro_winkler(name, rule.name);
    let nearest = waynote::secrets::rules()
        .max_by(|one, other| likeness(one).total_cmp(&likeness(other)))
        .map_or("", |rule| rule.name);
    Failure::usage(
        format!("`{name}` is no rule for credentials"),
        format!("did you mean `{nearest}`? the guide lists the rules"),
    )
}

/// Seconds as people write them.
fn lock_wait(text: &str) -> Outcome<Duration> {
    let seconds = text
        .parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| {
        Failure::usage(
            format!("`{text}` is no time to wait"),
            "write seconds, as 10 or 0.5",
        )
    })
}

fn by_default<T>(value: T) -> Setting<T> {
    Setting {
        value,
        origin: DEFAULT.into(),
    }
}
