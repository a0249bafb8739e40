use tokio_postgres::config::{Host, SslMode};

use super::*;

#[test]
fn a_url_says_where_and_as_whom() {
    let url = "postgres://me:hunter2@db1:5433,db2/notes?store=the%20team&sslmode=verify-full&connect_timeout=2";
    let options = Options::of_url(url).unwrap();
    assert_eq!(options.store_name().unwrap().as_str(), "the team");
    assert!(options.wants_writable());
    assert_eq!(options.times.connect, Duration::from_secs(2));
    let hosts = options.hosts();
    assert_eq!(hosts.len(), 2);
    assert_eq!(hosts[0].port, 5433);
    assert_eq!(hosts[1].host, Some(Host::Tcp("db2".into())));
    assert!(
        hosts
            .iter()
            .all(|host| host.config.get_password() == Some(b"hunter2"))
    );
    assert_eq!(
        options.shown(),
        "postgres://me@db1:5433,db2/notes?store=the%20team"
    );
    assert!(!format!("{options:?}").contains("hunter2"));
}

#[test]
fn variables_fill_what_a_url_leaves_open() {
    let of = |url: &str, variables: &[(&str, &str)]| {
        Options::of_url_and(url, &|name| {
            let set = variables.iter().find(|(set, _)| *set == name)?;
            Some(set.1.to_owned())
        })
    };
    let all = [
        ("PGHOST", "db1,db2"),
        ("PGPORT", "5433"),
        ("PGUSER", "me"),
        ("PGDATABASE", "notes"),
        ("PGSSLMODE", "disable"),
    ];
    let hosts = of("postgres://?store=s", &all).unwrap().hosts();
    assert_eq!(hosts[1].host, Some(Host::Tcp("db2".into())));
    assert_eq!(hosts[1].port, 5433);
    assert_eq!(
        (hosts[1].config.get_user(), hosts[1].config.get_dbname()),
        (Some("me"), Some("notes"))
    );
    assert_eq!(hosts[1].config.get_ssl_mode(), SslMode::Disable);
    // The URL counts.
    let hosts = of("postgres://you@db:1/other?store=s&sslmode=require", &all)
        .unwrap()
        .hosts();
    assert_eq!(hosts[0].host, Some(Host::Tcp("db".into())));
    assert_eq!(hosts[0].port, 1);
    assert_eq!(
        (hosts[0].config.get_user(), hosts[0].config.get_dbname()),
        (Some("you"), Some("other"))
    );
    assert_eq!(hosts[0].config.get_ssl_mode(), SslMode::Require);
    let error = of("postgres://me@db/notes", &[("PGSERVICE", "team")]).unwrap_err();
    assert!(error.to_string().contains("PGSERVICE is set"), "{error}");
}

#[test]
fn the_url_of_a_standby_leaves_open_what_is_the_same() {
    let url = "postgres://me@db1:5433/notes?store=s&schema=team&sslmode=verify-full&sslrootcert=system\
               &read_url=postgres://db2,db3:5434";
    let options = Options::of_url(url).unwrap().password("hunter2".to_owned());
    assert!(options.has_password());
    let standby = options.standby().unwrap();
    assert_eq!(
        standby.shown(),
        "postgres://db2,db3:5434?store=s&schema=team"
    );
    assert!(!standby.wants_writable());
    let config = &standby.hosts()[1].config;
    assert_eq!(
        (config.get_user(), config.get_dbname()),
        (Some("me"), Some("notes"))
    );
    assert_eq!(config.get_password(), Some(&b"hunter2"[..]));
    assert!(standby.trust == options.trust);
    let of = Options::of_url(
        "postgres://me@db1/notes?store=s&read_url=postgres://you:pw@db2/other?sslmode=disable",
    );
    let standby = of.unwrap().standby().unwrap();
    let config = &standby.hosts()[0].config;
    assert_eq!(
        (config.get_user(), config.get_dbname()),
        (Some("you"), Some("other"))
    );
    assert_eq!(config.get_ssl_mode(), SslMode::Disable);
}

#[test]
fn nothing_of_a_bad_url_gives_the_password_away() {
    for url in [
        "postgres://me:hunter2@/notes?store=s",
        "postgres://me:hunter2@db:port/notes?store=s",
        "postgres://me:hunter2@db/notes?store=s&sslmode=maybe",
        "postgres://me:hunter2@db/notes?store=s&nonsense=1",
        "postgres://me:hunter2@db/notes?store=",
        "postgres://me:hunter2@db/notes?store=s&store=t",
        "postgres://me:hunter2@db/notes?store=s&require_auth=any",
        "postgres://me:hunter2@db/notes?store=s&schema=Notes",
        "postgres://me:hunter2@db/notes?store=s&sslcert=a.pem",
        "postgres://me@db/notes?store=s&read_url=postgres://me:hunter2@db2?schema=x",
        "postgres://me@db/notes?store=s&read_url=postgres://me:hunter2@",
        "postgres://me@db/notes?store=s&read_url=me:hunter2@db2",
        "postgres:me:hunter2@db",
        "postgres://me:hunter2@db:1,2:3:4/notes",
    ] {
        let error = Options::of_url(url).unwrap_err();
        let all = format!("{error} {error:?} {:?}", error.advice());
        assert!(!all.contains("hunter2"), "{all}");
        assert_eq!(error.kind(), "bad_url", "{url}");
    }
}

#[test]
fn an_option_that_is_not_one_is_named() {
    let reason = |rest: &str| {
        let url = format!("postgres://me@db/notes?store=s&{rest}");
        Options::of_url(&url).unwrap_err().to_string()
    };
    let unknown = reason("sslmod=require");
    assert!(
        unknown.ends_with("there is no option `sslmod`"),
        "{unknown}"
    );
    let unread = reason("connect_timeout=soon");
    assert!(unread.contains("option `connect_timeout`"), "{unread}");
    // A part that could be the rest of a password with a question mark is not named.
    let hidden = reason("2tail=word@db");
    assert!(!hidden.contains("2tail"), "{hidden}");
}

#[test]
fn passwords_come_from_the_url_the_variable_or_the_file() {
    let of = |url: &str| Options::of_url(url).unwrap();
    let given = |options: &Options| options.hosts()[0].config.get_password().map(<[u8]>::to_vec);
    let file = "# ours\ndb:*:notes:me:from\\:file\n*:*:*:*:any\n";
    assert_eq!(
        given(&of("postgres://me:url@db/notes").password("x".to_owned())),
        Some(b"url".into())
    );
    let both = of("postgres://me@db/notes")
        .password("variable".to_owned())
        .passwords(file);
    assert_eq!(given(&both), Some(b"variable".into()));
    assert_eq!(
        given(&of("postgres://me@db/notes").passwords(file)),
        Some(b"from:file".into())
    );
    assert_eq!(
        given(&of("postgres://you@db/notes").passwords(file)),
        Some(b"any".into())
    );
    assert_eq!(given(&of("postgres://you@db/notes")), None);
}
