//! Names of a store that are no path: each would become a file of that name in the working directory, so each is refused
//! with the right form.

use std::path::Path;

use waynote::visible::visible;

use crate::error::{Failure, Outcome};

/// Keys of a connection string in the form of libpq.
const LIBPQ: [&str; 8] = [
    "host", "hostaddr", "port", "dbname", "user", "password", "service", "sslmode",
];

/// Refuses a text that is no path and that no other form of a store's name fits.
pub(super) fn refuse_others(text: &str) -> Outcome {
    match mistake(text) {
        None => Ok(()),
        Some((why, form)) => Err(Failure::usage(
            format!("`{}` is not a store: {why}", visible(text)),
            form,
        )),
    }
}

/// Why it is no path, and the right form.
fn mistake(text: &str) -> Option<(String, String)> {
    if has_variable(text) {
        return Some((
            "it holds a variable that was not filled in".into(),
            "write the path itself".into(),
        ));
    }
    if ["/", "./", "../", "~"]
        .iter()
        .any(|start| text.starts_with(start))
    {
        return None;
    }
    let of_file = format!("a file of that name is `./{}`", visible(text));
    if let Some(url) = from_libpq(text) {
        return Some((
            "a database is named by a URL".into(),
            format!("write {url}"),
        ));
    }
    let (first, rest) = text.split_once('/').unwrap_or((text, ""));
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    match first.split_once(':') {
        Some((host, port)) if !host.is_empty() && is_port(port) => {
            return Some(server(text, rest, &of_file));
        }
        Some((scheme, path)) if !scheme.is_empty() && !text.starts_with(':') => {
            let path = match rest {
                "" => path.to_owned(),
                rest => format!("{path}/{rest}"),
            };
            let path = path.split('?').next().unwrap_or_default();
            return Some((
                format!("`{}:` is no part of a path", visible(scheme)),
                format!(
                    "write `{}`, the path alone; {of_file}",
                    visible(path.trim_start_matches("//"))
                ),
            ));
        }
        Some(_) => {
            return Some((
                "a store is a file".into(),
                format!("for a throw-away store, name a file in a temporary folder; {of_file}"),
            ));
        }
        None => {}
    }
    if let Some((path, options)) = text.split_once('?')
        && options.contains('=')
    {
        return Some((
            "a path has no options".into(),
            format!(
                "write `{}`, or the URL of a database: postgres://HOST/DATABASE?store=NAME; {of_file}",
                visible(path)
            ),
        ));
    }
    let is_address = rest
        .strip_prefix("s/")
        .is_some_and(|name| !name.contains('.'));
    (is_address && !Path::new(first).is_dir()).then(|| server(text, rest, &of_file))
}

/// The address of a store on a server, without its scheme.
fn server(text: &str, rest: &str, of_file: &str) -> (String, String) {
    let name = if rest.starts_with("s/") {
        ""
    } else {
        "/s/NAME"
    };
    (
        "the address of a server begins with https://".into(),
        format!(
            "write https://{}{name}; {of_file}",
            visible(text.trim_end_matches('/'))
        ),
    )
}

/// True for what a shell, an editor or a template would have replaced.
fn has_variable(text: &str) -> bool {
    let is_name =
        |name: &str| name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_variable = |part: &str| {
        part.strip_prefix('$').is_some_and(is_name)
            || part
                .strip_prefix('%')
                .and_then(|rest| rest.strip_suffix('%'))
                .is_some_and(is_name)
    };
    ["${", "$(", "{{"].iter().any(|open| text.contains(open)) || text.split('/').any(is_variable)
}

