//! Finding the text by which an agent says that everything is done.
//!
//! Some clients print their prompt before they begin, and a prompt mostly says what that text is. So a line that the
//! prompt has too, and that says more than the text, is not the agent's word.

use memchr::memmem::Finder;

/// The text, and the lines of the prompt that hold it among other words.
pub(crate) struct StopText {
    finder: Finder<'static>,
    echoes: Vec<Vec<u8>>,
}

impl StopText {
    /// None where there is no text to look for.
    pub(crate) fn new(text: &str, prompt: &str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let echoes = prompt
            .lines()
            .map(str::trim_ascii)
            .filter(|line| line.contains(text) && *line != text.trim_ascii())
            .map(|line| line.as_bytes().to_vec());
        Some(Self {
            finder: Finder::new(text).into_owned(),
            echoes: echoes.collect(),
        })
    }

    fn is_echo(&self, line: &[u8]) -> bool {
        let line = line.trim_ascii();
        self.echoes.iter().any(|echo| echo == line)
    }

    /// True if a line that has not ended yet may become one of the prompt's.
    fn may_be_echo(&self, begun: &[u8]) -> bool {
        let line = begun.trim_ascii();
        begun.len() <= self.longest_kept() && self.echoes.iter().any(|echo| echo.starts_with(line))
    }

    /// The longest start of a line that is kept to compare it.
    fn longest_kept(&self) -> usize {
        let longest = self.echoes.iter().map(|echo| echo.len() + MARGIN).max();
        longest.unwrap_or(0)
    }
}

/// Blanks that a client may put around a line of the prompt.
const MARGIN: usize = 64;

/// One stream's search. It keeps a line's length at most, however much passes.
pub(crate) struct Search<'u> {
    until: &'u StopText,
    /// The unfinished line, or its end.
    held: Vec<u8>,
    /// True if `held` begins at the start of its line.
    is_whole: bool,
}

impl<'u> Search<'u> {
    pub(crate) fn new(until: &'u StopText) -> Self {
        Self {
            until,
            held: Vec::new(),
            is_whole: true,
        }
    }

    /// Looks at what comes next.
    pub(crate) fn feed(&mut self, chunk: &[u8]) -> bool {
        self.held.extend_from_slice(chunk);
        self.look(false)
    }

    /// Looks at what is left when the stream has ended.
    pub(crate) fn finish(&mut self) -> bool {
        self.look(true)
    }

    fn look(&mut self, is_end: bool) -> bool {
        let length = self.until.finder.needle().len();
        let text = self.held.as_slice();
        let mut from = 0;
        while let Some(at) = self.until.finder.find(&text[from..]).map(|at| at + from) {
            let begin = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
            let starts_a_line = begin > 0 || self.is_whole;
            let end = memchr::memchr(b'\n', &text[at..]).map(|end| at + end);
            match end {
                Some(end) if starts_a_line && self.until.is_echo(&text[begin..end]) => from = end,
                None if starts_a_line && is_end && self.until.is_echo(&text[begin..]) => break,
                None if starts_a_line && !is_end && self.until.may_be_echo(&text[begin..]) => break,
                _ => return true,
            }
        }
        // Kept for the next chunk: the line that has not ended, else the last bytes.
        let begin = memchr::memrchr(b'\n', text).map_or(0, |end| end + 1);
        let starts_a_line = begin > 0 || self.is_whole;
        let last = text.len().saturating_sub(length - 1);
        let is_kept = starts_a_line && text.len() - begin <= self.until.longest_kept();
        let keep = if is_kept { begin.min(last) } else { last };
        self.is_whole = keep == 0 && self.is_whole || keep > 0 && text[keep - 1] == b'\n';
        self.held.drain(..keep);
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_seen(text: &str, prompt: &str, chunks: &[&str]) -> bool {
        let until = StopText::new(text, prompt).unwrap();
        let mut search = Search::new(&until);
        let mut seen = false;
        for chunk in chunks {
            seen |= search.feed(chunk.as_bytes());
            assert!(search.held.len() <= text.len() + until.longest_kept() || seen);
        }
        seen | search.finish()
    }

    #[test]
    fn the_text_is_found_across_chunks() {
        assert!(is_seen("DONE", "", &["all is D", "O", "N", "E now"]));
        assert!(is_seen("DONE", "", &["DDOONEDO", "NE"]));
        assert!(!is_seen("DONE", "", &["DON", " E", "\nDO\nNE"]));
        assert!(is_seen("a\nb", "", &["xa", "\n", "by"]));
        assert!(StopText::new("", "x").is_none());
    }

    #[test]
    fn a_line_of_the_prompt_is_not_the_agents_word() {
        let prompt = "Do it.\n  When done, print DONE, and stop.\nOr print DONE and stop.\nBye\n";
        assert!(!is_seen("DONE", prompt, &[prompt]));
        assert!(!is_seen("DONE", prompt, &["user\n", prompt, "working\n"]));
        assert!(!is_seen(
            "DONE",
            prompt,
            &["> \n  When done, print DO", "NE, and st", "op."]
        ));
        assert!(is_seen("DONE", prompt, &[prompt, "DONE"]));
        assert!(is_seen(
            "DONE",
            prompt,
            &[prompt, "I print DONE and stop.\n"]
        ));
        assert!(is_seen("DONE", prompt, &["When done, print DONE, and st"]));
        assert!(is_seen("DONE", prompt, &["When done, print DONE! "]));
        // A line that is the text alone is what the agent is asked for.
        assert!(is_seen("DONE", "print this:\nDONE\n", &["DONE\n"]));
    }

    fn chunked(text: &str, cuts: &[prop::sample::Index]) -> Vec<String> {
        let chars: Vec<char> = text.chars().collect();
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(chars.len() + 1)).collect();
        at.extend([0, chars.len()]);
        at.sort_unstable();
        at.windows(2)
            .map(|pair| chars[pair[0]..pair[1]].iter().collect())
            .collect()
    }

    proptest! {
        #[test]
        fn how_it_is_cut_does_not_matter(
            needle in "[ab]{1,3}|a\nb", prompt in "[ab \n]{0,30}", output in "[ab \n]{0,80}", x in 0..3,
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let output = match x { 0 => format!("{prompt}\n{output}"), 1 => format!("{output}\n{prompt}"), _ => output };
            let chunks = chunked(&output, &cuts);
            let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
            // The definition, line by line.
            let expected = if needle.contains('\n') {
                output.contains(&needle)
            } else {
                output.split('\n').any(|line| {
                    let is_echo = prompt.lines().any(|echo| echo.trim() == line.trim() && echo.trim() != needle);
                    line.contains(&needle) && !is_echo
                })
            };
            prop_assert_eq!(is_seen(&needle, &prompt, &chunks), expected);
        }
    }
}
