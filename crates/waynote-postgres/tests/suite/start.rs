//! Opening: the users who may, their credentials, and the tables.

use std::time::{Duration, Instant};

use waynote::{Error, Places, Reader as _, Store as _};
use waynote_postgres::{Options, is_away, open, stores};
use waynote_test_postgres::{Cluster, Setup, has_postgres, skipped, store_at, unused, with_store};

use super::stores::{bouncer, its_server, new_store};
use waynote_testing::{has, values::at};

fn write(store: &dyn waynote::LocalStore, said: &str) -> waynote::Result<()> {
    let content = waynote::Content::text(said)?;
    Places::new(store)
        .write(&"~/p".parse()?, content, &at(1))
        .map(|_| ())
}

#[test]
fn stores_are_made_listed_and_dropped() {
    let Some(server) = its_server() else {
        return;
    };
    let url = server.store_url();
    let options = Options::of_url(&url).unwrap();
    let missing = open(options.clone()).err().unwrap();
    assert_eq!(missing.kind(), "no_store");
    has(missing.advice().unwrap(), "waynote stores create");
    let store = new_store(&url);
    let kind = |outcome: waynote::Result<()>| outcome.unwrap_err().kind().to_owned();
    assert_eq!(kind(stores::create(options.clone())), "store_exists");
    let listed = || {
        let all = stores::list(options.clone()).unwrap();
        all.into_iter()
            .find(|listed| Some(&listed.name) == options.store_name())
    };
    assert_eq!(listed().unwrap().position, None);
    write(&store, "here").unwrap();
    let now = listed().unwrap();
    assert_eq!((now.notes, now.position.unwrap().number()), (1, 1));
    stores::drop(options.clone()).unwrap();
    assert_eq!(listed(), None);
    assert_eq!(kind(stores::drop(options.clone())), "no_store");
    for name in ["a\u{200b}b", "\u{202e}x"] {
        let odd = options.clone().store(Some(name.parse().unwrap()));
        assert_eq!(kind(stores::create(odd)), "bad_url", "{name:?}");
    }
    // Processes that have it open find neither an empty store nor another one.
    for _ in 0..2 {
        let lost = write(&store, "there");
        assert!(matches!(lost, Err(Error::StoreLost { .. })));
        let _ = stores::create(options.clone());
    }
}

/// Also behind a pooler, whose connections go from one to the other, and for a role with rights to one of them.
#[test]
fn schemas_of_one_database_do_not_see_each_others_stores() {
    let Some(server) = its_server() else {
        return;
    };
    let (Some(cluster), Some(bouncer)) = (server.cluster(), bouncer(server)) else {
        return;
    };
    cluster.sql("CREATE ROLE tenant LOGIN");
    let at = |schema: &str| {
        let url = format!("{}&schema={schema}", with_store(&bouncer.url(), "same"));
        Options::of_url(&url).unwrap()
    };
    let opened = ["user", "team_2"].map(|schema| {
        stores::create(at(schema)).unwrap();
        let store = open(at(schema)).unwrap();
        write(&store, schema).unwrap();
        (schema, store)
    });
    for (schema, store) in &opened {
        let place = Places::new(store)
            .read(&"~/p".parse().unwrap())
            .unwrap()
            .unwrap();
        assert_eq!(
            (place.content.shown().as_ref(), place.revision),
            (*schema, 1)
        );
        assert!(store.verify().unwrap().is_clean());
        assert_eq!(stores::list(at(schema)).unwrap().len(), 1);
        store.engine().try_write().unwrap();
        has(at(schema).shown(), format!("?store=same&schema={schema}"));
    }
    cluster.sql(
        "GRANT USAGE ON SCHEMA \"user\" TO tenant;
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \"user\" TO tenant",
    );
    for (schema, kind) in [("user", "written"), ("team_2", "read_only")] {
        let url = format!(
            "{}?store=same&schema={schema}",
            cluster.url().replace("waynote@", "tenant@")
        );
        let wrote =
            open(Options::of_url(&url).unwrap()).and_then(|store| write(&store, "by tenant"));
        assert_eq!(
            wrote.map_or_else(|error| error.kind().to_owned(), |()| "written".to_owned()),
            kind
        );
    }
    stores::drop(at("user")).unwrap();
    assert_eq!(stores::list(at("user")).unwrap().len(), 0);
    assert_eq!(stores::list(at("team_2")).unwrap().len(), 1);
}

#[test]
fn concurrent_first_starts_make_the_tables_once() {
    let Some(cluster) = its_server().and_then(|server| server.cluster()) else {
        return;
    };
    let url = cluster.database(&unused("first"));
    std::thread::scope(|scope| {
        for number in 0..8 {
            let url = with_store(&url, &format!("s{number}"));
            scope.spawn(move || {
                // Connections of their own, as in processes of their own.
                let options = Options::of_url(&url).unwrap().connections(1 + number);
                stores::create(options.clone()).unwrap();
                write(&open(options).unwrap(), "first").unwrap();
            });
        }
    });
    let options = Options::of_url(&url).unwrap();
    assert_eq!(stores::list(options).unwrap().len(), 8);
}

