//! Secrets that are known by the name they are assigned to: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`.

use super::names::{self, Kind};
use super::shape::{
    BASE64, CAPS, DASH, DOT, UNDERSCORE, WORD, is, leading, leading_within, run_end,
    run_end_within, run_start,
};
use super::table::{AWS_SECRET, ENTROPY, LOGIN, PASSWORD};
use super::value;

/// The longest name and value that are looked at.
const NAME: usize = 64;
const VALUE: usize = 300;

/// The secret that is assigned to the name in which a word stands from `begin` to `after`.
pub(super) fn find(text: &str, begin: usize, after: usize) -> Option<(&'static str, usize, usize)> {
    let bytes = text.as_bytes();
    let begin = begin + usize::from(b" \n".contains(&bytes[begin]));
    let class = WORD | DASH | DOT;
    let start = run_start(bytes, begin, class, NAME);
    let end = run_end_within(bytes, after, class, NAME + 1);
    let is_mask = bytes[..start].ends_with(super::MASK.as_bytes()) && bytes.get(end) == Some(&b']');
    // `…:secret:name` is a path of its own.
    let is_path = start > 1
        && bytes[start - 1] == b':'
        && is(bytes[start - 2], WORD)
        && !bytes[..start].ends_with(b"$env:");
    if end - after > NAME || is_path || is_mask {
        return None;
    }
    // Most words are followed by another one.
    let behind = *bytes.get(end)?;
    if !b" \t\\\"'`]*=:>(|?+,\r\n/".contains(&behind) {
        return None;
    }
    if b" \t".contains(&behind) && is_prose(&bytes[end..]) {
        return None;
    }
    let kind = names::kind(text, start, end)?;
    let name = &text[start..end];
    let is_option = name.starts_with('-') || is_env(name);
    let name_start = start;
    let is_listed = is_option || name.contains(['-', '_']) && is_quoted(bytes, start);
    let is_symbol = bytes[..start].ends_with(b":");
    let (start, end) = match kind {
        Kind::Login if !bytes[..start].ends_with(b"?") && !bytes[..start].ends_with(b"&") => {
            return login(text, end);
        }
        _ => assigned(text, end, is_listed, is_symbol)?,
    };
    let value_start = start;
    let is_attached = start > 0 && bytes[start - 1] == b'=';
    let is_argument = name.starts_with('-');
    let is_said = is_quoted(bytes, start)
        || is_attached
        || bytes[..start].ends_with(b"| ")
        || is_line(bytes, name_start, end);
    let is_data = is_said || is_env(name) || is_argument;
    // `credentials: user:password`
    let start = match kind {
        Kind::Key if name.to_ascii_lowercase().contains("cred") => {
            start + user_before(&text[start..end])
        }
        _ => start,
    };
    let kind = if start > value_start {
        Kind::Password
    } else {
        kind
    };
    let is_data = is_data || start > value_start;
    let is_alone = match kind {
        Kind::PasswordAlone => is_said,
        Kind::Password | Kind::Secret => {
            (is_env(name) || is_argument) && is_attached
                || stands_alone(&text[..name_start], is_attached)
        }
        _ => false,
    };
    let kind = match kind {
        Kind::PasswordAlone => Kind::Password,
        kind => kind,
    };
    let rule = |end: usize| {
        let value = &text[start..end];
        let any = || (is_alone && value::is_any("", value)).then_some(PASSWORD);
        judged(kind, name, value, is_data).or_else(any)
    };
    // `!` may end a sentence, or a password.
    let whole = end + leading(&bytes[end..], |byte| b"!*?".contains(byte));
    let ends_line = bytes
        .get(whole)
        .is_none_or(|byte| b"\r\n;,\"'<)&#".contains(byte));
    if whole > end
        && (ends_line || is_attached || is_argument)
        && let Some(rule) = rule(whole)
    {
        return Some((rule, start, whole));
    }
    // In a path, the value is one part of it.
    let part = text[start..end].split('/').next().unwrap_or_default();
    let part = start + if is_attached { part.len() } else { end - start };
    let mut ends = [end, part].into_iter();
    ends.find_map(|end| Some((rule(end)?, start, end)))
}

