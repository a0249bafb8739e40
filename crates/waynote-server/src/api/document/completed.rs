//! The parts of the OpenAPI document that every operation has: its problems, and an example of a request.

use serde_json::{Map, Value, json};

/// The problems that every operation on a store may have.
const ALWAYS: [(&str, &str); 7] = [
    ("400", "A part of the request cannot be read"),
    ("401", "The store needs a token that it knows"),
    (
        "403",
        "The token does not allow it, or the request comes from a page of another site",
    ),
    ("404", "There is no such store, or nothing of that name"),
    ("429", "The token has sent too many requests"),
    ("500", "The store is damaged, or the server failed"),
    (
        "503",
        "The store or the server is busy, or it took too long: `Retry-After` says when to come again",
    ),
];

/// The problems of an operation that changes something, besides those of [`ALWAYS`].
const WRITING: [(&str, &str); 2] = [
    ("409", "The current state does not allow it"),
    ("422", "A rule or a limit forbids it"),
];

/// The problems of a request with a body, besides the others.
const WITH_BODY: [(&str, &str); 3] = [
    ("408", "The body did not arrive in time"),
    ("413", "The body is larger than the server takes"),
    ("415", "The body is not JSON"),
];

/// Adds the problems that each operation may have, and examples.
pub(super) fn complete(document: &mut Value) {
    unsigned(document);
    errors(document);
    let texts = texts(document);
    in_place(document, &texts);
    tuples(document);
    named(document);
    defaults(&mut document["components"]);
    let paths = document["paths"].as_object_mut();
    for (path, item) in paths.into_iter().flatten() {
        for (method, operation) in item.as_object_mut().into_iter().flatten() {
            // The document itself has no problems.
            if path != "/openapi.json" {
                problems(method, operation);
            }
            examples(method, path, operation);
        }
    }
}

/// Changes each object in a value, the outer ones first.
fn each_object(of: &mut Value, change: &mut dyn FnMut(&mut Map<String, Value>)) {
    match of {
        Value::Object(members) => {
            change(members);
            members.values_mut().for_each(|of| each_object(of, change));
        }
        Value::Array(items) => items.iter_mut().for_each(|of| each_object(of, change)),
        _ => {}
    }
}

/// Corrects the format of unsigned numbers: the generator writes `int64` for `u64`, and `int32` for `u32`.
fn unsigned(document: &mut Value) {
    each_object(document, &mut |members| {
        let is_unsigned = members.get("minimum").is_some_and(|least| *least == 0);
        let format = members.get("format").and_then(Value::as_str);
        if let Some(format @ ("int32" | "int64")) = format.filter(|_| is_unsigned) {
            let format = format!("u{format}");
            members.insert("format".into(), json!(format));
        }
    });
}

/// Writes tuples of one type as arrays of that type: generators of clients do not read `items: false`.
fn tuples(document: &mut Value) {
    each_object(document, &mut |members| {
        if let Some(Value::Array(mut items)) = members.remove("prefixItems") {
            if items.windows(2).any(|two| two[0] != two[1]) {
                // Texts of which only some have a pattern.
                for item in items.iter_mut().filter_map(Value::as_object_mut) {
                    item.remove("pattern");
                }
            }
            assert!(items.windows(2).all(|two| two[0] == two[1]), "{items:?}");
            members.insert("items".into(), items[0].clone());
            members.insert("minItems".into(), json!(items.len()));
            members.insert("maxItems".into(), json!(items.len()));
        }
    });
}

/// Removes the empty defaults of properties: openapi-typescript makes each property with a default one that must be
/// given.
fn defaults(components: &mut Value) {
    let empty = [json!(null), json!(false), json!([]), json!({})];
    each_object(components, &mut |members| {
        if members.get("default").is_some_and(|of| empty.contains(of)) {
            members.remove("default");
        }
    });
}

