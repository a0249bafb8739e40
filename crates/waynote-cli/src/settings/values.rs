//! The values of settings, read from text of any origin. A refusal names the expected form.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use waynote::context::{Style, TokenFactor};
use waynote::visible::visible;
use waynote::{Name, Place};

use waynote_system::repository::Naming;

use crate::error::{Failure, Outcome};
use crate::{database, duration, home};
use waynote_remote::Url;

/// The store that a text names: a file, or the address of one elsewhere, which is checked.
pub(crate) fn store(text: &str) -> Outcome<PathBuf> {
    let text = stated(text)?;
    if Url::is_meant(text) {
        let url = Url::read(text)?;
        return Ok(PathBuf::from(url.as_str()));
    }
    if database::is_url(text) {
        database::check(text)?;
        return Ok(PathBuf::from(text));
    }
    if has_variable(text) {
        let what = format!(
            "`{}` holds a variable that was not filled in",
            visible(text)
        );
        return Err(Failure::usage(what, "write the path itself"));
    }
    if is_unclear(text) {
        return Err(Failure::usage(
            format!("`{}` is neither a path nor an address", visible(text)),
            format!(
                "write https://HOST/s/NAME or postgres://HOST/DATABASE?store=NAME; a file of that name is `./{}`",
                visible(text)
            ),
        ));
    }
    home::expanded(text)
}

/// True for the address of a server or a database in another form than ours. It would become a file of that name in the
/// working directory.
fn is_unclear(text: &str) -> bool {
    let is_path = ["/", "./", "../", "~"]
        .iter()
        .any(|start| text.starts_with(start));
    let has = |part: &&str| text.contains(*part);
    has(&"://") || (!is_path && [":", "?", "/s/", "host=", "dbname="].iter().any(has))
}

/// True for what a shell, an editor or a template would have replaced.
fn has_variable(text: &str) -> bool {
    ["${", "$(", "{{"].iter().any(|open| text.contains(open))
        || text.split('/').any(|part| part.starts_with('$'))
}

/// A text that is not blank.
fn stated(text: &str) -> Outcome<&str> {
    match text.trim().is_empty() {
        true => Err(Failure::usage(
            "the value is empty",
            "give one, or leave the setting out",
        )),
        false => Ok(text),
    }
}

/// A file.
pub(super) fn file(text: &str) -> Outcome<Option<PathBuf>> {
    home::expanded(stated(text)?).map(Some)
}

/// A line of shell.
pub(super) fn command(text: &str) -> Outcome<Option<String>> {
    Ok(Some(stated(text)?.to_owned()))
}

pub(super) fn name(text: &str) -> Outcome<Name> {
    Ok(text.parse()?)
}

pub(super) fn whole(text: &str) -> Outcome<i64> {
    let whole = i64::from_str(text.trim());
    whole.map_err(|_| unfit(text, "a whole number", "write a number, for example 4096"))
}

pub(super) fn style(text: &str) -> Outcome<Style> {
    text.parse()
        .map_err(|hint: String| unfit(text, "a style", hint))
}

pub(super) fn budget(text: &str) -> Outcome<usize> {
    let hint = "write a number of tokens, for example 2000; 0 means no limit";
    let tokens = whole(text).ok();
    let tokens = tokens.and_then(|tokens| usize::try_from(tokens).ok());
    tokens.ok_or_else(|| unfit(text, "a token budget", hint))
}

/// The bounds, 0.1 and 10, allow for any difference between vocabularies.
pub(super) fn token_factor(text: &str) -> Outcome<TokenFactor> {
    let hint = "write a number from 0.1 to 10, for example 1.2: the tokens of your model divided by those of o200k";
    let factor = text.parse::<f64>().ok().map(TokenFactor::try_from);
    let factor = factor.and_then(Result::ok);
    factor.ok_or_else(|| unfit(text, "a token factor", hint))
}

pub(super) fn wait(text: &str) -> Outcome<Duration> {
    let hint = "write seconds, for example 10 or 0.5";
    duration::seconds(text).ok_or_else(|| unfit(text, "a waiting time", hint))
}

fn unfit(text: &str, what: &str, hint: impl Into<String>) -> Failure {
    Failure::usage(format!("`{text}` is not {what}"), hint)
}

/// Directories, separated by commas.
pub(super) fn places(text: &str) -> Outcome<Vec<Place>> {
    let base = home::base()?;
    let named = items(text);
    named.map(|path| Ok(Place::resolve(path, &base)?)).collect()
}

