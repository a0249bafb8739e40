//! Where the notes of a directory stand, if that is not where new ones go: under an earlier name of the repository, on
//! a path that is gone, on paths inside a repository that has a name. Each is one line with at most one command;
//! nothing moves by itself.

use crate::error::Result;
use crate::model::lineage::Lineage;
use crate::place::Place;
use crate::scope::{Scope, ScopeKind};
use crate::store::{Filter, Store};
use crate::text::{plural, shell_word};
use crate::visible::visible;

/// A checkout as a machine knows it, beside its lineage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// True if this is the first session that is told of it.
    pub is_first: bool,
    /// True if no session was told of it since it has its present name and path.
    pub is_new: bool,
    /// Other names and paths that it had, each with why its notes are not to be moved, if they are not.
    pub former: Vec<(Place, Option<String>)>,
    /// The names of its remotes, if there are several and none is `origin`.
    pub several: Vec<Place>,
}

/// A line for a person or a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The fact.
    pub what: String,
    /// The command, and what it does; or why it is so.
    pub next: Option<String>,
}

impl Hint {
    /// Both in one line.
    pub fn line(&self) -> String {
        let next = self.next.as_ref().map(|next| format!("; {next}"));
        self.what.clone() + &next.unwrap_or_default()
    }
}

/// True if a name is one that a session may be told: a repository's own files could have put any other text there.
pub fn may_be_told(name: &Place) -> bool {
    let is_plain =
        |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || "._~:/-".contains(char);
    name.in_repository().is_none() || name.as_str().chars().all(is_plain)
}

/// A place as it is typed in a shell, which expands `~` to what it stands for here.
pub fn in_shell(place: &Place) -> String {
    let path = match place.as_str().strip_prefix("~/") {
        Some(below) => format!("~/{}", shell_word(below)),
        None if place.as_str() == "~" => "~".into(),
        None => shell_word(place.as_str()),
    };
    visible(&path)
}

/// `2 notes stand`, `1 note stands`.
fn counted(count: u64, verb: &str) -> String {
    let ending = if count == 1 { "s" } else { "" };
    format!("{} {verb}{ending}", plural(count, "note"))
}

fn moving(from: &Place, to: &Place, does: &str) -> String {
    let (from, to) = (in_shell(from), in_shell(to));
    format!("`waynote place mv {from} {to}` {does}")
}

/// The places with notes that are a place or below it, and how many notes they have.
fn below(store: &dyn Store, places: &[Place], top: &Place) -> Result<usize> {
    let inside = places.iter().filter(|place| place.below(top).is_some());
    let scopes: Vec<Scope> = inside.cloned().map(Scope::Place).collect();
    Ok(store.select(&Filter::Scopes(scopes))?.len())
}

fn places(store: &dyn Store) -> Result<Vec<Place>> {
    let scopes = store.scopes(ScopeKind::Place)?.into_iter();
    scopes.map(|of| of.scope.name().parse()).collect()
}

/// Notes of a directory that stand elsewhere, and why a repository has no name. `is_there` tells whether a directory of
/// this machine exists.
///
/// # Errors
/// As [`Reader::read`](crate::store::Reader::read).
pub fn hints(
    store: &dyn Store,
    lineage: &Lineage,
    known: &Known,
    is_there: &dyn Fn(&Place) -> bool,
) -> Result<Vec<Hint>> {
    let mut hints = Vec::new();
    if let Some(reason) = lineage.unknown() {
        let what = "this repository's name is not known, so notes on paths alone apply".into();
        let next = Some(visible(reason));
        hints.push(Hint { what, next });
    }
    let places = match *known == Known::default() {
        true => Vec::new(),
        false => places(store)?,
    };
    if !known.several.is_empty() {
        let mut what =
            "several remotes and no `origin`: this repository's notes go by path".to_owned();
        for name in &known.several {
            let count = below(store, &places, name)? as u64;
            if count > 0 {
                what += &format!(
                    ", {} under {}",
                    counted(count, "stand"),
                    visible(name.as_str())
                );
            }
        }
        let next = Some("`git remote rename NAME origin` gives it that one's name".into());
        hints.push(Hint { what, next });
    }
    let asks = known.is_first || !known.former.is_empty();
    let Some((name, _)) = lineage.called().filter(|_| asks) else {
        return Ok(hints);
    };
    let own = below(store, &places, name)?;
    let is_elsewhere = |(place, _): &&(Place, _)| {
        let has_other_command = known.several.contains(place);
        !has_other_command && (place.in_repository().is_some() || !is_there(place))
    };
    for (old, stays) in known.former.iter().filter(is_elsewhere) {
        let count = below(store, &places, old)? as u64;
        let shown = visible(old.as_str());
        let what = match old.in_repository() {
            Some(_) => format!(
                "{} under {shown}, its earlier name",
                counted(count, "stand")
            ),
            None => format!("{} to {shown}, which is gone", counted(count, "belong")),
        };
        let here = || Some(moving(old, name, "moves them here"));
        let next = stays.clone().or_else(here);
        hints.extend((count > 0).then_some(Hint { what, next }));
    }
    if let (true, true, Some((shown, _))) = (known.is_first, own > 0, name.in_repository()) {
        let (shown, notes) = (visible(shown), plural(own as u64, "note"));
        let what = format!("first session in this checkout of {shown}, which has {notes}");
        hints.push(Hint { what, next: None });
    }
    Ok(hints)
}

