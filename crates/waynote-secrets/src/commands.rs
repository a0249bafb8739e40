//! Passwords and tokens in command lines: behind an option of a program that is known, or a strong one behind an
//! option that usually takes one.

use super::shape::{DASH, DOT, WORD, is};
use super::table::programs::{ANY, Form, PROGRAMS, READERS, Takes, Taking};
use super::value;

/// How far before an option its command may begin, and how long it may be.
const BEFORE: usize = 400;
const LONGEST: usize = 2000;

/// An argument: where it stands, without its quotes.
#[derive(Clone, Copy)]
struct Word<'t> {
    text: &'t str,
    start: usize,
    is_quoted: bool,
}

/// Calls `found` with the credentials of the command around `at`, and returns its end. The text before `from` has been
/// scanned.
pub(super) fn find(
    text: &str,
    from: usize,
    at: usize,
    mut found: impl FnMut(usize, usize),
) -> usize {
    let bytes = text.as_bytes();
    let start = line_start(bytes, from, at);
    let end = line_end(bytes, at, text.len().min(at + LONGEST));
    let (start, end) = (
        text.ceil_char_boundary(start),
        text.floor_char_boundary(end),
    );
    if start >= end {
        return at + 1;
    }
    let words = words(&text[start..end], start);
    let mut command = Command::default();
    let (mut begin, mut at) = (0, 0);
    while at < words.len() {
        let (word, next) = (words[at], words.get(at + 1));
        at += 1;
        if ["|", "||", "&&", ";", "&"].contains(&word.text) {
            command = Command {
                piped: command.said.filter(|_| word.text == "|"),
                ..Command::default()
            };
            begin = at;
            continue;
        }
        if let Some((start, end)) = command.take(&words[begin..at], word, next.copied()) {
            found(start, end);
        }
    }
    end.max(at + 1)
}

fn line_start(text: &[u8], from: usize, at: usize) -> usize {
    let least = from.max(at.saturating_sub(BEFORE)).min(at);
    let mut start = at;
    while start > least {
        let is_line = text[start - 1] == b'\n' && !goes_on(text, start - 1);
        if is_line {
            break;
        }
        start -= 1;
    }
    start
}

fn line_end(text: &[u8], at: usize, limit: usize) -> usize {
    let ends = (at..limit).find(|at| text[*at] == b'\n' && !goes_on(text, *at));
    ends.unwrap_or(limit)
}

/// True if the line that ends there goes on in the next one: by the signs of shells, PowerShell and Windows.
fn goes_on(text: &[u8], end: usize) -> bool {
    let line = text[..end].strip_suffix(b"\r").unwrap_or(&text[..end]);
    line.last().is_some_and(|last| b"\\`^".contains(last))
}

/// The words of a command line, as a shell takes them apart; those of a list of texts in quotes too.
fn words(line: &str, offset: usize) -> Vec<Word<'_>> {
    let bytes = line.as_bytes();
    let is_list = ["\",\"", "\", \"", "','", "', '"]
        .iter()
        .any(|sign| line.contains(sign));
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_whitespace()
            || byte == b'\\' && is_break(bytes, at)
            || is_list && b"[](),".contains(&byte)
        {
            at += 1;
            continue;
        }
        let start = at;
        if b"|;&".contains(&byte) {
            at += 1 + usize::from(bytes.get(at + 1) == Some(&byte));
        } else {
            at = word_end(bytes, at, is_list);
        }
        words.push(word(line, start, at, offset));
    }
    words
}

fn is_break(text: &[u8], at: usize) -> bool {
    text.get(at + 1)
        .is_none_or(|next| matches!(next, b'\n' | b'\r'))
}

fn word_end(text: &[u8], start: usize, is_list: bool) -> usize {
    let mut at = start;
    while let Some(byte) = text.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b'|' | b';' => break,
            b'&' if text.get(at + 1) == Some(&b'&')
                || at > start && text.get(at + 1) == Some(&b' ') =>
            {
                break;
            }
            b',' | b']' | b')' if is_list && text[start] == b'"' => break,
            b'"' | b'\'' => {
                let rest = &text[at + 1..];
                if at == start && begins_with_program(rest) {
                    at += 1;
                    continue;
                }
                let line = memchr::memchr2(*byte, b'\n', rest);
                match line.filter(|end| rest[*end] == *byte) {
                    // A quote that opens before blanks may be the end of one that was opened before the command.
                    Some(end)
                        if at == start || !rest[..end].contains(&b' ') || text[at - 1] == b'=' =>
                    {
                        at += end + 1;
                    }
                    _ if at > start && rest.first().is_none_or(u8::is_ascii_whitespace) => {}
                    Some(end) => at += end + 1,
                    None => {}
                }
            }
            b'\\'
                if text
                    .get(at + 1)
                    .is_some_and(|next| !next.is_ascii_whitespace()) =>
            {
                at += 1;
            }
            _ => {}
        }
        at += 1;
    }
    at.min(text.len()).max(start + 1)
}

