//! The OpenAPI document.

use std::collections::BTreeSet;

use serde_json::Value;

use super::support::start;

const API: &str = "/s/notes/api/v1";

#[test]
fn every_route_is_in_the_document_and_every_operation_answers() {
    let server = start();
    let document = server.get(&format!("{API}/openapi.json")).json();
    assert_eq!(document["openapi"], "3.1.0");
    let (mut listed, mut ids) = (Vec::new(), BTreeSet::new());
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            listed.push(format!("{} {path}", method.to_uppercase()));
            assert!(
                ids.insert(operation["operationId"].as_str().unwrap()),
                "{path}"
            );
            assert!(operation["summary"].is_string(), "{method} {path}");
            // Each status by itself: one for all would let any answer pass.
            for status in operation["responses"].as_object().unwrap().keys() {
                assert!(status.parse::<u16>().is_ok(), "{method} {path}: {status}");
            }
            let parameters = operation.get("parameters");
            assert!(
                parameters.is_none_or(serde_json::Value::is_array),
                "{method} {path}"
            );
            let concrete = path
                .replace("{address}", "agent%3Aa%23k")
                .replace("{session}", "night")
                .replace("{token}", "nobody");
            if path == "/changes" {
                continue;
            }
            let answer = server.send(&method.to_uppercase(), &format!("{API}{concrete}"), &[], "");
            let routed = answer.status != 405 && answer.body.find("no_such_route").is_none();
            assert!(routed, "{method} {path}: {answer:?}");
            if answer.status >= 400 {
                answer.problem();
            }
        }
    }
    listed.sort();
    insta::assert_snapshot!(listed.join("\n"), @"
    DELETE /notes/{address}
    GET /changes
    GET /context
    GET /notes
    GET /notes/{address}
    GET /notes/{address}/history
    GET /openapi.json
    GET /search
    GET /sessions
    GET /verify
    POST /apply
    POST /as-of
    POST /beat
    POST /context
    POST /forget
    POST /notes/{address}/undo
    POST /read
    POST /record
    POST /search
    POST /sessions/{session}/entries
    POST /silence
    PUT /notes/{address}
    ");
    let text = document.to_string();
    for part in text.split("\"#/components/schemas/").skip(1) {
        let name = part.split('"').next().unwrap();
        assert_ne!(
            document["components"]["schemas"][name],
            Value::Null,
            "{name}"
        );
    }
}
