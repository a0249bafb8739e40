//! The last lines of an agent, shown to a person when it failed.

use std::sync::Arc;

use parking_lot::Mutex;

use waynote::text::cut;

/// As much of an agent's output is kept.
const KEPT_BYTES: usize = 8 * 1024;

/// Lines that are looked through for an error.
const LINES: usize = 40;

/// The longest line that is shown.
const SAID_CHARS: usize = 240;

/// The end of what an agent printed, on both of its outputs. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Arc<Mutex<Vec<u8>>>);

impl Tail {
    pub(super) fn keep(&self, bytes: &[u8]) {
        let mut kept = self.0.lock();
        if bytes.len() >= KEPT_BYTES {
            kept.clear();
            kept.extend_from_slice(&bytes[bytes.len() - KEPT_BYTES..]);
            return;
        }
        kept.extend_from_slice(bytes);
        // Cuts only now and then.
        if kept.len() > 2 * KEPT_BYTES {
            let before = kept.len() - KEPT_BYTES;
            kept.drain(..before);
        }
    }

    /// The lines that say something, without a terminal's colours, oldest first.
    pub(crate) fn lines(&self) -> Vec<String> {
        let kept = self.0.lock();
        let text = String::from_utf8_lossy(&kept);
        let text = anstream::adapter::strip_str(&text).to_string();
        let lines = text.split(['\n', '\r']).map(str::trim);
        let lines = lines.filter(|line| line.contains(char::is_alphanumeric));
        lines.map(str::to_owned).collect()
    }

    /// The line that says why an agent failed, if one does: the last that names an error, else the last of all. It is
    /// fit for a terminal, and holds no credential.
    pub(crate) fn why(&self) -> Option<String> {
        let lines = self.lines();
        let names_error = |line: &&String| line.to_ascii_lowercase().contains("error:");
        let named = lines.iter().rev().take(LINES).find(names_error);
        named.or(lines.last()).map(|line| shown(line))
    }

    /// The last line of all, as fit for a terminal.
    pub(crate) fn last(&self) -> Option<String> {
        self.lines().last().map(|line| shown(line))
    }
}

fn shown(line: &str) -> String {
    let line = waynote::visible::visible(&waynote::secrets::masked(line));
    cut(&line, SAID_CHARS).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(output: &str) -> Option<String> {
        let tail = Tail::default();
        tail.keep(output.as_bytes());
        tail.why()
    }

    #[test]
    fn what_clients_print_at_an_outage() {
        let said = [
            "    __( O)>  ● new session\nRan into this error: Server error (503): overloaded.\n\nPlease retry if you think \
             this is a transient or recoverable error.\n",
            "warning: no metadata\nERROR: unexpected status 401 Unauthorized: scripted outage\n",
            "\u{1b}[0m\n> build · m\n\u{1b}[0m\n\u{1b}[91m\u{1b}[1mError: \u{1b}[0mscripted outage\n",
            "API Error: 529 {\"type\":\"error\"}",
            "_ApiError: 401\n    at async retry (file.js:1)\n  status: 401\n}\n",
            "working\rno room left\n---\n\n",
            "\n---\n",
        ]
        .map(|output| why(output).unwrap_or("-".into()));
        insta::assert_snapshot!(said.join("\n"), @r#"
        Ran into this error: Server error (503): overloaded.
        ERROR: unexpected status 401 Unauthorized: scripted outage
        Error: scripted outage
        API Error: 529 {"type":"error"}
        _ApiError: 401
        no room left
        -
        "#);
    }

    #[test]
    fn it_is_short_and_harmless() {
        let token = format!("gh{}_{}6wq2", 'p', "aZ3kQ9xW".repeat(4));
        let said = why(&format!(
            "Error: {token}\u{202e} is refused {}",
            "x".repeat(999)
        ))
        .unwrap();
        assert!(said.starts_with("Error: [masked: "), "{said}");
        assert!(!said.contains("\u{202e}") && said.ends_with("x…"), "{said}");
        assert_eq!(said.chars().count(), SAID_CHARS + 1);
    }

    #[test]
    fn only_the_end_is_kept() {
        let tail = Tail::default();
        for number in 0..10_000 {
            tail.keep(format!("line {number}\n").as_bytes());
        }
        assert_eq!(tail.lines().last().unwrap(), "line 9999");
        assert!(tail.0.lock().len() <= 2 * KEPT_BYTES);
        tail.keep(&vec![b'x'; 1_000_000]);
        assert_eq!(tail.0.lock().len(), KEPT_BYTES);
    }
}
