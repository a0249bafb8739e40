//! Tokens and the audit log, over the side data of an SQLite store.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};

use waynote::forget::Forget;
use waynote::jiff::tz::TimeZone;
use waynote::jiff::{Timestamp, ToSpan};
use waynote::{Change, Name, Reader, SideData, SqliteStore, Store};
use waynote_access::{Audit, Grant, Line, NarrowedStore, Refusal, Rights, Token, Tokens, Watch};

use super::world::{ANN, CANARY, at, grants, name, store_of};

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

fn writer(agent: &str) -> Grant {
    Grant {
        token_id: None,
        token: None,
        rights: Rights::Write,
        agents: vec![name(agent)],
        places: vec!["~/p".parse().unwrap()],
        sessions: vec![name("s")],
    }
}

fn created(tokens: &Tokens<&SqliteStore>, as_name: &str) -> Token {
    let created = tokens.create(&name(as_name), &writer("a"), None, now(), random());
    created.unwrap().0
}

/// Lets somebody in with the token, as a server does.
fn used(tokens: &Tokens<&SqliteStore>, token: &Token) {
    let checked = tokens.check(token.expose(), now()).unwrap().unwrap();
    let today = TimeZone::UTC.to_datetime(now()).date();
    tokens.used(&checked.id, today).unwrap();
}

#[test]
fn a_token_grants_what_it_was_created_for_until_it_is_revoked() {
    let (_folder, store) = store_of(&[]);
    let tokens = Tokens::new(&store);
    assert!(tokens.is_empty().unwrap() && !tokens.is_closed().unwrap());
    let token = created(&tokens, "ci");
    used(&tokens, &token);
    let checked = tokens.check(token.expose(), now()).unwrap().unwrap();
    assert_eq!(checked.id, token.id());
    assert_eq!(
        checked.grant,
        Grant {
            token: Some(name("ci")),
            token_id: Some(token.id().to_owned()),
            ..writer("a")
        }
    );
    assert_eq!(tokens.revoke(&name("ci")).unwrap().name, name("ci"));
    let refused = tokens.check(token.expose(), now()).unwrap();
    assert_eq!(refused, Err(Refusal::Unknown));
    assert!(tokens.is_empty().unwrap());
    assert!(tokens.is_closed().unwrap(), "until it is opened again");
    assert_eq!(store.side_values("tokens used").unwrap(), Vec::new());
    let refused = tokens.revoke(&name("ci")).unwrap_err();
    assert_eq!(refused.to_string(), "there is no token ci");
}

#[test]
fn a_store_that_had_a_token_is_closed_until_it_is_opened() {
    let (_folder, store) = store_of(&[]);
    let tokens = Tokens::new(&store);
    created(&tokens, "ci");
    let token = created(&tokens, "other");
    used(&tokens, &token);
    // As an older version leaves it.
    let marked = ["closed".to_owned()];
    store.put_side_values("tokens", &[], &marked).unwrap();
    tokens.revoke(&name("ci")).unwrap();
    tokens.revoke(&name("other")).unwrap();
    assert!(tokens.is_empty().unwrap() && tokens.is_closed().unwrap());
    assert_eq!(tokens.list().unwrap(), Vec::new());
    created(&tokens, "ci");
    let cleared = tokens.clear().unwrap();
    assert_eq!(cleared.len(), 1);
    assert_eq!(cleared[0].name, name("ci"));
    assert!(tokens.is_empty().unwrap() && !tokens.is_closed().unwrap());
    assert_eq!(tokens.clear().unwrap(), Vec::new());
    assert_eq!(store.side_values("tokens used").unwrap(), Vec::new());
}

