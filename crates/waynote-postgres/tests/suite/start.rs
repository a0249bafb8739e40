//! Opening: the users who may, their credentials, and the tables.

use std::time::{Duration, Instant};

use waynote::{Error, Places, Reader as _, Store as _};
use waynote_postgres::{Fault, Options, PostgresError, is_away, open, stores};
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
    assert_eq!(
        stores::create(options.clone()).unwrap_err().kind(),
        "store_exists"
    );
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
    assert_eq!(
        stores::drop(options.clone()).unwrap_err().kind(),
        "no_store"
    );
    for name in ["a\u{200b}b", "e\u{301}", "\u{202e}x"] {
        let odd = options
            .clone()
            .store(name.parse::<waynote::Name>().unwrap());
        assert_eq!(
            stores::create(odd).unwrap_err().kind(),
            "bad_url",
            "{name:?}"
        );
    }
    // Processes that have it open find neither an empty store nor another one.
    assert!(matches!(
        write(&store, "there"),
        Err(Error::StoreLost { .. })
    ));
    stores::create(options).unwrap();
    assert!(matches!(
        write(&store, "there"),
        Err(Error::StoreLost { .. })
    ));
}

/// Its rows go with it, and the old name is free.
#[test]
fn a_store_gets_another_name() {
    let Some(server) = its_server() else {
        return;
    };
    let options = Options::of_url(&server.store_url()).unwrap();
    let name = |name: &str| name.parse::<waynote::Name>().unwrap();
    let (new, taken) = (name(&unused("new")), name(&unused("taken")));
    stores::create(options.clone()).unwrap();
    stores::create(options.clone().store(taken.clone())).unwrap();
    let old = open(options.clone()).unwrap();
    write(&old, "here").unwrap();
    let before = old.version().unwrap();
    let kind = |renamed: waynote::Result<()>| renamed.unwrap_err().kind().to_owned();
    assert_eq!(
        kind(stores::rename(options.clone(), &taken)),
        "store_exists"
    );
    assert_eq!(
        kind(stores::rename(options.clone(), &name("e\u{301}"))),
        "bad_url"
    );
    stores::rename(options.clone(), &new).unwrap();
    assert_eq!(kind(stores::rename(options.clone(), &new)), "no_store");
    let error = write(&old, "there").unwrap_err();
    assert_eq!(error.kind(), "store_lost");
    has(error.to_string(), "has another name");
    has(error.advice().unwrap(), "waynote stores list");
    stores::create(options.clone()).unwrap();
    let renamed = open(options.clone().store(new)).unwrap();
    assert_eq!(renamed.version().unwrap(), before);
    write(&renamed, "here, too").unwrap();
    assert!(renamed.verify().unwrap().is_clean());
    assert_eq!(
        Places::new(&open(options).unwrap()).list().unwrap().len(),
        0
    );
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
        let listed = stores::list_with_sizes(at(schema)).unwrap();
        assert_eq!(listed.len(), 1);
        assert!(waynote_postgres::doctor::examine(at(schema)).is_ok());
        let tables =
            waynote_postgres::vacuum::vacuum(&at(schema), waynote_postgres::vacuum::Vacuum::Free);
        assert_eq!(tables.unwrap().tables.len(), 10);
        has(at(schema).shown(), format!("?store=same&schema={schema}"));
    }
    for sql in stores::grants("user", "tenant", stores::Access::App).unwrap() {
        cluster.sql(&sql);
    }
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

