//! Signing in to the page with a token.

use waynote::engine::Writing;
use waynote::{Reader, SideData};
use waynote_server::Rights;

use super::page::{post, post_from, save};
use super::support::{options, start, start_over};
use waynote_testing::{has, lacks};

#[test]
fn a_token_signs_in_a_browser_until_it_signs_out_or_the_token_is_revoked() {
    let server = start();
    save(&server, "deploy", "one", "agent:builder");
    let text = server.token_of("laptop", "ann", false, Rights::Write);
    let asks = server.get("/s/notes/notes?q=x");
    assert_eq!(
        (asks.status, asks.header("location")),
        (303, "/s/notes/sign-in?to=%2Fs%2Fnotes%2Fnotes%3Fq%3Dx")
    );
    has(&server.get("/s/notes/sign-in").body, r#"type="password""#);
    let path = "sign-in";
    let to = ("to", "/s/notes/notes?q=x");
    let refused = post(&server, path, &[("token", "wn_nothing"), to]);
    assert_eq!(refused.status, 401);
    has(&refused.body, "does not know that token");
    lacks(&refused.body, "wn_nothing");

    let inside = post(&server, path, &[("token", &text), to]);
    assert_eq!(
        (inside.status, inside.header("location")),
        (303, "/s/notes/notes?q=x"),
        "{}",
        inside.body
    );
    let cookie = inside.header("set-cookie");
    assert!(
        cookie.ends_with("; Path=/s/notes; Max-Age=43200; HttpOnly; SameSite=Strict"),
        "{cookie}"
    );
    assert!(!cookie.contains(&text));
    // Another server's page is not gone to.
    for to in [
        "//evil.example",
        "https://evil.example/s/notes/",
        "/s/other/",
        "/s/notes/\\evil",
    ] {
        let inside = post(&server, path, &[("token", &text), ("to", to)]);
        assert_eq!(inside.header("location"), "/s/notes/", "{to}");
    }
    let cookie = format!("Cookie: a=b; {}", cookie.split(';').next().unwrap());
    let origin = format!("Origin: http://{}", server.address);
    let page = server.send("GET", "/s/notes/notes", &[&cookie], "").body;
    has(&page, "deploy");
    has(&page, "as laptop");
    // The token may write.
    let of = [("note", "agent:builder#deploy"), ("base", "1")];
    let pinned = post_from(&server, "notes/pin", &of, &[&origin, &cookie]);
    assert_eq!(pinned.status, 303);
    let history = server.store.history(&of[0].1.parse().unwrap()).unwrap();
    assert_eq!(history[1].token.as_ref().unwrap().as_str(), "ann");
    // The API knows the cookie too.
    let get = |path: &str, cookie: &str| server.send("GET", path, &[cookie], "").status;
    assert_eq!(get("/s/notes/api/v1/sessions", &cookie), 200);

    // The form has noted the use of the token. A page that is looked at, here on another server, writes nothing.
    let other = start_over(options(), |stores, _| {
        stores.with("notes", server.store.clone())
    });
    let used = || server.store.side_values("tokens used").unwrap();
    let keys: Vec<String> = used().into_iter().map(|used| used.key).collect();
    assert_eq!(keys.len(), 1);
    let done = server
        .store
        .put_side_values("tokens used", &[], &keys, Writing::Relaxed);
    done.unwrap();
    let seen = other.send("GET", "/s/notes/notes", &[&cookie], "");
    assert_eq!((seen.status, used().len()), (200, 0));

    let out = post_from(&server, "sign-out", &[], &[&origin, &cookie]);
    let set = out.header("set-cookie");
    assert!(set.starts_with("waynote=; ") && set.contains("Max-Age=0"));
    assert_eq!(get("/s/notes/", &cookie), 303);

    let again = post(&server, path, &[("token", &text)]);
    let cookie = again.header("set-cookie").split(';').next().unwrap();
    let cookie = format!("Cookie: {cookie}");
    assert_eq!(get("/s/notes/", &cookie), 200);
    server.token("other", Rights::Admin);
    server.revoke("laptop");
    assert_eq!(get("/s/notes/", &cookie), 303);
}