/// True if nothing but a password can stand behind a name with this before it: in a line of `.netrc`, and in a string
/// that says how to connect.
fn stands_alone(before: &str, is_attached: bool) -> bool {
    const NEAR: usize = 200;
    let near = &before[before.ceil_char_boundary(before.len().saturating_sub(NEAR))..];
    let words = || near.split_ascii_whitespace().rev();
    let is_netrc = near.ends_with([' ', '\t', '\n'])
        && words().nth(1) == Some("login")
        && words().nth(3).is_some_and(|word| word.ends_with("machine"));
    let line = near.rsplit('\n').next().unwrap_or_default();
    let says_host = ["host=", "dbname=", "server=", "data source="];
    let is_connection = is_attached
        && line.ends_with([';', ' '])
        && !line.contains(['(', ','])
        && says_host
            .iter()
            .any(|word| line.to_ascii_lowercase().contains(word));
    is_netrc || is_connection
}

/// Words between a name and its value in prose, or between the cells of a table.
const SAID: [&str; 9] = [
    "is now ",
    "is set to ",
    "is ",
    "are ",
    "= ",
    "changed to ",
    "set to ",
    "was changed to ",
    "| ",
];

/// True if a word follows that is no value: one without a digit.
fn is_prose(rest: &[u8]) -> bool {
    const DECLARED: usize = 40;
    let declared = &rest[..rest.len().min(DECLARED)];
    if declared
        .windows(4)
        .any(|sign| matches!(sign, b" = \"" | b" = '"))
    {
        return false;
    }
    let blanks = leading(rest, |byte| b" \t".contains(byte));
    let rest = &rest[blanks..rest.len().min(blanks + VALUE)];
    if begins_with_preposition(rest) {
        return false;
    }
    let begins = rest.first().is_some_and(u8::is_ascii_alphabetic);
    let mut words = rest.split(u8::is_ascii_whitespace);
    let word = words.next().unwrap_or_default();
    begins
        && !value::is_random_letters(word)
        && !SAID.iter().any(|said| rest.starts_with(said.as_bytes()))
        && !rest.starts_with(b"value")
        && !word.iter().any(u8::is_ascii_digit)
}

/// How long the user is, with the sign behind it, where a value is `user:password` or `user/password`.
fn user_before(value: &str) -> usize {
    const LONGEST: usize = 32;
    let user = run_end_within(value.as_bytes(), 0, WORD | DASH, LONGEST);
    let password = value[user..].strip_prefix([':', '/']).unwrap_or_default();
    let is_login = user > 0
        && (value::is_strong(password.as_bytes())
            || value::is_word_and_number(password.as_bytes()))
        && !password.contains(['/', ':', '.']);
    if is_login { user + 1 } else { 0 }
}

/// True if it is said whose password it is: `of db1`, `for the printer`.
fn begins_with_preposition(rest: &[u8]) -> bool {
    [&b"of "[..], b"for ", b"on ", b"to ", b"at ", b"("]
        .iter()
        .any(|word| rest.starts_with(word))
}

/// The rule by which a value is a secret.
fn judged(kind: Kind, name: &str, value: &str, is_data: bool) -> Option<&'static str> {
    if value::is_reference(value) {
        return None;
    }
    let bytes = value.as_bytes();
    let is_random =
        value::is_random(bytes) && (kind != Kind::Token || !value::has_uuid_form(bytes));
    let may_be_chosen = matches!(kind, Kind::Password | Kind::Secret);
    if value::is_aws_secret(bytes) && is_of_aws(name) {
        Some(AWS_SECRET)
    } else if is_random
        || is_data && (value::is_generated(bytes) || value::is_random_letters(bytes))
    {
        Some(ENTROPY)
    } else if may_be_chosen
        && (value::is_strong(bytes)
            || is_data && value::is_word_and_number(bytes)
            || is_chosen_in_base64(bytes))
    {
        Some(PASSWORD)
    } else {
        None
    }
}

/// True if it is a password in base64, as Kubernetes keeps them.
fn is_chosen_in_base64(value: &[u8]) -> bool {
    const SHORTEST: usize = 12;
    let decoded = || value::text_in_base64(value);
    value.len() >= SHORTEST
        && value.len().is_multiple_of(4)
        && value.iter().all(|byte| is(*byte, BASE64))
        && decoded().is_some_and(|text| {
            let text = text.trim_end();
            !value::is_reference(text) && value::is_chosen(text.as_bytes())
        })
}

/// A name as environments have them: `DB_PASSWORD`.
fn is_env(name: &str) -> bool {
    name.bytes().all(|byte| is(byte, CAPS | UNDERSCORE))
}

