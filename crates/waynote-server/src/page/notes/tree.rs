//! The scopes of a store: places as a tree, notebooks and sessions by name. Of a large store only the part near the
//! chosen scope is listed.

use waynote::{Scope, ScopeSummary};

use crate::page::seen::tree_key;

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

/// The rows of the places, which come in the order of [`tree_key`].
pub(crate) fn places<'s>(
    summaries: impl Iterator<Item = &'s ScopeSummary>,
    chosen: Option<&Scope>,
) -> Vec<Row> {
    let all: Vec<(String, u64)> = summaries
        .map(|of| (tree_key(of.scope.name()), of.notes))
        .collect();
    let open = Open {
        is_all: all.len() <= ALL_OPEN,
        chosen: match chosen {
            Some(Scope::Place(place)) => Some(tree_key(place.as_str())),
            _ => None,
        },
    };
    let mut rows = Vec::new();
    below(&all, 0, 0, &open, &mut rows);
    rows
}

/// The directories that are open.
struct Open {
    is_all: bool,
    chosen: Option<String>,
}

impl Open {
    /// True if the chosen place is this one, or below it.
    fn leads_to(&self, key: &str) -> bool {
        let rest = self.chosen.as_deref().and_then(|of| of.strip_prefix(key));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('\0'))
    }
}

/// The end of the part of a key that begins at this index.
fn end_of_part(key: &str, from: usize) -> usize {
    key[from..].find('\0').map_or(key.len(), |end| from + end)
}

/// The rows of places whose keys are the same up to their parts that begin at `from`.
fn below(all: &[(String, u64)], from: usize, depth: usize, open: &Open, rows: &mut Vec<Row>) {
    let mut rest = all;
    let mut shown = 0;
    while let Some((first, _)) = rest.first() {
        let mut end = end_of_part(first, from);
        let name = &first[from..end];
        let size = rest.partition_point(|(key, _)| key[from..end_of_part(key, from)] <= *name);
        let (mut group, others) = rest.split_at(size);
        rest = others;
        shown += 1;
        if shown > MOST && !open.leads_to(&first[..end]) {
            continue;
        }
        // A directory without notes and with a single child shares a row with that child. The keys are in order, so a
        // part that the first and the last key share is shared by all.
        let last = &group[group.len() - 1].0;
        while end < first.len() {
            let next = end_of_part(first, end + 1);
            if last.get(..next) != Some(&first[..next]) || end_of_part(last, end + 1) != next {
                break;
            }
            end = next;
        }
        let here = &first[..end];
        let path = path(here);
        let notes = (end == first.len()).then(|| group[0].1);
        rows.push(Row {
            scope: path.parse().ok().map(Scope::Place),
            label: match from {
                0 => path,
                _ => here[from..].replace('\0', "/"),
            },
            notes,
            depth,
        });
        if notes.is_some() {
            group = &group[1..];
        }
        if (open.is_all || open.leads_to(here)) && !group.is_empty() {
            below(group, end + 1, depth + 1, open, rows);
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

/// The path of a key.
fn path(key: &str) -> String {
    match key {
        "" => "/".into(),
        key => key.replace('\0', "/"),
    }
}

/// The rows of notebooks or sessions: the chosen one is among them.
pub(crate) fn names<'s>(
    summaries: impl Iterator<Item = &'s ScopeSummary>,
    chosen: Option<&Scope>,
) -> Vec<Row> {
    let is_chosen = |of: &ScopeSummary| chosen == Some(&of.scope);
    let (mut rows, mut all) = (Vec::new(), 0);
    for of in summaries {
        all += 1;
        if all <= MOST || is_chosen(of) {
            rows.push(Row {
                scope: Some(of.scope.clone()),
                label: waynote::visible::visible(of.scope.name()),
                notes: Some(of.notes),
                depth: 0,
            });
        }
    }
    if all > MOST {
        rows.push(more(all - MOST, 0));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(names: &[&str], chosen: Option<&str>) -> String {
        let mut summaries: Vec<ScopeSummary> = names
            .iter()
            .map(|name| ScopeSummary {
                scope: Scope::Place(name.parse().unwrap()),
                notes: 1,
            })
            .collect();
        summaries.sort_by_key(|of| tree_key(of.scope.name()));
        let chosen = chosen.map(|place| Scope::Place(place.parse().unwrap()));
        let rows = places(summaries.iter(), chosen.as_ref()).into_iter();
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
