//! How `waynote loop --with CLIENT` runs a client without a person.

use std::ffi::{OsStr, OsString};
use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;

use waynote_clients::Client;

/// An agent whose command line is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Preset(Client);

/// How each runs without a terminal and reads its prompt from standard input: the words before and after the user's own.
/// Most are headless by themselves then, and `-p` would want a text.
const PRESETS: [(Client, &str, &str); 7] = [
    (Client::ClaudeCode, "claude -p", ""),
    (Client::Codex, "codex exec", "-"),
    (Client::Opencode, "opencode run", ""),
    (Client::Gemini, "gemini", ""),
    (Client::Goose, "goose run", "-i -"),
    (Client::Copilot, "copilot", ""),
    (Client::Qwen, "qwen", ""),
];

impl ValueEnum for Preset {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Preset>> =
            LazyLock::new(|| PRESETS.iter().map(|preset| Preset(preset.0)).collect());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let value = PossibleValue::new(self.0.word()).aliases(self.0.aliases());
        let words: Vec<OsString> = self.words(&[]);
        Some(value.help(words.join(OsStr::new(" ")).to_string_lossy().into_owned()))
    }
}

impl Preset {
    /// The client that it runs.
    pub(crate) fn client(self) -> Client {
        self.0
    }

    /// Its command. What it may do is the user's word: `extra` are more words for it.
    pub(crate) fn words(self, extra: &[OsString]) -> Vec<OsString> {
        let preset = PRESETS.iter().find(|(client, ..)| *client == self.0);
        let (_, before, after) = preset.copied().unwrap_or((self.0, self.0.word(), ""));
        let words = |of: &'static str| of.split_whitespace().map(OsString::from);
        let extra = extra.iter().cloned();
        words(before).chain(extra).chain(words(after)).collect()
    }

    /// Reads from the last lines of an agent's output whether it failed, although its exit code is 0. Only Goose 1.34
    /// needs it: the others have exit codes for a failure.
    pub(crate) fn reports_failure(self) -> Option<fn(&[String]) -> bool> {
        (self.0 == Client::Goose).then_some(goose_reports_failure)
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
        assert_eq!(
            Preset::from_str("claude", false),
            Ok(Preset(Client::ClaudeCode))
        );
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
