//! The agent's command: words, into which the prompt goes, else it goes to standard input.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use tempfile::TempDir;
use waynote::visible::visible;
use waynote_clients::Client;

use crate::error::{Failure, Outcome};
use crate::program;
use crate::shell::quoted;

const PROMPT: &[u8] = b"{prompt}";
const PROMPT_FILE: &[u8] = b"{prompt_file}";

/// The most bytes of one argument: Linux takes 32 pages, with the byte that ends it.
const MOST_OF_ARGUMENT: usize = 128 * 1024 - 1;

/// An agent whose command line is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// claude -p
    ClaudeCode,
    /// codex exec -
    Codex,
    /// opencode run
    Opencode,
    /// gemini
    Gemini,
    /// goose run -i -
    Goose,
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
        }
    }

    /// How it runs without a terminal and reads its prompt from standard input. What it may do is the user's word:
    /// `extra` are more words for it.
    fn words(self, extra: &[OsString]) -> Vec<OsString> {
        let (before, after): (&[&str], &[&str]) = match self {
            Self::ClaudeCode => (&["claude", "-p"], &[]),
            Self::Codex => (&["codex", "exec"], &["-"]),
            Self::Opencode => (&["opencode", "run"], &[]),
            // Without a terminal it is headless by itself, and `-p` would want a text.
            Self::Gemini => (&["gemini"], &[]),
            Self::Goose => (&["goose", "run"], &["-i", "-"]),
        };
        let before = before.iter().map(OsString::from);
        let after = after.iter().map(OsString::from);
        before.chain(extra.iter().cloned()).chain(after).collect()
    }

    /// Whether the last lines of one that ended with exit code 0 say that it failed. Goose 1.34 says so in no other way; the
    /// other clients have exit codes for it.
    pub(crate) fn reports_failure(self, lines: &[String]) -> bool {
        const GOOSE: [&str; 4] = [
            "Please retry if you think this is a transient or recoverable error",
            "Please resend your message to try again",
            "Please check your account with your provider to add more credits",
            "Please add credits to your account",
        ];
        let is_goose = self == Self::Goose;
        let last = lines.last();
        is_goose && last.is_some_and(|last| GOOSE.iter().any(|words| last.starts_with(words)))
    }
}

/// The command that runs one iteration, before the prompt is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentCommand {
    program: OsString,
    arguments: Vec<OsString>,
}

impl AgentCommand {
    /// From the words after `--`: a whole command, or what is added to a preset's.
    pub(crate) fn new(preset: Option<Preset>, words: &[OsString]) -> Outcome<Self> {
        let words = match preset {
            Some(preset) => preset.words(words),
            None => words.to_vec(),
        };
        let mut words = words.into_iter();
        match words.next() {
            Some(program) if !program.is_empty() => Ok(Self {
                program,
                arguments: words.collect(),
            }),
            _ => Err(Failure::usage(
                "no agent is named",
                "name its command after `--`, as in `waynote loop -- my-agent --flag`, or use `--with claude-code`",
            )),
        }
    }

    /// Refuses a program that is not there or not executable, before an iteration begins that could not run.
    pub(crate) fn check(&self) -> Outcome {
        let is_path = self.program.as_bytes().contains(&b'/');
        let files = match is_path {
            true => vec![PathBuf::from(&self.program)],
            false => program::files_on_path(&self.program),
        };
        if files.iter().any(|file| program::is_executable(file)) {
            return Ok(());
        }
        if let Some(file) = files.iter().find(|file| file.is_file()) {
            let file = file.to_string_lossy();
            return Err(Failure::refused(
                "no_agent",
                format!("`{}` is not executable", visible(&file)),
                format!("`chmod +x {}` makes it executable", visible(&quoted(&file))),
            ));
        }
        let program = visible(&self.program.to_string_lossy());
        let hint = match is_path {
            true => "name a file that can be run",
            false => "install it, add its folder to PATH, or name it by its path behind `--`",
        };
        Err(Failure::refused(
            "no_agent",
            format!("there is no program `{program}`"),
            hint,
        ))
    }

