//! Lines of a text that is edited.

/// What ends a text's first line: what a line that is put in ends with.
pub(crate) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(end) if text[..end].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
