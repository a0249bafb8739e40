//! Places: directories as notes know them (as in Zrb): one of this machine by its path, one of a repository by the
//! repository's name and the path inside, wherever it is checked out.
//!
//! A place is only a name: no directory is looked up here. So a note outlives its directory, and its place means the same
//! on every machine. Names are in Unicode's composed form (NFC): a path has two spellings where it has accents, and is one
//! place. Whoever knows the file system gives the [`Base`] a function that follows links.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use unicode_normalization::UnicodeNormalization;

use crate::error::{Error, Result};

/// The longest path, in bytes, as operating systems allow it.
pub(crate) const PATH_BYTES: usize = 4096;

/// The directories that paths are resolved against: the home directory (`~`), if there is one, and the directory that
/// relative paths start from. Both are absolute paths; where no checkout is known, the second is a place of a
/// repository.
#[derive(Clone, Debug)]
pub struct Base {
    home: Option<String>,
    /// The real path of home, if its path has links.
    real_home: Option<String>,
    cwd: String,
    real: Option<RealPath>,
}

/// Returns the real path of an absolute one, as far as its directories exist; none if that is the path itself.
pub type RealPath = fn(&str) -> Option<String>;

impl Base {
    /// Takes the two directories, normalized.
    ///
    /// # Errors
    /// [`Error::InvalidPlace`] when one is not an absolute path.
    pub fn new(home: &str, cwd: &str) -> Result<Self> {
        Self::of(Some(home), cwd)
    }

    /// The same for a user who may have no home directory: then every place is an absolute path, and `~` cannot be
    /// resolved.
    ///
    /// # Errors
    /// [`Error::InvalidPlace`] when one is not an absolute path, and the second no place of a repository.
    pub fn of(home: Option<&str>, cwd: &str) -> Result<Self> {
        let home = home.map(|home| absolute("home directory", home));
        let cwd = match cwd.starts_with(REPOSITORY) {
            true => cwd.parse::<Place>()?.0,
            false => absolute("working directory", cwd)?,
        };
        Ok(Self {
            home: home.transpose()?,
            real_home: None,
            cwd,
            real: None,
        })
    }

    /// Follows links: a directory that exists has the notes of its real path, and one below the real path of home is
    /// below home. The system names a working directory by its real path.
    #[must_use]
    pub fn with_links(mut self, real: RealPath) -> Self {
        let followed = |path: &str| real(path).map(|path| normalize(&path));
        self.real_home = self.home.as_deref().and_then(followed);
        self.cwd = followed(&self.cwd).unwrap_or(self.cwd);
        self.real = Some(real);
        self
    }

    /// The directory that relative paths start from.
    pub fn cwd(&self) -> Place {
        self.place_of(&self.cwd)
    }

    /// The same base, seen from another directory.
    pub(crate) fn at(&self, place: &Place) -> Self {
        let cwd = match (place.0.strip_prefix('~'), &self.home) {
            (Some(rest), Some(home)) => normalize(&format!("{home}{rest}")),
            _ => place.0.clone(),
        };
        Self {
            cwd,
            ..self.clone()
        }
    }

    /// An absolute path, with `~` for the home directory when it lies inside it.
    fn place_of(&self, absolute: &str) -> Place {
        let home = self.home.as_deref();
        let mut homes = home.into_iter().chain(self.real_home.as_deref());
        match homes.find_map(|home| inside(absolute, home)) {
            Some("") => Place("~".into()),
            Some(rest) => Place(format!("~/{rest}")),
            None => Place(absolute.to_owned()),
        }
    }
}

/// The word before the name of a repository.
const REPOSITORY: &str = "repo:";

/// A directory: `~` for home, `~/x` inside it, an absolute path outside; `repo:github.com/acme/shop//src/pay` in a
/// repository, and `repo:github.com/acme/shop` for its root.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(String);

impl Place {
    /// The home directory.
    pub fn home() -> Self {
        Self("~".into())
    }

