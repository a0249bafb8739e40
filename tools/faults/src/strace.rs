//! strace: what a process asks of the kernel, in order, and faults put into it. It also sees calls that are made without
//! the C library.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::work;

/// Checks that strace works here. A Debian system gets it where that is allowed.
pub(crate) fn ready() -> Result<(), String> {
    let works =
        || kit::registries::quietly(Command::new("strace").args(["-o", "/dev/null", "true"]));
    let Err(why) = works() else { return Ok(()) };
    let is_there = Command::new("strace").arg("-V").output().is_ok();
    if is_there {
        return Err(why);
    }
    kit::registries::apt_install(&["strace"])
        .map_err(|error| format!("strace is not installed, and cannot be: {error}"))?;
    works()
}

/// A call that returned.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// As strace prints them, strings as bytes.
    pub(crate) arguments: Vec<Argument>,
    pub(crate) result: i64,
}

#[derive(Debug)]
pub(crate) enum Argument {
    Word(String),
    Text(Vec<u8>),
}

impl Call {
    pub(crate) fn number(&self, index: usize) -> Result<i64> {
        match self.arguments.get(index) {
            Some(Argument::Word(word)) => word.parse().with_context(|| format!("{self:?}")),
            _ => bail!("no number at {index}: {self:?}"),
        }
    }

    pub(crate) fn bytes(&self, index: usize) -> Result<&[u8]> {
        match self.arguments.get(index) {
            Some(Argument::Text(bytes)) => Ok(bytes),
            _ => bail!("no text at {index}: {self:?}"),
        }
    }

    pub(crate) fn word(&self, index: usize) -> &str {
        match self.arguments.get(index) {
            Some(Argument::Word(word)) => word,
            _ => "",
        }
    }
}

/// Runs a command and returns its calls of these kinds (`all` for every one), in order. A fault may be put into it.
pub(crate) fn record(
    program: &Command,
    home: &Path,
    calls: &str,
    fault: Option<&str>,
) -> Result<(Vec<Call>, std::process::Output)> {
    let log = tempfile::NamedTempFile::new_in(kit::registries::target())?;
    let mut command = Command::new("strace");
    command
        .args([
            "-f",
            "-qq",
            "-xx",
            "-s",
            "16777216",
            "-e",
            "signal=none",
            "-e",
        ])
        .arg(format!("trace={calls}"))
        .args(fault.into_iter().flat_map(|fault| ["-e", fault]))
        .arg("-o")
        .arg(log.path())
        .arg(program.get_program())
        .args(program.get_args());
    work::dressed(&mut command, home);
    let output = work::run(&mut command)?;
    let text = std::fs::read_to_string(log.path())?;
    let calls = joined(&text)
        .iter()
        .map(|line| call(line))
        .filter_map(Result::transpose)
        .collect::<Result<Vec<_>>>()?;
    Ok((calls, output))
}

/// How often each call is made, and how often before the one in which a text first occurs.
pub(crate) fn counts(calls: &[Call], first: &str) -> BTreeMap<String, (u64, u64)> {
    let names = |call: &Call| {
        call.arguments.iter().any(|argument| {
            matches!(argument, Argument::Text(text) if String::from_utf8_lossy(text).contains(first))
        })
    };
    let begin = calls.iter().position(names).unwrap_or(0);
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (index, call) in calls.iter().enumerate() {
        let (before, all) = counts.entry(call.name.clone()).or_default();
        *before += u64::from(index < begin);
        *all += 1;
    }
    counts
}

/// The lines of a log. A call that another thread interrupts is on two: `17 read(3, <unfinished ...>` and
/// `17 <... read resumed>"a", 1) = 1`.
fn joined(log: &str) -> Vec<String> {
    let mut begun: HashMap<&str, &str> = HashMap::new();
    let mut lines = Vec::new();
    for line in log.lines() {
        let (thread, rest) = line.split_once(' ').unwrap_or(("", line));
        let rest = rest.trim_start();
        if let Some(begin) = rest.strip_suffix("<unfinished ...>") {
            begun.insert(thread, begin);
        } else if let Some((_, end)) = rest
            .strip_prefix("<... ")
            .and_then(|rest| rest.split_once("resumed>"))
        {
            let begin = begun.remove(thread).unwrap_or_default();
            lines.push(format!("{thread} {begin}{end}"));
        } else {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// A line of its log: `4711  pwrite64(3, "\x41", 1, 0) = 1`.
fn call(line: &str) -> Result<Option<Call>> {
    let rest = line
        .split_once(' ')
        .map_or(line, |(_, rest)| rest)
        .trim_start();
    if rest.starts_with("+++") || rest.starts_with("---") {
        return Ok(None);
    }
    let (name, rest) = rest.split_once('(').with_context(|| line.to_owned())?;
    let mut arguments = Vec::new();
    let mut rest = rest;
    let mut depth = 0;
    let mut word = String::new();
    loop {
        let Some(char) = rest.chars().next() else {
            bail!("no end: {line:.200}");
        };
        match char {
            '"' => {
                let (text, after) = rest[1..].split_once('"').with_context(|| line.to_owned())?;
                if depth == 0 {
                    arguments.push(Argument::Text(unescaped(text)?));
                    word.clear();
                    // A comma or the end follows a text.
                    rest = after.trim_start_matches("...");
                    if let Some(after) = rest.strip_prefix(',') {
                        rest = after.trim_start();
                    }
                    continue;
                }
                rest = after;
                continue;
            }
            ')' if depth == 0 => {
                if !word.trim().is_empty() {
                    arguments.push(Argument::Word(word.trim().to_owned()));
                }
                rest = &rest[1..];
                break;
            }
            ',' if depth == 0 => {
                if !word.trim().is_empty() {
                    arguments.push(Argument::Word(word.trim().to_owned()));
                }
                word.clear();
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => word.push(char),
        }
        rest = &rest[char.len_utf8()..];
    }
    let result = rest.rsplit_once("= ").map_or("?", |(_, result)| result);
    let result = result.split([' ', '<']).next().unwrap_or_default();
    let result = match result.strip_prefix("0x") {
        Some(address) => i64::from_str_radix(address, 16).unwrap_or(i64::MAX),
        None => result.parse().unwrap_or(-1),
    };
    Ok(Some(Call {
        name: name.to_owned(),
        arguments,
        result,
    }))
}

/// `\x41\x42`.
fn unescaped(text: &str) -> Result<Vec<u8>> {
    text.split("\\x")
        .skip(1)
        .map(|hex| u8::from_str_radix(hex, 16).with_context(|| text.to_owned()))
        .collect()
}
