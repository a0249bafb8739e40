//! Lineages: which places' notes apply at a directory, and the short names of those in its repository.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::address::{Address, encode};
use crate::error::{Error, Result};
use crate::place::Place;
use crate::scope::Scope;

/// Every place whose notes apply at a directory. Whoever knows the file system makes it; nothing here asks a disk.
///
/// The notes are read from home inwards: `~`, the directories above the checkout, then from its root down; in each
/// directory those of its path come first, then those of its names in the repository, the one that counts last. The
/// nearest come last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Lineage {
    /// The directory: its path, or a place of a repository where no checkout is known.
    place: Place,
    /// Every place whose notes apply, outermost first.
    places: Vec<Place>,
    /// The project that the directory belongs to, by the name that new notes get; none in home and other places that are
    /// no project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<Place>,
    /// The project's directory here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<Place>,
    /// The checkouts that the directory is in, the innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    checkouts: Vec<Checkout>,
    /// True if the reader works in another repository, where a short address would mean another note.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_elsewhere: bool,
    /// The git folder of the innermost checkout.
    #[serde(skip)]
    git: Option<GitFolder>,
    /// Why it is not known how the repository is called.
    #[serde(skip)]
    unknown: Option<String>,
    /// True if a directory's own note stands on its path.
    #[serde(skip)]
    pub(crate) has_own_on_paths: bool,
}

/// By its name alone: every place above it, and the place itself. In a repository, that is the project.
impl From<Place> for Lineage {
    fn from(place: Place) -> Self {
        let lineage = Self::new(place.clone(), place.chain());
        let root = place.in_repository().and(lineage.places.first());
        Self {
            project: root.cloned(),
            ..lineage
        }
    }
}

/// A checkout of a repository on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Checkout {
    /// The directory.
    pub root: Place,
    /// The root of the repository, by its name; where it has none, by the path of the main checkout.
    pub name: Place,
    /// The root by other names, whose notes are read too and which no new note gets: those that are made one with its
    /// name, and in a linked worktree the path of the main checkout.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Place>,
}

/// The git folder that all worktrees of a repository share, and what it says beside the name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GitFolder {
    /// The folder; links followed.
    pub path: PathBuf,
    /// The names of the remotes, if there are several and none is `origin`: none of them counts.
    pub several: Vec<Place>,
    /// The repository that `gh` works with.
    pub base: Option<Place>,
}

impl GitFolder {
    /// A folder that says nothing more.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            several: Vec::new(),
            base: None,
        }
    }
}

impl Checkout {
    /// The names of a path inside, the one that counts first.
    fn names(&self, path: &Place) -> impl Iterator<Item = Place> {
        let inside = path.below(&self.root).map(str::to_owned);
        let names = std::iter::once(&self.name).chain(&self.also);
        names.filter_map(move |name| Some(name.join(inside.as_deref()?)))
    }

    /// The path here of a place that has one of its names.
    fn path_of(&self, place: &Place) -> Option<Place> {
        let mut names = std::iter::once(&self.name).chain(&self.also);
        Some(self.root.join(names.find_map(|name| place.below(name))?))
    }
}

impl Lineage {
    /// A directory, with the places that apply at it, outermost first. A place that is named twice counts where it is
    /// first.
    pub fn new(place: Place, places: impl IntoIterator<Item = Place>) -> Self {
        let mut each: Vec<Place> = Vec::new();
        for place in places {
            if !each.contains(&place) {
                each.push(place);
            }
        }
        Self {
            place,
            places: each,
            project: None,
            root: None,
            checkouts: Vec::new(),
            is_elsewhere: false,
            git: None,
            unknown: None,
            has_own_on_paths: false,
        }
    }

    /// The same in a project, by the name that new notes get, with its directory here.
    #[must_use]
    pub fn in_project(self, project: Place, root: Place) -> Self {
        Self {
            project: Some(project),
            root: Some(root),
            ..self
        }
    }

    setters! {
        named {
            /// The same in checkouts, the innermost first.
            #[must_use]
            in_checkouts(checkouts: Vec<Checkout>);
            /// The same with the git folder of the innermost checkout.
            #[must_use]
            in_git_folder(git: Option<GitFolder>);
            /// The same in a repository of which it is not known how it is called: its notes by path apply, and a new
            /// note needs an address.
            #[must_use]
            of_unknown(unknown: Option<String>);
            /// The same; if it is so, a directory's own note stands on its path, as for a file in sync that knows paths
            /// alone.
            #[must_use]
            own_notes_on_paths(has_own_on_paths: bool);
        }
    }

