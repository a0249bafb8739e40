//! The environment of a program, as a value: its variables, its folders, its working directory, its own file.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use waynote::{Base, Place};

use crate::{program, variables};

/// Errors in reading the environment.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// A variable cannot be read.
    #[error("{name} is not UTF-8")]
    NotText {
        /// The variable.
        name: String,
    },
    /// `HOME` is something else than an absolute path.
    #[error("HOME is not an absolute path: `{home}`")]
    RelativeHome {
        /// The value of `HOME`.
        home: String,
    },
    /// There is no home directory.
    #[error(
        "there is no home directory: HOME is not set, and the password database has none for this user"
    )]
    NoHome,
    /// The working directory or the program's own file cannot be found, or a path is no place.
    #[error(transparent)]
    Library(#[from] waynote::Error),
}

pub(crate) type Result<T> = std::result::Result<T, EnvironmentError>;

/// The environment of a program.
#[derive(Debug)]
pub struct Environment {
    variables: HashMap<OsString, OsString>,
    /// From the password database.
    home_of_user: Option<String>,
    working_directory: io::Result<PathBuf>,
    own_program: io::Result<PathBuf>,
}

impl Environment {
    /// An environment of these variables. A variable without a value counts as not set.
    pub fn new(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self {
            variables: variables.into_iter().collect(),
            home_of_user: None,
            working_directory: Err(io::ErrorKind::NotFound.into()),
            own_program: Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// With the home directory that the password database has for this user: used where `HOME` is not set.
    #[must_use]
    pub fn with_home_of_user(mut self, home: Option<String>) -> Self {
        self.home_of_user = home;
        self
    }

    /// With the working directory.
    #[must_use]
    pub fn with_working_directory(mut self, directory: io::Result<PathBuf>) -> Self {
        self.working_directory = directory;
        self
    }

    /// With the file of the program that runs.
    #[must_use]
    pub fn with_own_program(mut self, program: io::Result<PathBuf>) -> Self {
        self.own_program = program;
        self
    }

    /// A variable that is set to something.
    ///
    /// # Errors
    /// [`EnvironmentError::NotText`].
    pub fn variable(&self, name: &str) -> Result<Option<String>> {
        let value = self.variables.get(OsStr::new(name));
        let value = value.filter(|value| !value.is_empty()).cloned();
        let text = value.map(OsString::into_string).transpose();
        text.map_err(|_| EnvironmentError::NotText { name: name.into() })
    }

    /// The home directory: what `HOME` says, else what the password database says of this user.
    ///
    /// # Errors
    /// [`EnvironmentError::NotText`], [`EnvironmentError::RelativeHome`], [`EnvironmentError::NoHome`].
    pub fn home(&self) -> Result<String> {
        match self.variable("HOME")? {
            Some(home) if home.starts_with('/') => Ok(home),
            Some(home) => Err(EnvironmentError::RelativeHome { home }),
            None => self.home_of_user.clone().ok_or(EnvironmentError::NoHome),
        }
    }

    /// The home directory, where there is one that can be used.
    ///
    /// # Errors
    /// [`EnvironmentError::NotText`].
    pub fn home_if_any(&self) -> Result<Option<String>> {
        match self.home() {
            Ok(home) => Ok(Some(home)),
            Err(EnvironmentError::RelativeHome { .. } | EnvironmentError::NoHome) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The working directory.
    ///
    /// # Errors
    /// [`EnvironmentError::Library`] with [`waynote::Error::File`] where it is gone.
    pub fn working_directory(&self) -> Result<&Path> {
        found(&self.working_directory, "the working directory", "read")
    }

    /// The file of the program that runs.
    ///
    /// # Errors
    /// [`EnvironmentError::Library`] with [`waynote::Error::File`].
    pub fn own_program(&self) -> Result<&Path> {
        found(&self.own_program, "the program's own file", "found")
    }

    /// A program's file on the path: [`program::on_path`].
    pub fn on_path(&self, name: &str) -> Option<PathBuf> {
        program::on_path(self.path(), name)
    }

    /// The value of `PATH`.
    pub fn path(&self) -> Option<&OsStr> {
        Some(self.variables.get(OsStr::new("PATH"))?)
    }

    /// The base of absolute paths. Without a home directory every place is an absolute path.
    ///
    /// # Errors
    /// [`EnvironmentError::NotText`], [`EnvironmentError::Library`].
    pub fn base(&self) -> Result<Base> {
        self.base_at("/")
    }

    /// The base of relative paths too, seen from a directory.
    ///
    /// # Errors
    /// [`EnvironmentError::NotText`], [`EnvironmentError::Library`].
    pub fn base_at(&self, directory: &str) -> Result<Base> {
        let base = Base::of(self.home_if_any()?.as_deref(), directory)?;
        Ok(base.with_links(waynote_files::real))
    }

    /// The place in the main checkout that belongs to a place in a linked git worktree.
    ///
    /// # Errors
    /// [`EnvironmentError::NotText`], [`EnvironmentError::Library`].
    pub fn main_checkout(&self, place: &Place) -> Result<Option<Place>> {
        if place.as_str().starts_with('~') && self.home_if_any()?.is_none() {
            return Ok(None);
        }
        let there = waynote_files::worktree::main_checkout(&self.expanded(place.as_str())?);
        let Some(there) = there.as_deref().and_then(Path::to_str) else {
            return Ok(None);
        };
        Ok(Some(Place::resolve(there, &self.base()?)?))
    }

    /// A path with `~` for home.
    ///
    /// # Errors
    /// As [`home`](Self::home), where the path needs it.
    pub fn expanded(&self, path: &str) -> Result<PathBuf> {
        let path = match path.strip_prefix('~') {
            Some("") => self.home()?.into(),
            Some(rest) if rest.starts_with('/') => PathBuf::from(self.home()? + rest),
            _ => path.into(),
        };
        Ok(waynote_files::spelled(path))
    }

    /// The folder for data: `$XDG_DATA_HOME`, else the platform's.
    ///
    /// # Errors
    /// As [`home`](Self::home), where the variable is not set.
    pub fn data(&self) -> Result<PathBuf> {
        let platform = if cfg!(target_os = "macos") {
            "Library/Application Support"
        } else {
            ".local/share"
        };
        self.folder(variables::DATA_FOLDER, platform)
    }

    /// The folder for configuration: `$XDG_CONFIG_HOME`, else the platform's. None without a home directory.
    ///
    /// # Errors
    /// [`EnvironmentError::NotText`].
    pub fn configuration(&self) -> Result<Option<PathBuf>> {
        let platform = if cfg!(target_os = "macos") {
            "Library/Application Support"
        } else {
            ".config"
        };
        self.folder_if_any(variables::CONFIG_FOLDER, platform)
    }

    /// The folder for configuration of programs that use the same on every platform: `$XDG_CONFIG_HOME`, else `~/.config`.
    ///
    /// # Errors
    /// As [`home`](Self::home), where the variable is not set.
    pub fn dot_config(&self) -> Result<PathBuf> {
        self.folder(variables::CONFIG_FOLDER, ".config")
    }

    /// The folder for what programs remember: `$XDG_STATE_HOME`, else `~/.local/state`. None without a home directory.
    ///
    /// # Errors
    /// [`EnvironmentError::NotText`].
    pub fn state(&self) -> Result<Option<PathBuf>> {
        self.folder_if_any(variables::STATE_FOLDER, ".local/state")
    }

    pub(crate) fn folder(&self, name: &str, platform: &str) -> Result<PathBuf> {
        let folder = self.folder_if_any(name, platform)?;
        // Where there is none, asking for the home directory says why.
        folder.map_or_else(|| Ok(self.home()?.into()), Ok)
    }

    fn folder_if_any(&self, name: &str, platform: &str) -> Result<Option<PathBuf>> {
        // The XDG standard has relative values ignored.
        let named = self.variable(name)?;
        Ok(match named.filter(|folder| folder.starts_with('/')) {
            Some(folder) => Some(folder.into()),
            None => (self.home_if_any()?).map(|home| Path::new(&home).join(platform)),
        })
    }
}

fn found<'p>(path: &'p io::Result<PathBuf>, name: &str, action: &'static str) -> Result<&'p Path> {
    path.as_deref().map_err(|error| {
        let source = match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => error.kind().into(),
        };
        EnvironmentError::Library(waynote::Error::file(name, action, source))
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let owned = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
        Environment::new(variables.iter().map(owned))
    }

    #[test]
    fn an_empty_variable_is_not_set() {
        let environment = environment(&[("A", ""), ("B", "b")]);
        assert_eq!(environment.variable("A").unwrap(), None);
        assert_eq!(environment.variable("B").unwrap().as_deref(), Some("b"));
        assert_eq!(environment.variable("C").unwrap(), None);
        let name = OsString::from("A");
        let environment = Environment::new([(name, OsString::from_vec(vec![0xff]))]);
        let error = environment.variable("A").unwrap_err();
        assert_eq!(error.to_string(), "A is not UTF-8");
    }

    #[test]
    fn home_is_what_the_variable_says_else_the_password_database() {
        let set = environment(&[("HOME", "/home/a")]).with_home_of_user(Some("/home/b".into()));
        assert_eq!(set.home().unwrap(), "/home/a");
        let unset = environment(&[]).with_home_of_user(Some("/home/b".into()));
        assert_eq!(unset.home().unwrap(), "/home/b");
        let relative = environment(&[("HOME", "a")]).with_home_of_user(Some("/home/b".into()));
        assert!(matches!(
            relative.home(),
            Err(EnvironmentError::RelativeHome { .. })
        ));
        assert_eq!(relative.home_if_any().unwrap(), None);
        assert!(matches!(
            environment(&[]).home(),
            Err(EnvironmentError::NoHome)
        ));
    }

    #[test]
    fn folders_are_those_of_the_variables_else_below_home() {
        let own = environment(&[("HOME", "/h"), ("XDG_STATE_HOME", "/s")]);
        assert_eq!(own.state().unwrap(), Some("/s".into()));
        assert_eq!(own.dot_config().unwrap(), Path::new("/h/.config"));
        let relative = environment(&[("HOME", "/h"), ("XDG_STATE_HOME", "s")]);
        assert_eq!(relative.state().unwrap(), Some("/h/.local/state".into()));
        let homeless = environment(&[]);
        assert_eq!(homeless.state().unwrap(), None);
        assert!(homeless.data().is_err());
    }
}