/// True if a command stands in quotes: `ssh host "mysql …"`.
fn begins_with_program(text: &[u8]) -> bool {
    const LONGEST: usize = 24;
    let length = text.iter().take(LONGEST).position(|byte| *byte == b' ');
    let name = length.and_then(|length| std::str::from_utf8(&text[..length]).ok());
    name.is_some_and(|name| name == "echo" || name == "sudo" || PROGRAMS.contains_key(name))
}

fn word(line: &str, start: usize, end: usize, offset: usize) -> Word<'_> {
    let end = line.ceil_char_boundary(end);
    let (text, start, is_quoted) = unquoted(&line[start..end], start);
    Word {
        text,
        start: start + offset,
        is_quoted,
    }
}

/// A text without quotes around it, and without one that belongs to what stands around the command.
fn unquoted(text: &str, start: usize) -> (&str, usize, bool) {
    for quote in ['"', '\'', '`'] {
        let inside = text
            .strip_prefix(quote)
            .and_then(|text| text.strip_suffix(quote));
        if let Some(inside) = inside {
            return (inside, start + 1, true);
        }
        if text.matches(quote).count() == 1 {
            if let Some(inside) = text.strip_suffix(quote) {
                return (inside, start, false);
            }
            if let Some(inside) = text.strip_prefix(quote) {
                return (inside, start + 1, false);
            }
        }
    }
    (text, start, false)
}

/// The parts of a command that are read so far.
#[derive(Default)]
struct Command<'t> {
    program: Option<&'static [Taking]>,
    /// The command only prints its argument, `said`.
    is_printing: bool,
    said: Option<Word<'t>>,
    /// The text that the command before the pipe prints.
    piped: Option<Word<'t>>,
    /// Words that belong to the option before them, and the options of which none is an argument.
    is_taken: bool,
}

impl<'t> Command<'t> {
    /// The credential in a word, by the words before it and the one behind.
    fn take(
        &mut self,
        before: &[Word<'t>],
        word: Word<'t>,
        next: Option<Word<'t>>,
    ) -> Option<(usize, usize)> {
        let was_taken = std::mem::take(&mut self.is_taken);
        // `HERE <<< text`
        if let (Some(text), "<<<") = (next, word.text) {
            self.piped = Some(text);
        }
        let reader_of = |word: &Word<'_>| READERS.iter().find(|reader| reader.option == word.text);
        let reader = reader_of(&word);
        let is_reader = reader.is_some() || word.text == "<<<";
        if is_reader && let Some(piped) = self.piped {
            // `READER <<< text`
            let reader = reader.or_else(|| before.iter().find_map(reader_of));
            let takes = reader.map_or(Takes::Token, |reader| reader.takes);
            if let Some(found) = secret(piped, takes, false) {
                self.piped = None;
                return Some(found);
            }
        }
        if self.is_printing && self.said.is_none() && !word.text.starts_with('-') {
            self.said = Some(word);
        }
        let name = word.text.rsplit(['/', '(', '`']).next().unwrap_or_default();
        let name = name.strip_suffix(".exe").unwrap_or(name);
        if ["echo", "printf"].contains(&name) {
            self.is_printing = true;
            return None;
        }
        // The last program that is named, so that `sudo`, `docker exec` and `ssh` may stand before it.
        if !word.text.starts_with('-')
            && !was_taken
            && let Some(program) = PROGRAMS.get(name)
        {
            self.program = Some(program);
            return None;
        }
        let program = self.program.unwrap_or_default();
        for taking in program.iter().filter(|taking| !taking.option.is_empty()) {
            let needed = taking.needed;
            if !needed.is_empty() && !before.iter().any(|word| word.text == needed) {
                continue;
            }
            let Some(value) = value_of(word, next, taking) else {
                continue;
            };
            self.is_taken = value.start != word.start;
            if let Some(found) = secret(value, taking.takes, false) {
                return Some(found);
            }
        }
        for taking in ANY.iter() {
            let strong = value_of(word, next, taking);
            if let Some(found) = strong.and_then(|value| secret(value, taking.takes, true)) {
                return Some(found);
            }
        }
        let argument = program.iter().find(|taking| taking.option.is_empty());
        match argument.map(|argument| argument.takes) {
            Some(Takes::Token | Takes::Chosen) if word.text.contains(['.', ':', '/']) => None,
            Some(Takes::Chosen)
                if !value::is_strong(word.text.as_bytes())
                    && !value::is_word_and_number(word.text.as_bytes()) =>
            {
                None
            }
            Some(takes) if !word.text.starts_with(['-', '@', '\\']) => secret(word, takes, false),
            _ => None,
        }
    }
}

/// The value that a word gives to an option, or the word behind it.
fn value_of<'t>(word: Word<'t>, next: Option<Word<'t>>, taking: &Taking) -> Option<Word<'t>> {
    let Taking { option, form, .. } = *taking;
    let is_short = option.len() == 2 && option.starts_with('-');
    let rest = match word.text.strip_prefix(option) {
        Some(rest) => rest,
        // `-sSfu VALUE`: several options of one letter.
        None if is_short && is_cluster(word.text) && word.text.ends_with(&option[1..]) => "",
        None => return None,
    };
    if rest.is_empty() {
        return next.filter(|next| form != Form::Attached && !next.text.is_empty());
    }
    let part = |rest: &'t str| {
        let (text, start, is_quoted) = unquoted(rest, word.start + word.text.len() - rest.len());
        Word {
            text,
            start,
            is_quoted,
        }
    };
    let rest = &word.text[word.text.len() - rest.len()..];
    match rest.strip_prefix('=') {
        Some(rest) => Some(part(rest)),
        None => (form != Form::Apart).then(|| part(rest)),
    }
}

