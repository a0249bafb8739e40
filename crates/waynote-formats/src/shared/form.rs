//! The form of a shared note's file: Markdown, below a front matter for what the text does not say.

use waynote::Citation;
use waynote::text::line_of;

use super::yaml::{Value, fields};

/// The largest front matter: its fields take more memory than their text.
pub(super) const MAX_HEAD: usize = 64 << 10;

const FENCE: &str = "---";
const PINNED: &str = "pinned";
const CITES: &str = "cites";

/// A file that has been read.
#[derive(Debug, Default)]
pub(super) struct Form<'t> {
    /// The lines of the front matter before its first field: comments.
    lead: &'t str,
    /// Each field by its name, with its lines as they are.
    fields: Vec<(String, &'t str)>,
    pub(super) pinned: bool,
    /// The cited code, looked up in no repository.
    pub(super) cites: Vec<Citation>,
    /// The line ends between front matter and text; none without a front matter.
    gap: Option<&'t str>,
    pub(super) text: &'t str,
}

impl<'t> Form<'t> {
    /// Reads a file.
    ///
    /// # Errors
    /// The reason why it is no note.
    pub(super) fn of(file: &'t str) -> Result<Self, String> {
        let file = file.strip_prefix('\u{feff}').unwrap_or(file);
        if let Some(at) = conflict(file) {
            return Err(format!("line {} is a conflict marker", line_of(file, at)));
        }
        let mut form = Self {
            text: file,
            ..Self::default()
        };
        if let Some(rest) = after_fence(file) {
            let broken = |why: &str| format!("its front matter {why}");
            let mut lines = rest.split_inclusive('\n');
            let before = lines
                .by_ref()
                .take_while(|line| after_fence(line).is_none());
            let head = &rest[..before.map(str::len).sum()];
            form.text = after_fence(&rest[head.len()..])
                .ok_or_else(|| broken("has no end: a line `---`"))?;
            if head.len() > MAX_HEAD {
                return Err(broken("is longer than 64 KiB"));
            }
            form.read(head).map_err(|why| broken(&why))?;
            let text = form.text.trim_start_matches(LINE_ENDS);
            form.gap = Some(&form.text[..form.text.len() - text.len()]);
        }
        form.text = form.text.trim_matches(LINE_ENDS);
        match form.text.trim().is_empty() {
            true => Err("it has no text".into()),
            false => Ok(form),
        }
    }

    /// Reads the front matter: fields of YAML, each on lines of its own.
    fn read(&mut self, head: &'t str) -> Result<(), String> {
        let fields = fields(head).ok_or("is not YAML with each field on lines of its own")?;
        let mut starts: Vec<usize> = fields.iter().map(|(start, ..)| *start).collect();
        starts.push(head.len());
        self.lead = &head[..starts[0]];
        for ((_, name, value), span) in fields.into_iter().zip(starts.windows(2)) {
            if self.fields.iter().any(|(of, _)| *of == name) {
                return Err(format!("has `{}` twice", name.escape_debug()));
            }
            match name.as_str() {
                PINNED => {
                    self.pinned = match value {
                        Value::Scalar(text) if text == "true" => true,
                        Value::Scalar(text) if text == "false" => false,
                        _ => return Err("has `pinned` that is neither true nor false".into()),
                    }
                }
                CITES => self.cites = cites(value).ok_or("has `cites` that is no list of code")?,
                _ => {}
            }
            self.fields.push((name, &head[span[0]..span[1]]));
        }
        Citation::check(&self.cites).map_err(|error| format!("is refused: {error}"))
    }

