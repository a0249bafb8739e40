//! Control, bidirectional and invisible characters of a note, made visible before a terminal or a model acts on
//! them; and texts put where Markdown can make nothing of them.

/// One line: every such character, line ends too, as its code.
pub fn visible(text: &str) -> String {
    escaped(text, |char| char == ' ')
}

/// Text of several lines: line ends and tabs stay.
pub fn lines(text: &str) -> String {
    escaped(text, |char| matches!(char, '\n' | '\t'))
}

fn escaped(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if !keep(char) && (char.is_control() || is_invisible(char)) {
            out.push_str(&format!("<U+{:04X}>", u32::from(char)));
        } else {
            out.push(char);
        }
    }
    out
}

/// Characters that change how others are shown, or are not shown themselves.
fn is_invisible(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// One line as a Markdown code span, which nothing in it can end.
pub fn code_span(text: &str) -> String {
    let text = visible(text);
    let fence = "`".repeat(longest_run(&text) + 1);
    // A span of nothing is none, and a backtick beside the fence would belong to it.
    let pad = if text.is_empty() || text.starts_with([' ', '`']) || text.ends_with([' ', '`']) {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Lines as a fenced Markdown code block, which nothing in them can end; each line begins with `indent`.
pub fn code_block(text: &str, indent: &str) -> String {
    // Both ends of line are one to whoever reads.
    let text = lines(&text.replace("\r\n", "\n"));
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    let mut out = format!("{indent}{fence}\n");
    for line in text.trim_end_matches('\n').split('\n') {
        out.push_str(if line.is_empty() { "" } else { indent });
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(&format!("{indent}{fence}\n"));
    out
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|char| char != '`').map(str::len);
    runs.max().unwrap_or(0)
}