    /// The root of a repository, by its name: `github.com/acme/shop`. Names are compared without regard to case.
    ///
    /// # Errors
    /// [`Error::InvalidPlace`] when it is no name of a repository.
    pub fn repository(name: &str) -> Result<Self> {
        format!("{REPOSITORY}{name}").parse()
    }

    /// The place of a path as a person writes it: `~`, `~/x`, absolute, or relative to the working
    /// directory; `.`, `..`, `//` and a trailing slash are resolved by name alone, then links if the base follows them.
    /// A place of a repository stays as it is.
    ///
    /// # Errors
    /// [`Error::InvalidPlace`] for a NUL, which no path can hold, for `~` where there is no home directory, and for `repo:`
    /// without a name.
    pub fn resolve(path: &str, base: &Base) -> Result<Self> {
        check(path)?;
        if path.starts_with(REPOSITORY) {
            return path.parse();
        }
        let home = || {
            base.home.as_deref().ok_or_else(|| {
                Error::invalid_place(path, "there is no home directory that `~` could stand for")
            })
        };
        let absolute = if path == "~" {
            home()?.to_owned()
        } else if let Some(rest) = path.strip_prefix("~/") {
            normalize(&format!("{}/{rest}", home()?))
        } else if path.starts_with('/') {
            normalize(path)
        } else if base.cwd.starts_with(REPOSITORY) {
            return Self(base.cwd.clone()).join(path).as_str().parse();
        } else {
            normalize(&format!("{}/{path}", base.cwd))
        };
        let real = base.real.and_then(|real| real(&absolute));
        Ok(base.place_of(&real.map_or(absolute, |path| normalize(&path))))
    }

    /// True if a path as a person writes it depends on the working directory.
    pub fn is_relative(path: &str) -> bool {
        !(path.starts_with('/')
            || path == "~"
            || path.starts_with("~/")
            || path.starts_with(REPOSITORY))
    }

    /// A key of a `notes.json` or of the store, if it is one that [`Place::resolve`] gives: normalized,
    /// and not the absolute name of a directory inside home.
    pub fn from_key(key: &str, base: &Base) -> Option<Self> {
        let place: Self = key.parse().ok()?;
        (place.within(base) == place).then_some(place)
    }

    /// The same directory, with an absolute path inside the home directory of `base` written with `~`.
    pub fn within(&self, base: &Base) -> Self {
        match self.0.starts_with('/') {
            true => base.place_of(&self.0),
            false => self.clone(),
        }
    }

    /// True if the directory can be that of one project. Home and the root cannot: their notes apply to all projects.
    pub fn is_project(&self) -> bool {
        *self != Self::home() && self.0 != "/"
    }

    /// The name of the repository that it is in, and the path inside; none for a directory of this machine.
    pub fn in_repository(&self) -> Option<(&str, &str)> {
        let named = self.0.strip_prefix(REPOSITORY)?;
        Some(named.split_once("//").unwrap_or((named, "")))
    }

    /// The path from a place down to this one: empty for the same place, none where this one is not below it.
    pub fn below(&self, above: &Self) -> Option<&str> {
        match (self.in_repository(), above.in_repository()) {
            (None, None) => inside(&self.0, &above.0),
            (Some((name, path)), Some((other, above))) if name == other => match above {
                "" => Some(path),
                above => inside(path, above),
            },
            _ => None,
        }
    }

    /// The place above it, if there is one by its name.
    pub fn parent(&self) -> Option<Self> {
        if let Some((name, path)) = self.in_repository() {
            let above = path.rsplit_once('/').map_or("", |(above, _)| above);
            let root = Self(format!("{REPOSITORY}{name}"));
            return (!path.is_empty()).then(|| root.join(above));
        }
        match self.0.rsplit_once('/')? {
            ("", "") => None,
            ("", _) => Some(Self("/".into())),
            (above, _) => Some(Self(above.to_owned())),
        }
    }

