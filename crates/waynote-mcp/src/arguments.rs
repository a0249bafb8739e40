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
    /// ([`Parameter::is_left_out`]).
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
            match sent.get(parameter.name) {
                Some(value) => parameter.check(value)?,
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
        Some(
            texts
                .filter_map(|text| Some(text.as_str()?.to_owned()))
                .collect(),
        )
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

    fn check(&self, value: &Value) -> Result<(), Refusal> {
        let fits = match self.kind {
            Kind::Text | Kind::Verbatim => value.is_string(),
            Kind::Word(words) => value.as_str().is_some_and(|word| words.contains(&word)),
            Kind::Number(least) => whole(value).is_some_and(|number| number >= least),
            Kind::Flag => value.is_boolean(),
            Kind::Texts => value
                .as_array()
                .is_some_and(|texts| texts.iter().all(Value::is_string)),
            Kind::Range => value.as_array().is_some_and(|numbers| {
                numbers.len() == 2 && numbers.iter().all(|of| whole(of).is_some())
            }),
        };
        if fits {
            return Ok(());
        }
        let sent = match (self.kind, value) {
            (Kind::Word(_), Value::String(word)) => format!("`{}`", shown(word)),
            (Kind::Number(_), Value::Number(number)) => number.to_string(),
            (_, Value::String(_)) => "a text".into(),
            (_, Value::Number(_)) => "a number".into(),
            (_, Value::Bool(_)) => "true or false".into(),
            (_, Value::Array(_)) => "a list".into(),
            (_, Value::Object(_) | Value::Null) => "an object".into(),
        };
        let what = format!("`{}` cannot be {sent}", self.name);
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

/// A whole number, also one that is written as `3.0`.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        let fits = number.fract() == 0.0 && number.abs() < 9e15;
        fits.then_some(number as i64)
    })
}

/// A word from the model, for a message. It is masked before it is cut: half a credential is not recognized.
fn shown(word: &str) -> String {
    let masked = waynote::secrets::masked(word);
    let short: String = masked.chars().take(40).collect();
    waynote::visible::visible(&short)
}
