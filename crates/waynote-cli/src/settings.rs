//! Flags over environment over configuration file over default, each value with where it came from.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use waynote::context::{Budget, Style};
use waynote::{Limits, Name, SecretPolicy};

use crate::args::{Global, StyleArg};
use crate::error::{Failure, Outcome};
use crate::home;

/// The configuration file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    store: Option<String>,
    agent: Option<String>,
    session: Option<String>,
    author: Option<String>,
    max_bytes: Option<i64>,
    max_notes: Option<i64>,
    max_place_bytes: Option<i64>,
    notes_file: Option<String>,
    style: Option<String>,
    budget: Option<i64>,
    token_factor: Option<f64>,
    lock_wait: Option<f64>,
    allow_secrets: Option<Vec<String>>,
}

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
}

const DEFAULT: &str = "default";

/// The author of what nobody else is named for.
pub(crate) const PERSON: &str = "person";

impl Settings {
    pub(crate) fn read(flags: &Global) -> Outcome<Self> {
        let (path, file) = read_file()?;
        let layers = Layers { path: &path };
        let named_text = |name, flag: &Option<String>, variable, in_file| {
            layers.text(flag.clone().map(|value| (name, value)), variable, in_file)
        };
        let store = named_text("store", &flags.store, "WAYNOTE_STORE", file.store)?;
        let agent = named_text("agent", &flags.agent, "WAYNOTE_AGENT", file.agent)?;
        let session = named_text("session", &flags.session, "WAYNOTE_SESSION", file.session)?;
        let author = named_text("author", &flags.author, "WAYNOTE_AUTHOR", file.author)?;
        let notes_file = layers.text(None, "ZRB_LLM_NOTE_FILE", file.notes_file)?;
        let style = layers.text(None, "WAYNOTE_STYLE", file.style)?;
        let limits = Limits::default();
        Ok(Self {
            store: match store {
                Some(store) if store.value.is_empty() => {
                    let what = format!("the store has no name ({})", store.origin);
                    return Err(Failure::usage(what, "name a file, or leave it away"));
                }
                Some(store) if store.value.contains("://") => {
                    let what = format!("`{}` is no path", waynote::visible::visible(&store.value));
                    return Err(Failure::usage(
                        what,
                        "name a file; other stores are not there yet",
                    ));
                }
                Some(store) => Setting {
                    value: home::expanded(&store.value)?,
                    origin: store.origin,
                },
                None => by_default(home::data()?.join("waynote/notes.db")),
            },
            attach: flags.attach,
            agent: named(agent, "default")?,
            session: match session {
                Some(session) => Setting {
                    value: Some(session.value.parse()?),
                    origin: session.origin,
                },
                None => by_default(None),
            },
            iteration: match layers.number(
                flags.iteration.map(|iteration| ("iteration", iteration)),
                "WAYNOTE_ITERATION",
                None,
            )? {
                Some(iteration) => Setting {
                    value: Some(iteration.value),
                    origin: iteration.origin,
                },
                None => by_default(None),
            },
            author: named(author, PERSON)?,
            max_bytes: layers
                .number(None, "WAYNOTE_MAX_BYTES", file.max_bytes)?
                .unwrap_or_else(|| by_default(limits.max_bytes)),
            max_notes: layers
                .number(None, "WAYNOTE_MAX_NOTES", file.max_notes)?
                .unwrap_or_else(|| by_default(limits.max_notes)),
            max_place_bytes: layers
                .number(None, "WAYNOTE_MAX_PLACE_BYTES", file.max_place_bytes)?
                .unwrap_or_else(|| by_default(limits.max_place_bytes)),
            notes_file: match notes_file {
                Some(file) => Setting {
                    value: Some(home::expanded(&file.value)?),
                    origin: file.origin,
                },
                None => by_default(None),
            },
            style: match style {
                Some(style) => Setting {
                    value: style.value.parse().map_err(|hint: String| {
                        Failure::usage(
                            format!("`{}` is not a style ({})", style.value, style.origin),
                            hint,
                        )
                    })?,
                    origin: style.origin,
                },
                None => by_default(Style::Stable),
            },
            budget: budget(layers.number(None, "WAYNOTE_BUDGET", file.budget)?)?,
            token_factor: token_factor(layers.text(
                None,
                "WAYNOTE_TOKEN_FACTOR",
                file.token_factor.map(|factor| factor.to_string()),
            )?)?,
            lock_wait: lock_wait(layers.text(
                None,
                "WAYNOTE_LOCK_WAIT",
                file.lock_wait.map(|wait| wait.to_string()),
            )?)?,
            allow_secrets: allow_secrets(layers.first(
                None,
                "WAYNOTE_ALLOW_SECRETS",
                file.allow_secrets,
                |text| Ok(text.split(',').map(str::to_owned).collect()),
            )?)?,
            file: path,
        })
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

fn budget(setting: Option<Setting<i64>>) -> Outcome<Setting<usize>> {
    let Some(Setting { value, origin }) = setting else {
        return Ok(by_default(Budget::default().tokens));
    };
    match usize::try_from(value) {
        Ok(value) => Ok(Setting { value, origin }),
        Err(_) => Err(Failure::usage(
            format!("`{value}` is no budget ({origin})"),
            "write a number of tokens, as 2000; 0 is no cap",
        )),
    }
}

/// Within what any vocabulary can differ by.
fn token_factor(setting: Option<Setting<String>>) -> Outcome<Setting<f64>> {
    let Some(Setting { value, origin }) = setting else {
        return Ok(by_default(Budget::default().factor));
    };
    match value.parse() {
        Ok(value) if (0.1..=10.0).contains(&value) => Ok(Setting { value, origin }),
        _ => Err(Failure::usage(
            format!("`{value}` is no token factor ({origin})"),
            "write a number from 0.1 to 10: your model's tokens over those of o200k, as 1.2",
        )),
    }
}

/// Names of rules; one that there is not is named with the nearest.
fn allow_secrets(setting: Option<Setting<Vec<String>>>) -> Outcome<Setting<Vec<&'static str>>> {
    let Some(Setting { value, origin }) = setting else {
        return Ok(by_default(Vec::new()));
    };
    let names = value.iter().map(|name| name.trim());
    let known = names.filter(|name| !name.is_empty()).map(|name| {
        let rule = waynote::secrets::rule(name);
        rule.map(|rule| rule.name)
            .ok_or_else(|| unknown_rule(name, &origin))
    });
    Ok(Setting {
        value: known.collect::<Outcome<_>>()?,
        origin,
    })
}

fn unknown_rule(name: &str, origin: &str) -> Failure {
    let likeness = |rule: &waynote::secrets::Rule| strsim::jaro_winkler(name, rule.name);
    let nearest = waynote::secrets::rules()
        .max_by(|one, other| likeness(one).total_cmp(&likeness(other)))
        .map_or("", |rule| rule.name);
    Failure::usage(
        format!("`{name}` is no rule for credentials ({origin})"),
        format!("did you mean `{nearest}`? the guide lists the rules"),
    )
}

/// Seconds as people write them.
fn lock_wait(setting: Option<Setting<String>>) -> Outcome<Setting<Duration>> {
    let Some(Setting { value, origin }) = setting else {
        return Ok(by_default(waynote::Options::default().wait));
    };
    let seconds = value
        .parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    match seconds {
        Some(value) => Ok(Setting { value, origin }),
        None => Err(Failure::usage(
            format!("`{value}` is no time to wait ({origin})"),
            "write seconds, as 10 or 0.5",
        )),
    }
}

fn by_default<T>(value: T) -> Setting<T> {
    Setting {
        value,
        origin: DEFAULT.into(),
    }
}

fn named(setting: Option<Setting<String>>, default: &str) -> Outcome<Setting<Name>> {
    match setting {
        Some(Setting { value, origin }) => Ok(Setting {
            value: value.parse()?,
            origin,
        }),
        None => Ok(by_default(default.parse()?)),
    }
}

/// The layers below the flags.
struct Layers<'p> {
    path: &'p Path,
}

