//! The arguments that a model sends: checked by name and type before the tool sees them.

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::parameter::{Kind, Parameter};
use crate::reply::Refusal;
use waynote::text::nearest;

/// The arguments of a call. Each is a parameter of the tool and has its type.
pub(crate) struct Arguments(JsonObject);

impl Arguments {
    /// Checks the arguments that were sent. Null, and a blank text for an optional one, count as not sent
    /// ([`Parameter::is_left_out`]). A value in another form is taken where it can mean only one thing.
    pub(crate) fn check(
        mut sent: JsonObject,
        tool: &str,
        parameters: &[Parameter],
    ) -> Result<Self, Refusal> {
        sent.retain(|_, value| !value.is_null());
        let names = || parameters.iter().map(|parameter| parameter.name);
        if let Some(unknown) = sent
            .keys()
            .find(|name| !names().any(|known| known == *name))
        {
            let known: Vec<&str> = names().collect();
            let what = format!("{tool} has no argument `{}`", shown(unknown));
            let hint = match nearest(unknown, names()) {
                Some(name) => format!("did you mean `{name}`? nothing was done"),
                None if known.is_empty() => "it takes no arguments; nothing was done".into(),
                None => format!("it takes {}; nothing was done", known.join(", ")),
            };
            return Err(Refusal::new(what, hint));
        }
        for parameter in parameters {
            if sent
                .get(parameter.name)
                .is_some_and(|value| parameter.is_left_out(value))
            {
                sent.remove(parameter.name);
            }
            match sent.get_mut(parameter.name) {
                Some(value) => *value = parameter.read(value)?,
                None if parameter.is_required => {
                    let what = format!("`{}` is missing", parameter.name);
                    return Err(Refusal::new(what, parameter.wanted()));
                }
                None => {}
            }
        }
        Ok(Self(sent))
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    /// The text of a required argument: [`Self::check`] made sure that it is there.
    pub(crate) fn required(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.0.get(name).and_then(whole)
    }

    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        self.0.get(name).and_then(Value::as_bool)
    }

    pub(crate) fn texts(&self, name: &str) -> Option<Vec<String>> {
        let texts = self.0.get(name)?.as_array()?.iter();
        Some(texts.filter_map(scalar).collect())
    }

    pub(crate) fn range(&self, name: &str) -> Option<(i64, i64)> {
        let numbers = self.0.get(name)?.as_array()?;
        Some((whole(numbers.first()?)?, whole(numbers.get(1)?)?))
    }
}

impl Parameter {
    /// True if a value counts as absent: models write an empty text for an argument that they do not need.
    fn is_left_out(&self, value: &Value) -> bool {
        let is_empty = value.as_str().is_some_and(|text| text.trim().is_empty());
        is_empty && !self.is_required && !matches!(self.kind, Kind::Verbatim)
    }

    /// The value in the parameter's type. Clients turn numbers, flags and lists into texts, and texts into numbers.
    fn read(&self, value: &Value) -> Result<Value, Refusal> {
        let read = match self.kind {
            Kind::Text | Kind::Verbatim => scalar(value).map(Value::from),
            Kind::Word(words) => value.as_str().and_then(|typed| {
                let is_meant = |word: &&&str| word.eq_ignore_ascii_case(typed.trim());
                words.iter().find(is_meant).map(|word| (*word).into())
            }),
            Kind::Number(least) => whole(value)
                .filter(|number| *number >= least)
                .map(Value::from),
            Kind::Flag => flag(value).map(Value::from),
            Kind::Texts => list(value).and_then(|of| of.iter().map(scalar).collect()),
            Kind::Range => list(value)
                .filter(|numbers| numbers.len() == 2)
                .and_then(|of| of.iter().map(whole).collect()),
        };
        if let Some(read) = read {
            return Ok(read);
        }
        let sent = match value {
            Value::String(text) => shown(text),
            other => shown(&other.to_string()),
        };
        let what = format!("`{}` cannot be `{sent}`", self.name);
        Err(Refusal::new(what, self.wanted()))
    }

