//! Entries of ours in clients' files of any format: a server, hooks, values in their order.

use serde_json::Value;

/// The name under which waynote's server is entered everywhere.
pub(crate) const NAME: &str = "waynote";

/// Flag for the prompt hook without `--every-prompt`.
pub(crate) const NO_SEARCH: &str = " --no-search";

/// How a client starts the MCP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    /// The program: an absolute path, or a name on the path.
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    /// The author of the notes that come through it.
    pub(crate) author: String,
    /// The variables that the client hands on to it, where it hands on no others.
    pub(crate) variables: Vec<String>,
    /// The address of a server's MCP endpoint, in place of the program.
    pub(crate) endpoint: Option<String>,
}

/// A value in the order in which it is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Bool(bool),
    Number(i64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

/// An edit of a JSON file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum JsonEdit {
    /// The entry of our server in the object of that name.
    Server {
        at: &'static str,
        program: String,
        entry: Vec<(&'static str, Json)>,
    },
    /// A command among those of an event.
    Hook {
        event: &'static str,
        command: String,
        /// Further members of the command's object.
        more: Vec<(&'static str, Json)>,
        /// True if commands stand in groups, as Claude Code has them; else alone.
        grouped: bool,
    },
    /// No command of ours among those of an event: an earlier version had one there.
    NoHook { event: &'static str },
    /// A member that a new file needs.
    Version(i64),
    /// Escapes slashes in our commands: the client takes two for a comment, even within a text.
    EscapedSlashes,
}

/// A member of an entry with another value now. `to` is none if it is no longer written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) path: Vec<String>,
    pub(crate) to: Option<Value>,
}

impl Json {
    pub(crate) fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::List(
            texts
                .into_iter()
                .map(|text| Self::Text(text.into()))
                .collect(),
        )
    }

    /// As JSON, without the order.
    pub(crate) fn to_value(&self) -> Value {
        match self {
            Self::Bool(value) => Value::from(*value),
            Self::Number(value) => Value::from(*value),
            Self::Text(text) => Value::from(text.as_str()),
            Self::List(values) => values.iter().map(Self::to_value).collect(),
            Self::Object(members) => members
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.to_value()))
                .collect(),
        }
    }
}

/// The element of an event's list that runs a command of ours.
pub(crate) fn hook_entry(command: &str, more: &[(&'static str, Json)], grouped: bool) -> Json {
    let mut own = vec![("type", Json::Text("command".into()))];
    if !grouped && more.is_empty() {
        own.clear();
    }
    own.push(("command", Json::Text(command.to_owned())));
    own.extend(more.iter().cloned());
    match grouped {
        true => Json::Object(vec![("hooks", Json::List(vec![Json::Object(own)]))]),
        false => Json::Object(own),
    }
}

impl Server {
    /// The member of an entry with the server's program or address, and its value.
    pub(crate) fn place<'s>(&'s self, program: &'s str, url: &'s str) -> (&'s str, &'s str) {
        match &self.endpoint {
            Some(endpoint) => (url, endpoint),
            None => (program, &self.command),
        }
    }
}

/// True if words start our server, with any options: an entry of our name that does not is another program's.
pub(crate) fn starts_our_server<'w>(words: impl IntoIterator<Item = &'w str>) -> bool {
    let mut words = words.into_iter();
    words.next().is_some_and(is_our_program) && words.any(|word| word == "mcp")
}

/// True if a program is ours by its name, in any folder.
pub(crate) fn is_our_program(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    matches!(name, "waynote" | "waynote.exe")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_server_is_known_with_whatever_options() {
        let is_ours = |words: &str| starts_our_server(words.split(' '));
        for ours in [
            "waynote mcp",
            "/opt/bin/waynote mcp --tools all",
            "C:\\bin\\waynote.exe --store x mcp",
        ] {
            assert!(is_ours(ours), "{ours}");
        }
        for other in [
            "waynote",
            "waynote context",
            "mcp",
            "waynotes mcp",
            "npx waynote mcp",
        ] {
            assert!(!is_ours(other), "{other}");
        }
    }
}