/// All stores together have the bytes of the tables, and who has more rows has more of them.
#[test]
fn the_sizes_of_stores_are_estimated() {
    let Some(cluster) = its_server().and_then(|server| server.cluster()) else {
        return;
    };
    let name = unused("sizes");
    let url = cluster.database(&name);
    let options = Options::of_url(&url).unwrap();
    for (store, notes) in [("much", 40), ("little", 1)] {
        let store = new_store(&with_store(&url, store));
        for number in 0..notes {
            write(&store, &format!("{number} {}", "long ".repeat(900))).unwrap();
        }
    }
    let listed = stores::list_with_sizes(options.clone()).unwrap();
    let sizes: Vec<u64> = listed.iter().map(|of| of.bytes.unwrap()).collect();
    let [little, much] = sizes[..] else {
        panic!("{sizes:?}");
    };
    assert!(little > 0 && much > 2 * little, "{sizes:?}");
    let tables = "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c
        WHERE c.relnamespace = 'waynote'::regnamespace AND c.relkind = 'r'";
    let all: u64 = cluster.sql_in(&name, tables).parse().unwrap();
    assert!(
        (all / 2..=all).contains(&(little + much)),
        "{sizes:?} of {all}"
    );
    assert!(
        stores::list(options)
            .unwrap()
            .iter()
            .all(|of| of.bytes.is_none())
    );
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

/// An older program uses newer tables as far as their numbers allow.
#[test]
fn newer_tables_are_used_as_far_as_they_may() {
    let Some(cluster) = its_server().and_then(|server| server.cluster()) else {
        return;
    };
    let name = unused("newer");
    let url = with_store(&cluster.database(&name), "s");
    let store = new_store(&url);
    let newer = "INSERT INTO waynote.migration (version, name, hash) VALUES (1000, 'later', '')";
    cluster.sql_in(&name, newer);
    for (number, (reader, writer)) in [(4, 4), (4, 1000), (1000, 1000)].into_iter().enumerate() {
        cluster.sql_in(&name, &format!(
            "UPDATE waynote.migration SET min_reader = {reader}, min_writer = {writer}, reader = '0.8.0', writer = '0.9.0'"
        ));
        let options = Options::of_url(&url).unwrap();
        let other = options
            .clone()
            .store(format!("s{number}").parse::<waynote::Name>().unwrap());
        let refused = |outcome: waynote::Result<()>| match outcome {
            Ok(()) => None,
            Err(Error::NewerStore {
                found: 1000,
                program,
                writing,
                ..
            }) => Some((program, writing)),
            Err(error) => panic!("{error}"),
        };
        let reads = (reader > 4).then(|| ("0.8.0".to_owned(), false));
        let writes = (writer > 4).then(|| ("0.9.0".to_owned(), true));
        // Also while it has the store open.
        assert_eq!(refused(write(&store, &format!("{number}"))), writes);
        assert_eq!(refused(stores::create(other)), writes);
        assert_eq!(refused(stores::migrate(options.clone()).map(drop)), writes);
        for outcome in [
            store.version().map(drop),
            open(options.clone()).map(drop),
            stores::list(options.clone()).map(drop),
        ] {
            assert_eq!(refused(outcome), reads);
        }
        if writes.is_some() {
            assert_eq!(refused(stores::drop(options)), writes);
        }
    }
}

/// Older tables are used as they are, and only their owner brings them up to date, when asked.
#[test]
fn older_tables_are_for_their_owner_to_update() {
    if !has_postgres() {
        return skipped("older_tables_are_for_their_owner_to_update");
    }
    let cluster = Cluster::tcp();
    let at = |user: &str, store: &str| {
        let port = cluster.port();
        let url = format!("postgres://{user}@127.0.0.1:{port}/postgres?store={store}");
        Options::of_url(&url).unwrap()
    };
    stores::create(at("waynote", "s")).unwrap();
    cluster.sql("CREATE ROLE app LOGIN; GRANT USAGE ON SCHEMA waynote TO app");
    cluster.sql("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA waynote TO app");
    stores::create(at("app", "other")).unwrap();
    let store = open(at("app", "s")).unwrap();
    let needs_owner = |outcome: waynote::Result<()>| {
        let error = outcome.unwrap_err();
        let said = format!("{error}\n{}", error.advice().unwrap());
        let said = said.replace(&cluster.port().to_string(), "PORT");
        insta::allow_duplicates! {
            insta::assert_snapshot!(said, @"
            the tables of postgres://app@127.0.0.1:PORT/postgres?store=s are of an older version, and need an update by their owner
            as the owner of the tables: waynote stores migrate 'postgres://app@127.0.0.1:PORT/postgres?store=s'
            ");
        }
    };
    cluster.sql(
        "DELETE FROM waynote.migration WHERE version = 4; ALTER TABLE waynote.journal DROP cites;
         ALTER TABLE waynote.note DROP cites",
    );
    needs_owner(store.version().map(drop));
    needs_owner(write(&store, "no"));
    needs_owner(stores::migrate(at("app", "s")).map(drop));
    assert_eq!(stores::migrate(at("waynote", "s")).unwrap(), (3, 4));
    assert_eq!(stores::migrate(at("waynote", "s")).unwrap(), (4, 4));
    // Before the tables had numbers.
    cluster.sql(
        "ALTER TABLE waynote.migration DROP min_reader, DROP min_writer, DROP reader, DROP writer",
    );
    needs_owner(store.version().map(drop));
    needs_owner(write(&store, "no"));
    needs_owner(stores::list(at("app", "s")).map(drop));
    needs_owner(stores::create(at("app", "s")));
    stores::migrate(at("waynote", "s")).unwrap();
    write(&store, "yes").unwrap();
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

    let latin = unused("latin");
    cluster.sql(&format!(
        "CREATE DATABASE \"{latin}\" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
    ));
    let url = with_store(
        &cluster.url().replace("/postgres", &format!("/{latin}")),
        "s",
    );
    let refused = stores::create(Options::of_url(&url).unwrap()).unwrap_err();
    assert!(refused.to_string().contains("UTF8"), "{refused}");
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
        let url = format!("postgres://me:hunter2@127.0.0.1:{port}/notes?store=s");
        let options = Options::of_url(&url)
            .unwrap()
            .connect(Duration::from_millis(300));
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
    let signer_key = rcgen::KeyPair::generate().unwrap();
    let mut signer = rcgen::CertificateParams::new(Vec::<String>::new()).unwrap();
    signer.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let signed = signer.self_signed(&signer_key).unwrap();
    let issuer = rcgen::Issuer::new(signer, signer_key);
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let certificate = certificate.signed_by(&key, &issuer).unwrap();
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, signed.pem()).unwrap();
    let cluster = Cluster::start(&Setup {
        tls: Some((key.serialize_pem(), certificate.pem())),
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
    let roots = format!("sslmode=verify-full&sslrootcert={}", roots.display());
    let any_name = roots.replace("full", "ca");
    // The log-in is bound to the server's certificate.
    let bound = format!("{roots}&channel_binding=require");
    let known = |host: &str, rest: &str| at(host, rest).password("hunter2".to_owned());
    stores::create(known("localhost", &roots)).unwrap();
    let file = format!("localhost:{port}:*:team:hunter2\n");
    for (options, expected) in [
        (at("localhost", &roots).passwords(&file), "open"),
        // The server's certificate is not for this name.
        (known("127.0.0.1", &roots), "server_not_trusted"),
        (known("127.0.0.1", &any_name), "open"),
        // No well-known authority signed the certificate.
        (
            known("localhost", "sslmode=verify-full"),
            "server_not_trusted",
        ),
        (known("localhost", "sslmode=require"), "open"),
        (known("localhost", "sslmode=disable"), "server_refuses"),
        (known("localhost", &bound), "open"),
        (
            known("localhost", "sslmode=require&require_auth=md5"),
            "server_refuses",
        ),
        (
            at("localhost", &roots).password("hunter3".to_owned()),
            "server_refuses",
        ),
        (at("localhost", &roots), "no_password"),
    ] {
        let shown = format!("{options:?}");
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
    assert!(
        error
            .downcast_ref()
            .is_some_and(|error: &PostgresError| error.fault == Fault::NoTls),
        "{error}"
    );
}

/// A server that asks for the password in a way that is not allowed does not get it.
#[test]
fn a_password_is_not_given_in_clear_text() {
    if !has_postgres() {
        return skipped("a_password_is_not_given_in_clear_text");
    }
    let cluster = Cluster::start(&Setup {
        tcp: true,
        access: "host all team 127.0.0.1/32 password".into(),
        ..Setup::default()
    });
    cluster.sql("CREATE ROLE team LOGIN PASSWORD 'hunter2'");
    let tried = |rest: &str| {
        let port = cluster.port();
        let url = format!("postgres://team@127.0.0.1:{port}/postgres?store=s&{rest}");
        let options = Options::of_url(&url)
            .unwrap()
            .password("hunter2".to_owned());
        let error = open(options).err().unwrap().to_string();
        error.replace(&port.to_string(), "PORT")
    };
    insta::assert_snapshot!(tried("require_auth=!password"), @"the server of postgres://team@127.0.0.1:PORT/postgres refuses: it wants the password in clear text, which is not allowed here");
    insta::assert_snapshot!(tried("channel_binding=require"), @"the server of postgres://team@127.0.0.1:PORT/postgres refuses: authentication error: server did not use channel binding");
    insta::assert_snapshot!(tried("require_auth=password"), @"there is no store postgres://team@127.0.0.1:PORT/postgres?store=s");
}

#[test]
fn a_user_who_may_only_read_is_told_so() {
    if !has_postgres() {
        return skipped("a_user_who_may_only_read_is_told_so");
    }
    let cluster = Cluster::tcp();
    let at = |user: &str| Options::of_url(&store_at(user, cluster.port())).unwrap();
    stores::create(at("waynote")).unwrap();
    cluster.sql("CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA waynote TO reader");
    cluster.sql("GRANT SELECT ON ALL TABLES IN SCHEMA waynote TO reader");
    let store = open(at("reader")).unwrap();
    let place = waynote::Places::new(&store);
    assert!(place.list().unwrap().is_empty());
    let stamp = waynote::Stamp::new(jiff::Timestamp::now(), "person".parse().unwrap());
    let text = waynote::Content::text("x").unwrap();
    let error = place
        .write(&"~/p".parse().unwrap(), text, &stamp)
        .unwrap_err();
    let said = format!("{error}\n{}", error.advice().unwrap());
    insta::assert_snapshot!(said.replace(&cluster.port().to_string(), "PORT"), @"
    the server of postgres://reader@127.0.0.1:PORT/postgres?store=s does not allow it: permission denied for table store
    use a database user with the rights that `waynote stores grants` gives, and an address that leads to no standby
    ");
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
    let error = options().password_file(&path).unwrap_err();
    let shown = path.display();
    let said = format!("{error}\n{}", error.advice().unwrap());
    let expected = format!(
        "the password file {shown} is not used: others may read it\ntake their access away: chmod 600 '{shown}'"
    );
    assert_eq!(said, expected);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert!(options().password_file(&path).is_ok());
}

#[test]
fn sixteen_processes_worth_of_threads_keep_to_the_pool() {
    let Some(server) = its_server() else {
        return;
    };
    let url = server.store_url();
    new_store(&url);
    let store = open(Options::of_url(&url).unwrap().connections(3)).unwrap();
    std::thread::scope(|scope| {
        for number in 0..16 {
            let store = &store;
            scope.spawn(move || {
                for turn in 0..10 {
                    let content = waynote::Content::text(format!("{number} {turn}")).unwrap();
                    let place = format!("~/{number}").parse().unwrap();
                    Places::new(store).write(&place, content, &at(1)).unwrap();
                    assert!(Places::new(store).read(&place).unwrap().is_some());
                }
            });
        }
    });
    assert!(store.verify().unwrap().is_clean());
    if let Some(cluster) = server.cluster() {
        let ours = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'waynote'";
        assert!(cluster.sql(ours).parse::<u32>().unwrap() < 60);
    }
}