/// True if nothing stands on the line but a name and its value, which ends at `end`.
fn is_line(text: &[u8], start: usize, end: usize) -> bool {
    const MOST_SIGNS: usize = 3;
    let indent = text[..start]
        .iter()
        .rev()
        .take_while(|byte| b" \t-\"'".contains(byte));
    let start = start - indent.count();
    let behind = &text[end..];
    let signs = leading_within(behind, MOST_SIGNS, |byte| b"!*?\"',;".contains(byte));
    let behind = &behind[signs..];
    let ends =
        behind.first().is_none_or(|byte| b"\r\n".contains(byte)) || behind.starts_with(b" #");
    ends && (start == 0 || text[start - 1] == b'\n')
}

fn is_quoted(text: &[u8], start: usize) -> bool {
    start > 0 && b"\"'`>".contains(&text[start - 1])
}

/// The user and the password behind `auth`, in base64.
fn login(text: &str, name_end: usize) -> Option<(&'static str, usize, usize)> {
    let (start, end) = assigned(text, name_end, false, false)?;
    let pair = value::text_in_base64(&text.as_bytes()[start..end])?;
    is_login(&pair).then_some((LOGIN, start, end))
}

/// `user:password`, with a password that is no placeholder.
pub(super) fn is_login(pair: &str) -> bool {
    let Some((user, password)) = pair.split_once(':') else {
        return false;
    };
    let password = password.trim_end();
    let is_user =
        user.len() < NAME && !user.contains(|char: char| char.is_whitespace() || char == '{');
    is_user
        && !value::is_reference(password)
        && (value::is_strong(password.as_bytes()) || value::is_any(user, password))
}

fn is_of_aws(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("aws") || name.contains("secret") && name.contains("access")
}

/// The range of the value behind a name and a sign of assignment.
fn assigned(
    text: &str,
    name_end: usize,
    is_listed: bool,
    is_symbol: bool,
) -> Option<(usize, usize)> {
    let mut rest = Rest { text, at: name_end };
    // The end of a quoted or marked name: `"password"`, `**Password**`, `['token']`.
    let is_quoted = rest.skip("\\\"'`]*", 4) > 0;
    let blanks = rest.skip(" \t", 8);
    let is_assigned = ["=>", ":=", "||=", "?=", "+=", "===", "==", "=", "::", ":"]
        .iter()
        .any(|sign| rest.take(sign))
        || blanks > 0 && SAID.iter().any(|said| rest.take(said))
        || blanks == 0 && (rest.take("(\"") || rest.take("('") || rest.take(">"))
        || blanks > 0 && rest.typed().is_some()
        || blanks > 0 && rest.value_said_later()
        || rest.value_below()
        || rest.value_beside()
        // The comma of a list of arguments: `"--password", "…"`.
        || (is_listed && is_quoted || is_symbol) && rest.take(",");
    // `--token VALUE`, `password VALUE`: nothing but a blank between. To pass something is a verb.
    let is_verb = text[..name_end].strip_suffix("pass");
    let is_verb =
        is_verb.is_some_and(|before| !before.ends_with(|char: char| char.is_ascii_alphanumeric()));
    let is_beside =
        blanks > 0 && !rest.left().starts_with('-') && (!is_verb || value::is_signed(rest.word()));
    if !(is_assigned || is_beside) {
        return None;
    }
    rest.skip("*", 2);
    rest.skip(" \t", 8);
    rest.take("<value>");
    rest.take("!!str ");
    if let Some(typed) = rest.typed() {
        rest.at = typed;
    }
    // `r"…"`, `b'…'`.
    if rest.left().len() > 1
        && rest.left().starts_with(['r', 'b', 'u', 'f'])
        && rest.left()[1..].starts_with(['"', '\''])
    {
        rest.at += 1;
    }
    rest.take("\\");
    // Of three quotes, the last one is as good as one.
    if ["\"\"\"", "'''"]
        .iter()
        .any(|three| rest.left().starts_with(three))
    {
        rest.at += 2;
    }
    let next = rest.left().chars().next();
    let quote = next.filter(|char| matches!(char, '"' | '\'' | '`'));
    let limit = text.floor_char_boundary((rest.at + VALUE).min(text.len()));
    match quote {
        Some(quote) => {
            let start = rest.at + 1;
            let value = text.get(start..limit)?;
            // An escaped quote ends what stands in a quoted text.
            let end = value.find([quote, '\n', '\\'])?;
            Some((start, start + end))
        }
        None => {
            let start = rest.at;
            let value = &text[start..limit.max(start)];
            let stop = |char: char| char.is_whitespace() || "\"'`<>,;|)}]\\".contains(char);
            let end = value.find(stop).unwrap_or(value.len());
            let end = next_parameter(&value[..end]).unwrap_or(end);
            // A call, an index or a block is code, not a value.
            let is_type = value[end..].starts_with('<') && !value[end..].starts_with("</");
            if is_type
                || value[end..].starts_with(['(', '['])
                || value[..end].contains(['(', '[', '{'])
            {
                return None;
            }
            let value = value[..end].trim_end_matches(['.', ':', '!', '?', '*']);
            Some((start, start + value.len()))
        }
    }
}

