//! The fields of a query or a form.

use std::str::FromStr;

use form_urlencoded::{Serializer, parse};
use waynote::visible::visible;
use waynote::{CustomError, ErrorClass, Result};

/// The most fields that are read: no form of the page has as many.
const MOST: usize = 100;

/// Fields by name, with the values that were sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads a query, or the body of a form.
    pub(crate) fn parse(text: &[u8]) -> Self {
        Self(parse(text).into_owned().take(MOST).collect())
    }

    /// A field, trimmed; none when it is missing or blank.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let value = self.text(name)?.trim();
        (!value.is_empty()).then_some(value)
    }

    /// The value of a field as it was sent.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let field = self.0.iter().find(|(key, _)| key == name);
        field.map(|(_, value)| value.as_str())
    }

    /// All values of a field that may be there more than once.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        let fields = self.0.iter().filter(move |(key, _)| key == name);
        fields.map(|(_, value)| value.as_str())
    }

    /// The number in a field; none if the field is missing or blank.
    ///
    /// # Errors
    /// [`BadField`].
    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>> {
        self.parsed(name, "a number", "follow a link of the page instead")
    }

    /// The value of a field that is one of a set of words; none if the field is missing or blank.
    ///
    /// # Errors
    /// [`BadField`].
    pub(crate) fn parsed<T: FromStr>(
        &self,
        name: &str,
        what: &str,
        advice: &'static str,
    ) -> Result<Option<T>> {
        let Some(text) = self.get(name) else {
            return Ok(None);
        };
        match text.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => {
                Err(BadField::new(format!("`{}` is not {what}", visible(text)), advice).into())
            }
        }
    }

    /// True if the field is there, even if it is empty.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.text(name).is_some()
    }
}

/// An iteration as people write it, `7` or `#7`; none for a blank field.
///
/// # Errors
/// [`BadField`].
pub(crate) fn iteration(text: &str) -> Result<Option<i64>> {
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.trim_start_matches('#').parse().ok();
    match number.filter(|number| *number > 0) {
        Some(number) => Ok(Some(number)),
        None => Err(BadField::new(
            format!("`{}` is not an iteration", visible(text)),
            "write its number, for example 7, or leave it out",
        )
        .into()),
    }
}

/// A field with an invalid value, in a form or in a link that was edited.
#[derive(Debug, thiserror::Error)]
#[error("{says}")]
pub(crate) struct BadField {
    says: String,
    advice: &'static str,
}

impl BadField {
    pub(crate) fn new(says: impl Into<String>, advice: &'static str) -> Self {
        let says = says.into();
        Self { says, advice }
    }
}

impl CustomError for BadField {
    fn kind(&self) -> &'static str {
        "bad_field"
    }

    fn class(&self) -> ErrorClass {
        ErrorClass::Invalid
    }

    fn advice(&self) -> Option<String> {
        Some(self.advice.into())
    }
}

/// A link with a query.
pub(crate) struct Link {
    path: String,
    query: Serializer<'static, String>,
    has_query: bool,
}

impl Link {
    pub(crate) fn to(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            query: Serializer::new(String::new()),
            has_query: false,
        }
    }

    /// To a page of a store; the path begins behind the store's own.
    pub(crate) fn to_store(store: &str, path: &str) -> Self {
        let encoded: String = form_urlencoded::byte_serialize(store.as_bytes()).collect();
        // In a path, a blank is `%20`, not a plus.
        Self::to(format!("/s/{}/{path}", encoded.replace('+', "%20")))
    }

    /// Adds a field.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "numbers and references alike"
    )]
    pub(crate) fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.query.append_pair(name, &value.to_string());
        self.has_query = true;
        self
    }

    /// Adds a field that has a value.
    pub(crate) fn with_some(self, name: &str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The link as text.
    pub(crate) fn href(mut self) -> String {
        match self.has_query {
            true => format!("{}?{}", self.path, self.query.finish()),
            false => self.path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_back_from_a_link() {
        let address = "place:~/a b#k";
        let link = Link::to("/s/team/notes").with("note", address);
        let href = link.with_some("q", None::<&str>).href();
        assert_eq!(href, "/s/team/notes?note=place%3A%7E%2Fa+b%23k");
        let fields = Fields::parse(href.split_once('?').unwrap().1.as_bytes());
        assert_eq!(fields.get("note"), Some(address));
        assert_eq!(fields.get("q"), None);
    }
}
