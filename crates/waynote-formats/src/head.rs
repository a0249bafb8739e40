//! A Markdown file with a head: fields of YAML between two lines `---`, before the text.

use saphyr_parser::{Event, Parser};

/// The largest head: its fields take more memory than their text. A larger one is text.
pub(crate) const MAX_HEAD: usize = 64 << 10;

/// A field and its values, flat: a list has several, and so has a mapping, each `name: value`.
pub(crate) type Field = (String, Vec<String>);

/// A Markdown file as it was read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Document<'t> {
    fields: Vec<Field>,
    body: &'t str,
}

impl<'t> Document<'t> {
    /// Text between two rulers is a head only if it reads as fields.
    pub(crate) fn of(text: &'t str) -> Self {
        let lines = || text.split_inclusive('\n');
        let is_fence = |line: &&str| line.trim_end() == "---";
        let whole = Self {
            body: text,
            ..Self::default()
        };
        if !lines().next().is_some_and(|line| is_fence(&line)) {
            return whole;
        }
        let Some(end) = lines().skip(1).position(|line| is_fence(&line)) else {
            return whole;
        };
        let length = |count| lines().take(count).map(str::len).sum::<usize>();
        let (start, end, after) = (length(1), length(end + 1), length(end + 2));
        let head = &text[start..end];
        let fields = match head.trim() {
            _ if head.len() > MAX_HEAD => None,
            "" => Some(Vec::new()),
            _ => fields(head).or_else(|| fields_of_lines(head)),
        };
        let body = text[after..].trim_start_matches(['\r', '\n']);
        fields.map_or(whole, |fields| Self { fields, body })
    }

    /// Takes a field out, under the first of these names that is there: its values.
    pub(crate) fn take(&mut self, names: &[&str]) -> Option<Vec<String>> {
        let at = names
            .iter()
            .find_map(|name| self.fields.iter().position(|(field, _)| field == name))?;
        Some(self.fields.remove(at).1).filter(|values| !values.is_empty())
    }

    /// Leaves a field out if it says this.
    pub(crate) fn leave_out(&mut self, name: &str, value: &str) {
        self.fields
            .retain(|(field, values)| field != name || values.join(" ") != value);
    }

    /// Takes out the patterns of the files that a rule is for; none: it is for all. Cursor, Claude Code and Copilot each
    /// have a name for them.
    pub(crate) fn take_patterns(&mut self) -> Vec<String> {
        self.take(&["alwaysApply"]);
        let values = self
            .take(&["globs", "paths", "applyTo"])
            .unwrap_or_default();
        // A comma in braces is part of a pattern.
        let mut depth = 0;
        let values = values.join(",");
        let parts = values.split(|char: char| {
            depth += i32::from(char == '{') - i32::from(char == '}');
            char == ',' && depth == 0
        });
        let parts: Vec<&str> = parts.map(str::trim).collect();
        match parts
            .iter()
            .any(|part| matches!(*part, "*" | "**" | "**/*"))
        {
            true => Vec::new(),
            false => (parts.into_iter().filter(|part| !part.is_empty()))
                .map(str::to_owned)
                .collect(),
        }
    }

    /// The text of a note: the title and the description first, other fields last.
    pub(crate) fn text(mut self) -> String {
        let title = self.take(&["title", "name"]).map(|title| title.join(" "));
        let title = title.filter(|_| !self.body.starts_with("# "));
        let description = self.take(&["description"]).map(|text| text.join("\n"));
        let body = self.body.trim_end().to_owned();
        let others = self.fields.into_iter().filter_map(|(name, values)| {
            let first = name.chars().next()?.to_uppercase();
            let name: String = first.chain(name.chars().skip(1)).collect();
            // A list below a name is its value.
            let values = values.join(", ").replace(": , ", ": ");
            (!values.is_empty()).then(|| format!("{name}: {values}"))
        });
        let others: Vec<String> = others.collect();
        let parts = [
            title.map(|title| format!("# {title}")).unwrap_or_default(),
            description.unwrap_or_default(),
            body,
            others.join("\n"),
        ];
        let parts: Vec<&str> = parts.iter().map(|part| part.trim()).collect();
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join("\n\n")
    }
}