/// Gives each variant of an enum a schema with a name, so that generated clients have types with names.
fn named(document: &mut Value) {
    let schemas = document["components"]["schemas"].as_object_mut().unwrap();
    let mut variants = Map::new();
    for (name, schema) in schemas.iter_mut() {
        let Some(Value::Array(several)) = schema.get_mut("oneOf") else {
            continue;
        };
        let mut tags = Map::new();
        let mut tagged_by = None;
        for variant in several {
            let Some((tag, word)) = word(variant) else {
                continue;
            };
            let variant_name = format!("{name}{}", pascal(&word));
            let reference = format!("#/components/schemas/{variant_name}");
            if let Some(tag) = tag {
                tags.insert(word, json!(reference));
                tagged_by = Some(tag);
            }
            let inline = std::mem::replace(variant, json!({ "$ref": reference }));
            assert!(variants.insert(variant_name, inline).is_none(), "{name}");
        }
        if let Some(tag) = tagged_by {
            schema["discriminator"] = json!({ "propertyName": tag, "mapping": tags });
        }
    }
    for (name, variant) in variants {
        assert!(schemas.insert(name.clone(), variant).is_none(), "{name}");
    }
    schemas.sort_keys();
}

/// The word that tells a variant from the others, and the property whose value it is, if it is not itself a property.
fn word(variant: &Value) -> Option<(Option<String>, String)> {
    if let Some(word) = variant["enum"][0].as_str() {
        return Some((None, word.into()));
    }
    let properties = variant["properties"].as_object()?;
    let tag = properties
        .iter()
        .find_map(|(name, property)| match property["enum"].as_array() {
            Some(words) if words.len() == 1 => {
                Some((Some(name.clone()), words[0].as_str()?.to_owned()))
            }
            _ => None,
        });
    tag.or_else(|| match properties.keys().collect::<Vec<_>>()[..] {
        [only] => Some((None, only.clone())),
        _ => None,
    })
}

/// `block_and_notes` as `BlockAndNotes`.
fn pascal(word: &str) -> String {
    let parts = word.split('_').filter(|part| !part.is_empty());
    parts
        .map(|part| format!("{}{}", part[..1].to_uppercase(), &part[1..]))
        .collect()
}

/// Makes one list of all errors. The errors of loops, for example, are an enum of their own in Rust, but not in JSON.
fn errors(document: &mut Value) {
    let schemas = document.pointer_mut("/components/schemas");
    let Some(schemas) = schemas.and_then(Value::as_object_mut) else {
        return;
    };
    let mut all = Vec::new();
    for error in schemas["Fields"]["oneOf"]
        .take()
        .as_array_mut()
        .into_iter()
        .flatten()
    {
        let Some(parts) = error["allOf"].as_array() else {
            all.push(error.take());
            continue;
        };
        let named = parts[0]["$ref"].as_str().unwrap_or_default();
        let of = schemas.remove(named.rsplit('/').next().unwrap_or_default());
        let mut of = of.unwrap_or_default();
        if let Some(several) = of.get_mut("oneOf").and_then(Value::as_array_mut) {
            all.append(several);
            continue;
        }
        for part in &parts[1..] {
            for (name, field) in part["properties"].as_object().into_iter().flatten() {
                of["properties"][name] = field.clone();
                if let Some(required) = of["required"].as_array_mut() {
                    required.push(json!(name));
                }
            }
        }
        of["description"] = error["description"].take();
        all.push(of);
    }
    schemas["Fields"]["oneOf"] = Value::Array(all);
}

/// Removes the named schemas of values that are written as a text (an address, a name, a position), and returns
/// references to them.
fn texts(document: &mut Value) -> Vec<String> {
    let mut texts = Vec::new();
    let schemas = document.pointer_mut("/components/schemas");
    if let Some(schemas) = schemas.and_then(Value::as_object_mut) {
        schemas.retain(|name, schema| {
            let is_text = *schema == json!({ "type": "string" });
            if is_text {
                texts.push(format!("#/components/schemas/{name}"));
            }
            !is_text
        });
    }
    texts
}

