//! The store and the settings of a client, by a local program or an endpoint.

use form_urlencoded::Serializer;
use serde_json::Value;
use waynote_system::variables::TOKEN;

use crate::formats::entry::words;

/// The store and the settings of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// The program on this machine, with these options before its command. Its settings give the rest.
    Program(Vec<String>),
    /// The MCP endpoint of a server, at this address. There are no hooks then.
    Endpoint(String),
}

impl Default for Target {
    fn default() -> Self {
        Self::Program(Vec::new())
    }
}

/// How a client's file names an MCP endpoint. The token is never in it: the file refers to the variable that has it.
pub(crate) struct EndpointForm {
    /// The kind of this server in its file, where it names one.
    pub(crate) kind: Option<&'static str>,
    /// The member with the address.
    pub(crate) url: &'static str,
    /// The reference to the variable's value, in a header.
    pub(crate) reference: &'static str,
}

impl EndpointForm {
    /// Its file cannot refer to a variable, or has another form.
    pub(crate) const NONE: Self = Self::new(None, "url", "");

    pub(crate) const fn new(
        kind: Option<&'static str>,
        url: &'static str,
        reference: &'static str,
    ) -> Self {
        Self {
            kind,
            url,
            reference,
        }
    }
}

/// The variable of the token, which the client has to be started with.
pub(crate) const TOKEN_VARIABLE: &str = TOKEN;

impl Target {
    /// The options between the program and its command.
    pub fn options(&self) -> &[String] {
        match self {
            Self::Program(options) => options,
            Self::Endpoint(_) => &[],
        }
    }

    /// The program with this option; another value of the same option goes. The option is that of a setting, for
    /// example `--agent`, or `--set` with `NAME=VALUE`.
    pub fn with(&self, option: &str, value: &str) -> Self {
        let key = |option: &str, value: &str| match option {
            SET => format!("{option} {}", value.split('=').next().unwrap_or_default()),
            _ => option.to_owned(),
        };
        let new = [option.to_owned(), value.to_owned()];
        let mut words: Vec<[String; 2]> = pairs(self.options()).collect();
        let old = words
            .iter()
            .position(|[name, old]| key(name, old) == key(option, value));
        match old {
            Some(old) => words[old] = new,
            None => words.push(new),
        }
        Self::Program(words.concat())
    }

    /// The store's address, if it is no matter of settings. An endpoint is below that.
    pub fn store(&self) -> Option<&str> {
        match self {
            Self::Program(words) => {
                let mut words = words.chunks(2);
                let store = words.find(|pair| pair[0] == STORE)?;
                Some(store.get(1)?)
            }
            Self::Endpoint(url) => {
                let path = url.split(['?', '#']).next().unwrap_or_default();
                path.strip_suffix(ENDPOINT)
            }
        }
    }

    /// The MCP endpoint of a store at this address.
    pub fn endpoint(store: &str) -> Self {
        Self::Endpoint(format!("{store}{ENDPOINT}"))
    }

    /// The endpoint with this parameter; another value of the same parameter goes. A program stays as it is.
    pub fn with_parameter(&self, name: &str, value: &str) -> Self {
        let Self::Endpoint(url) = self else {
            return self.clone();
        };
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let others = form_urlencoded::parse(query.as_bytes()).filter(|(other, _)| other != name);
        let query = Serializer::new(String::new())
            .extend_pairs(others)
            .append_pair(name, value)
            .finish();
        // A query may hold slashes, and a path is easier to read with them.
        let query = query.replace("%2F", "/");
        Self::Endpoint(format!("{path}?{query}"))
    }

    /// True for an endpoint.
    pub fn is_endpoint(&self) -> bool {
        matches!(self, Self::Endpoint(_))
    }