    fn wanted(&self) -> String {
        let wanted = match self.kind {
            Kind::Text | Kind::Verbatim => "a text".into(),
            Kind::Word(words) => format!("one of {}", words.join(", ")),
            Kind::Number(least) => format!("a whole number, at least {least}"),
            Kind::Flag => "true or false".into(),
            Kind::Texts => "a list of texts".into(),
            Kind::Range => "a list of two whole numbers".into(),
        };
        format!("`{}` is {wanted}; nothing was done", self.name)
    }
}

/// A text, also one that was made a number or a truth value.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// A whole number, also one that is written as `3.0` or `"3"`.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value
            .as_f64()
            .or_else(|| value.as_str()?.trim().parse().ok())?;
        let fits = number.fract() == 0.0 && number.abs() < 9e15;
        fits.then_some(number as i64)
    })
}

/// True or false, also as a text or a number.
fn flag(value: &Value) -> Option<bool> {
    match scalar(value)?.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

/// A list, also one that is written as a text. A text that is no list is the only item of one.
fn list(value: &Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(items) => Some(items.clone()),
        Value::String(text) if text.trim_start().starts_with('[') => {
            serde_json::from_str(text).ok()
        }
        Value::String(text) if !text.contains([',', '\n']) => Some(vec![text.as_str().into()]),
        _ => None,
    }
}

/// A word from the model, for a message. It is masked before it is cut: half a credential is not recognized.
fn shown(word: &str) -> String {
    let masked = waynote::secrets::masked(word);
    let short: String = masked.chars().take(40).collect();
    waynote::visible::visible(&short)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::parameter::optional;

    const WORDS: &[&str] = &["tip", "stuck"];

    fn read(kind: Kind, value: &Value) -> Option<Value> {
        optional("it", kind, "").read(value).ok()
    }

    #[test]
    fn a_value_in_another_form_is_taken_where_it_means_one_thing() {
        for (kind, value, expected) in [
            (Kind::Text, json!(42), json!("42")),
            (Kind::Text, json!(true), json!("true")),
            (Kind::Verbatim, json!(1.5), json!("1.5")),
            (Kind::Word(WORDS), json!(" Tip"), json!("tip")),
            (Kind::Number(0), json!("5"), json!(5)),
            (Kind::Number(0), json!(" 5.0 "), json!(5)),
            (Kind::Number(0), json!(5.0), json!(5)),
            (Kind::Flag, json!("true"), json!(true)),
            (Kind::Flag, json!("False"), json!(false)),
            (Kind::Flag, json!(0), json!(false)),
            (Kind::Texts, json!("[\"fn x\", 7]"), json!(["fn x", "7"])),
            (Kind::Texts, json!("src/x.rs:4-9"), json!(["src/x.rs:4-9"])),
            (Kind::Texts, json!([]), json!([])),
            (Kind::Range, json!("[1, -1]"), json!([1, -1])),
            (Kind::Range, json!(["1", 9.0]), json!([1, 9])),
        ] {
            assert_eq!(read(kind, &value), Some(expected), "{value}");
        }
    }

    #[test]
    fn a_value_that_may_mean_several_things_is_refused() {
        for (kind, value) in [
            (Kind::Text, json!(["a"])),
            (Kind::Text, json!({ "a": 1 })),
            (Kind::Word(WORDS), json!("blocker")),
            (Kind::Number(1), json!("0")),
            (Kind::Number(0), json!("five")),
            (Kind::Number(0), json!(1.5)),
            (Kind::Number(0), json!(true)),
            (Kind::Flag, json!("perhaps")),
            (Kind::Flag, json!(2)),
            (Kind::Texts, json!("fn x, fn y")),
            (Kind::Texts, json!("[fn x")),
            (Kind::Texts, json!([["a"]])),
            (Kind::Range, json!("1, 2")),
            (Kind::Range, json!([1, 2, 3])),
        ] {
            assert_eq!(read(kind, &value), None, "{value}");
        }
    }
}