/// The offset of the next parameter of a query: `…&name=`.
fn next_parameter(value: &str) -> Option<usize> {
    let is_next = |(at, _): &(usize, &str)| {
        let name = run_end(value.as_bytes(), at + 1, WORD);
        name > at + 1 && value.as_bytes().get(name) == Some(&b'=')
    };
    value.match_indices('&').find(is_next).map(|(at, _)| at)
}

/// The unread part of a text.
struct Rest<'t> {
    text: &'t str,
    at: usize,
}

impl Rest<'_> {
    fn left(&self) -> &str {
        &self.text[self.at..]
    }

    /// The text up to a blank.
    fn word(&self) -> &str {
        let limit = self
            .text
            .floor_char_boundary((self.at + VALUE).min(self.text.len()));
        let rest = &self.text[self.at..limit];
        rest.split(char::is_whitespace).next().unwrap_or_default()
    }

    /// Passes over some of these characters; how many there were.
    fn skip(&mut self, these: &str, most: usize) -> usize {
        let is_one = |byte: &u8| these.as_bytes().contains(byte);
        let there = leading_within(self.left().as_bytes(), most, is_one);
        self.at += there;
        there
    }

    fn take(&mut self, word: &str) -> bool {
        let there = self.left().starts_with(word);
        if there {
            self.at += word.len();
        }
        there
    }

    /// Passes over `value:` in the next line, as a list of names and values has it.
    fn value_below(&mut self) -> bool {
        const MAX_INDENT: usize = 24;
        let before = self.at;
        let is_below = (self.take("\r\n") || self.take("\n"))
            && self.skip(" \t", MAX_INDENT) > 0
            && self.take("value:");
        if !is_below {
            self.at = before;
        }
        is_below
    }

    /// Passes over `value=` or `"value":` behind a name that is itself a value: `name="…" value="…"`.
    fn value_beside(&mut self) -> bool {
        let before = self.at;
        self.skip(" \t,\r\n", 24);
        let is_beside = ["value=", "\"value\":", "'value':", "connectionString="]
            .iter()
            .any(|sign| self.take(sign));
        if !is_beside {
            self.at = before;
        }
        is_beside
    }

    /// Passes over whose password it is, up to the value: `of db1 is `, `for the printer: `.
    fn value_said_later(&mut self) -> bool {
        const FARTHEST: usize = 48;
        let bytes = self.left().as_bytes();
        let near = &bytes[..bytes.len().min(FARTHEST)];
        if !begins_with_preposition(near) {
            return false;
        }
        let line = leading(near, |byte| !b"\r\n,;".contains(byte));
        let sign = |sign: &[u8]| {
            let at = near[..line]
                .windows(sign.len())
                .position(|there| there == sign);
            at.map(|at| at + sign.len())
        };
        let end = [&b" is "[..], b": ", b" = "]
            .iter()
            .filter_map(|of| sign(of))
            .min();
        self.at += end.unwrap_or(0);
        end.is_some()
    }

    /// The value behind a type and its own sign: `: &str = "…"`.
    fn typed(&self) -> Option<usize> {
        const LONGEST_TYPE: usize = 30;
        let bytes = self.left().as_bytes();
        let is_of_type = |byte: &u8| is(*byte, WORD) || b"&'<>:".contains(byte);
        let kind = leading_within(bytes, LONGEST_TYPE, is_of_type);
        let rest = bytes[kind..].strip_prefix(b" = ")?;
        (kind > 0 && rest.first().is_some_and(|byte| b"\"'".contains(byte)))
            .then_some(self.at + kind + 3)
    }
}
