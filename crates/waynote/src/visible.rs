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
    // Most texts are nothing but plain characters.
    if text
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~') || (byte.is_ascii() && keep(char::from(byte))))
    {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let mut spelling = || is_spelling(before, char, chars.peek().copied());
        if !keep(char) && (char.is_control() || is_invisible(char)) && !spelling() {
            out.push_str(&format!("<U+{:04X}>", u32::from(char)));
        } else {
            out.push(char);
        }
        before = Some(char);
    }
    out
}

/// Characters that change how others are shown, or are not shown themselves.
pub(crate) fn is_invisible(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a joiner or a selector belongs to how people write: inside a word of a script whose letters join, or
/// inside an emoji. Anywhere else it only hides something.
fn is_spelling(before: Option<char>, char: char, after: Option<char>) -> bool {
    let (Some(before), after) = (before, after.unwrap_or(' ')) else {
        return false;
    };
    match char {
        '\u{200c}' => joins(before) && joins(after),
        '\u{200d}' => {
            (joins(before) && joins(after)) || (is_pictured(before) && is_pictured(after))
        }
        '\u{fe0e}' | '\u{fe0f}' => {
            is_pictured(before) && !is_selector(before)
                || (before.is_ascii() && after == '\u{20e3}')
        }
        _ => false,
    }
}

fn is_selector(char: char) -> bool {
    matches!(char, '\u{fe0e}' | '\u{fe0f}')
}

/// Letters of Arabic, Syriac, the scripts of India, Khmer and Myanmar.
fn joins(char: char) -> bool {
    char.is_alphanumeric()
        && matches!(char, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
            | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
        || matches!(
            char,
            '\u{94d}'
                | '\u{9cd}'
                | '\u{a4d}'
                | '\u{acd}'
                | '\u{b4d}'
                | '\u{bcd}'
                | '\u{c4d}'
                | '\u{ccd}'
                | '\u{d4d}'
                | '\u{dca}'
        )
}

/// Symbols and emoji, and what shows a symbol as one.
fn is_pictured(char: char) -> bool {
    matches!(char, '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{204a}' | '\u{2100}'..='\u{214f}' | '\u{2190}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
        || is_selector(char)
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
    [fence.as_str(), pad, &text, pad, &fence].concat()
}

/// Lines as a fenced Markdown code block, which nothing in them can end; each line begins with `indent`.
pub fn code_block(text: &str, indent: &str) -> String {
    // Both ends of line are one to whoever reads.
    let text = lines(&text.replace("\r\n", "\n"));
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    let room = text.len() + 2 * (indent.len() + fence.len() + 1) + 1;
    let mut out = String::with_capacity(room);
    let mut add = |indent, line| [indent, line, "\n"].map(|part| out.push_str(part));
    add(indent, fence.as_str());
    for line in text.trim_end_matches('\n').split('\n') {
        add(if line.is_empty() { "" } else { indent }, line);
    }
    add(indent, &fence);
    out
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|char| char != '`').map(str::len);
    runs.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joiners_are_kept_where_people_write_them() {
        for text in [
            "👩\u{200d}🔬",
            "❤\u{fe0f}\u{200d}🔥",
            "1\u{fe0f}\u{20e3}",
            "می\u{200c}خواهم",
            "क्\u{200d}ष",
        ] {
            assert_eq!(visible(text), text);
        }
        assert_eq!(visible("pass\u{200b}word"), "pass<U+200B>word");
        assert_eq!(visible("a\u{200d}b \u{200c}"), "a<U+200D>b <U+200C>");
        assert_eq!(visible("x\u{fe01}\u{fe0f}"), "x<U+FE01><U+FE0F>");
        assert_eq!(visible("❤\u{fe0f}\u{fe0f}"), "❤\u{fe0f}<U+FE0F>");
        assert_eq!(visible("\u{200d}"), "<U+200D>");
    }

    #[test]
    fn what_turns_text_around_is_shown() {
        assert_eq!(
            visible("\u{202e}txt\u{1b}[2J\r\n"),
            "<U+202E>txt<U+001B>[2J<U+000D><U+000A>"
        );
        assert_eq!(lines("a\tb\nc\r"), "a\tb\nc<U+000D>");
    }
}