/// Replaces references to these schemas by the type `string`.
fn in_place(of: &mut Value, texts: &[String]) {
    match of {
        Value::Object(members) => {
            members.values_mut().for_each(|of| in_place(of, texts));
            let named = members.get("$ref").and_then(Value::as_str);
            if named.is_some_and(|named| texts.iter().any(|text| text == named)) {
                members.remove("$ref");
                members.insert("type".into(), json!("string"));
            }
            // A text that may be null.
            if let Some([Value::Object(text), null]) = members
                .get("oneOf")
                .and_then(Value::as_array)
                .map(Vec::as_slice)
                && text.get("type") == Some(&json!("string"))
                && !text.contains_key("enum")
                && *null == json!({ "type": "null" })
            {
                let mut text = text.clone();
                text.insert("type".into(), json!(["string", "null"]));
                members.remove("oneOf");
                members.extend(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|of| in_place(of, texts)),
        _ => {}
    }
}

fn problems(method: &str, operation: &mut Value) {
    let has_body = !operation["requestBody"].is_null();
    let Some(answers) = operation["responses"].as_object_mut() else {
        return;
    };
    let writing = if method == "get" { &[][..] } else { &WRITING };
    let of_body = if has_body { &WITH_BODY[..] } else { &[] };
    for (status, description) in ALWAYS.iter().chain(writing).chain(of_body) {
        let problem = json!({
            "description": description,
            "content": { "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
        });
        answers.entry(*status).or_insert(problem);
    }
}

fn examples(method: &str, path: &str, operation: &mut Value) {
    // `IndexMut` would add a null where there are no parameters.
    let parameters = operation
        .get_mut("parameters")
        .and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        let example = match parameter["name"].as_str() {
            Some("address") => "agent:builder#deploy",
            Some("session") => "nightly",
            Some("q") => "ship",
            Some("scope") => "agent:builder",
            Some("kind") if path == "/notes" => "agent",
            Some("agent") => "builder",
            Some("place") => "~/shop",
            Some("author") => "agent:builder",
            Some("lease") => "session:nightly#event-1",
            Some("as_of") => "2026-05-17T12:00:00Z",
            _ => continue,
        };
        parameter["example"] = json!(example);
    }
    let content = operation.pointer_mut("/requestBody/content/application~1json");
    if let (Some(content), Some(example)) =
        (content.and_then(Value::as_object_mut), body(method, path))
    {
        content.insert("example".into(), example);
    }
}

/// An example of the body of a request.
fn body(method: &str, path: &str) -> Option<Value> {
    let stamp = json!({ "now": "2026-05-17T12:00:00Z", "author": "agent:builder" });
    let note = "agent:builder#deploy";
    Some(match (method, path) {
        ("put", _) => json!({ "content": "run `make ship`" }),
        (_, "/notes/{address}/undo") => Value::Object(Map::new()),
        (_, "/sessions/{session}/entries") => json!({ "type": "learning", "content": "use lld" }),
        (_, "/read") => json!({ "notes": [note], "version": true }),
        (_, "/as-of") => {
            json!({ "scopes": ["agent:builder"], "moment": { "time": "2026-05-17T12:00:00Z" } })
        }
        (_, "/search") => json!({ "query": "ship", "limit": 10 }),
        (_, "/apply") => {
            let save = json!({ "address": note, "content": "run `make ship`" });
            json!({ "changes": [{ "save": save }], "stamp": stamp })
        }
        (_, "/record") => json!({ "session": "nightly", "events": [], "stamp": stamp }),
        (_, "/beat" | "/silence") => json!({ "session": "nightly", "lease": 1 }),
        (_, "/forget") => json!({ "target": note, "stamp": stamp, "dry_run": true }),
        (_, "/context") => {
            let lineage = json!({ "place": "~/shop", "places": ["~", "~/shop"] });
            let request = json!({
                "agent": "builder", "lineage": lineage, "style": "stable", "now": stamp["now"],
            });
            json!({ "request": request, "part": { "block": {} } })
        }
        _ => return None,
    })
}