    /// The target of our entry in a client's file.
    pub(crate) fn of(entry: &Value) -> Self {
        if let Some(url) = URLS.iter().find_map(|name| entry[*name].as_str())
            && is_our_endpoint(url)
        {
            return Self::Endpoint(url.to_owned());
        }
        let words = words(entry).into_iter().skip(1);
        let mut options: Vec<String> = words.map(str::to_owned).collect();
        // Its options come in pairs, before its command.
        let names = options
            .chunks(2)
            .take_while(|pair| pair[0].starts_with("--") && !pair[0].contains('='));
        options.truncate(names.map(<[String]>::len).sum());
        Self::Program(options)
    }
}

/// The option that names a store.
const STORE: &str = "--store";

/// The option that sets a setting which has no option of its own: `--set NAME=VALUE`.
const SET: &str = "--set";

/// The options of an entry with their values, as `install` writes them.
fn pairs(words: &[String]) -> impl Iterator<Item = [String; 2]> {
    words
        .chunks_exact(2)
        .map(|pair| [pair[0].clone(), pair[1].clone()])
}

/// The members in which clients have an endpoint's address.
pub(crate) const URLS: [&str; 4] = ["url", "httpUrl", "serverUrl", "uri"];

const ENDPOINT: &str = "/mcp";

/// True if an address is that of an MCP endpoint of a waynote server: `…/s/NAME/mcp`.
pub(crate) fn is_our_endpoint(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let mut parts = path.rsplit('/');
    let end = [parts.next(), parts.next(), parts.next()];
    matches!(end, [Some("mcp"), Some(name), Some("s")] if !name.is_empty())
        && ["http://", "https://"]
            .iter()
            .any(|scheme| url.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_entry_says_what_it_is_for() {
        let url = "https://notes.example/s/team";
        let endpoint = Target::endpoint(url).with_parameter("agent", "night shift");
        assert_eq!(
            endpoint,
            Target::Endpoint(format!("{url}/mcp?agent=night+shift"))
        );
        assert_eq!(
            endpoint
                .with_parameter("home", "/home/a&b")
                .with_parameter("agent", "c"),
            Target::Endpoint(format!("{url}/mcp?home=/home/a%26b&agent=c"))
        );
        assert_eq!(endpoint.store(), Some(url));
        let store = Target::default().with("--store", url);
        assert_eq!(store.store(), Some(url));
        for (entry, target) in [
            (
                json!({ "command": "waynote", "args": ["mcp"] }),
                Target::default(),
            ),
            (
                json!({ "command": "waynote", "args": ["--store", url, "mcp"] }),
                store.clone(),
            ),
            (
                json!({ "command": ["waynote", "--store", url, "mcp"] }),
                store.clone(),
            ),
            (
                json!({ "command": ["waynote", "--agent", "codex", "--set", "style=faithful", "mcp", "--tools", "all"] }),
                Target::default()
                    .with("--agent", "codex")
                    .with("--set", "style=faithful"),
            ),
            (
                json!({ "cmd": "waynote", "args": ["--store", url, "mcp"] }),
                store,
            ),
            (
                json!({ "url": "https://notes.example/s/team/mcp?agent=night+shift" }),
                endpoint.clone(),
            ),
            (
                json!({ "httpUrl": "https://notes.example/s/team/mcp?agent=night+shift" }),
                endpoint,
            ),
            (
                json!({ "url": "https://notes.example/mcp" }),
                Target::default(),
            ),
            (json!({ "url": "/s/team/mcp" }), Target::default()),
            (json!(null), Target::default()),
        ] {
            assert_eq!(Target::of(&entry), target, "{entry}");
        }
    }

    #[test]
    fn a_second_value_takes_the_place_of_the_first() {
        let target = Target::default()
            .with("--agent", "a")
            .with("--set", "style=stable")
            .with("--set", "budget=5")
            .with("--agent", "b")
            .with("--set", "budget=9");
        let options = target.options().join(" ");
        assert_eq!(options, "--agent b --set style=stable --set budget=9");
    }
}