    /// The place of a path below this one, which is given by [`below`](Self::below).
    #[must_use]
    pub fn join(&self, below: &str) -> Self {
        let between = match self.in_repository() {
            Some((_, "")) => "//",
            _ if self.0 == "/" => "",
            _ => "/",
        };
        match below {
            "" => self.clone(),
            below => Self(format!("{}{between}{below}", self.0)),
        }
    }

    /// The key: the text that is stored, printed, and written to `notes.json`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Every place above this one and the place itself, outermost first: home, then each level
    /// down; outside home `~`, `/`, and each level down (as in Zrb). In a repository its root, and each level down.
    pub fn chain(&self) -> Vec<Self> {
        let above = std::iter::successors(Some(self.clone()), Self::parent);
        let is_outside = self.0.starts_with('/');
        let mut chain: Vec<Self> = above.chain(is_outside.then(Self::home)).collect();
        chain.reverse();
        chain
    }
}

/// Only keys: `~`, `~/x` or an absolute path, already normalized; or a place of a repository, whose name may be in
/// capitals.
impl FromStr for Place {
    type Err = Error;

    fn from_str(key: &str) -> Result<Self> {
        let key = &*composed(key);
        check(key)?;
        if let Some(named) = key.strip_prefix(REPOSITORY) {
            let (name, path) = named.split_once("//").unwrap_or((named, ""));
            let is_part = |part: &str| !matches!(part, "" | "." | "..");
            return match name.contains('/') && name.split('/').all(is_part) {
                true => Ok(Self(format!("{REPOSITORY}{}", name.to_lowercase()))
                    .join(&normalize(path)[1..])),
                false => Err(Error::invalid_place(
                    key,
                    "a repository is named by its host and path: `repo:github.com/acme/shop`",
                )),
            };
        }
        let reason = match key.strip_prefix('~').unwrap_or(key) {
            "" if key.is_empty() => "it is empty",
            "" => return Ok(Self::home()),
            rest if !rest.starts_with('/') => "it must start with `~` or `/`",
            "/" if key.starts_with('~') => "it is not normalized",
            rest if normalize(rest) != rest => "it is not normalized",
            _ => return Ok(Self(key.to_owned())),
        };
        Err(Error::invalid_place(key, reason))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn check(path: &str) -> Result<()> {
    if path.contains('\0') {
        return Err(Error::invalid_place(
            path.replace('\0', "\\0"),
            "it holds a NUL",
        ));
    }
    if path.len() > PATH_BYTES {
        let reason = format!("it has {} bytes, the limit is {PATH_BYTES}", path.len());
        let start: String = path.chars().take(40).collect();
        return Err(Error::invalid_place(format!("{start}…"), reason));
    }
    Ok(())
}

/// A directory of a base, normalized.
fn absolute(what: &str, path: &str) -> Result<String> {
    if path.starts_with('/') {
        return Ok(normalize(path));
    }
    Err(Error::invalid_place(
        path,
        format!("the {what} is not an absolute path"),
    ))
}

/// The one spelling of a text that has several.
fn composed(text: &str) -> Cow<'_, str> {
    match text.is_ascii() {
        true => text.into(),
        false => text.nfc().collect::<String>().into(),
    }
}

/// An absolute path in its one spelling, without `.`, `..`, doubled or trailing slashes. `..` at the root stays there.
fn normalize(path: &str) -> String {
    let path = &*composed(path);
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The part of `path` below `directory`, compared component by component; none if it is not below it.
fn inside<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(directory.trim_end_matches('/'))?;
    if rest.is_empty() {
        Some("")
    } else {
        rest.strip_prefix('/')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Base {
        Base::new("/home/u", "/home/u/p/q").unwrap()
    }

    fn resolve(path: &str) -> String {
        Place::resolve(path, &base()).unwrap().0
    }

    #[test]
    fn paths_resolve_by_name_alone() {
        assert_eq!(resolve("~"), "~");
        assert_eq!(resolve("~/"), "~");
        assert_eq!(resolve(""), "~/p/q");
        assert_eq!(resolve("../x/./y/"), "~/p/x/y");
        assert_eq!(resolve("//etc//nginx/"), "/etc/nginx");
        assert_eq!(resolve("/../.."), "/");
        assert_eq!(resolve("~/../../opt"), "/opt");
        assert_eq!(resolve("/home/u"), "~");
        assert_eq!(resolve("/home/u2/x"), "/home/u2/x");
        assert_eq!(resolve("~nobody"), "~/p/q/~nobody");
    }

    #[test]
    fn both_spellings_of_a_path_are_one_place() {
        assert_eq!(resolve("~/cafe\u{301}/x"), "~/caf\u{e9}/x");
        let parsed: Place = "~/cafe\u{301}".parse().unwrap();
        assert_eq!(parsed.as_str(), "~/caf\u{e9}");
        assert!(Place::from_key("~/cafe\u{301}", &base()).is_some());
    }

    #[test]
    fn a_place_of_a_repository_has_its_name_and_the_path_inside() {
        let parsed = |text: &str| text.parse::<Place>().unwrap();
        let src = parsed("repo:GitHub.com/Acme/Shop//Src/./Pay/");
        assert_eq!(src.as_str(), "repo:github.com/acme/shop//Src/Pay");
        assert_eq!(
            src.in_repository(),
            Some(("github.com/acme/shop", "Src/Pay"))
        );
        assert_eq!(resolve("repo:a/b//../x"), "repo:a/b//x");
        let inside = Base::new("/home/u", "repo:A/b//src").unwrap();
        let from_there = |path: &str| Place::resolve(path, &inside).unwrap().0;
        assert_eq!(from_there("./pay"), "repo:a/b//src/pay");
        assert_eq!(
            (from_there("../.."), from_there("~/x")),
            ("repo:a/b".into(), "~/x".into())
        );
        assert!(Base::of(None, "repo:a").is_err());
        let names = |places: Vec<Place>| {
            let names: Vec<String> = places.into_iter().map(|of| of.0).collect();
            names.join(" ")
        };
        assert_eq!(
            names(src.chain()),
            "repo:github.com/acme/shop repo:github.com/acme/shop//Src repo:github.com/acme/shop//Src/Pay"
        );
        let root = Place::repository("github.com/acme/shop").unwrap();
        assert_eq!(parsed("repo:github.com/acme/shop//"), root);
        assert_eq!((src.below(&root), root.parent()), (Some("Src/Pay"), None));
        assert_eq!(root.join("Src").join("Pay"), src);
        assert_eq!(src.below(&parsed("repo:github.com/acme/shop//Sr")), None);
        assert_eq!(src.below(&parsed("repo:github.com/acme")), None);
        assert_eq!(parsed("~/a").below(&root), None);
        for bad in [
            "repo:",
            "repo:shop",
            "repo:a//b",
            "repo:/a/b",
            "repo:a/../b",
            "repo:a/b/",
        ] {
            assert!(bad.parse::<Place>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_base_that_follows_links_resolves_to_real_paths() {
        let real: RealPath = |path| Some(path.replacen("/home/u/code", "/disk2", 1));
        let base = Base::new("/home/u", "/home/u/code/shop")
            .unwrap()
            .with_links(real);
        assert_eq!(base.cwd().as_str(), "/disk2/shop");
        let resolved = |path| Place::resolve(path, &base).unwrap().0;
        assert_eq!(resolved("src"), "/disk2/shop/src");
        assert_eq!(resolved("~/code/api"), "/disk2/api");
        // A stored name stays as it is.
        assert!(Place::from_key("~/code/api", &base).is_some());
    }

    #[test]
    fn a_home_behind_a_link_is_one_home() {
        let base = base().with_links(|path| (path == "/home/u").then(|| "/disk/u/".into()));
        let resolve = |path| Place::resolve(path, &base).unwrap();
        assert_eq!(resolve("/disk/u/p").0, "~/p");
        assert_eq!(resolve("/home/u/p").0, "~/p");
        assert!(!resolve("/disk/u").is_project());
        assert_eq!(resolve("/disk/u2").0, "/disk/u2");
    }

    #[test]
    fn a_home_at_the_root_holds_everything() {
        let base = Base::new("/", "/").unwrap();
        assert_eq!(Place::resolve("/etc", &base).unwrap().0, "~/etc");
        assert_eq!(base.cwd().0, "~");
    }

    #[test]
    fn without_a_home_every_place_is_absolute() {
        let base = Base::of(None, "/home/u/p").unwrap();
        assert_eq!(base.cwd().0, "/home/u/p");
        assert_eq!(Place::resolve("../q", &base).unwrap().0, "/home/u/q");
        assert_eq!(Place::resolve("/srv/", &base).unwrap().0, "/srv");
        for path in ["~", "~/p"] {
            let refused = Place::resolve(path, &base).unwrap_err().to_string();
            assert!(refused.contains("no home directory"), "{refused}");
        }
        assert_eq!(Place::home().within(&base), Place::home());
    }

    #[test]
    fn keys_are_only_what_resolving_gives() {
        let key = |key| Place::from_key(key, &base()).is_some();
        for good in ["~", "~/p", "/", "/etc/nginx", "~/~/p", "~/e\u{301}"] {
            assert!(key(good), "{good}");
        }
        for bad in [
            "",
            "~/",
            "~/p/",
            "/etc/",
            "//etc",
            "~/a/../b",
            "p",
            "~p",
            "/home/u",
            "/home/u/p",
        ] {
            assert!(!key(bad), "{bad}");
        }
    }

    #[test]
    fn chains_run_from_the_outermost_in() {
        let chain = |path| {
            let place = Place::resolve(path, &base()).unwrap();
            place
                .chain()
                .iter()
                .map(|place| place.0.clone())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(chain("~"), "~");
        assert_eq!(chain("~/a/b"), "~ ~/a ~/a/b");
        assert_eq!(chain("/"), "~ /");
        assert_eq!(chain("/etc/nginx"), "~ / /etc /etc/nginx");
    }

    #[test]
    fn places_are_compared_by_their_names() {
        let place = |key: &str| key.parse::<Place>().unwrap();
        for (above, below, path) in [
            ("~/p", "~/p", Some("")),
            ("~/p", "~/p/a/b", Some("a/b")),
            ("~", "~/p", Some("p")),
            ("/", "/etc", Some("etc")),
            ("~/p", "~/pq", None),
            ("~/p/a", "~/p", None),
            ("/", "~/p", None),
        ] {
            assert_eq!(place(below).below(&place(above)), path, "{above} {below}");
            if let Some(path) = path {
                assert_eq!(place(above).join(path), place(below));
            }
        }
        let parent = |key: &str| place(key).parent().map(|place| place.0);
        assert_eq!(parent("~/p/a").as_deref(), Some("~/p"));
        assert_eq!(parent("~/p").as_deref(), Some("~"));
        assert_eq!(parent("/etc").as_deref(), Some("/"));
        assert_eq!((parent("~"), parent("/")), (None, None));
    }

    #[test]
    fn home_and_the_root_are_no_project() {
        let is_project = |path| Place::resolve(path, &base()).unwrap().is_project();
        for (path, expected) in [
            ("~", false),
            ("/home/u", false),
            ("/home/u/", false),
            ("/", false),
            ("/..", false),
            ("/home", true),
            ("~/p", true),
            (".", true),
        ] {
            assert_eq!(is_project(path), expected, "{path}");
        }
    }

    #[test]
    fn a_path_is_relative_unless_it_begins_at_home_or_the_root() {
        for (path, expected) in [
            ("~", false),
            ("~/p", false),
            ("/p", false),
            ("p", true),
            (".", true),
            ("", true),
            ("~u/p", true),
        ] {
            assert_eq!(Place::is_relative(path), expected, "{path}");
        }
    }
}