/// Notes on paths inside a checkout whose repository has a name. `is_own` tells whether a place is in this checkout,
/// and not in another one inside.
///
/// # Errors
/// As [`Reader::read`](crate::store::Reader::read).
pub fn on_paths(
    store: &dyn Store,
    lineage: &Lineage,
    is_own: &dyn Fn(&Place) -> bool,
) -> Result<Option<Hint>> {
    let (Some(_), Some((name, root))) = (lineage.repository(), lineage.called()) else {
        return Ok(None);
    };
    let mut places = places(store)?;
    places.retain(|place| place.below(root).is_some() && is_own(place));
    let count = below(store, &places, root)?;
    let (stand, shown) = (counted(count as u64, "stand"), visible(root.as_str()));
    let what = format!("{stand} on paths in {shown}, which has a name");
    let next = Some(moving(
        root,
        name,
        "gives them that name, for every checkout",
    ));
    Ok((count > 0).then_some(Hint { what, next }))
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use super::*;
    use crate::model::lineage::Checkout;
    use crate::note::Stamp;
    use crate::{Content, Options, SqliteStore};

    fn place(text: &str) -> Place {
        text.parse().unwrap()
    }

    /// The lines for a checkout at ~/p/shop, with notes on these places, where these directories exist.
    fn said(name: &str, notes: &str, there: &str, known: &Known) -> String {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("n.db"), &Options::default()).unwrap();
        let stamp = Stamp::new(jiff::Timestamp::UNIX_EPOCH, "person".parse().unwrap());
        for on in notes.split_whitespace() {
            let content = Content::text(on).unwrap();
            let written = crate::places::Places::new(&store).write(&place(on), content, &stamp);
            written.unwrap();
        }
        let checkout = Checkout {
            root: place("~/p/shop"),
            name: place(name),
            also: Vec::new(),
        };
        let places = [place("~"), place("~/p/shop"), place(name)];
        let lineage = Lineage::new(place("~/p/shop"), places)
            .in_project(place(name), place("~/p/shop"))
            .in_checkouts(vec![checkout]);
        let is_there = |of: &Place| there.split_whitespace().any(|there| there == of.as_str());
        let mut hints = hints(&store, &lineage, known, &is_there).unwrap();
        hints.extend(on_paths(&store, &lineage, &|of| *of != place("~/p/shop/lib")).unwrap());
        let lines: Vec<String> = hints.iter().map(Hint::line).collect();
        lines.join("\n")
    }

    #[test]
    fn notes_that_stand_elsewhere_are_named_with_the_command() {
        let (shop, path) = ("repo:a/shop", "~/p/shop");
        let known = |former: &str, is_first: bool| Known {
            former: former
                .split_whitespace()
                .map(|of| (place(of), None))
                .collect(),
            is_first,
            ..Known::default()
        };
        let none = Known::default();
        for (name, notes, there, known, lines) in [
            (shop, "~ ~/p repo:a/shop", "", &none, ""),
            // By an earlier name, or a path that is gone.
            (
                shop,
                "repo:a/old//x repo:a/old repo:a/older",
                "",
                &known("repo:a/old ~/p/x", false),
                "2 notes stand under repo:a/old, its earlier name; `waynote place mv repo:a/old \
                 repo:a/shop` moves them here",
            ),
            (shop, "~/p/x", "~/p/x", &known("~/p/x", false), ""),
            (
                path,
                "~/p/x",
                "",
                &known("~/p/x", false),
                "1 note belongs to ~/p/x, which is gone; `waynote place mv ~/p/x ~/p/shop` moves them here",
            ),
            // It stays where another checkout has that name.
            (
                shop,
                "repo:a/old",
                "",
                &Known {
                    former: vec![(place("repo:a/old"), Some("~/p/old still has it".into()))],
                    ..Known::default()
                },
                "1 note stands under repo:a/old, its earlier name; ~/p/old still has it",
            ),
            (
                path,
                "repo:a/old",
                "",
                &Known {
                    several: vec![place("repo:a/new"), place("repo:a/old")],
                    ..known("repo:a/old", false)
                },
                "several remotes and no `origin`: this repository's notes go by path, 1 note stands under repo:a/old; \
                 `git remote rename NAME origin` gives it that one's name",
            ),
            // On paths inside, but not those of another repository in it.
            (
                shop,
                "~/p/shop ~/p/shop/src ~/p/shop/lib",
                "",
                &none,
                "2 notes stand on paths in ~/p/shop, which has a name; `waynote place mv ~/p/shop repo:a/shop` gives \
                 them that name, for every checkout",
            ),
            (path, "~/p/shop ~/p/shop/src", "", &none, ""),
            (
                shop,
                "repo:a/shop",
                "",
                &known("", true),
                "first session in this checkout of a/shop, which has 1 note",
            ),
            (shop, "", "", &known("", true), ""),
        ] {
            assert_eq!(said(name, notes, there, known), lines, "{name} {notes}");
        }
    }

    #[test]
    fn a_session_is_told_plain_names_of_repositories_alone() {
        for name in [
            "repo:github.com/acme/shop-2",
            "repo:box/~me/a_b.c",
            "~/My Code",
        ] {
            assert!(may_be_told(&place(name)), "{name}");
        }
        for name in [
            "repo:a/do this",
            "repo:a/<b>",
            "repo:a/`id`",
            "repo:a/\u{e9}",
        ] {
            assert!(!may_be_told(&place(name)), "{name}");
        }
    }

    #[test]
    fn a_command_in_a_name_stays_a_word() {
        assert_eq!(in_shell(&place("~/a b")), "~/'a b'");
        assert_eq!(in_shell(&place("repo:a/$(id)")), "'repo:a/$(id)'");
    }
}