/// A program uses no tables of another version, neither older nor newer ones, also while it has a store open.
#[test]
fn tables_of_another_version_are_refused() {
    let Some(cluster) = its_server().and_then(|server| server.cluster()) else {
        return;
    };
    let name = unused("version");
    let url = with_store(&cluster.database(&name), "s");
    let store = new_store(&url);
    write(&store, "here").unwrap();
    let options = Options::of_url(&url).unwrap();
    let other = options.clone().store("t".parse::<waynote::Name>().unwrap());
    for version in [0, 1000] {
        cluster.sql_in(
            &name,
            &format!("UPDATE waynote.version SET version = {version}"),
        );
        for outcome in [
            write(&store, "there"),
            store.version().map(drop),
            open(options.clone()).map(drop),
            stores::list(options.clone()).map(drop),
            stores::create(other.clone()),
            stores::drop(options.clone()),
        ] {
            assert_eq!(outcome.unwrap_err().kind(), "other_version", "{version}");
        }
    }
    cluster.sql_in(&name, "UPDATE waynote.version SET version = 1");
    write(&store, "there").unwrap();
}

#[test]
fn acknowledgements_that_mean_nothing_are_refused() {
    let Some(cluster) = its_server().and_then(|server| server.cluster()) else {
        return;
    };
    let name = unused("careless");
    let url = with_store(&cluster.database(&name), "s");
    let store = new_store(&url);
    write(&store, "safe").unwrap();
    cluster.sql(&format!(
        "ALTER DATABASE \"{name}\" SET synchronous_commit = off"
    ));
    let store_after = open(Options::of_url(&url).unwrap().connections(2)).unwrap();
    let refused = write(&store_after, "unsafe").unwrap_err();
    assert_eq!(refused.kind(), "server_unsuitable");
    has(refused.to_string(), "synchronous_commit");
    assert_eq!(Places::new(&store_after).list().unwrap().len(), 1);
}

#[test]
fn a_server_that_is_away_is_an_error_in_bounded_time() {
    let begin = Instant::now();
    // Nobody listens there; and there nobody answers.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|free| free.local_addr())
        .unwrap();
    for port in [port, free.port()] {
        let url = format!("postgres://me@127.0.0.1:{port}/notes?store=s&connect_timeout=1");
        let options = Options::of_url(&url)
            .unwrap()
            .password("hunter2".to_owned());
        let error = open(options).err().unwrap();
        assert!(is_away(&error), "{error}");
        assert!(!format!("{error} {error:?}").contains("hunter2"));
        let hasty = Options::of_url(&url)
            .unwrap()
            .within(Duration::from_millis(40))
            .connections(2);
        let hasted = Instant::now();
        assert!(is_away(&open(hasty).err().unwrap()));
        assert!(hasted.elapsed() < Duration::from_secs(2));
    }
    assert!(begin.elapsed() < Duration::from_secs(10));
}

#[test]
fn certificates_and_passwords_are_checked() {
    if !has_postgres() {
        return skipped("certificates_and_passwords_are_checked");
    }
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, made.cert.pem()).unwrap();
    let cluster = Cluster::start(&Setup {
        tls: Some((made.signing_key.serialize_pem(), made.cert.pem())),
        access: "hostssl all team 127.0.0.1/32 scram-sha-256\nhost all team 127.0.0.1/32 reject"
            .into(),
        ..Setup::default()
    });
    cluster.sql("CREATE ROLE team LOGIN PASSWORD 'hunter2'");
    cluster.sql("CREATE DATABASE notes OWNER team");
    let port = cluster.port();
    let at = |host: &str, rest: &str| {
        Options::of_url(&format!(
            "postgres://team@{host}:{port}/notes?store=s&{rest}"
        ))
        .unwrap()
    };
    let roots = format!("sslrootcert={}", roots.display());
    // The log-in is bound to the server's certificate.
    let bound = format!("{roots}&channel_binding=require");
    let known = |host: &str, rest: &str| at(host, rest).password("hunter2".to_owned());
    stores::create(known("localhost", &roots)).unwrap();
    let file = folder.path().join("pgpass");
    std::fs::write(&file, format!("localhost:{port}:*:team:hunter2\n")).unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&file, private).unwrap();
    for (options, expected) in [
        (
            at("localhost", &roots).password_file(&file).unwrap(),
            "open",
        ),
        (known("localhost", &bound), "open"),
        // The server's certificate is not for this name.
        (known("127.0.0.1", &roots), "server_not_trusted"),
        // No well-known authority signed the certificate.
        (known("localhost", "sslmode=require"), "server_not_trusted"),
        // On this machine there is no TLS unless it is asked for.
        (known("localhost", ""), "server_refuses"),
        (
            at("localhost", &roots).password("hunter3".to_owned()),
            "server_refuses",
        ),
        (at("localhost", &roots), "server_refuses"),
    ] {
        let shown = options.shown();
        let error = open(options).err();
        let told = error
            .as_ref()
            .map(|of| format!("{of} {of:?} {:?}", of.advice()));
        assert!(!told.unwrap_or_default().contains("hunter2"));
        let kind = error.as_ref().map_or("open", Error::kind);
        assert_eq!(kind, expected, "{shown}");
    }
    let plain = Cluster::tcp();
    let url = store_at("waynote", plain.port()).replace("disable", "require");
    let error = open(Options::of_url(&url).unwrap()).err().unwrap();
    assert_eq!(error.kind(), "server_not_trusted");
    has(error.to_string(), "it has no TLS");
}

#[test]
fn a_file_of_passwords_that_others_may_read_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pgpass");
    let options = || Options::of_url("postgres://me@db/notes?store=s").unwrap();
    assert!(options().password_file(&path).is_ok());
    std::fs::write(&path, "*:*:*:*:hunter2\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let error = options().password_file(&path).err().unwrap();
    let shown = path.display();
    let said = format!("{error}\n{}", error.advice().unwrap());
    let expected = format!(
        "the password file {shown} is not used: others may read it\ntake their access away: chmod 600 '{shown}'"
    );
    assert_eq!(said, expected);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert!(options().password_file(&path).is_ok());
}