#[test]
fn only_a_hash_is_kept() {
    let (_folder, store) = store_of(&[]);
    let tokens = Tokens::new(&store);
    let token = created(&tokens, "ci");
    used(&tokens, &token);
    let secret = &token.expose()[15..];
    for space in ["tokens", "tokens used"] {
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
    bytes[..9].copy_from_slice(&[3; 9]);
    let first = tokens
        .create(&name("one"), &writer("a"), None, now(), bytes)
        .unwrap()
        .0;
    bytes[31] ^= 1;
    let other = Tokens::new(&store_of(&[]).1)
        .create(&name("x"), &writer("a"), None, now(), bytes)
        .unwrap()
        .0;
    assert_eq!(first.id(), other.id());
    assert_eq!(
        tokens.check(other.expose(), now()).unwrap(),
        Err(Refusal::Unknown)
    );
    assert!(tokens.check(first.expose(), now()).unwrap().is_ok());
    assert_eq!(
        tokens.check("wn_x", now()).unwrap(),
        Err(Refusal::Malformed)
    );
}

#[test]
fn a_token_expires() {
    let (_folder, store) = store_of(&[]);
    let tokens = Tokens::new(&store);
    let (ci, expires) = (name("ci"), now() + 1.hour());
    let create = |expires| tokens.create(&ci, &writer("a"), Some(expires), now(), random());
    assert_eq!(create(now()).unwrap_err().kind(), "token_expired");
    let token = create(expires).unwrap().0;
    let check = |at| tokens.check(token.expose(), at).unwrap();
    assert!(check(now() + 59.minutes()).is_ok());
    assert_eq!(check(expires), Err(Refusal::Expired { name: ci.clone() }));
    assert_eq!(tokens.list().unwrap()[0].expires_at, Some(expires));
}

#[test]
fn a_list_says_who_may_what_and_since_when() {
    let (_folder, store) = store_of(&[]);
    let tokens = Tokens::new(&store);
    let token = created(&tokens, "second");
    let admin = Grant::everything();
    tokens
        .create(&name("first"), &admin, None, now(), random())
        .unwrap();
    let later = TimeZone::UTC.to_datetime(now() + 30.hours()).date();
    tokens.used(token.id(), later).unwrap();
    let mut list = serde_json::to_value(tokens.list().unwrap()).unwrap();
    for of in list.as_array_mut().unwrap() {
        of["id"].take();
    }
    insta::assert_snapshot!(list, @r#"[{"agents":[],"created_at":"2026-05-17T10:00:00Z","expires_at":null,"id":null,"last_used":null,"name":"first","places":[],"rights":"admin","sessions":[]},{"agents":["a"],"created_at":"2026-05-17T10:00:00Z","expires_at":null,"id":null,"last_used":"2026-05-18","name":"second","places":["~/p"],"rights":"write","sessions":["s"]}]"#);
}

#[test]
fn what_would_be_no_use_is_refused() {
    let (_folder, store) = store_of(&[]);
    let tokens = Tokens::new(&store);
    created(&tokens, "ci");
    let refused = |as_name: &str, grant: &Grant| {
        let refused = tokens
            .create(&name(as_name), grant, None, now(), random())
            .unwrap_err();
        format!(
            "{}: {refused} ({})",
            refused.kind(),
            refused.advice().unwrap_or_default()
        )
    };
    let narrowed_admin = Grant {
        rights: Rights::Admin,
        ..writer("a")
    };
    insta::assert_snapshot!(refused("ci", &writer("b")), @"token_exists: there is a token ci already (revoke it first, or use another name)");
    insta::assert_snapshot!(refused("root", &narrowed_admin), @"narrowed_admin: an admin token cannot be narrowed to agents, places or sessions (let it write, or leave its agents, places and sessions out)");
    insta::assert_snapshot!(refused(&"x".repeat(65), &writer("a")), @"long_token_name: the token's name is too long: it has 65 bytes, the limit is 64 (use a shorter name)");
    let secret = format!("AKIA{}", "QWERTYUIOPASDFGH");
    insta::assert_snapshot!(refused(&secret, &writer("a")), @"name_holds_secret: the token's name holds a credential (aws-access-key) (use another name: a name cannot be forgotten later)");
}

#[test]
fn processes_that_create_and_revoke_at_once_lose_none() {
    let (folder, store) = store_of(&[]);
    let path = folder.path().join("notes.db");
    drop(store);
    let open = || SqliteStore::open(&path, &waynote::Options::default()).unwrap();
    std::thread::scope(|threads| {
        for part in 0..4 {
            let store = open();
            threads.spawn(move || {
                let tokens = Tokens::new(&store);
                for number in 0..6 {
                    created(&tokens, &format!("keep-{part}-{number}"));
                    let gone = format!("gone-{part}-{number}");
                    created(&tokens, &gone);
                    tokens.revoke(&name(&gone)).unwrap();
                }
            });
        }
    });
    let store = open();
    let left: Vec<Name> = Tokens::new(&store)
        .list()
        .unwrap()
        .into_iter()
        .map(|info| info.name)
        .collect();
    assert_eq!(left.len(), 24, "{left:?}");
    // At most one token of a name is made, and the one caller that succeeded has it.
    let won: Vec<Token> = std::thread::scope(|threads| {
        let rivals: Vec<_> = (0..6)
            .map(|_| {
                let store = open();
                threads.spawn(move || {
                    let tokens = Tokens::new(&store);
                    let rival = tokens.create(&name("rival"), &writer("a"), None, now(), random());
                    rival.ok().map(|(token, _)| token)
                })
            })
            .collect();
        rivals
            .into_iter()
            .filter_map(|rival| rival.join().unwrap())
            .collect()
    });
    assert!(won.len() <= 1, "{won:?}");
    let tokens = Tokens::new(&store);
    let rivals = tokens
        .list()
        .unwrap()
        .into_iter()
        .filter(|info| info.name == name("rival"));
    assert_eq!(
        rivals.map(|info| info.id).collect::<Vec<_>>(),
        won.iter()
            .map(|token| token.id().to_owned())
            .collect::<Vec<_>>()
    );
}

fn line(call: &'static str, refused: bool, detail: &str) -> Line {
    Line {
        call,
        token: refused.then(|| name("ci")),
        refused,
        detail: detail.into(),
    }
}

/// A log with a clock that a test sets.
fn log(store: &SqliteStore) -> (Audit<&SqliteStore>, Arc<AtomicI64>) {
    let clock = Arc::new(AtomicI64::new(now().as_second()));
    let read = Arc::clone(&clock);
    let time = move || Timestamp::from_second(read.load(Ordering::Relaxed)).unwrap();
    (Audit::new(store, 7, time), clock)
}

#[test]
fn the_log_is_in_order_and_repeated_refusals_are_one_line() {
    let (_folder, store) = store_of(&[]);
    let (audit, clock) = log(&store);
    let position = store.side_values("audit refused").unwrap().len();
    assert_eq!(position, 0);
    audit.add(line("token created", false, "ci")).unwrap();
    for number in 0..500 {
        audit.saw(line("sign in", true, &format!("try {number}")));
    }
    audit.add(line("write", true, "agent:b#k")).unwrap();
    audit.add(line("forget", false, "agent:a#k")).unwrap();
    clock.fetch_add(60, Ordering::Relaxed);
    audit.add(line("sign in", true, "later")).unwrap();
    audit.flush().unwrap();
    let said: Vec<String> = audit
        .list(None, 10)
        .unwrap()
        .into_iter()
        .map(|entry| {
            format!(
                "{} {} {} {}\n",
                entry.call, entry.refused, entry.detail, entry.times
            )
        })
        .collect();
    insta::assert_snapshot!(said.concat(), @"
    sign in true later 1
    forget false agent:a#k 1
    write true agent:b#k 1
    sign in true try 0 500
    token created false ci 1
    ");
    let all = audit.list(None, 10).unwrap();
    assert_eq!(audit.list(Some(&all[1].key), 2).unwrap(), all[2..4]);
    assert_eq!(audit.list(Some(&all[4].key), 2).unwrap(), []);
}

#[test]
fn the_log_has_a_bound_and_refusals_push_nothing_else_out() {
    let (_folder, store) = store_of(&[]);
    let (audit, clock) = log(&store);
    audit.add(line("token created", false, "ci")).unwrap();
    // As if there were many already.
    let old: Vec<_> = (0..6_000)
        .map(|number| waynote::store::SideValue {
            key: format!("{number:020}-0"),
            value: br#"{"at":"then","call":"sign in","detail":"old","times":1}"#.into(),
            about: None,
        })
        .collect();
    store.put_side_values("audit refused", &old, &[]).unwrap();
    for _ in 0..200 {
        clock.fetch_add(60, Ordering::Relaxed);
        audit.add(line("sign in", true, "new")).unwrap();
    }
    let kept = store.side_values("audit refused").unwrap().len();
    assert!((5_000..5_201).contains(&kept), "{kept}");
    let all = audit.list(None, usize::MAX).unwrap();
    assert_eq!(all.len(), 5_001);
    assert_eq!(all.iter().filter(|entry| !entry.refused).count(), 1);
}

#[test]
fn the_log_has_no_secrets() {
    let (_folder, store) = store_of(&[]);
    let token = created(&Tokens::new(&store), "ci");
    let (audit, _) = log(&store);
    audit
        .add(line("sign in", true, &format!("Bearer {}", token.expose())))
        .unwrap();
    let said = format!("{:?}", audit.list(None, 1).unwrap());
    assert!(
        said.contains("[masked") && !said.contains(&token.expose()[15..]),
        "{said}"
    );
}

#[test]
fn refused_and_administrative_calls_are_in_the_log() {
    let (_folder, store) = store_of(&[ANN, CANARY]);
    let (audit, _) = log(&store);
    let watch = LineCollector::default();
    let deleted = |address: &str| Change::delete(address.parse().unwrap());
    for grant in [
        grants()[0].clone(),
        grants()[4].clone(),
        Grant::everything(),
    ] {
        let narrowed = NarrowedStore::new(&store, grant).watched(Arc::new(watch.clone()));
        let stamp = at(7000, "agent:ann");
        let _ = narrowed.apply(&[deleted("agent:ann#never")], &stamp);
        let _ = narrowed.apply(&[deleted("agent:canary#plan")], &stamp);
        let _ = narrowed.record(&CANARY.session(), &[], None, &stamp);
        let _ = narrowed.forget(&Forget::new("agent:ann#plan".parse().unwrap()), &stamp);
        let _ = narrowed.would_forget(&Forget::new("agent:ann#none".parse().unwrap()), &stamp);
        let _ = narrowed.verify();
        let _ = narrowed.select(&waynote::Filter::Kind(waynote::ScopeKind::Agent));
    }
    for line in watch.0.lock().unwrap().drain(..) {
        audit.saw(line);
    }
    let said: Vec<String> = audit
        .list(None, 100)
        .unwrap()
        .into_iter()
        .map(|entry| {
            let token = entry.token.unwrap_or_default();
            let how = if entry.refused { "refused" } else { "done" };
            format!(
                "{how} {} {} ({token}) {}\n",
                entry.call, entry.times, entry.detail
            )
        })
        .collect();
    insta::assert_snapshot!(said.concat(), @"
    done verify 1 () the store
    done forget 1 () agent:ann#plan
    refused verify 1 (ann-token) verifying the store: it needs an admin token
    refused preview of forget 1 (ann-token) forgetting: it needs an admin token
    refused forget 1 (ann-token) forgetting: it needs an admin token
    refused record an event 1 (ann-token) writing: this token may only read
    refused write 1 (ann-token) writing: this token may only read
    ");
}

/// Keeps all lines of the log.
#[derive(Clone, Debug, Default)]
struct LineCollector(Arc<std::sync::Mutex<Vec<Line>>>);

impl Watch for LineCollector {
    fn saw(&self, line: Line) {
        self.0.lock().unwrap().push(line);
    }
}
