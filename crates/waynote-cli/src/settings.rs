//! The settings. A flag overrides the environment, the environment overrides the configuration file, and the file
//! overrides the default. Each value is kept together with its origin.

mod file;
mod layers;
mod row;
mod table;
mod values;

use std::path::Path;

use waynote::context::{Budget, Style};
use waynote::{Author, Checkout, Limits, Lineage, Name, Place, SecretPolicy};
use waynote_system::repository::Naming;

use crate::args::Global;
use crate::error::{Failure, Outcome};
use crate::home;
pub(crate) use file::SUBPROJECTS;
pub(crate) use layers::Origin;
pub(crate) use row::{Kind, SettingInfo};
pub(crate) use table::{KNOWN, Settings};
#[cfg(feature = "server")]
pub(crate) use values::store;
pub(crate) use values::{items, repos_as_text};

use file::File;
use layers::Layers;

impl Settings {
    /// The settings. `problems` lists mistakes that cost only the default of a setting.
    ///
    /// # Errors
    /// If a flag cannot be used; or as [`Self::check`].
    pub(crate) fn read(flags: &Global) -> Outcome<Self> {
        let settings = Self::read_for_repair(flags)?;
        settings.check()?;
        Ok(settings)
    }

    /// Like `read`, for commands that do not touch the notes, or that explain the mistakes.
    pub(crate) fn read_for_repair(flags: &Global) -> Outcome<Self> {
        let file = File::read(KNOWN)?;
        let given = KNOWN.given_by(flags)?;
        Self::of(Layers { file, flags: given }, flags.attach)
    }

    /// Fails if the configuration file cannot be read, or after a mistake in a setting that says where notes go or whose
    /// they are: a default would put them in the wrong place.
    pub(crate) fn check(&self) -> Outcome {
        match self.problems.iter().find(|problem| problem.is_fatal) {
            None => Ok(()),
            Some(problem) => {
                let hint = format!("{}; `waynote doctor` checks it again", problem.hint);
                Err(Failure::refused("config", problem.told(), hint))
            }
        }
    }

    /// The file of the store, if it was named and does not exist: a misspelt path is an empty store.
    pub(crate) fn missing_store(&self) -> Option<&Path> {
        let is_file = self.remote().is_none() && self.database().is_none();
        let path = &self.store.value;
        (is_file && !self.store.is_default() && !path.exists()).then_some(path)
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
        let told = problem.told() + &more;
        if as_json {
            let more = serde_json::json!({ "problems": self.problems });
            crate::error::warning("config", &told, &problem.hint, more, true);
        } else {
            let hint = "run `waynote doctor` for details";
            crate::error::complain(&format!("warning: {told}; {hint}"));
        }
    }

    /// How repositories are named.
    pub(crate) fn naming(&self) -> Naming {
        Naming {
            is_off: !self.repo_names.value,
            ..self.repos.value.clone()
        }
    }

    /// True if the shared notes of a checkout are read.
    pub(crate) fn trusts(&self, checkout: &Checkout) -> bool {
        home::environment().trusts(checkout, &self.trust.value)
    }

    /// Every place whose notes apply at a directory, and the project that it belongs to. A place of the repository that
    /// the working directory is in is the directory of this checkout. A file in sync knows paths alone.
    pub(crate) fn lineage(&self, place: &Place) -> Outcome<Lineage> {
        let of = |place: &Place| home::environment().lineage(place, &self.naming());
        let lineage = match (place.in_repository(), home::base()) {
            (Some(_), Ok(base)) => of(&of(&base.cwd())?.path_of(place))?,
            _ => of(place)?,
        };
        Ok(lineage.own_notes_on_paths(self.notes_file.value.is_some()))
    }

    /// The budget of a block, unless the call gives its own.
    pub(crate) fn budget(&self, tokens: Option<usize>) -> Budget {
        Budget::of(tokens.unwrap_or(self.budget.value)).factor(self.token_factor.value)
    }

    /// The limits, unless the call gives its own.
    pub(crate) fn limits(&self, max_bytes: Option<i64>, max_notes: Option<i64>) -> Limits {
        Limits::default()
            .max_bytes(max_bytes.unwrap_or(self.max_bytes.value))
            .max_notes(max_notes.unwrap_or(self.max_notes.value))
            .max_place_bytes(self.max_place_bytes.value)
    }

    /// The same for a directory's own note.
    pub(crate) fn place_limits(&self, max_bytes: Option<i64>) -> Limits {
        let limits = self.limits(None, None);
        limits.max_place_bytes(max_bytes.unwrap_or(limits.max_place_bytes))
    }

    /// Style and budget of a block, unless the call gives its own.
    pub(crate) fn style_and_budget(
        &self,
        style: Option<Style>,
        tokens: Option<usize>,
    ) -> Outcome<(Style, Budget)> {
        let style = style.unwrap_or(self.style.value);
        match style {
            Style::Faithful if tokens.is_some_and(|most| most > 0) => Err(faithful_shows_all()),
            Style::Faithful => Ok((style, self.budget(Some(0)))),
            _ => Ok((style, self.budget(tokens))),
        }
    }

    /// The author of an agent's writes: a caller of a tool or a process in a loop is not recorded as a person.
    pub(crate) fn agents_author(&self) -> Outcome<Name> {
        let author = &self.author;
        match author.is_default() || Author::of(&author.value) == Author::Person {
            true => Ok(Author::Agent(self.agent.value.as_str()).name()?),
            false => Ok(author.value.clone()),
        }
    }

    /// The policy for credentials in notes, unless the call allows more.
    pub(crate) fn secret_policy(&self) -> SecretPolicy {
        match self.allow_secrets.value.as_slice() {
            [] => SecretPolicy::RefuseAll,
            rules => SecretPolicy::Allow(rules.to_vec()),
        }
    }

    /// The session, for commands that cannot work without one.
    pub(crate) fn session(&self) -> Outcome<&Name> {
        self.session.value.as_ref().ok_or_else(|| {
            let hint = "use `--session NAME` or set WAYNOTE_SESSION";
            Failure::usage("no session is set", hint)
        })
    }
}

/// The error for options that style `faithful` does not have.
pub(crate) fn faithful_shows_all() -> Failure {
    let hint = "leave out `--budget`, `--explain` and `--query`, or use `--style stable`";
    Failure::usage("style faithful prints everything, without a budget", hint)
}
