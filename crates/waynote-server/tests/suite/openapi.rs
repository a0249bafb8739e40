//! The OpenAPI document.

use std::collections::BTreeSet;

use super::support::{API, start};

#[test]
fn every_route_is_in_the_document_and_every_operation_answers() {
    let server = start();
    let document = server.get(&format!("{API}/openapi.json")).json();
    assert_eq!(document["openapi"], "3.1.0");
    let mut ids = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            assert!(
                ids.insert(operation["operationId"].as_str().unwrap()),
                "{path}"
            );
            assert!(operation["summary"].is_string(), "{method} {path}");
            // Each status by itself: one for all would let any answer pass.
            for status in operation["responses"].as_object().unwrap().keys() {
                assert!(status.parse::<u16>().is_ok(), "{method} {path}: {status}");
            }
            let concrete = path
                .replace("{address}", "agent%3Aa%23k")
                .replace("{session}", "night");
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
}
