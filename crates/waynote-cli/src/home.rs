//! The environment's folders: home, data, configuration.

use std::path::PathBuf;

use waynote::{Base, Place};

use crate::error::{Failure, Outcome};
use crate::variables;

/// An environment variable that is set to something.
pub(crate) fn variable(name: &str) -> Outcome<Option<String>> {
    match std::env::var_os(name) {
        None => Ok(None),
        Some(value) if value.is_empty() => Ok(None),
        Some(value) => value.into_string().map(Some).map_err(|_| {
            Failure::usage(
                format!("{name} is not UTF-8"),
                "set it to plain text, or unset it",
            )
        }),
    }
}

/// Why there is no home directory.
enum NoHome {
    /// HOME is something else than an absolute path.
    Relative(String),
    /// HOME is not set, and the password database has none.
    Unknown,
}

impl From<NoHome> for Failure {
    fn from(why: NoHome) -> Self {
        let what = match why {
            NoHome::Relative(home) => format!("HOME is not an absolute path: `{home}`"),
            NoHome::Unknown => {
                "there is no home directory: HOME is not set, and the password database has none for this user".into()
            }
        };
        Self::refused("no_home", what, "set HOME to your home directory")
    }
}

/// The home directory: what HOME says, else what the password database says of this user.
fn find() -> Outcome<Result<String, NoHome>> {
    Ok(match variable("HOME")? {
        Some(home) if home.starts_with('/') => Ok(home),
        Some(home) => Err(NoHome::Relative(home)),
        None => home_of_the_user().ok_or(NoHome::Unknown),
    })
}

/// The home directory. What can do without one asks [`if_any`].
pub(crate) fn home() -> Outcome<String> {
    Ok(find()??)
}

/// The home directory, where there is one that can be used.
pub(crate) fn if_any() -> Outcome<Option<String>> {
    Ok(find()?.ok())
}

/// What the password database says. Looked up once: where it is on a network, a lookup takes time.
fn home_of_the_user() -> Option<String> {
    use std::sync::OnceLock;
    static HOME: OnceLock<Option<String>> = OnceLock::new();
    HOME.get_or_init(|| {
        let user = nix::unistd::User::from_uid(nix::unistd::getuid()).ok()??;
        let home = user.dir.into_os_string().into_string().ok()?;
        home.starts_with('/').then_some(home)
    })
    .clone()
}

/// Where paths are resolved: home, if there is one, and the working directory.
pub(crate) fn base() -> Outcome<Base> {
    let cwd = std::env::current_dir()
        .map_err(|error| Failure::file("the working directory", "read", error))?;
    let cwd = cwd.to_str().ok_or_else(|| waynote::Error::InvalidPlace {
        path: cwd.to_string_lossy().into_owned(),
        reason: "it is not UTF-8".into(),
    })?;
    base_at(cwd)
}

/// The same for what is not relative, where the working directory may even be gone.
pub(crate) fn base_of_home() -> Outcome<Base> {
    base_at("/")
}

/// Places outside home need none: without one every place is an absolute path.
fn base_at(cwd: &str) -> Outcome<Base> {
    Ok(match if_any()? {
        Some(home) => Base::new(&home, cwd)?,
        None => Base::without_home(cwd)?,
    })
}

/// The same place in the main checkout, where a place lies in a linked git worktree.
pub(crate) fn main_checkout(place: &Place) -> Outcome<Option<Place>> {
    if place.as_str().starts_with('~') && if_any()?.is_none() {
        return Ok(None);
    }
    let there = waynote::worktree::main_checkout(&expanded(place.as_str())?);
    let Some(there) = there.as_deref().and_then(|path| path.to_str()) else {
        return Ok(None);
    };
    Ok(Some(Place::resolve(there, &base_of_home()?)?))
}

/// A path with `~` for home.
pub(crate) fn expanded(path: &str) -> Outcome<PathBuf> {
    Ok(match path.strip_prefix('~') {
        Some("") => home()?.into(),
        Some(rest) if rest.starts_with('/') => PathBuf::from(home()? + rest),
        _ => path.into(),
    })
}

/// The folder for data: `$XDG_DATA_HOME`, else the platform's.
pub(crate) fn data() -> Outcome<PathBuf> {
    let platform = if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else {
        ".local/share"
    };
    folder(variables::DATA_FOLDER, platform)
}

/// The folder for configuration: `$XDG_CONFIG_HOME`, else the platform's. None without a home directory.
pub(crate) fn configuration() -> Outcome<Option<PathBuf>> {
    let platform = if cfg!(target_os = "macos") {
        "Library/Application Support"
    } else {
        ".config"
    };
    folder_if_any(variables::CONFIG_FOLDER, platform)
}

/// The folder for configuration of programs that use the same on every platform: `$XDG_CONFIG_HOME`, else `~/.config`.
pub(crate) fn dot_config() -> Outcome<PathBuf> {
    folder(variables::CONFIG_FOLDER, ".config")
}

/// The folder for what programs remember: `$XDG_STATE_HOME`, else `~/.local/state`. None without a home directory.
pub(crate) fn state() -> Outcome<Option<PathBuf>> {
    folder_if_any(variables::STATE_FOLDER, ".local/state")
}

/// The file of what git ignores in all of a person's repositories, where git looks for it by itself. None where there is
/// no home directory.
pub(crate) fn git_ignore() -> Option<PathBuf> {
    Some(dot_config().ok()?.join("git/ignore"))
}

fn folder(name: &str, platform: &str) -> Outcome<PathBuf> {
    match named(name)? {
        Some(folder) => Ok(folder),
        None => Ok(PathBuf::from(home()?).join(platform)),
    }
}

fn folder_if_any(name: &str, platform: &str) -> Outcome<Option<PathBuf>> {
    match named(name)? {
        Some(folder) => Ok(Some(folder)),
        None => Ok(if_any()?.map(|home| PathBuf::from(home).join(platform))),
    }
}

/// The folder that a variable names. The XDG standard has relative values ignored.
fn named(variable_name: &str) -> Outcome<Option<PathBuf>> {
    let folder = variable(variable_name)?;
    Ok(folder
        .filter(|folder| folder.starts_with('/'))
        .map(PathBuf::from))
}
