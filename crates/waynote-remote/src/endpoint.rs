//! The MCP endpoint of a store, asked as an agent's client asks it.

use serde_json::{Value, json};
use waynote::Result;

use crate::exchange::Exchange;
use crate::options::Options;

/// The version of the protocol that is spoken. Endpoints of every age know it.
const PROTOCOL: &str = "2025-06-18";

/// Asks an MCP endpoint (`https://HOST/s/NAME/mcp`, with what stands behind it) for its tools, and returns how many it
/// has. The certificate, the token and the rest of the address are checked as for a store.
///
/// # Errors
/// [`RemoteError`](crate::RemoteError), and what the server says against the request.
pub fn endpoint_tools(endpoint: &str, options: &Options) -> Result<usize> {
    let (path, query) = match endpoint.find('?') {
        Some(at) => endpoint.split_at(at),
        None => (endpoint, ""),
    };
    let store = path.strip_suffix("/mcp").unwrap_or(path);
    let exchange = Exchange::new(store, options)?;
    let below = format!("/mcp{query}");
    let ask = |method: &str, params: Value| -> Result<Value> {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer = exchange.message(&below, PROTOCOL, message.to_string().as_bytes())?;
        let answer: Value =
            serde_json::from_slice(&answer).map_err(|error| exchange.not_a_server(&error))?;
        match answer.pointer("/error/message").and_then(Value::as_str) {
            Some(error) => Err(exchange.not_a_server(&format!("it refuses `{method}`: {error}"))),
            None => Ok(answer["result"].clone()),
        }
    };
    let client = json!({ "name": "waynote", "version": env!("CARGO_PKG_VERSION") });
    ask(
        "initialize",
        json!({ "protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client }),
    )?;
    let tools = ask("tools/list", json!({}))?;
    match tools["tools"].as_array() {
        Some(tools) => Ok(tools.len()),
        None => Err(exchange.not_a_server(&"its list of tools is no list")),
    }
}
