//! Two servers over one database have one store. `tools/serving` kills them under load.

use serde_json::{Value, json};

use super::common::{Scratch, fields};
use super::http::{Answer, send};
use super::postgres::its_server;
use super::served::Served;

/// The store, as both servers have it.
const STORE: &str = "/s/team";

#[test]
fn what_is_said_to_one_server_holds_at_the_other_at_once() {
    let Some(database) = its_server() else { return };
    let url = database.store_url();
    let machines = [Scratch::new(), Scratch::new()];
    machines[0].ok(&format!("stores create {url}"));
    let store = format!("team={url}");
    let options = ["--rate", "0", "--store", &store];
    let [one, other] = machines.each_ref().map(|home| Served::start(home, options));
    let ask = |server: &Served, request: &str, header: &str, body: &Value| -> Answer {
        let address = server.url.strip_prefix("http://").unwrap();
        send(address.parse().unwrap(), request, &[header], body).unwrap()
    };
    // The same call at both servers: the second one returns the first one's answer.
    let note = format!("{STORE}/api/v1/notes/agent%3Aa%23twice");
    for (number, text) in (1..).zip(["one", "two"]) {
        let key = format!("Idempotency-Key: call-{number}");
        let put = format!("PUT {note}");
        let call = |server| ask(server, &put, &key, &json!({ "content": text })).body;
        let first = call(&one);
        assert_eq!(fields(&first, "revision"), number.to_string(), "{first}");
        assert_eq!(call(&other), first);
    }
    // A write with a revision that the other has made obsolete.
    let put = |server, revision: u32| {
        let header = format!("If-Match: \"{revision}\"");
        ask(
            server,
            &format!("PUT {note}"),
            &header,
            &json!({ "content": "ship" }),
        )
        .status
    };
    assert_eq!(put(&other, 2), 200);
    assert_eq!(put(&one, 2), 412);
    // A token, from when it is made until it is revoked.
    let read = |token: &str| {
        let header = format!("Authorization: Bearer {token}");
        let read = |server| ask(server, &format!("GET {note}"), &header, &Value::Null).status;
        [read(&one), read(&other)]
    };
    let made = machines[0].json(&format!("--store {url} token create ci --read --json"));
    let token = fields(&made, "token");
    assert_eq!(read(&token), [200, 200]);
    assert_eq!(read("wn_no"), [401, 401]);
    machines[1].ok(&format!("--store {url} token revoke ci"));
    assert_eq!(read(&token), [401, 401]);
}
