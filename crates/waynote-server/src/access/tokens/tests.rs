//! Tokens over the side data of an SQLite store.

use std::sync::atomic::{AtomicU8, Ordering};

use waynote::jiff::ToSpan;
use waynote::jiff::tz::TimeZone;
use waynote::{Options, SqliteStore};

use super::*;

/// A token as it is listed.
pub(in crate::access) fn info(name: &str, holder: &str, is_agents: bool) -> TokenInfo {
    TokenInfo {
        id: "id".into(),
        name: name.parse().unwrap(),
        holder: holder.parse().unwrap(),
        is_agents,
        rights: Rights::Write,
        created_at: now(),
        expires_at: None,
        last_used: None,
    }
}

fn now() -> Timestamp {
    "2026-05-17T10:00:00Z".parse().unwrap()
}

fn random() -> [u8; 32] {
    static NEXT: AtomicU8 = AtomicU8::new(1);
    let seed = NEXT.fetch_add(1, Ordering::Relaxed);
    std::array::from_fn(|index| {
        seed.wrapping_mul(37)
            .wrapping_add((index as u8).wrapping_mul(91))
    })
}

fn store() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("n.db"), &Options::default()).unwrap();
    (folder, store)
}

fn new(name: &str) -> NewToken {
    NewToken {
        name: name.parse().unwrap(),
        holder: "ann".parse().unwrap(),
        is_agents: false,
        rights: Rights::Write,
        expires_at: None,
    }
}

fn created(tokens: &Tokens<&SqliteStore>, name: &str) -> Token {
    tokens.create(&new(name), now(), random()).unwrap().0
}

/// Lets a caller in with the token, as a server does.
fn used(tokens: &Tokens<&SqliteStore>, token: &Token) {
    let checked = tokens.check(token.expose(), now()).unwrap().unwrap();
    let today = TimeZone::UTC.to_datetime(now()).date();
    tokens.used(&checked.id, today).unwrap();
}

#[test]
fn a_token_counts_until_it_is_revoked_or_expires_and_its_store_stays_closed() {
    let (_folder, store) = store();
    let tokens = Tokens::new(&store);
    assert!(tokens.is_empty().unwrap() && !tokens.is_closed().unwrap());
    let token = created(&tokens, "laptop");
    used(&tokens, &token);
    let checked = tokens.check(token.expose(), now()).unwrap().unwrap();
    assert_eq!(
        (checked.id.as_str(), checked.holder.as_str()),
        (token.id(), "ann")
    );
    let by_id = tokens.of_id(token.id(), now()).unwrap();
    assert_eq!(by_id, Some(checked));
    assert_eq!(
        tokens.list().unwrap()[0].last_used.unwrap().to_string(),
        "2026-05-17"
    );
    let name = "laptop".parse().unwrap();
    assert_eq!(tokens.revoke(&name).unwrap().name, name);
    assert_eq!(tokens.check(token.expose(), now()).unwrap(), None);
    assert_eq!(tokens.of_id(token.id(), now()).unwrap(), None);
    assert!(tokens.is_empty().unwrap());
    assert!(tokens.is_closed().unwrap(), "until it is opened again");
    assert_eq!(store.side_values(USED).unwrap(), Vec::new());
    let refused = tokens.revoke(&name).unwrap_err();
    assert_eq!(refused.to_string(), "there is no token laptop");
    let until = NewToken {
        expires_at: Some(now() + 1.hour()),
        ..new("short")
    };
    let (token, _) = tokens.create(&until, now(), random()).unwrap();
    let at = |time| tokens.check(token.expose(), time).unwrap().is_some();
    assert!(at(now() + 59.minutes()) && !at(now() + 1.hour()));
    assert_eq!(tokens.of_id(token.id(), now() + 1.hour()).unwrap(), None);
    assert_eq!(tokens.clear().unwrap().len(), 1);
    assert!(tokens.is_empty().unwrap() && !tokens.is_closed().unwrap());
}

#[test]
fn only_a_hash_is_kept() {
    let (_folder, store) = store();
    let tokens = Tokens::new(&store);
    let token = created(&tokens, "laptop");
    used(&tokens, &token);
    let secret = &token.expose()[15..];
    for space in [SPACE, USED] {
        for value in store.side_values(space).unwrap() {
            let said = String::from_utf8(value.value).unwrap();
            assert!(
                !said.contains(secret) && !value.key.contains(secret),
                "{said}"
            );
        }
    }
    assert!(!format!("{token:?} {:?}", tokens.list().unwrap()).contains(secret));
    // Another token with the same id is not this one.
    let mut bytes = random();
    let (first, _) = tokens.create(&new("one"), now(), bytes).unwrap();
    bytes[31] ^= 1;
    let other = Token::of(bytes);
    assert_eq!(first.id(), other.id());
    assert_eq!(tokens.check(other.expose(), now()).unwrap(), None);
    assert_eq!(tokens.check("wn_x", now()).unwrap(), None);
}

#[test]
fn a_token_that_makes_no_sense_is_refused() {
    let (_folder, store) = store();
    let tokens = Tokens::new(&store);
    created(&tokens, "laptop");
    let with_holder = |holder: &str| NewToken {
        holder: holder.parse().unwrap(),
        ..new("x")
    };
    let expired = NewToken {
        expires_at: Some(now()),
        ..new("x")
    };
    let refused = [
        new("laptop"),
        new(&"n".repeat(65)),
        with_holder("person"),
        with_holder("agent:ci"),
        with_holder("ann/ci"),
        with_holder("default"),
        expired,
    ];
    let said = refused.map(|new| {
        tokens
            .create(&new, now(), random())
            .unwrap_err()
            .to_string()
    });
    insta::assert_snapshot!(said.join("\n"), @"
    there is a token laptop already
    the token's name is too long: it has 65 bytes, the limit is 64
    `person` cannot be a holder's name
    `agent:ci` cannot be a holder's name
    `ann/ci` cannot be a holder's name
    `default` cannot be a holder's name
    the token would expire before it is created
    ");
}

#[test]
fn those_who_create_and_revoke_at_once_lose_none() {
    let (_folder, store) = store();
    created(&Tokens::new(&store), "kept");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let tokens = Tokens::new(&store);
            scope.spawn(move || {
                for round in 0..4 {
                    let name = format!("{writer}-{round}");
                    created(&tokens, &name);
                    if round % 2 == 0 {
                        tokens.revoke(&name.parse().unwrap()).unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(Tokens::new(&store).list().unwrap().len(), 1 + 4 * 2);
}