    /// The file with this text, and what else is given; the rest stays as it is.
    pub(super) fn with(&self, text: &str, pinned: bool, cites: &[Citation]) -> String {
        let is_same = |name: &str| match name {
            PINNED => pinned == self.pinned,
            CITES => is_same_code(cites, &self.cites),
            _ => true,
        };
        let said = |name: &str| match name {
            PINNED if pinned => format!("{PINNED}: true\n"),
            CITES => cites_lines(cites),
            _ => String::new(),
        };
        let is_there = |name: &str| self.fields.iter().any(|(of, _)| of == name);
        let mut head = self.lead.to_owned();
        if !is_there(PINNED) {
            head.push_str(&said(PINNED));
        }
        for (name, lines) in &self.fields {
            match is_same(name) {
                true => head.push_str(lines),
                false => head.push_str(&said(name)),
            }
        }
        if !is_there(CITES) {
            head.push_str(&said(CITES));
        }
        let text = text.trim_matches(LINE_ENDS);
        match head.is_empty() && after_fence(text).is_none() {
            true => format!("{text}\n"),
            false => {
                let gap = self.gap.unwrap_or("\n");
                format!("{FENCE}\n{head}{FENCE}\n{gap}{text}\n")
            }
        }
    }

    /// True if it says this already.
    pub(super) fn says(&self, text: &str, pinned: bool, cites: &[Citation]) -> bool {
        self.text == text.trim_matches(LINE_ENDS)
            && self.pinned == pinned
            && is_same_code(cites, &self.cites)
    }
}

pub(super) const LINE_ENDS: [char; 2] = ['\r', '\n'];

fn is_same_code(one: &[Citation], other: &[Citation]) -> bool {
    let code = |of: &Citation| (of.code.clone(), of.said.clone());
    one.iter().map(code).eq(other.iter().map(code))
}

/// What follows a line `---`, if the text begins with one.
fn after_fence(text: &str) -> Option<&str> {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    (line.trim_end() == FENCE).then_some(rest)
}

/// Where a line begins that git writes into a file with a conflict. A line of `=` alone can be a heading's.
fn conflict(file: &str) -> Option<usize> {
    let is_marker = |line: &str| {
        let rest = ['<', '>'].map(|mark| line.trim_start_matches(mark));
        rest.iter().any(|rest| {
            let is_end = rest.is_empty() || rest.starts_with([' ', '\r', '\n']);
            line.len() - rest.len() >= 7 && is_end
        })
    };
    let mut at = 0;
    file.split_inclusive('\n').find_map(|line| {
        let start = at;
        at += line.len();
        is_marker(line).then_some(start)
    })
}

/// The code of `cites`: of each its place, and what it said when the note was last true.
fn cites(value: Value) -> Option<Vec<Citation>> {
    let cited = |value: Value| match value {
        Value::Scalar(code) => Some(Citation::new(code)),
        Value::Map(fields) => {
            let field = |wanted: &str| {
                let is_wanted = |name: &Value| matches!(name, Value::Scalar(of) if of == wanted);
                let found = fields.iter().find(|(name, _)| is_wanted(name));
                match &found?.1 {
                    Value::Scalar(text) => Some(text.clone()),
                    _ => None,
                }
            };
            let mut cited = Citation::new(field("code")?);
            cited.said = field("said");
            Some(cited)
        }
        Value::List(_) => None,
    };
    match value {
        Value::List(each) => each.into_iter().map(cited).collect(),
        // The list that a person has emptied.
        Value::Scalar(text) if matches!(&*text, "" | "~" | "null") => Some(Vec::new()),
        one => Some(vec![cited(one)?]),
    }
}

/// Each piece of code has a line of its own between those of the hashes: two people who confirm two of them have no
/// conflict.
fn cites_lines(cites: &[Citation]) -> String {
    let mut lines = String::new();
    for cited in cites {
        lines.push_str(&format!("  - code: {}\n", quoted(&cited.code)));
        if let Some(said) = &cited.said {
            lines.push_str(&format!("    said: {}\n", quoted(said)));
        }
    }
    match lines.is_empty() {
        true => lines,
        false => format!("{CITES}:\n{lines}"),
    }
}

/// A text as YAML reads it back: in quotes where it could be something else.
fn quoted(text: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_./-: ".contains(char);
    let is_read_back = text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(is_plain)
        && !text.contains(": ")
        && !text.ends_with([':', ' ']);
    match is_read_back {
        true => text.to_owned(),
        // The strings of JSON are also those of YAML.
        false => serde_json::Value::from(text).to_string(),
    }
}