/// The URL that says what a connection string says, without its password; none if it is no such string.
fn from_libpq(text: &str) -> Option<String> {
    let pairs: Option<Vec<_>> = text
        .split_whitespace()
        .map(|word| word.split_once('='))
        .collect();
    let pairs = pairs?;
    if !pairs.iter().all(|(key, _)| LIBPQ.contains(key)) || pairs.is_empty() {
        return None;
    }
    let value = |name: &str| {
        pairs
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| *value)
    };
    let user = value("user").map_or(String::new(), |user| format!("{user}@"));
    let host = value("host").or(value("hostaddr")).unwrap_or("HOST");
    let port = value("port").map_or(String::new(), |port| format!(":{port}"));
    let database = value("dbname").unwrap_or("DATABASE");
    Some(visible(&format!(
        "postgres://{user}{host}{port}/{database}?store=NAME"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_another_form_is_refused_with_the_right_one() {
        let mut seen = String::new();
        for text in [
            "${workspaceFolder}/n.db",
            "/data/$STORE/n.db",
            "%USERPROFILE%/n.db",
            "{{ store }}",
            "host=db1 dbname=notes",
            "host=db1 port=5433 user=ada password=hunter2 dbname=notes",
            "notes.example/s/team",
            "notes.example:8443/s/team",
            "localhost:8080",
            "server/s/team",
            "sqlite:n.db",
            "file:data/n.db?mode=ro",
            "C:notes.db",
            ":memory:",
            "n.db?mode=ro",
        ] {
            let refused = refuse_others(text).unwrap_err();
            seen += &format!("{}\n  {}\n", refused.what(), refused.hint());
        }
        insta::assert_snapshot!(seen, @"
        `${workspaceFolder}/n.db` is not a store: it holds a variable that was not filled in
          write the path itself
        `/data/$STORE/n.db` is not a store: it holds a variable that was not filled in
          write the path itself
        `%USERPROFILE%/n.db` is not a store: it holds a variable that was not filled in
          write the path itself
        `{{ store }}` is not a store: it holds a variable that was not filled in
          write the path itself
        `host=db1 dbname=notes` is not a store: a database is named by a URL
          write postgres://db1/notes?store=NAME
        `host=db1 port=5433 user=ada password=[masked: password-assignment] dbname=notes` is not a store: a database is named by a URL
          write postgres://ada@db1:5433/notes?store=NAME
        `notes.example/s/team` is not a store: the address of a server begins with https://
          write https://notes.example/s/team; a file of that name is `./notes.example/s/team`
        `notes.example:8443/s/team` is not a store: the address of a server begins with https://
          write https://notes.example:8443/s/team; a file of that name is `./notes.example:8443/s/team`
        `localhost:8080` is not a store: the address of a server begins with https://
          write https://localhost:8080/s/NAME; a file of that name is `./localhost:8080`
        `server/s/team` is not a store: the address of a server begins with https://
          write https://server/s/team; a file of that name is `./server/s/team`
        `sqlite:n.db` is not a store: `sqlite:` is no part of a path
          write `n.db`, the path alone; a file of that name is `./sqlite:n.db`
        `file:data/n.db?mode=ro` is not a store: `file:` is no part of a path
          write `data/n.db`, the path alone; a file of that name is `./file:data/n.db?mode=ro`
        `C:notes.db` is not a store: `C:` is no part of a path
          write `notes.db`, the path alone; a file of that name is `./C:notes.db`
        `:memory:` is not a store: a store is a file
          for a throw-away store, name a file in a temporary folder; a file of that name is `./:memory:`
        `n.db?mode=ro` is not a store: a path has no options
          write `n.db`, or the URL of a database: postgres://HOST/DATABASE?store=NAME; a file of that name is `./n.db?mode=ro`
        ");
    }

    #[test]
    fn paths_are_paths() {
        for text in [
            "n.db",
            "/srv/s/team",
            "./sqlite:n.db",
            "~/notes.example/s/team",
            "data/s/team.db",
            "src/s/team",
            "a=b.db",
            "50%.db",
            "my notes.db",
            "price$.db",
        ] {
            assert!(refuse_others(text).is_ok(), "{text}");
        }
    }
}
