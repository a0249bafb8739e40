//! The fields of a query or a form.

use form_urlencoded::{Serializer, parse};

/// Fields by name, as they were sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Reads a query, or the body of a form.
    pub(crate) fn parse(text: &[u8]) -> Self {
        Self(parse(text).into_owned().collect())
    }

    /// A field, trimmed; none when it is missing or blank.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let value = self.text(name)?.trim();
        (!value.is_empty()).then_some(value)
    }

    /// A field as it was sent.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let field = self.0.iter().find(|(key, _)| key == name);
        field.map(|(_, value)| value.as_str())
    }

    /// A field that is a number, or a default.
    pub(crate) fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }

    /// Whether a field is there, whatever it says.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.text(name).is_some()
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
        // In a path, a blank is not a plus.
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
