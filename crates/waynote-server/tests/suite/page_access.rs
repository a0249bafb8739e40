//! Signing in to the page with a token, and looking after tokens there.

use waynote::Reader;
use waynote_access::{Grant, Rights, Tokens};

use super::page::{post, post_from, save};
use super::support::{RunningServer, now, start};
use waynote_testing::{has, lacks};

/// Creates a token for everything, with these rights.
fn token(server: &RunningServer, name: &str, rights: Rights) -> String {
    let grant = Grant {
        rights,
        ..Grant::everything()
    };
    let random = waynote::Content::imported(name).hash().0;
    let tokens = Tokens::new(&*server.store);
    let (token, _) = tokens
        .create(&name.parse().unwrap(), &grant, None, now(), random)
        .unwrap();
    token.expose().to_owned()
}

#[test]
fn a_token_signs_in_a_browser_until_it_signs_out_or_the_token_is_revoked() {
    let server = start();
    save(&server, "deploy", "one", "agent:builder");
    let text = token(&server, "laptop", Rights::Write);
    let asks = server.get("/s/notes/notes?q=x");
    assert_eq!(
        (asks.status, asks.header("location")),
        (303, "/s/notes/sign-in?to=%2Fs%2Fnotes%2Fnotes%3Fq%3Dx")
    );
    has(&server.get("/s/notes/sign-in").body, r#"type="password""#);
    let path = "/s/notes/sign-in";
    let refused = post(
        &server,
        path,
        &[("token", "wn_nothing"), ("to", "/s/notes/notes?q=x")],
    );
    assert_eq!(refused.status, 401);
    has(&refused.body, "does not know that token");
    lacks(&refused.body, "wn_nothing");

    let inside = post(
        &server,
        path,
        &[("token", &text), ("to", "/s/notes/notes?q=x")],
    );
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
    lacks(&page, "Access");
    // The token may write, but not administer or forget.
    let of = [("note", "agent:builder#deploy"), ("base", "1")];
    assert_eq!(
        post_from(&server, "/s/notes/notes/pin", &of, &[&origin, &cookie]).status,
        303
    );
    assert_eq!(
        server.send("GET", "/s/notes/access", &[&cookie], "").status,
        403
    );
    let sure = [("note", "agent:builder#deploy"), ("sure", "yes")];
    assert_eq!(
        post_from(&server, "/s/notes/notes/forget", &sure, &[&origin, &cookie]).status,
        403
    );
    let revisions = server
        .store
        .history(&"agent:builder#deploy".parse().unwrap())
        .unwrap();
    assert_eq!(
        revisions[1].token.as_ref().map(waynote::Name::as_str),
        Some("laptop")
    );
    // The API knows the cookie too.
    assert_eq!(
        server
            .send("GET", "/s/notes/api/v1/scopes", &[&cookie], "")
            .status,
        200
    );

    let out = post_from(&server, "/s/notes/sign-out", &[], &[&origin, &cookie]);
    assert!(
        out.header("set-cookie").starts_with("waynote=; ")
            && out.header("set-cookie").contains("Max-Age=0")
    );
    assert_eq!(server.send("GET", "/s/notes/", &[&cookie], "").status, 303);

    let again = post(&server, path, &[("token", &text)]);
    let cookie = format!(
        "Cookie: {}",
        again.header("set-cookie").split(';').next().unwrap()
    );
    assert_eq!(server.send("GET", "/s/notes/", &[&cookie], "").status, 200);
    token(&server, "other", Rights::Admin);
    Tokens::new(&*server.store)
        .revoke(&"laptop".parse().unwrap())
        .unwrap();
    assert_eq!(server.send("GET", "/s/notes/", &[&cookie], "").status, 303);
}

#[test]
fn those_who_look_after_a_store_create_and_revoke_tokens() {
    let server = start();
    has(&server.get("/s/notes/access").body, "There are no tokens");
    let fields = [("name", "laptop"), ("rights", "admin"), ("days", "30")];
    let created = post(&server, "/s/notes/access/create", &fields);
    assert_eq!(created.status, 200, "{}", created.body);
    let text = created
        .body
        .split("secret\">")
        .nth(1)
        .unwrap()
        .split('<')
        .next()
        .unwrap()
        .to_owned();
    let header = format!("Authorization: Bearer {text}");
    let origin = format!("Origin: http://{}", server.address);
    let act = |what: &str, fields: &[(&str, &str)]| {
        let path = format!("/s/notes/access/{what}");
        post_from(&server, &path, fields, &[&origin, &header])
    };
    let page = server.send("GET", "/s/notes/access", &[&header], "").body;
    has(&page, "laptop");
    has(&page, "token created");
    lacks(&page, &text);
    for (fields, says) in [
        (vec![("name", "laptop")], "laptop"),
        (
            vec![("name", "x"), ("places", "no place")],
            "is not a place",
        ),
        (
            vec![("name", "x"), ("rights", "admin"), ("agents", "builder")],
            "admin",
        ),
    ] {
        let refused = act("create", &fields);
        assert_eq!(refused.status, 422, "{says}");
        has(&refused.body, "problem");
        has(&refused.body, says);
    }
    let narrow = [
        ("name", "ci"),
        ("rights", "write"),
        ("agents", "builder, reviewer"),
        ("places", "~/projects/shop"),
    ];
    let page = act("create", &narrow).body;
    has(&page, "</em>reviewer");
    has(&page, "~/projects/shop");
    let gone = act("revoke", &[("name", "ci")]);
    assert_eq!(gone.status, 303);
    let page = server.send("GET", "/s/notes/access", &[&header], "").body;
    lacks(&page, "</em>reviewer");
    has(&page, "token revoked");
    // Not from another site, and not by a link.
    let foreign = post_from(
        &server,
        "/s/notes/access/revoke",
        &[("name", "laptop")],
        &["Origin: http://evil.example", &header],
    );
    assert_eq!(foreign.status, 403);
}