    /// The same for a reader at the place of another lineage.
    #[must_use]
    pub fn read_from(self, here: &Self) -> Self {
        let is_elsewhere = self.repository() != here.repository();
        Self {
            is_elsewhere,
            ..self
        }
    }

    /// The git folder of the innermost checkout, if that was read.
    pub fn git_folder(&self) -> Option<&GitFolder> {
        self.git.as_ref()
    }

    /// Why it is not known how the repository is called.
    pub fn unknown(&self) -> Option<&str> {
        self.unknown.as_deref()
    }

    /// The directory.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Every place whose notes apply, outermost first.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The scopes of [`places`](Self::places).
    pub fn scopes(&self) -> Vec<Scope> {
        self.places.iter().cloned().map(Scope::Place).collect()
    }

    /// The project, by the name that new notes get.
    pub fn project(&self) -> Option<&Place> {
        self.project.as_ref()
    }

    /// The places within the project, nearest first: where a note that names no scope is looked for.
    pub fn in_the_project(&self) -> impl Iterator<Item = &Place> {
        let mut tops: Vec<Place> = self.project.iter().chain(&self.root).cloned().collect();
        if let (Some(root), Some(checkout)) = (&self.root, self.checkouts.first()) {
            tops.extend(checkout.names(root));
        }
        let is_inside = move |place: &&Place| tops.iter().any(|top| place.below(top).is_some());
        self.places.iter().rev().filter(is_inside)
    }

    /// The name that new notes on a place get: in a checkout that of the repository.
    #[must_use]
    pub fn named(&self, place: Place) -> Place {
        let name = |of: &Checkout| Some(of.name.join(place.below(&of.root)?));
        self.checkouts.iter().find_map(name).unwrap_or(place)
    }

    /// Every name of a path in the checkouts that it is in, the innermost first.
    pub fn names(&self, path: &Place) -> Vec<Place> {
        let checkouts = self.checkouts.iter();
        checkouts.flat_map(|of| of.names(path)).collect()
    }

    /// The path here of a place of a repository; other places are as they are.
    #[must_use]
    pub fn path_of(&self, place: &Place) -> Place {
        let mut here = self.checkouts.iter();
        let named = place.in_repository();
        let path = named.and_then(|_| here.find_map(|of| of.path_of(place)));
        path.unwrap_or_else(|| place.clone())
    }

    /// The directory of the checkout that the directory is in, or of the project.
    pub fn root(&self) -> Option<&Place> {
        self.called().map(|(_, root)| root)
    }

    /// The name of the innermost checkout's root, or of the project outside of one; and its directory here.
    pub fn called(&self) -> Option<(&Place, &Place)> {
        let checkout = self.checkouts.first().map(|of| (&of.name, &of.root));
        checkout.or(self.project.as_ref().zip(self.root.as_ref()))
    }

    /// The checkouts that the directory is in, the innermost first.
    pub fn checkouts(&self) -> &[Checkout] {
        &self.checkouts
    }

    /// The repository that the project is of, by the name of its root; none where the project has no name.
    pub fn repository(&self) -> Option<&Place> {
        let (name, _) = self.project.as_ref()?.in_repository()?;
        let is_root = |place: &&Place| place.in_repository() == Some((name, ""));
        self.places.iter().find(is_root)
    }

    /// The address as it is written here: a note of this repository without the repository's name, `repo:/src/pay#key`.
    pub fn short(&self, address: &Address) -> String {
        let here = self.repository().filter(|_| !self.is_elsewhere);
        let place = address.place().zip(here);
        let below = place.and_then(|(place, root)| place.below(root));
        match (below, address.key()) {
            (None, _) => address.to_string(),
            (Some(below), None) => format!("{HERE}{}", encode(below)),
            (Some(below), Some(key)) => format!("{HERE}{}#{key}", encode(below)),
        }
    }

