//! The form of a shared note's file: Markdown, below a front matter for what the text does not say.

use waynote::Citation;
use waynote::text::line_of;

use crate::head::{MAX_HEAD, fields};

/// The parts of a file: its text, whether it is pinned, and the code that it cites, looked up in no repository.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Said<'t> {
    pub(super) text: &'t str,
    pub(super) pinned: bool,
    pub(super) cites: Vec<Citation>,
}

/// A file that has been read.
#[derive(Debug, Default)]
pub(super) struct Form<'t> {
    pub(super) said: Said<'t>,
    /// The lines of the front matter.
    head: &'t str,
    /// The line ends between front matter and text; none without a front matter.
    gap: Option<&'t str>,
}

pub(super) const LINE_ENDS: [char; 2] = ['\r', '\n'];

impl<'t> Form<'t> {
    /// Reads a file.
    ///
    /// # Errors
    /// The reason why it is no note.
    pub(super) fn of(file: &'t str) -> Result<Self, String> {
        let file = file.strip_prefix('\u{feff}').unwrap_or(file);
        if let Some(marker) = file.lines().find(|line| is_marker(line)) {
            let at = line_of(file, marker.as_ptr() as usize - file.as_ptr() as usize);
            return Err(format!(
                "line {at} is a conflict marker; resolve the conflict: until then no one gets this note"
            ));
        }
        let (mut form, mut text) = (Self::default(), file);
        if let Some(rest) = after_fence(file) {
            let lines = rest.split_inclusive('\n');
            let head = lines.take_while(|line| after_fence(line).is_none());
            let (head, rest) = rest.split_at(head.map(str::len).sum());
            let after = after_fence(rest).ok_or("its front matter has no end: a line `---`")?;
            text = after.trim_start_matches(LINE_ENDS);
            form.gap = Some(&after[..after.len() - text.len()]);
            form.head = head;
            let read = form.said.read(head);
            read.map_err(|why| format!("its front matter {why}"))?;
        }
        form.said.text = text.trim_matches(LINE_ENDS);
        match form.said.text.trim().is_empty() {
            true => Err("it has no text".into()),
            false => Ok(form),
        }
    }

    /// The file that says this. Other fields stay byte for byte.
    pub(super) fn saying(&self, new: &Said) -> String {
        let is_pin_new = new.pinned != self.said.pinned;
        let is_code_new = new.cites != self.said.cites;
        let pin = if is_pin_new && new.pinned {
            "pinned: true\n"
        } else {
            ""
        };
        let mut head = pin.to_owned();
        let mut is_replaced = false;
        for line in self.head.split_inclusive('\n') {
            if !line.starts_with([' ', '\t', '-', '\r', '\n']) {
                is_replaced = is_pin_new && line.starts_with("pinned:")
                    || is_code_new && line.starts_with("cites:");
            }
            head.push_str(if is_replaced { "" } else { line });
        }
        if is_code_new && !new.cites.is_empty() {
            head.push_str("cites:\n");
            head.extend(new.cites.iter().map(lines_of));
        }
        let (gap, text) = (self.gap.unwrap_or("\n"), new.text);
        match head.is_empty() && after_fence(text).is_none() {
            true => format!("{text}\n"),
            false => format!("---\n{head}---\n{gap}{text}\n"),
        }
    }
}

impl Said<'_> {
    /// Reads the front matter.
    fn read(&mut self, head: &str) -> Result<(), String> {
        let fields = match head.trim() {
            "" => Some(Vec::new()),
            _ if head.len() > MAX_HEAD => None,
            _ => fields(head),
        };
        let fields =
            fields.ok_or("is no mapping of YAML, has an alias, or is longer than 64 KiB")?;
        for (index, (name, values)) in fields.iter().enumerate() {
            match (name.as_str(), values.as_slice()) {
                ("pinned" | "cites", _) if fields[..index].iter().any(|(of, _)| of == name) => {
                    return Err(format!("has `{name}` twice"));
                }
                ("pinned", [value]) if value == "true" || value == "false" => {
                    self.pinned = value == "true";
                }
                ("pinned", _) => return Err("has `pinned` that is neither true nor false".into()),
                ("cites", values) => self.cites = cites(values),
                _ => {}
            }
        }
        Citation::check(&self.cites).map_err(|error| format!("is refused: {error}"))
    }
}

/// The text below a line `---`, if it begins with one.
fn after_fence(text: &str) -> Option<&str> {
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    (line.trim_end() == "---").then_some(rest)
}

/// True for a line that git writes into a file with a conflict. One of `=` alone can be a heading's.
fn is_marker(line: &str) -> bool {
    ['<', '>'].iter().any(|mark| {
        let rest = line.trim_start_matches(*mark);
        line.len() - rest.len() >= 7 && (rest.is_empty() || rest.starts_with(' '))
    })
}

/// The code of `cites`: of each its place, and what it said when the note was last true.
fn cites(values: &[String]) -> Vec<Citation> {
    let mut cites: Vec<Citation> = Vec::new();
    for value in values {
        match (value.strip_prefix("said: "), cites.last_mut()) {
            (Some(said), Some(last)) => last.said = Some(said.to_owned()),
            _ => cites.push(Citation::new(value.strip_prefix("code: ").unwrap_or(value))),
        }
    }
    cites
}

/// The code and the hash have a line each: two people who confirm two pieces of code have no conflict.
fn lines_of(cited: &Citation) -> String {
    let code = format!("  - code: {}\n", quoted(&cited.code));
    let said = cited
        .said
        .as_ref()
        .map(|said| format!("    said: {}\n", quoted(said)));
    code + &said.unwrap_or_default()
}

/// A text as YAML reads it back: in quotes, which are those of JSON, where it could be something else.
fn quoted(text: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_./-: ".contains(char);
    let is_first_plain = text.starts_with(|first: char| first.is_ascii_alphanumeric());
    let is_read_back = !text.contains(": ") && !text.ends_with([':', ' ']);
    match is_first_plain && is_read_back && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => serde_json::Value::from(text).to_string(),
    }
}
