//! The scopes of a store: places as a tree, notebooks and sessions by name.

use waynote::visible::visible;
use waynote::{Place, Scope, ScopeSummary};

/// The most rows of one kind. The chosen scope is listed besides.
const MOST: usize = 100;

/// A row of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The scope; none for a line that says how many more there are.
    pub(crate) scope: Option<Scope>,
    pub(crate) label: String,
    /// The number of its notes.
    pub(crate) notes: u64,
    pub(crate) depth: usize,
}

/// The rows of the scopes of one kind. Places come in the order of [`tree_key`](crate::page::seen::tree_key): each one
/// after those that it is in.
pub(crate) fn rows<'s>(
    summaries: impl Iterator<Item = &'s ScopeSummary>,
    chosen: Option<&Scope>,
) -> Vec<Row> {
    let (mut rows, mut all) = (Vec::new(), 0);
    let mut around: Vec<&Place> = Vec::new();
    for of in summaries {
        all += 1;
        if all > MOST && chosen != Some(&of.scope) {
            continue;
        }
        let mut label = of.scope.name();
        if let Scope::Place(place) = &of.scope {
            let chain = place.chain();
            around.retain(|outer| label.starts_with(outer.as_str()) && chain.contains(outer));
            if let Some(outer) = around.last() {
                label = label[outer.as_str().len()..].trim_start_matches('/');
            }
        }
        rows.push(Row {
            scope: Some(of.scope.clone()),
            label: visible(label),
            notes: of.notes,
            depth: around.len(),
        });
        if let Scope::Place(place) = &of.scope {
            around.push(place);
        }
    }
    if all > MOST {
        rows.push(Row {
            scope: None,
            label: format!("and {} more: search finds them", all - MOST),
            notes: 0,
            depth: 0,
        });
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::seen::tree_key;

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
        let rows = rows(summaries.iter(), chosen.as_ref()).into_iter();
        rows.map(|row| format!("{}{}\n", "  ".repeat(row.depth), row.label))
            .collect()
    }

    #[test]
    fn places_are_a_tree() {
        let names = "/etc/nginx ~ ~/a-b ~/a/x ~/a/x/y ~/p/deep/one ~/p/deep/two";
        let names: Vec<&str> = names.split(' ').collect();
        insta::assert_snapshot!(shown(&names, None), @r"
        /etc/nginx
        ~
          a/x
            y
          a-b
          p/deep/one
          p/deep/two
        ");
    }

    #[test]
    fn of_many_places_the_first_and_the_chosen_one_are_shown() {
        let names: Vec<String> = (0..500).map(|number| format!("~/q{number:03}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let rows = shown(&names, Some("~/q498"));
        assert!(!rows.contains("q100"), "{rows}");
        let end = "~/q099\n~/q498\nand 400 more: search finds them\n";
        assert!(rows.ends_with(end), "{rows}");
    }
}
