//! The schema with the tables. Every statement names it, since a pooler may keep no setting of a connection. They are
//! written with the usual name, and get another one on their way to the server.

use std::borrow::Cow;
use std::str::FromStr;

/// The schema that the statements are written for.
const USUAL: &str = "waynote";

/// The most bytes of a name that PostgreSQL keeps.
const LONGEST: usize = 63;

/// The name of a schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SchemaName(Option<String>);

impl FromStr for SchemaName {
    type Err = &'static str;

    /// Takes names that mean the same with and without quotes: others would have to be written differently in each place.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let is_inner = |char: char| matches!(char, 'a'..='z' | '0'..='9' | '_');
        let is_plain =
            name.chars().all(is_inner) && !name.starts_with(|char: char| char.is_ascii_digit());
        match (1..=LONGEST).contains(&name.len()) && is_plain && !name.starts_with("pg_") {
            true => Ok(Self((name != USUAL).then(|| name.to_owned()))),
            false => Err(
                "the name of a schema has 1 to 63 letters a to z, digits and underscores, and begins with no digit \
                 and not with pg_",
            ),
        }
    }
}

impl SchemaName {
    /// Its name, unless it is the usual one.
    pub(crate) fn named(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// A statement for the tables of this schema. Its values are not in its text.
    pub(crate) fn in_sql<'s>(&self, sql: &'s str) -> Cow<'s, str> {
        let Some(name) = self.named() else {
            return Cow::Borrowed(sql);
        };
        let named = sql.replace("waynote.", &format!("\"{name}\"."));
        let named = named.replace("SCHEMA waynote", &format!("SCHEMA \"{name}\""));
        Cow::Owned(named.replace("'waynote'", &format!("'{name}'")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_names_its_schema() {
        for (name, expected) in [
            (
                "waynote",
                "CREATE SCHEMA waynote; SELECT 'waynote', 'waynote.note' FROM waynote.note",
            ),
            (
                "user",
                "CREATE SCHEMA \"user\"; SELECT 'user', '\"user\".note' FROM \"user\".note",
            ),
        ] {
            let sql = "CREATE SCHEMA waynote; SELECT 'waynote', 'waynote.note' FROM waynote.note";
            assert_eq!(SchemaName::from_str(name).unwrap().in_sql(sql), expected);
        }
        for wrong in [
            "",
            "1st",
            "Notes",
            "a\"b",
            "a.b",
            "a-b",
            "pg_notes",
            &"a".repeat(64),
        ] {
            assert!(SchemaName::from_str(wrong).is_err(), "{wrong}");
        }
    }
}
