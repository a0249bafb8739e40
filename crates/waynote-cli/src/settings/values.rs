//! The values of settings, read from text of any origin. A refusal names the expected form.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use waynote::context::{Style, TokenFactor};
use waynote::visible::visible;
use waynote::{Name, Place};

use super::store_name;
use crate::error::{Failure, Outcome};
use crate::{database, duration, home};
use waynote_remote::Url;

/// The store that a text names: a file, or the address of one elsewhere, which is checked.
pub(crate) fn store(text: &str) -> Outcome<PathBuf> {
    stated(text, "the store has no name", "a file")?;
    if Url::is_meant(text) {
        let url = Url::read(text)?;
        return Ok(PathBuf::from(url.as_str()));
    }
    if database::is_url(text) {
        database::check(text)?;
        return Ok(PathBuf::from(text));
    }
    if text.contains("://") {
        let what = format!("`{}` is not a path", visible(text));
        return Err(Failure::usage(
            what,
            "give the path of a file, https://HOST/s/NAME or postgres://HOST/DATABASE?store=NAME",
        ));
    }
    store_name::refuse_others(text)?;
    home::expanded(text)
}

/// A text that is not blank; else the error says so with `blank`, and names what to give.
pub(super) fn stated<'t>(text: &'t str, blank: &str, give: &str) -> Outcome<&'t str> {
    match text.trim().is_empty() {
        true => Err(Failure::usage(
            blank,
            format!("give {give}, or leave it out"),
        )),
        false => Ok(text),
    }
}

/// A file.
pub(super) fn file(text: &str, blank: &str) -> Outcome<Option<PathBuf>> {
    home::expanded(stated(text, blank, "a file")?).map(Some)
}

pub(super) fn token_command(text: &str) -> Outcome<Option<String>> {
    let blank = "the token's command is empty";
    let command = stated(text, blank, "a command that prints the token")?;
    Ok(Some(command.to_owned()))
}

pub(super) fn password_command(text: &str) -> Outcome<Option<String>> {
    let blank = "the password's command is empty";
    let command = stated(text, blank, "a command that prints the password")?;
    Ok(Some(command.to_owned()))
}

pub(super) fn notify(text: &str) -> Outcome<Option<String>> {
    let command = stated(text, "the command to notify is empty", "a line of shell")?;
    Ok(Some(command.to_owned()))
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
    let factor = text.parse().ok().map(TokenFactor::new);
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
    let named = text
        .split(',')
        .map(str::trim)
        .filter(|path| !path.is_empty());
    named.map(|path| Ok(Place::resolve(path, &base)?)).collect()
}

/// Names of rules, separated by commas. For an unknown one, the error suggests the nearest.
pub(super) fn secret_rules(text: &str) -> Outcome<Vec<&'static str>> {
    let names = text.split(',').map(str::trim);
    let named = names.filter(|name| !name.is_empty()).map(|name| {
        let rule = waynote::secrets::rule(name);
        rule.map(|rule| rule.name).ok_or_else(|| unknown_rule(name))
    });
    named.collect()
}

fn unknown_rule(name: &str) -> Failure {
    let names = waynote::secrets::rules().map(|rule| rule.name);
    let nearest = waynote::text::nearest(name, names);
    let meant = nearest.map_or(String::new(), |name| format!("did you mean `{name}`? "));
    let hint = format!("{meant}the guide lists the rules");
    unfit(name, "a credential rule", hint)
}