    /// Puts the prompt in.
    pub(crate) fn with_prompt(&self, prompt: &str) -> Outcome<Prepared> {
        let holds = |placeholder: &[u8]| {
            let mut arguments = self.arguments.iter();
            arguments
                .any(|argument| memchr::memmem::find(argument.as_bytes(), placeholder).is_some())
        };
        let (in_argument, in_file) = (holds(PROMPT), holds(PROMPT_FILE));
        if in_argument && prompt.contains('\0') {
            return Err(unfit(
                "the prompt holds a NUL byte, which no argument can".into(),
            ));
        }
        let folder = in_file.then(|| written(prompt)).transpose()?;
        let file = folder.as_ref().map(|folder| folder.path().join(FILE_NAME));
        let file = file.as_deref().map_or(OsStr::new(""), Path::as_os_str);
        let arguments: Vec<OsString> = self
            .arguments
            .iter()
            .map(|argument| filled(argument, prompt.as_bytes(), file.as_bytes()))
            .collect();
        if let Some(long) = arguments
            .iter()
            .find(|argument| argument.len() > MOST_OF_ARGUMENT)
        {
            return Err(unfit(format!(
                "the prompt makes an argument of {} bytes, and {MOST_OF_ARGUMENT} are the most",
                long.len()
            )));
        }
        Ok(Prepared {
            program: self.program.clone(),
            arguments,
            stdin: (!in_argument && !in_file).then(|| prompt.as_bytes().to_vec()),
            _folder: folder,
        })
    }
}

/// A prompt that does not go into an argument.
pub(crate) fn unfit(what: String) -> Failure {
    Failure::refused(
        "prompt_unfit",
        what,
        "write `{prompt_file}` where the agent takes a file, or leave `{prompt}` out and it gets the prompt on standard input",
    )
}

/// A command line with the prompt in it. The prompt's file goes when this goes.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    /// What it is fed, if anything.
    pub(crate) stdin: Option<Vec<u8>>,
    _folder: Option<TempDir>,
}

const FILE_NAME: &str = "prompt.md";

/// The prompt in a folder of its own, for the user's eyes alone.
fn written(prompt: &str) -> Outcome<TempDir> {
    let folder = tempfile::Builder::new()
        .prefix("waynote-")
        .permissions(std::fs::Permissions::from_mode(0o700))
        .tempdir()
        .map_err(|error| Failure::file(std::env::temp_dir(), "written to", error))?;
    let path = folder.path().join(FILE_NAME);
    std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .and_then(|mut file| file.write_all(prompt.as_bytes()))
        .map_err(|error| Failure::file(path, "written", error))?;
    Ok(folder)
}