/// The address of a store elsewhere.
pub(super) fn team_store(text: &str) -> Outcome<Option<String>> {
    match Url::is_meant(text) || database::is_url(text) {
        true => Ok(Some(store(text)?.display().to_string())),
        false => Err(unfit(
            text,
            "the address of a team's store",
            "write https://HOST/s/NAME or postgres://HOST/DATABASE?store=NAME",
        )),
    }
}

/// Patterns of repositories' names, separated by commas.
pub(super) fn repositories(text: &str) -> Outcome<Vec<String>> {
    let is_name = |pattern: &str| pattern.contains('/') && !pattern.contains(':');
    let what = "a pattern of repositories";
    checked(
        &text.to_lowercase(),
        is_name,
        what,
        "write it as github.com/acme/*",
    )
}

/// Patterns of paths, separated by commas.
pub(super) fn patterns(text: &str) -> Outcome<Vec<String>> {
    let is_whole = |pattern: &str| pattern.starts_with('/') || pattern.starts_with("~/");
    let hint = "write it from `~/` or `/` on, for example ~/work/*";
    checked(text, is_whole, "a pattern of whole paths", hint)
}

/// The items of a list, each of which has to be fit.
fn checked(text: &str, is_fit: fn(&str) -> bool, what: &str, hint: &str) -> Outcome<Vec<String>> {
    match items(text).find(|item| !is_fit(item)) {
        Some(unfits) => Err(unfit(unfits, what, hint)),
        None => Ok(items(text).map(str::to_owned).collect()),
    }
}

/// The items of a list, which are separated by commas.
pub(crate) fn items(text: &str) -> impl Iterator<Item = &str> {
    let items = text.split(',').map(str::trim);
    items.filter(|item| !item.is_empty())
}

/// `true` or `false`.
pub(super) fn flag(text: &str) -> Outcome<bool> {
    let flag = text.trim().parse();
    flag.map_err(|_| unfit(text, "a flag", "write `true` or `false`"))
}

/// Rows of `[repos]`, separated by commas: `a/old=a/new` makes two names one, `a/mono//packages/*` is a directory that
/// is a project.
pub(super) fn repos(text: &str) -> Outcome<Naming> {
    let mut naming = Naming::default();
    for row in items(text) {
        let name = |name: &str| {
            let place = Place::repository(name.trim());
            Outcome::Ok(place?.in_repository().unwrap_or_default().0.to_owned())
        };
        match row.split_once('=') {
            Some((from, to)) => _ = naming.same.insert(name(from)?, name(to)?),
            None => {
                Place::repository(row)?;
                naming.projects.push(row.to_owned());
            }
        }
    }
    let names: Vec<String> = naming.same.keys().map(|name| name.to_lowercase()).collect();
    let mut counting = naming.same.values();
    match counting.find(|name| names.contains(&name.to_lowercase())) {
        Some(name) => Err(unfit(
            name,
            "the name that counts: a row has it on its left",
            "write on the right of each row the name that new notes get",
        )),
        None => Ok(naming),
    }
}

/// The same rows.
pub(crate) fn repos_as_text(naming: &Naming) -> Option<String> {
    let same = naming.same.iter().map(|(from, to)| format!("{from}={to}"));
    let rows: Vec<String> = same.chain(naming.projects.iter().cloned()).collect();
    (!rows.is_empty()).then(|| rows.join(","))
}

/// Names of rules, separated by commas.
pub(super) fn secret_rules(text: &str) -> Outcome<Vec<&'static str>> {
    let named = items(text).map(|name| {
        let rule = waynote::secrets::rule(name).map(|rule| rule.name);
        rule.ok_or_else(|| unfit(name, "a credential rule", "the guide lists the rules"))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_another_form_is_no_path() {
        for text in [
            "${workspaceFolder}/n.db",
            "/data/$STORE/n.db",
            "{{ store }}",
            "host=db1 dbname=notes",
            "notes.example/s/team",
            "localhost:8080",
            "sqlite:n.db",
            "redis://x",
            ":memory:",
            "n.db?mode=ro",
        ] {
            assert!(store(text).is_err(), "{text}");
        }
        for text in [
            "n.db",
            "a/b=x",
            "/srv/s/team",
            "./sqlite:n.db",
            "50%.db",
            "my notes.db",
            "price$.db",
        ] {
            assert_eq!(store(text).unwrap(), PathBuf::from(text));
        }
    }
}