    /// The address that a text means here: that of [`short`](Self::short) with the repository's name, with its key and
    /// its revision, if it has them; any other text as it is.
    ///
    /// # Errors
    /// [`Error::InvalidAddress`] for a short one where the project has no name, and for one that has a single `/`
    /// behind that name; [`Error::UnknownRepository`] where that name is not known.
    pub fn whole<'t>(&self, text: &'t str) -> Result<Cow<'t, str>> {
        let Some(inside) = text.strip_prefix(HERE) else {
            return match self.with_one_slash(text) {
                None => Ok(text.into()),
                Some(meant) => Err(Error::invalid_address(
                    text,
                    format!("did you mean `{meant}`?"),
                )),
            };
        };
        let root = self.repository().ok_or_else(|| match &self.unknown {
            Some(reason) => Error::UnknownRepository {
                reason: reason.clone(),
            },
            None => Error::invalid_address(
                text,
                "it names no repository, and this directory is in none that has a name",
            ),
        })?;
        let between = match inside.chars().next() {
            None | Some('#' | '@') => "",
            Some(_) => "//",
        };
        Ok(format!("{}{between}{inside}", encode(root.as_str())).into())
    }
}

impl Lineage {
    /// The address that is meant by one with a single `/` behind the name of this repository.
    fn with_one_slash(&self, text: &str) -> Option<String> {
        let root = encode(self.repository()?.as_str());
        let (name, inside) = text.split_at_checked(root.len())?;
        let inside = inside.strip_prefix('/')?;
        let is_path = !inside.is_empty() && !inside.starts_with('/');
        (is_path && name.eq_ignore_ascii_case(&root)).then(|| format!("{root}//{inside}"))
    }
}