/// The fields of a head that is a mapping of YAML; none if it is something else. Aliases are not resolved: few bytes of
/// them can stand for any amount of text.
pub(crate) fn fields(head: &str) -> Option<Vec<Field>> {
    let mut fields: Vec<Field> = Vec::new();
    // The open lists, and mappings with whether a name comes next.
    let mut open: Vec<Option<bool>> = Vec::new();
    for event in Parser::new_from_str(head) {
        match event.ok()?.0 {
            Event::MappingStart(..) | Event::SequenceStart(..)
                if open.last() == Some(&Some(true)) =>
            {
                return None;
            }
            Event::MappingStart(..) => {
                value_begins(&mut open);
                open.push(Some(true));
            }
            Event::SequenceStart(..) => {
                value_begins(&mut open);
                open.push(None);
            }
            Event::MappingEnd | Event::SequenceEnd => drop(open.pop()),
            Event::Scalar(value, ..) => {
                let is_name = *open.last()? == Some(true);
                match (open.len(), is_name) {
                    (1, true) => fields.push((value.into_owned(), Vec::new())),
                    (_, true) => fields.last_mut()?.1.push(format!("{value}: ")),
                    (depth, false) => {
                        let values = &mut fields.last_mut()?.1;
                        let named = values
                            .last_mut()
                            .filter(|_| depth > 1 && open.last() == Some(&Some(false)));
                        match named {
                            Some(named) => named.push_str(&value),
                            None if matches!(&*value, "" | "~" | "null") => {}
                            None => values.push(value.into_owned()),
                        }
                    }
                }
                if let Some(Some(expects_name)) = open.last_mut() {
                    *expects_name = !is_name;
                }
            }
            Event::Alias(_) => return None,
            _ => {}
        }
    }
    (!fields.is_empty()).then_some(fields)
}

/// After a list or a mapping that is a value, a name comes.
fn value_begins(open: &mut [Option<bool>]) {
    if let Some(Some(expects_name)) = open.last_mut() {
        *expects_name = true;
    }
}

/// The fields of a head that is nearly YAML, line by line: Cursor writes `globs: *.ts`, which would be an alias.
fn fields_of_lines(head: &str) -> Option<Vec<Field>> {
    let mut fields: Vec<Field> = Vec::new();
    for line in head.lines().filter(|line| !line.trim().is_empty()) {
        let plain = |value: &str| value.trim().trim_matches(['"', '\'']).to_owned();
        let item = line.trim_start().strip_prefix("- ");
        if let Some(item) = item.or_else(|| line.strip_prefix(' ')) {
            fields.last_mut()?.1.push(plain(item));
            continue;
        }
        let (name, value) = line.split_once(':')?;
        let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
        if name.is_empty() || !name.chars().all(is_name) {
            return None;
        }
        let values = Some(plain(value)).filter(|value| !value.is_empty());
        fields.push((name.to_owned(), values.into_iter().collect()));
    }
    Some(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> String {
        Document::of(text).text()
    }

    #[test]
    fn the_title_comes_first_and_other_fields_last() {
        insta::assert_snapshot!(text("---\ntitle: \"Coffee: methods\"\ntags:\n  - a\n  - 'b c'\nstatus: draft\nempty:\n---\n\nPour over.\n"), @"
        # Coffee: methods

        Pour over.

        Tags: a, b c
        Status: draft
        ");
        insta::assert_snapshot!(text("---\r\ntitle: >-\r\n  A title\r\n  on two lines\r\ntags: [a, b]\r\n---\r\nText\r\n"), @"
        # A title on two lines

        Text

        Tags: a, b
        ");
        insta::assert_snapshot!(text("---\nname: money\ndescription: 'It''s cents'\nmetadata:\n  type: rule\n  of: [x, y]\n---\n# Money\n"), @"
        It's cents

        # Money

        Metadata: type: rule, of: x, y
        ");
    }

    #[test]
    fn rulers_are_no_head() {
        for whole in [
            "---\nno end\n",
            "---\nProse between rulers.\n\n---\nmore",
            "---\n- a\n- b\n---\nmore",
            "text\n---\na: b\n---\n",
            "--- \n*a\n---\n",
            "",
        ] {
            assert_eq!(Document::of(whole).body, whole);
        }
        let large = format!("---\ntags: [{}]\n---\n", "a,".repeat(MAX_HEAD));
        assert_eq!(Document::of(&large).body, large);
        assert_eq!(text("---\n---\n\nbody\n"), "body");
        // A few bytes that stand for much are read as they stand.
        let bomb = "---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n---\nbody";
        assert_eq!(text(bomb), "body\n\nA: &a [x,x]\nB: &b [*a,*a]\nC: [*b,*b]");
    }

    #[test]
    fn patterns_of_rules_are_read_as_each_client_writes_them() {
        let patterns = |field: &str| {
            let text = format!("---\n{field}\nalwaysApply: false\n---\nbody");
            let mut document = Document::of(&text);
            let patterns = document.take_patterns().join(" ");
            (patterns, document.text())
        };
        for (field, expected) in [
            ("globs: src/**/*.ts, *.{ts,tsx}", "src/**/*.ts *.{ts,tsx}"),
            ("globs: *.ts,lib/**", "*.ts lib/**"),
            ("globs: [\"a/**\", 'b/*']", "a/** b/*"),
            ("globs:\n  - \"a/**\"", "a/**"),
            ("paths:\n  - src/api", "src/api"),
            ("applyTo: '**'", ""),
            ("globs:", ""),
        ] {
            assert_eq!(patterns(field), (expected.into(), "body".into()), "{field}");
        }
    }
}
