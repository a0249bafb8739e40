//! Two servers over one database have one store. `tools/serving` kills them under load.

use std::net::SocketAddr;

use serde_json::{Value, json};

use super::common::Scratch;
use super::http::send;
use super::postgres::its_server;
use super::served::Served;

/// The store, as both servers have it.
const STORE: &str = "/s/team";

fn start(scratch: &Scratch, url: &str) -> (Served, SocketAddr) {
    let store = format!("team={url}");
    let served = Served::start(scratch, ["--rate", "0", "--store", &store]);
    let address = served.url.strip_prefix("http://").unwrap();
    let address = address.parse().unwrap();
    (served, address)
}

#[test]
fn what_is_said_to_one_server_holds_at_the_other_at_once() {
    let Some(database) = its_server() else { return };
    let url = database.store_url();
    let machines = [Scratch::new(), Scratch::new()];
    machines[0].ok(&format!("stores create {url}"));
    let servers = machines.each_ref().map(|home| start(home, &url));
    let [one, other] = servers.each_ref().map(|(_, address)| *address);
    // The same call at both servers: the second one returns the first one's answer.
    let note = format!("{STORE}/api/v1/notes/agent%3Aa%23twice");
    let calls = [
        (format!("PUT {note}"), json!({ "content": "one" })),
        (format!("PUT {note}"), json!({ "content": "two" })),
        (format!("POST {note}/undo"), json!({})),
        (format!("DELETE {note}"), Value::Null),
    ];
    for (number, (request, body)) in (0..).zip(&calls) {
        let key = format!("Idempotency-Key: call-{number}");
        let call = |server| {
            let made = send(server, request, &[&key], body).unwrap();
            (made.status, made.body)
        };
        let (first, second) = (call(one), call(other));
        assert!(first.0 < 300, "{request}: {first:?}");
        assert_eq!(first, second, "{request}");
    }
    let history = send(other, &format!("GET {note}/history"), &[], &Value::Null).unwrap();
    let revisions = history.body["revisions"].as_array().map(Vec::len);
    assert_eq!(revisions, Some(calls.len()), "{history:?}");
    // A write with a revision that the other has made obsolete.
    let note = format!("{STORE}/api/v1/notes/agent%3Aa%23deploy");
    let put = |server, text: &str, headers: &[&str]| {
        let made = send(
            server,
            &format!("PUT {note}"),
            headers,
            &json!({ "content": text }),
        );
        made.unwrap().status
    };
    assert_eq!(put(one, "ship", &[]), 201);
    assert_eq!(put(other, "ship twice", &["If-Match: \"1\""]), 200);
    assert_eq!(put(one, "ship thrice", &["If-Match: \"1\""]), 412);
    // A token, from when it is made until it is revoked.
    let read = |server, token: &str| {
        let header = format!("Authorization: Bearer {token}");
        let read = send(server, &format!("GET {note}"), &[&header], &Value::Null);
        read.unwrap().status
    };
    let made = machines[0].json(&format!("--store {url} token create ci --read --json"));
    let token = made["token"].as_str().unwrap();
    assert_eq!([read(one, token), read(other, token)], [200, 200]);
    assert_eq!([read(one, "wn_no"), read(other, "wn_no")], [401, 401]);
    machines[1].ok(&format!("--store {url} token revoke ci"));
    assert_eq!([read(one, token), read(other, token)], [401, 401]);
}
