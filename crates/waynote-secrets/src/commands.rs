//! Passwords in command lines: behind an option of a program that takes one there. Few programs, each often used; a
//! password behind an option with a telling name (`--password`) is found by that name.

use super::value;

/// What stands behind an option.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    /// `-p password`
    Apart,
    /// `-ppassword`
    Attached,
    /// Either.
    Both,
    /// `-u user:password`
    Login,
}

/// Programs, or words of theirs (`docker login`), options, and what these take.
const COMMANDS: &[(&str, &str, Takes)] = &[
    (
        "curl",
        "-u -su -ku -sSu -fsSu -sSfu --user -U --proxy-user",
        Takes::Login,
    ),
    ("http https xh", "-a --auth", Takes::Login),
    (
        "mysql mysqldump mysqladmin mariadb mariadb-dump 7z 7za",
        "-p",
        Takes::Attached,
    ),
    ("sshpass", "-p", Takes::Both),
    (
        "login mongo mongosh mongodump mongorestore",
        "-p",
        Takes::Apart,
    ),
    ("redis-cli", "-a", Takes::Apart),
    (
        "ldapsearch ldapmodify ldapadd ldapwhoami",
        "-w",
        Takes::Apart,
    ),
    ("zip sqlcmd ipmitool", "-P", Takes::Apart),
    ("ssh-keygen", "-N", Takes::Apart),
    ("openssl", "pass:", Takes::Attached),
];

/// How far before an option its command may begin, and how long a password may be.
const BEFORE: usize = 300;
const LONGEST: usize = 120;

/// The password behind the option that stands between the two offsets, with a blank before it.
pub(super) fn behind_option(text: &str, begin: usize, after: usize) -> Option<(usize, usize)> {
    let option = text[begin..after].trim_start();
    let before = line_before(text, begin);
    let takes = COMMANDS
        .iter()
        .filter(|(_, options, _)| has(options, option));
    // The last program that is named: `sudo`, `docker exec` and `ssh` may stand before it.
    let mut words = before.split_ascii_whitespace().rev();
    let takes = words.find_map(|word| {
        let mut parts = word.rsplit(['/', '(', '`', '"', '\'', '|', ';']);
        let name = parts.next().unwrap_or_default();
        takes.clone().find(|(programs, ..)| has(programs, name))
    });
    let takes = takes?.2;
    let rest = &text[after..];
    let apart = rest.trim_start_matches([' ', '=']);
    let value = match takes {
        Takes::Attached => rest,
        Takes::Apart if apart.len() == rest.len() => return None,
        _ => apart,
    };
    let (start, value) = word(text, text.len() - value.len());
    if takes != Takes::Login {
        return is_password("", value).then_some((start, start + value.len()));
    }
    let (user, password) = value.split_once(':')?;
    let start = start + user.len() + 1;
    (!user.contains(['/', '{', '<', '$']) && is_password(user, password))
        .then_some((start, start + password.len()))
}

/// The password of `echo password | … --password-stdin`, whose option begins at `begin`.
pub(super) fn piped(text: &str, begin: usize, _: usize) -> Option<(usize, usize)> {
    let before = line_before(text, begin);
    let (said, _) = before.rsplit_once('|')?;
    let echo = said.rfind("echo ")? + "echo ".len();
    let said_at = begin - before.len() + echo;
    let options = said[echo..].strip_prefix("-n ").unwrap_or(&said[echo..]);
    let (start, password) = word(text, said_at + said[echo..].len() - options.len());
    is_password("", password).then_some((start, start + password.len()))
}

fn has(words: &str, word: &str) -> bool {
    words.split(' ').any(|of| of == word)
}

fn is_password(user: &str, value: &str) -> bool {
    let bytes = value.as_bytes();
    !value::is_reference(value)
        && !value.contains(['{', '<'])
        && (value::is_chosen(bytes) && !value::is_shown(user, bytes) || value::is_any(user, value))
}

/// The text of the command before an offset. A line that ends in `\` goes on in the next one.
fn line_before(text: &str, end: usize) -> &str {
    let from = text.ceil_char_boundary(end.saturating_sub(BEFORE));
    let before = &text[from..end];
    let mut ends = before.match_indices('\n').map(|(at, _)| at).rev();
    let line = ends
        .find(|at| !before[..*at].ends_with('\\'))
        .map_or(0, |at| at + 1);
    &before[line..]
}

/// The word that begins there, without its quotes, and where it begins.
fn word(text: &str, from: usize) -> (usize, &str) {
    let limit = text.floor_char_boundary((from + LONGEST).min(text.len()));
    let rest = &text[from..limit];
    let quoted = rest.strip_prefix('"').map(|inside| (inside, '"'));
    let quoted = quoted.or_else(|| rest.strip_prefix('\'').map(|inside| (inside, '\'')));
    match quoted {
        Some((inside, quote)) => (
            from + 1,
            inside.split([quote, '\n']).next().unwrap_or_default(),
        ),
        None => (
            from,
            rest.split([' ', '\t', '\n', '"', '\'', '`', ';', '|'])
                .next()
                .unwrap_or_default(),
        ),
    }
}