/// How the address of a note of this repository begins.
const HERE: &str = "repo:/";

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Place {
        text.parse().unwrap()
    }

    fn names<'p>(places: impl IntoIterator<Item = &'p Place>) -> String {
        let names: Vec<&str> = places.into_iter().map(Place::as_str).collect();
        names.join(" ")
    }

    #[test]
    fn a_lineage_has_each_place_once_and_knows_those_of_its_project() {
        let each = "~ ~/code ~ ~/code/shop repo:a/shop ~/code/shop/src repo:a/shop//src";
        let lineage = Lineage::new(place("~/code/shop/src"), each.split(' ').map(place))
            .in_project(place("repo:a/shop"), place("~/code/shop"))
            .in_checkouts(vec![Checkout {
                root: place("~/code/shop"),
                name: place("repo:a/shop"),
                also: Vec::new(),
            }]);
        assert_eq!(
            names(lineage.places()),
            "~ ~/code ~/code/shop repo:a/shop ~/code/shop/src repo:a/shop//src"
        );
        assert_eq!(
            names(lineage.in_the_project()),
            "repo:a/shop//src ~/code/shop/src repo:a/shop ~/code/shop"
        );
        let named = |text| lineage.named(place(text)).to_string();
        assert_eq!(named("~/code/shop/src/pay"), "repo:a/shop//src/pay");
        assert_eq!(named("~/code/shop"), "repo:a/shop");
        assert_eq!(named("~/code/api"), "~/code/api");
        let path = |text| lineage.path_of(&place(text)).to_string();
        assert_eq!(path("repo:a/shop//src/pay"), "~/code/shop/src/pay");
        assert_eq!(path("repo:a/other"), "repo:a/other");
        assert_eq!(lineage.repository(), Some(&place("repo:a/shop")));
        // A worktree of a repository without a name has that of the main checkout.
        let lineage = Lineage::new(place("~/fix"), [place("~/fix")]).in_checkouts(vec![Checkout {
            root: place("~/fix"),
            name: place("~/main"),
            also: Vec::new(),
        }]);
        assert_eq!(lineage.named(place("~/fix/src")), place("~/main/src"));
        assert_eq!(lineage.path_of(&place("~/main/src")), place("~/main/src"));
        assert_eq!(lineage.repository(), None);
    }

    #[test]
    fn other_names_of_a_repository_are_of_the_project() {
        let each = "~ ~/main ~/main/src ~/fix repo:b/old repo:a/shop ~/fix/src repo:b/old//src repo:a/shop//src";
        let lineage = Lineage::new(place("~/fix/src"), each.split(' ').map(place))
            .in_project(place("repo:a/shop"), place("~/fix"))
            .in_checkouts(vec![Checkout {
                root: place("~/fix"),
                name: place("repo:a/shop"),
                also: vec![place("repo:b/old"), place("~/main")],
            }]);
        assert_eq!(
            names(lineage.in_the_project()),
            "repo:a/shop//src repo:b/old//src ~/fix/src repo:a/shop repo:b/old ~/fix ~/main/src ~/main"
        );
        let path = |text| lineage.path_of(&place(text)).to_string();
        assert_eq!(path("repo:b/old//x"), "~/fix/x");
        let each = lineage.names(&place("~/fix/x"));
        assert_eq!(names(&each), "repo:a/shop//x repo:b/old//x ~/main/x");
        // A new note gets the name that counts.
        assert_eq!(lineage.named(place("~/fix/x")), place("repo:a/shop//x"));
    }

    #[test]
    fn a_place_alone_has_the_places_above_it() {
        let lineage = Lineage::from(place("~/p/q"));
        assert_eq!(names(lineage.places()), "~ ~/p ~/p/q");
        assert_eq!(
            (lineage.project(), names(lineage.in_the_project())),
            (None, String::new())
        );
        let lineage = Lineage::from(place("repo:a/b//src"));
        assert_eq!(names(lineage.places()), "repo:a/b repo:a/b//src");
        assert_eq!(lineage.project(), Some(&place("repo:a/b")));
    }

    #[test]
    fn a_note_of_this_repository_has_a_short_name_and_the_way_back() {
        let each = "~ ~/shop repo:a/shop ~/shop/lib repo:b/lib";
        let shop = Lineage::new(place("~/shop/lib"), each.split(' ').map(place))
            .in_project(place("repo:a/shop"), place("~/shop"));
        for (whole, short) in [
            ("repo:a/shop", "repo:/"),
            ("repo:a/shop#key", "repo:/#key"),
            ("repo:a/shop//src/pay", "repo:/src/pay"),
            ("repo:a/shop//src/a%23b%40c#key", "repo:/src/a%23b%40c#key"),
        ] {
            assert_eq!(shop.short(&whole.parse().unwrap()), short);
            assert_eq!(shop.whole(short).unwrap(), whole);
            let (revision, short) = (format!("{whole}@3"), format!("{short}@3"));
            assert_eq!(shop.whole(&short).unwrap(), revision);
            revision.parse::<crate::AddressAt>().unwrap();
        }
        // A note of another repository, also of an outer or an inner one, keeps its name.
        for other in [
            "repo:b/lib#key",
            "repo:a/shops",
            "place:~/shop#key",
            "agent:a#key",
        ] {
            assert_eq!(shop.short(&other.parse().unwrap()), other);
            assert_eq!(shop.whole(other).unwrap(), other);
        }
        assert_eq!(shop.whole("repo://src").unwrap(), "repo:a/shop///src");
        let one_slash = shop.whole("repo:A/shop/src#key").unwrap_err();
        insta::assert_snapshot!(one_slash, @"`repo:A/shop/src#key` is not an address: did you mean `repo:a/shop//src#key`?");
    }

    #[test]
    fn without_a_name_there_is_no_short_one() {
        let outside = Lineage::from(place("~/p"));
        let refused = |lineage: &Lineage| lineage.whole("repo:/src").unwrap_err().to_string();
        insta::assert_snapshot!(refused(&outside), @"`repo:/src` is not an address: it names no repository, and this directory is in none that has a name");
        let unknown = outside.of_unknown("x cannot be read".to_owned());
        insta::assert_snapshot!(refused(&unknown), @"it is not known how this repository is called: x cannot be read");
        // A project by its path in a checkout of a named repository.
        let inner = Lineage::new(place("~/shop/x"), [place("repo:a/shop"), place("~/shop/x")])
            .in_project(place("~/shop/x"), place("~/shop/x"));
        let address = "repo:a/shop#key";
        assert_eq!(inner.short(&address.parse().unwrap()), address);
        // A project below the root of a repository; and a place by its name alone.
        for named in [
            Lineage::from(place("repo:a/mono//web"))
                .in_project(place("repo:a/mono//web"), place("~/m")),
            Lineage::from(place("repo:a/mono//web")),
        ] {
            assert_eq!(
                named.short(&"repo:a/mono//web#k".parse().unwrap()),
                "repo:/web#k"
            );
        }
    }
}