/// An argument with the placeholders replaced. What is put in is not looked through again.
fn filled(argument: &OsStr, prompt: &[u8], file: &[u8]) -> OsString {
    let mut rest = argument.as_bytes();
    let mut filled = Vec::with_capacity(rest.len());
    while let Some(at) = memchr::memchr(b'{', rest) {
        filled.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let (value, length) = if rest.starts_with(PROMPT) {
            (prompt, PROMPT.len())
        } else if rest.starts_with(PROMPT_FILE) {
            (file, PROMPT_FILE.len())
        } else {
            (&rest[..1], 1)
        };
        filled.extend_from_slice(value);
        rest = &rest[length..];
    }
    filled.extend_from_slice(rest);
    OsString::from_vec(filled)
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;
    use proptest::prelude::*;

    use super::*;

    fn command(words: &[&str]) -> AgentCommand {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        AgentCommand::new(None, &words).unwrap()
    }

    #[test]
    fn without_a_placeholder_the_prompt_goes_to_standard_input() {
        let prepared = command(&["agent", "-x", "{other}", "{ prompt }"])
            .with_prompt("Hello")
            .unwrap();
        assert_eq!(prepared.program, "agent");
        assert_eq!(prepared.arguments, ["-x", "{other}", "{ prompt }"]);
        assert_eq!(prepared.stdin.as_deref(), Some(&b"Hello"[..]));
    }

    #[test]
    fn placeholders_are_replaced_once_and_anywhere() {
        let words = [
            "{prompt}",
            "--a={prompt};{prompt}",
            "{{prompt}}",
            "{prompt_file",
        ];
        let prepared = command(&words)
            .with_prompt("{prompt_file}{prompt}")
            .unwrap();
        assert_eq!(prepared.program, "{prompt}", "a program is no argument");
        let expected = [
            "--a={prompt_file}{prompt};{prompt_file}{prompt}",
            "{{prompt_file}{prompt}}",
            "{prompt_file",
        ];
        assert_eq!(prepared.arguments, expected);
        assert_eq!(prepared.stdin, None);
    }

    #[test]
    fn the_file_is_private_and_goes_with_the_command() {
        let prepared = command(&["agent", "--file={prompt_file}", "{prompt_file}"])
            .with_prompt("line\r\nend")
            .unwrap();
        let path = Path::new(&prepared.arguments[1]).to_path_buf();
        assert_eq!(
            prepared.arguments[0].to_str(),
            Some(&*format!("--file={}", path.display()))
        );
        assert_eq!(std::fs::read(&path).unwrap(), b"line\r\nend");
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert_eq!(prepared.stdin, None);
        drop(prepared);
        assert!(!path.parent().unwrap().exists());
    }

    #[test]
    fn an_argument_that_the_kernel_would_not_take_is_refused() {
        let long = "x".repeat(MOST_OF_ARGUMENT - 2);
        let fits = command(&["echo", "p={prompt}"]).with_prompt(&long).unwrap();
        let status = std::process::Command::new(&fits.program)
            .args(&fits.arguments)
            .stdout(std::process::Stdio::null())
            .status();
        assert!(status.unwrap().success());
        let said = |prompt: &str| {
            let failure = command(&["echo", "p={prompt}"])
                .with_prompt(prompt)
                .unwrap_err();
            format!("{}\n  {}", failure.what(), failure.hint())
        };
        assert_snapshot!(said(&format!("{long}y")), @"
        the prompt makes an argument of 131072 bytes, and 131071 are the most
          write `{prompt_file}` where the agent takes a file, or leave `{prompt}` out and it gets the prompt on standard input
        ");
        assert_snapshot!(said("a\0b"), @"
        the prompt holds a NUL byte, which no argument can
          write `{prompt_file}` where the agent takes a file, or leave `{prompt}` out and it gets the prompt on standard input
        ");
        let fed = command(&["agent"])
            .with_prompt(&format!("{long}{long}\0"))
            .unwrap();
        assert_eq!(fed.stdin.unwrap().len(), 2 * long.len() + 1);
    }

    impl AgentCommand {
        fn shown(&self) -> String {
            let words = std::iter::once(&self.program).chain(&self.arguments);
            let words: Vec<_> = words.map(|word| format!("[{}]", word.display())).collect();
            words.concat()
        }
    }

    #[test]
    fn presets_take_more_words() {
        let extra = ["--model", "a b"].map(OsString::from);
        let shown = |preset| AgentCommand::new(Some(preset), &extra).unwrap().shown();
        let all: Vec<_> = Preset::value_variants()
            .iter()
            .map(|preset| shown(*preset))
            .collect();
        assert_snapshot!(all.join("\n"), @"
        [claude][-p][--model][a b]
        [codex][exec][--model][a b][-]
        [opencode][run][--model][a b]
        [gemini][--model][a b]
        [goose][run][--model][a b][-i][-]
        ");
        let bare: Vec<_> = Preset::value_variants()
            .iter()
            .map(|preset| AgentCommand::new(Some(*preset), &[]).unwrap().shown())
            .collect();
        assert_snapshot!(bare.join("\n"), @"
        [claude][-p]
        [codex][exec][-]
        [opencode][run]
        [gemini]
        [goose][run][-i][-]
        ");
    }

    #[test]
    fn no_agent_is_a_matter_of_usage() {
        for words in [vec![], vec![OsString::new()]] {
            let failure = AgentCommand::new(None, &words).unwrap_err();
            assert_eq!(failure.what(), "no agent is named");
        }
    }

    proptest! {
        #[test]
        fn what_is_no_placeholder_stays(words in proptest::collection::vec("[{}a-z_]{0,12}|\\{prompt\\}|\\{prompt_file\\}", 0..6), prompt in "[{}a-z_]{0,20}|\\{prompt_file\\}") {
            let argument = OsString::from(words.concat());
            let text = argument.to_str().unwrap();
            // A longer placeholder does not begin with the shorter one, so that the order of replacing is free.
            let marks = text.replace("{prompt}", "\u{1}").replace("{prompt_file}", "\u{2}");
            let expected = marks.replace('\u{1}', &prompt).replace('\u{2}', "/f");
            let filled = filled(&argument, prompt.as_bytes(), b"/f");
            prop_assert_eq!(filled.to_str().unwrap(), expected);
        }
    }
}