fn is_cluster(word: &str) -> bool {
    const MOST: usize = 6;
    let letters = word.strip_prefix('-').unwrap_or_default();
    (2..=MOST).contains(&letters.len()) && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// The credential inside a value, if it is one.
fn secret(value: Word<'_>, takes: Takes, only_strong: bool) -> Option<(usize, usize)> {
    let text = value.text;
    let (user, password) = match takes {
        Takes::Password | Takes::Chosen | Takes::Token => ("", text),
        Takes::Login | Takes::LoginAtHost => text.split_once(':')?,
        Takes::LoginBy(sign) => text.split_once(sign)?,
    };
    // `user/password@database`
    let password = match takes {
        Takes::LoginBy('/') | Takes::LoginAtHost => password
            .rsplit_once('@')
            .map_or(password, |(password, _)| password),
        _ => password,
    };
    let is_login = matches!(takes, Takes::Login | Takes::LoginAtHost | Takes::LoginBy(_));
    let is_user = |byte: u8| is(byte, WORD | DASH | DOT) || b"@\\/+$".contains(&byte);
    if is_login && (user.is_empty() || !user.bytes().all(is_user)) && takes != Takes::Login {
        return None;
    }
    if is_login && user.contains(['{', '<']) || takes == Takes::Login && user.contains('/') {
        return None;
    }
    let password = password.strip_prefix("pass:").unwrap_or(password);
    let bytes = password.as_bytes();
    let is_reference = !value.is_quoted && value::is_reference(password)
        || password.contains(['{', '<'])
        || password.starts_with("$");
    if is_reference || is_login && value::is_shown(user, bytes) && !value::is_strong(bytes) {
        return None;
    }
    let is_chosen = || value::is_chosen(bytes) || value::is_word_and_number(bytes);
    let is_one = match takes {
        _ if only_strong => value::is_signed(password),
        Takes::Token => value::is_random(bytes),
        Takes::Chosen => is_chosen(),
        // Two words with a slash between them may be words of a sentence.
        Takes::LoginBy('/') if !text.contains('@') => is_chosen(),
        _ => is_chosen() || value::is_any(user, password),
    };
    let start = value.start + text.len() - password.len();
    // Without a database, it may be a path.
    if takes == Takes::LoginBy('/') && password.contains('.') && !text.contains('@') {
        return None;
    }
    // Behind `user/password` the name of the database follows.
    let start = match takes {
        Takes::LoginBy('/') | Takes::LoginAtHost => value.start + text.find(password)?,
        _ => start,
    };
    is_one.then_some((start, start + password.len()))
}
