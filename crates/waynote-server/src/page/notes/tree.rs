//! The scopes of a store: places as a tree, notebooks and sessions by name. Of a large store only a part is listed:
//! what is near the chosen scope.

use waynote::{Name, Place, Scope, ScopeSummary};

/// The most places that are shown with everything below them.
const ALL_OPEN: usize = 60;

/// The most rows at one level.
const MOST: usize = 40;

/// A row of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The scope; none for a line that says how many more there are.
    pub(crate) scope: Option<Scope>,
    pub(crate) label: String,
    /// The number of its notes; none for a directory that has none itself.
    pub(crate) notes: Option<u64>,
    pub(crate) depth: usize,
}

/// The rows of the places.
pub(crate) fn places(summaries: &[ScopeSummary], chosen: Option<&Place>) -> Vec<Row> {
    let mut all: Vec<(Vec<&str>, u64)> = summaries
        .iter()
        .map(|of| (parts(of.scope.name()), of.notes))
        .collect();
    all.sort();
    let open = Open {
        is_all: all.len() <= ALL_OPEN,
        chosen: chosen.map_or(Vec::new(), |place| parts(place.as_str())),
    };
    let mut rows = Vec::new();
    below(&all, 0, 0, &open, &mut rows);
    rows
}

/// Which directories are open.
struct Open<'c> {
    is_all: bool,
    chosen: Vec<&'c str>,
}

/// The rows of places that have their first parts in common, below these parts.
fn below(
    all: &[(Vec<&str>, u64)],
    common: usize,
    depth: usize,
    open: &Open<'_>,
    rows: &mut Vec<Row>,
) {
    let mut rest = all;
    let mut shown = 0;
    while let Some((first, _)) = rest.first() {
        let name = first[common];
        let end = rest.partition_point(|(parts, _)| parts[common] <= name);
        let (group, others) = rest.split_at(end);
        rest = others;
        let is_chosen = open.chosen.get(common) == Some(&name);
        shown += 1;
        if shown > MOST && !is_chosen {
            continue;
        }
        // Directories without notes that lead only to one other are one row.
        let mut deep = common + 1;
        while group[0].0.len() > deep
            && group
                .iter()
                .all(|(parts, _)| parts.get(deep) == group[0].0.get(deep))
        {
            deep += 1;
        }
        let here = &group[0].0[..deep];
        let path = path(here);
        let own = group.iter().find(|(parts, _)| parts.len() == deep);
        rows.push(Row {
            scope: path.parse().ok().map(Scope::Place),
            label: match common {
                0 => path,
                _ => here[common..].join("/"),
            },
            notes: own.map(|(_, notes)| *notes),
            depth,
        });
        let inner: Vec<(Vec<&str>, u64)> = group
            .iter()
            .filter(|(parts, _)| parts.len() > deep)
            .cloned()
            .collect();
        if (open.is_all || open.chosen.starts_with(here)) && !inner.is_empty() {
            below(&inner, deep, depth + 1, open, rows);
        }
    }
    if shown > MOST {
        rows.push(more(shown - MOST, depth));
    }
}

fn more(number: usize, depth: usize) -> Row {
    Row {
        scope: None,
        label: format!("and {number} more"),
        notes: None,
        depth,
    }
}

/// The parts of a path; the first is `~`, or nothing for an absolute one.
fn parts(path: &str) -> Vec<&str> {
    match path {
        "/" => vec![""],
        path => path.split('/').collect(),
    }
}

fn path(parts: &[&str]) -> String {
    match parts {
        [""] => "/".into(),
        parts => parts.join("/"),
    }
}

/// The rows of notebooks or sessions: the chosen one is among them.
pub(crate) fn names(summaries: &[ScopeSummary], chosen: Option<&Name>) -> Vec<Row> {
    let is_chosen = |of: &ScopeSummary| chosen.is_some_and(|name| name.as_str() == of.scope.name());
    let mut rows = Vec::new();
    for (index, of) in summaries.iter().enumerate() {
        if index < MOST || is_chosen(of) {
            rows.push(Row {
                scope: Some(of.scope.clone()),
                label: waynote::visible::visible(of.scope.name()),
                notes: Some(of.notes),
                depth: 0,
            });
        }
    }
    if summaries.len() > MOST {
        rows.push(more(summaries.len() - MOST, 0));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(names: &[&str], chosen: Option<&str>) -> String {
        let summaries: Vec<ScopeSummary> = names
            .iter()
            .map(|name| ScopeSummary {
                scope: Scope::Place(name.parse().unwrap()),
                notes: 1,
            })
            .collect();
        let chosen: Option<Place> = chosen.map(|place| place.parse().unwrap());
        let rows = places(&summaries, chosen.as_ref()).into_iter();
        rows.map(|row| {
            let notes = row.notes.map_or(String::new(), |notes| format!(" {notes}"));
            format!("{}{}{notes}\n", "  ".repeat(row.depth), row.label)
        })
        .collect()
    }

    #[test]
    fn places_are_a_tree() {
        let names = [
            "/etc/nginx",
            "~",
            "~/a-b",
            "~/a/x",
            "~/a/x/y",
            "~/p/deep/one",
            "~/p/deep/two",
        ];
        insta::assert_snapshot!(shown(&names, None), @r"
        /etc/nginx 1
        ~ 1
          a/x 1
            y 1
          a-b 1
          p/deep
            one 1
            two 1
        ");
    }

    #[test]
    fn of_many_places_only_those_near_the_chosen_one_are_shown() {
        let names: Vec<String> = (0..500)
            .map(|number| format!("~/p{}/q{number:03}", number % 5))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let rows = shown(&names, Some("~/p3/q498"));
        assert!(rows.starts_with("~\n"), "{rows}");
        assert!(!rows.contains("q001"), "{rows}");
        assert!(rows.contains("    q498 1\n    and 60 more\n"), "{rows}");
    }
}
