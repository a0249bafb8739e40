//! What every message is checked for, however it came: its length, its form, how many values it has.

use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Map, Value, json};

/// The longest message, in bytes: the longest note with each of its characters escaped, and room for the rest.
pub const MESSAGE_BYTES: usize = 2 * 1024 * 1024;

/// The most values in a message: each takes up memory of its own when it is read.
const MESSAGE_VALUES: usize = 20_000;

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Why a message is not worked on: the code and the text of the answer.
pub(crate) struct Unreadable(i32, String);

impl Unreadable {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(INVALID_REQUEST, message.into())
    }

    pub(crate) fn too_long() -> Self {
        Self::new(
            "nothing was done: the message is longer than 2 MiB. Send shorter texts, each in a message of its own",
        )
    }

    /// The answer to a message of which at least both ends are known.
    pub(crate) fn answer(&self, message: &[u8]) -> Value {
        let Self(code, text) = self;
        json!({ "jsonrpc": "2.0", "id": id(message), "error": { "code": code, "message": text } })
    }
}

/// The message in a line; none if it wants no answer and has no meaning here.
pub(crate) fn message(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Unreadable> {
    if line.is_empty() {
        return Ok(None);
    }
    limit_values(line)?;
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(Some(message));
    }
    let value: Value = serde_json::from_slice(line)
        .map_err(|error| Unreadable(PARSE_ERROR, format!("this is not JSON: {error}")))?;
    let has = |name| value.get(name).is_some();
    Err(Unreadable::new(match () {
        // An unknown notification, or an answer to nothing that was asked.
        () if has("method") && !has("id") || has("result") || has("error") => return Ok(None),
        () if has("method") => {
            "this is not a JSON-RPC request: `jsonrpc` is \"2.0\", `id` a text or a whole number, `params` an object"
        }
        () if value.is_array() => "batches are not supported: send one message per line",
        () => "this is not a JSON-RPC message: it has no `method`",
    }))
}

/// Refuses a message that would take up much more memory than its text.
pub(crate) fn limit_values(message: &[u8]) -> Result<(), Unreadable> {
    let (mut in_text, mut is_escaped, mut commas) = (false, false, 0);
    for byte in message {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => in_text = !in_text,
            b',' if !in_text => commas += 1,
            _ => {}
        }
    }
    match commas < MESSAGE_VALUES {
        true => Ok(()),
        false => Err(Unreadable::new(format!(
            "the message has more than {MESSAGE_VALUES} values"
        ))),
    }
}

/// The id of a message that could not be read, if it stands before the first nested value or after the last one.
fn id(message: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(message.trim_ascii());
    let of = |members: &str| {
        let object: Map<String, Value> = serde_json::from_str(&format!("{{{members}}}")).ok()?;
        let id = object.get("id")?;
        (id.is_i64() || id.is_string()).then(|| id.clone())
    };
    let first = text.strip_prefix('{')?.split(['{', '[']).next()?;
    let last = text
        .strip_suffix('}')
        .and_then(|text| text.rsplit(['{', '}', ']']).next());
    let first = first.rsplit_once(',').and_then(|(whole, _)| of(whole));
    first.or_else(|| of(last?.trim_start_matches(',')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_found_at_either_end() {
        for (message, expected) in [
            (r#"{"id": 7, "method": "x"}"#, json!(7)),
            (r#"{"jsonrpc":"2.0","id":8}"#, json!(8)),
            (
                r#"{"params":{"id":1,"a":["id",{"id":2}]},"id":"a\"b"}"#,
                json!("a\"b"),
            ),
            (
                r#"{"jsonrpc":"2.0","id":-4,"params":{"text":"cut o"#,
                json!(-4),
            ),
            (r#"{"jsonrpc":"2.0","id":5,"meth"#, json!(5)),
            (
                r#"{"params":{"t":"of a text","x":[1]},"jsonrpc":"2.0","id":6}"#,
                json!(6),
            ),
            (r#"{"params":{"id":1}}"#, Value::Null),
            (r#"{"params":{"id":1},"a":{"id":2}}"#, Value::Null),
            (r#"[{"id":1}]"#, Value::Null),
            (r#"{"id":{"id":1},"method":"x"}"#, Value::Null),
            (r#"{"id":1.5,"method":"x"}"#, Value::Null),
            (r#"{"text":"\"id\":3,"#, Value::Null),
            ("", Value::Null),
        ] {
            let id = id(message.as_bytes()).unwrap_or_default();
            assert_eq!(id, expected, "{message}");
        }
    }
}