impl Layers<'_> {
    /// The flag's value, else the variable's, else the file's.
    fn first<T>(
        &self,
        flag: Option<(&str, T)>,
        variable: &str,
        in_file: Option<T>,
        read: impl FnOnce(String) -> Outcome<T>,
    ) -> Outcome<Option<Setting<T>>> {
        let (value, origin) = if let Some((name, value)) = flag {
            (value, format!("--{name}"))
        } else if let Some(text) = home::variable(variable)? {
            (read(text)?, variable.to_owned())
        } else if let Some(value) = in_file {
            (value, self.path.display().to_string())
        } else {
            return Ok(None);
        };
        Ok(Some(Setting { value, origin }))
    }

    fn text(
        &self,
        flag: Option<(&str, String)>,
        variable: &str,
        in_file: Option<String>,
    ) -> Outcome<Option<Setting<String>>> {
        self.first(flag, variable, in_file, Ok)
    }

    fn number(
        &self,
        flag: Option<(&str, i64)>,
        variable: &str,
        in_file: Option<i64>,
    ) -> Outcome<Option<Setting<i64>>> {
        self.first(flag, variable, in_file, |text| {
            i64::from_str(text.trim()).map_err(|_| {
                Failure::usage(
                    format!("{variable} is not a whole number: `{text}`"),
                    "set it to one, or unset it",
                )
            })
        })
    }
}

/// The configuration file's path and what is in it; a file that does not exist says nothing, unless it was named.
fn read_file() -> Outcome<(PathBuf, File)> {
    let named = home::variable("WAYNOTE_CONFIG")?;
    let path = match &named {
        Some(path) => home::expanded(path)?,
        None => match home::configuration() {
            Ok(folder) => folder.join("waynote/config.toml"),
            // Without a home there is no file; what needs a home says so itself.
            Err(Failure::Refused { .. }) => return Ok((PathBuf::new(), File::default())),
            Err(error) => return Err(error),
        },
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && named.is_none() => {
            return Ok((path, File::default()));
        }
        Err(error) => return Err(Failure::file(path, "read", error)),
    };
    let file = toml::from_str(&text).map_err(|error| {
        let line = error
            .span()
            .map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        Failure::refused(
            "config",
            format!("{}: line {line}: {}", path.display(), error.message()),
            "mend the file; docs/guide.md lists the settings",
        )
    })?;
    Ok((path, file))
}
