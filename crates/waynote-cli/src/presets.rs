//! How `waynote loop --with CLIENT` runs a client without a person.

use std::ffi::OsString;

use clap::ValueEnum;

use waynote_clients::Client;

/// An agent whose command line is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// claude -p
    #[value(alias = "claude")]
    ClaudeCode,
    /// codex exec -
    Codex,
    /// opencode run
    Opencode,
    /// gemini
    Gemini,
    /// goose run -i -
    Goose,
    /// copilot
    Copilot,
    /// qwen
    Qwen,
}

impl Preset {
    /// The client that it runs.
    pub(crate) fn client(self) -> Client {
        match self {
            Self::ClaudeCode => Client::ClaudeCode,
            Self::Codex => Client::Codex,
            Self::Opencode => Client::Opencode,
            Self::Gemini => Client::Gemini,
            Self::Goose => Client::Goose,
            Self::Copilot => Client::Copilot,
            Self::Qwen => Client::Qwen,
        }
    }

    /// How it runs without a terminal and reads its prompt from standard input. What it may do is the user's word:
    /// `extra` are more words for it.
    pub(crate) fn words(self, extra: &[OsString]) -> Vec<OsString> {
        let (before, after): (&[&str], &[&str]) = match self {
            Self::ClaudeCode => (&["claude", "-p"], &[]),
            Self::Codex => (&["codex", "exec"], &["-"]),
            Self::Opencode => (&["opencode", "run"], &[]),
            // Without a terminal these are headless by themselves, and `-p` would want a text.
            Self::Gemini => (&["gemini"], &[]),
            Self::Copilot => (&["copilot"], &[]),
            Self::Qwen => (&["qwen"], &[]),
            Self::Goose => (&["goose", "run"], &["-i", "-"]),
        };
        let before = before.iter().map(OsString::from);
        let after = after.iter().map(OsString::from);
        before.chain(extra.iter().cloned()).chain(after).collect()
    }

    /// Reads from the last lines of an agent's output whether it failed, although its exit code is 0. Only Goose 1.34
    /// needs it: the others have exit codes for a failure.
    pub(crate) fn reports_failure(self) -> Option<fn(&[String]) -> bool> {
        (self == Self::Goose).then_some(goose_reports_failure)
    }
}

fn goose_reports_failure(lines: &[String]) -> bool {
    const GOOSE: [&str; 4] = [
        "Please retry if you think this is a transient or recoverable error",
        "Please resend your message to try again",
        "Please check your account with your provider to add more credits",
        "Please add credits to your account",
    ];
    let last = lines.last();
    last.is_some_and(|last| GOOSE.iter().any(|words| last.starts_with(words)))
}
#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    fn shown(words: &[OsString]) -> String {
        let words: Vec<_> = words
            .iter()
            .map(|word| format!("[{}]", word.display()))
            .collect();
        words.concat()
    }

    #[test]
    fn claude_is_short_for_claude_code() {
        assert_eq!(Preset::from_str("claude", false), Ok(Preset::ClaudeCode));
    }

    #[test]
    fn presets_take_more_words() {
        let extra = ["--model", "a b"].map(OsString::from);
        let all: Vec<_> = Preset::value_variants()
            .iter()
            .map(|preset| shown(&preset.words(&extra)))
            .collect();
        assert_snapshot!(all.join("\n"), @"
        [claude][-p][--model][a b]
        [codex][exec][--model][a b][-]
        [opencode][run][--model][a b]
        [gemini][--model][a b]
        [goose][run][--model][a b][-i][-]
        [copilot][--model][a b]
        [qwen][--model][a b]
        ");
        let bare: Vec<_> = Preset::value_variants()
            .iter()
            .map(|preset| shown(&preset.words(&[])))
            .collect();
        assert_snapshot!(bare.join("\n"), @"
        [claude][-p]
        [codex][exec][-]
        [opencode][run]
        [gemini]
        [goose][run][-i][-]
        [copilot]
        [qwen]
        ");
    }
}
