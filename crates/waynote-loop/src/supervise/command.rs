//! The agent's command: words, into which the prompt goes, else it goes to standard input.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use waynote_files::make_private;
use waynote_system::program::{files_on_path, is_executable};

use crate::error::{Error, Result};

const PROMPT: &[u8] = b"{prompt}";
const PROMPT_FILE: &[u8] = b"{prompt_file}";

/// The most bytes of one argument: Linux takes 32 pages, with the byte that ends it.
const MAX_ARGUMENT_BYTES: usize = 128 * 1024 - 1;

/// The command that runs one iteration, before the prompt is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentCommand {
    program: OsString,
    arguments: Vec<OsString>,
}

impl AgentCommand {
    /// From its words: the program, then its arguments. `{prompt}` and `{prompt_file}` in an argument stand for the prompt;
    /// without them it is on standard input.
    ///
    /// # Errors
    /// [`Error::NoAgent`] without a program.
    pub fn new<W: AsRef<OsStr>>(words: &[W]) -> Result<Self> {
        let mut words = words.iter().map(|word| word.as_ref().to_owned());
        match words.next() {
            Some(program) if !program.is_empty() => Ok(Self {
                program,
                arguments: words.collect(),
            }),
            _ => Err(Error::NoAgent),
        }
    }

    /// Looks for the program before an iteration begins that could not run. `path` is what the variable `PATH` holds, if
    /// it is set.
    ///
    /// # Errors
    /// [`Error::NoProgram`] when it is not there, [`Error::NotExecutable`] when it cannot be run.
    pub fn check(&self, path: Option<&OsStr>) -> Result {
        let is_path = self.program.as_bytes().contains(&b'/');
        let files = match is_path {
            true => vec![PathBuf::from(&self.program)],
            false => files_on_path(path, &self.program),
        };
        if files.iter().any(|file| is_executable(file)) {
            return Ok(());
        }
        Err(match files.iter().find(|file| file.is_file()) {
            Some(file) => Error::NotExecutable {
                file: file.to_string_lossy().into_owned(),
            },
            None => Error::NoProgram {
                program: self.program.to_string_lossy().into_owned(),
            },
        })
    }

    /// Puts the prompt in.
    pub(crate) fn with_prompt(&self, prompt: &str) -> Result<PreparedCommand> {
        let holds = |placeholder: &[u8]| {
            let mut arguments = self.arguments.iter();
            arguments
                .any(|argument| memchr::memmem::find(argument.as_bytes(), placeholder).is_some())
        };
        let (in_argument, in_file) = (holds(PROMPT), holds(PROMPT_FILE));
        if in_argument && prompt.contains('\0') {
            let why = "the prompt holds a NUL byte, which no argument can";
            return Err(Error::PromptUnfit(why.into()));
        }
        let folder = in_file.then(|| written(prompt)).transpose()?;
        let file = folder.as_ref().map(|folder| folder.path().join(FILE_NAME));
        let file = file.as_deref().map_or(OsStr::new(""), Path::as_os_str);
        let arguments = self.arguments.iter();
        let arguments = arguments.map(|words| filled(words, prompt.as_bytes(), file.as_bytes()));
        let arguments: Vec<OsString> = arguments.collect();
        let longest = arguments.iter().map(|argument| argument.len()).max();
        if let Some(bytes) = longest.filter(|bytes| *bytes > MAX_ARGUMENT_BYTES) {
            return Err(Error::PromptUnfit(format!(
                "the prompt makes an argument of {bytes} bytes, and {MAX_ARGUMENT_BYTES} are the most"
            )));
        }
        Ok(PreparedCommand {
            program: self.program.clone(),
            arguments,
            stdin: (!in_argument && !in_file).then(|| prompt.as_bytes().to_vec()),
            _folder: folder,
        })
    }
}

/// A command line with the prompt in it. The prompt's file goes when this goes.
#[derive(Debug)]
pub(crate) struct PreparedCommand {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    /// Its standard input, if any.
    pub(crate) stdin: Option<Vec<u8>>,
    _folder: Option<TempDir>,
}

impl PreparedCommand {
    /// A line of shell with that text on its standard input.
    pub(crate) fn shell(line: &str, input: &str) -> Self {
        Self {
            program: "sh".into(),
            arguments: vec!["-c".into(), line.into()],
            stdin: Some(input.into()),
            _folder: None,
        }
    }
}

const FILE_NAME: &str = "prompt.md";

/// The prompt in a folder of its own, for the user's eyes alone.
fn written(prompt: &str) -> Result<TempDir> {
    let folder = tempfile::Builder::new()
        .prefix("waynote-")
        .permissions(std::fs::Permissions::from_mode(0o700))
        .tempdir()
        .map_err(|error| Error::file(std::env::temp_dir(), "written to", error))?;
    let path = folder.path().join(FILE_NAME);
    make_private(&path)
        .and_then(|mut file| file.write_all(prompt.as_bytes()))
        .map_err(|error| Error::file(path, "written", error))?;
    Ok(folder)
}

/// An argument with the placeholders replaced. Their values are not searched again.
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
        AgentCommand::new(words).unwrap()
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
        let long = "x".repeat(MAX_ARGUMENT_BYTES - 2);
        let fits = command(&["echo", "p={prompt}"]).with_prompt(&long).unwrap();
        let status = std::process::Command::new(&fits.program)
            .args(&fits.arguments)
            .stdout(std::process::Stdio::null())
            .status();
        assert!(status.unwrap().success());
        let refused = |prompt: &str| command(&["echo", "p={prompt}"]).with_prompt(prompt);
        let said = |prompt: &str| refused(prompt).unwrap_err().to_string();
        assert_snapshot!(said(&format!("{long}y")), @"the prompt makes an argument of 131072 bytes, and 131071 are the most");
        assert_snapshot!(said("a\0b"), @"the prompt holds a NUL byte, which no argument can");
        let fed = command(&["agent"])
            .with_prompt(&format!("{long}{long}\0"))
            .unwrap();
        assert_eq!(fed.stdin.unwrap().len(), 2 * long.len() + 1);
    }

    #[test]
    fn a_command_has_a_program() {
        for words in [&[][..], &[""]] {
            let refused = AgentCommand::new(words).unwrap_err();
            assert_eq!(refused.to_string(), "no agent is named");
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
