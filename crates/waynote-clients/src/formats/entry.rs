//! Entries of ours in clients' files of any format: a server, hooks, values in their order.

pub(crate) use jsonc_parser::cst::CstInputValue as Json;
use serde_json::Value;

use crate::profile::target::{URLS, is_our_endpoint};

/// The name under which waynote's server is entered everywhere.
pub(crate) const NAME: &str = "waynote";

/// The tool of our server that answers a hook.
pub(crate) const HOOK_TOOL: &str = "hook";

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

/// An edit of a JSON file.
#[derive(Clone, Debug)]
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
        /// The tools at which it runs.
        matcher: Option<&'static str>,
        /// True if it is brought up to date where it is, and not added.
        only_if_there: bool,
        command: String,
        /// The arguments of a call of our server, which takes the command's place.
        call: Option<Json>,
        /// Further members of the command's object.
        more: Vec<(&'static str, Json)>,
        /// True if commands stand in groups, as Claude Code has them; else alone.
        grouped: bool,
    },
    /// A member that a new file needs.
    Version(i64),
    /// Escapes slashes in our commands: the client takes two for a comment, even within a text.
    EscapedSlashes,
}

impl JsonEdit {
    /// The event of a hook.
    pub(crate) fn event(&self) -> Option<&'static str> {
        match self {
            Self::Hook { event, .. } => Some(event),
            _ => None,
        }
    }

    /// The element of an event's list that runs the command of a hook.
    pub(crate) fn hook_entry(&self) -> Option<Json> {
        let Self::Hook {
            matcher,
            command,
            call,
            more,
            grouped,
            ..
        } = self
        else {
            return None;
        };
        let mut own = vec![("type", "command".into())];
        if !grouped && more.is_empty() {
            own.clear();
        }
        match call {
            None => own.push(("command", command.as_str().into())),
            Some(call) => {
                own = vec![
                    ("type", "mcp_tool".into()),
                    ("server", NAME.into()),
                    ("tool", HOOK_TOOL.into()),
                    ("input", call.clone()),
                ];
            }
        }
        own.extend(more.iter().cloned());
        let matcher = matcher.map(|matcher| ("matcher", matcher.into()));
        Some(match grouped {
            true => {
                let hooks = ("hooks", Json::Array(vec![object(&own)]));
                object(&matcher.into_iter().chain([hooks]).collect::<Vec<_>>())
            }
            false => {
                own.extend(matcher);
                object(&own)
            }
        })
    }
}

/// An object of these members, in their order.
pub(crate) fn object(members: &[(&'static str, Json)]) -> Json {
    let members = members.iter();
    Json::Object(
        members
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
    )
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

/// The words with which an entry has its server started: a program and its arguments apart, or all in one list.
pub(crate) fn words(entry: &Value) -> Vec<&str> {
    let words = ["command", "cmd", "args"].iter();
    words
        .flat_map(|name| match &entry[*name] {
            Value::Array(words) => words.iter().collect(),
            word => vec![word],
        })
        .filter_map(Value::as_str)
        .collect()
}

/// True if an entry starts our server, with any options, or names its endpoint: one of our name that does neither is
/// another program's.
pub(crate) fn is_our_server(entry: &Value) -> bool {
    let mut urls = URLS.iter().filter_map(|name| entry[*name].as_str());
    urls.any(is_our_endpoint)
        || match words(entry)[..] {
            [program, ref words @ ..] => is_our_program(program) && words.contains(&"mcp"),
            [] => false,
        }
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
        let is_ours = |words: &str| {
            let words: Vec<&str> = words.split(' ').collect();
            is_our_server(&serde_json::json!({ "command": words }))
        };
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
