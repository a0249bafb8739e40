//! The kinds of authors, and their names.

use std::fmt;

use crate::error::Result;
use crate::key::Name;

/// The kind of author that a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Author<'n> {
    /// `person`: the default author.
    Person,
    /// `agent:NAME`.
    Agent(&'n str),
    /// `import:FORMAT`: a note imported from another program.
    Import(&'n str),
    /// Any other name.
    Other(&'n str),
}

/// The name of the default author.
pub const PERSON: &str = "person";

impl<'n> Author<'n> {
    /// The author that a name stands for.
    pub fn of(name: &'n Name) -> Self {
        let name = name.as_str();
        match name.split_once(':') {
            _ if name == PERSON => Self::Person,
            Some(("agent", agent)) => Self::Agent(agent),
            Some(("import", format)) => Self::Import(format),
            _ => Self::Other(name),
        }
    }

    /// The name of the author.
    ///
    /// # Errors
    /// [`Error::InvalidName`](crate::Error::InvalidName) when the name is too long.
    pub fn name(self) -> Result<Name> {
        self.to_string().parse()
    }
}

impl fmt::Display for Author<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person => f.write_str(PERSON),
            Self::Agent(agent) => write!(f, "agent:{agent}"),
            Self::Import(format) => write!(f, "import:{format}"),
            Self::Other(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_who_it_is() {
        for (name, author) in [
            ("person", Author::Person),
            ("agent:builder", Author::Agent("builder")),
            ("agent:a:b", Author::Agent("a:b")),
            ("import:zrb", Author::Import("zrb")),
            ("ci", Author::Other("ci")),
            ("persons", Author::Other("persons")),
        ] {
            let name: Name = name.parse().unwrap();
            assert_eq!(Author::of(&name), author, "{name}");
            assert_eq!(author.name().unwrap(), name);
        }
    }
}
