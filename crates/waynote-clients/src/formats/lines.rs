//! Lines of a text that is edited.

/// The end of a text's first line, for lines that are added.
pub(crate) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(end) if text[..end].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
