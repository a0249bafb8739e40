//! Options for reaching a store: its URL, and the settings that are handed in.

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, LoadBalanceHosts, SslMode, TargetSessionAttrs};
use waynote::{Error, Name};

use crate::error::{Fault, Outcome};
use crate::passwords::{self, PasswordSource};
use crate::schema::SchemaName;
use crate::server::Limits;

/// How a store in PostgreSQL is reached. Made from a URL; nothing here is read from the environment.
#[derive(Clone)]
pub struct Options {
    pub(crate) config: Config,
    pub(crate) store: Option<Name>,
    /// The schema with the tables.
    pub(crate) schema: SchemaName,
    /// `sslrootcert`: a file with certificates, or `system`.
    pub(crate) roots: Option<String>,
    pub(crate) password_source: Option<PasswordSource>,
    pub(crate) limits: Limits,
    /// How long connecting may take, with TLS and the log-in.
    pub(crate) connect: Duration,
    /// How long a whole call may take.
    within: Option<Duration>,
    pub(crate) connections: usize,
    /// The URL with the user and without its query.
    pub(crate) shown: String,
}

/// True if a text is meant as the URL of a store in PostgreSQL.
pub fn is_url(text: &str) -> bool {
    ["postgres://", "postgresql://"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
}

/// The characters that are not escaped in a name that is shown in a URL are the letters, the digits and these.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

impl Options {
    /// The options of a URL: `postgres://USER@HOST[:PORT][,HOST[:PORT]…]/DATABASE?store=NAME`.
    ///
    /// `schema` names the schema with the tables (`waynote`), `sslrootcert` a file with the certificates of the
    /// authorities that are trusted (the well-known ones). [`Config`] reads the rest. Of several hosts the one that can
    /// be written is used. With a host off this machine there is TLS, and it proves who it is by a certificate for its
    /// name; on this machine with `sslrootcert` or `sslmode=require`.
    ///
    /// # Errors
    /// [`Fault::BadUrl`]; [`Fault::PasswordInUrl`].
    pub fn of_url(url: &str) -> Result<Self, Error> {
        let (rest, query) = url.split_once('?').unwrap_or((url, ""));
        let shown = match query.contains('@') {
            // Behind a password with a `?`.
            true => "postgres://".to_owned(),
            false => without_password(rest),
        };
        let bad = |reason: &str| Error::from(Fault::BadUrl.of(&shown, reason));
        if !is_url(url) {
            return Err(bad("it must begin with postgres://"));
        }
        let (mut store, mut schema, mut roots) = (None, None, None);
        let mut others = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let own = match key {
                "store" => &mut store,
                "schema" => &mut schema,
                "sslrootcert" => &mut roots,
                _ => {
                    others.push(pair);
                    continue;
                }
            };
            let value = percent_decode_str(value).decode_utf8();
            let value = value.map_err(|_| bad(&format!("its `{key}` is not UTF-8")))?;
            *own = Some(value.into_owned());
        }
        let no_name = |_| bad("the name of a store has 1 to 200 bytes and no control characters");
        let store = store
            .map(|name| name.parse().map_err(no_name))
            .transpose()?;
        let schema = schema.map(|name| name.parse().map_err(bad)).transpose()?;
        let plain = format!("{rest}?{}", others.join("&"));
        // The parser's words may quote a part of the address, and so of a password.
        let mut config: Config = plain.parse().map_err(|_| {
            bad("it cannot be read, or an option is not known or has no such value (`sslmode` is require or disable)")
        })?;
        if config.get_password().is_some() {
            return Err(Fault::PasswordInUrl.of(&shown, "").into());
        }
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
        match hosts {
            0 => return Err(bad("it names no host")),
            1 => {}
            _ => {
                // A host that takes connections and does not answer is not the first one at each attempt.
                config.load_balance_hosts(LoadBalanceHosts::Random);
                config.target_session_attrs(TargetSessionAttrs::ReadWrite);
            }
        }
        let mode = config.get_ssl_mode();
        config.ssl_mode(match is_here(&config) {
            false if mode == SslMode::Disable => {
                let reason = "a host off this machine needs TLS: leave out sslmode=disable";
                return Err(bad(reason));
            }
            true if mode != SslMode::Require && roots.is_none() => SslMode::Disable,
            _ => SslMode::Require,
        });
        if config.get_application_name().is_none() {
            config.application_name("waynote");
        }
        let connect = config.get_connect_timeout().copied();
        let connect = connect.unwrap_or(Duration::from_secs(5));
        let idle = config.get_keepalives_idle().min(Duration::from_secs(30));
        let unanswered = config.get_tcp_user_timeout().copied();
        config
            // So that there is time for each.
            .connect_timeout(connect / u32::try_from(hosts).unwrap_or(1))
            .keepalives_idle(idle)
            .tcp_user_timeout(unanswered.unwrap_or(Duration::from_secs(10)));
        Ok(Self {
            limits: Limits {
                wait: Duration::from_secs(10),
                answer: Duration::from_secs(30),
                until: None,
            },
            within: None,
            connect,
            config,
            store,
            schema: schema.unwrap_or_default(),
            roots,
            password_source: None,
            connections: 8,
            shown,
        })
    }

    /// The password: the value of `PGPASSWORD`.
    #[must_use]
    pub fn password(mut self, password: impl Into<Option<String>>) -> Self {
        if let Some(password) = password.into() {
            self.config.password(password);
        }
        self
    }

    /// Asks for a password before each new connection, unless one was given: for tokens that last for minutes. The error
    /// is in words, and gives no password away.
    #[must_use]
    pub fn password_from(
        mut self,
        ask: impl Fn() -> Result<String, String> + Send + Sync + 'static,
    ) -> Self {
        self.password_source = Some(Arc::new(ask));
        self
    }

    /// The password file with this path, as `PGPASSFILE` names one: lines `HOST:PORT:DATABASE:USER:PASSWORD`. It counts
    /// if no password was given. A file that does not exist gives none.
    ///
    /// # Errors
    /// [`Error::File`] when it cannot be read; [`Fault::OpenPasswords`] when others than its owner may read it.
    pub fn password_file(mut self, path: &Path) -> Result<Self, Error> {
        if self.config.get_password().is_none()
            && let Some(file) = passwords::read(path)?
            && let Some(found) = passwords::find(&file, &self.config)
        {
            self.config.password(found);
        }
        Ok(self)
    }

    /// Another store of the same database; none: the database itself, for [`stores`](crate::stores).
    #[must_use]
    pub fn store(self, store: impl Into<Option<Name>>) -> Self {
        Self {
            store: store.into(),
            ..self
        }
    }

    /// The role: the user of the URL, who is known to the database; none if the URL names none, or it is no name.
    pub fn role(&self) -> Option<Name> {
        self.config.get_user()?.parse().ok()
    }

    /// The name of the store, if the URL has one.
    pub fn store_name(&self) -> Option<&Name> {
        self.store.as_ref()
    }

    /// How long a write waits for the writers before it, a call for a free connection, and a call for a server that is
    /// away, if the process was connected or the URL names several hosts: a standby may take over (10 seconds).
    #[must_use]
    pub fn wait(mut self, time: Duration) -> Self {
        self.limits.wait = time;
        self
    }

    /// How long one round trip may take (30 seconds).
    #[must_use]
    pub fn answer(mut self, time: Duration) -> Self {
        self.limits.answer = time;
        self
    }

    /// How long a whole call may take, connecting included; none: as the other limits allow. For a caller who would
    /// rather do without.
    #[must_use]
    pub fn within(mut self, time: impl Into<Option<Duration>>) -> Self {
        self.within = time.into();
        self
    }

    /// How many connections there are at most (8).
    #[must_use]
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections.max(1);
        self
    }

    /// The URL as errors show it: with the user, without a password.
    pub fn shown(&self) -> String {
        let store = self.store.as_ref().map(|store| {
            let store = utf8_percent_encode(store.as_str(), PLAIN);
            format!("store={store}")
        });
        let schema = self.schema.named().map(|schema| format!("schema={schema}"));
        let query: Vec<String> = store.into_iter().chain(schema).collect();
        match query.as_slice() {
            [] => self.shown.clone(),
            query => format!("{}?{}", self.shown, query.join("&")),
        }
    }

    /// Names the store in a failure.
    pub(crate) fn named<T>(&self, outcome: Outcome<T>) -> Result<T, Error> {
        let Limits { wait, answer, .. } = self.limits;
        outcome.map_err(|failure| failure.of(&self.shown(), wait, answer))
    }

    /// How long a call may take that begins now.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            until: self.within.map(|within| Instant::now() + within),
            ..self.limits.clone()
        }
    }

    /// True if the URL names several hosts.
    pub(crate) fn has_several_hosts(&self) -> bool {
        self.config.get_hosts().len() > 1 || self.config.get_hostaddrs().len() > 1
    }
}

/// True if every host is this machine, so that nobody can listen in between.
fn is_here(config: &Config) -> bool {
    let is_loopback = |host: &Host| match host {
        Host::Tcp(host) => {
            let address = host.parse::<IpAddr>();
            host == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    match config.get_hostaddrs() {
        [] => config.get_hosts().iter().all(is_loopback),
        addresses => addresses.iter().all(IpAddr::is_loopback),
    }
}

/// The part of a URL before its query, with the user and without a password.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        // Not even a URL: nothing of it is shown that could be a secret.
        let end = url.find(['@', ':', '?']).unwrap_or(url.len());
        return url[..end].to_owned();
    };
    match rest.rsplit_once('@') {
        Some((who, place)) => {
            let user = who.split(':').next().unwrap_or_default();
            match user {
                "" => format!("{scheme}://{place}"),
                user => format!("{scheme}://{user}@{place}"),
            }
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(url: &str) -> String {
        match Options::of_url(url) {
            Ok(options) => options.shown(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn an_address_is_read_or_refused_without_its_password() {
        let urls = [
            "postgres://me@db/notes?store=team&application_name=x",
            "postgresql://db:5433,db2/notes?store=a%20b&schema=other",
            "postgres://me:secret@db/notes?store=s",
            "postgres://me@db/notes?password=secret&store=s",
            "postgres://me:sec?ret@db/notes",
            "postgres://me:se@cret@db/notes?store=s&x=y",
            "postgres:///notes?store=s",
            "postgres://me@db/notes?store=",
            "postgres://me@db/notes?schema=A",
            "postgres://me@db/notes?read_url=x",
            "postgres://me@db/notes?connect_timeout=soon",
            "postgres://me@db/notes?sslmode=verify-full",
            "postgres://me@db/notes?sslmode=disable",
            "mysql://me:secret@db/notes",
        ];
        let all: Vec<String> = urls.map(said).to_vec();
        insta::assert_snapshot!(all.join("\n"), @"
        postgres://me@db/notes?store=team
        postgresql://db:5433,db2/notes?store=a%20b&schema=other
        the address postgres://me@db/notes has a password in it, which others could read
        the address postgres://me@db/notes has a password in it, which others could read
        the address postgres:// has a password in it, which others could read
        `postgres://me@db/notes` is not the address of a store in PostgreSQL: it cannot be read, or an option is not known or has no such value (`sslmode` is require or disable)
        `postgres:///notes` is not the address of a store in PostgreSQL: it names no host
        `postgres://me@db/notes` is not the address of a store in PostgreSQL: the name of a store has 1 to 200 bytes and no control characters
        `postgres://me@db/notes` is not the address of a store in PostgreSQL: the name of a schema has 1 to 63 letters a to z, digits and underscores, and begins with no digit and not with pg_
        `postgres://me@db/notes` is not the address of a store in PostgreSQL: it cannot be read, or an option is not known or has no such value (`sslmode` is require or disable)
        `postgres://me@db/notes` is not the address of a store in PostgreSQL: it cannot be read, or an option is not known or has no such value (`sslmode` is require or disable)
        `postgres://me@db/notes` is not the address of a store in PostgreSQL: it cannot be read, or an option is not known or has no such value (`sslmode` is require or disable)
        `postgres://me@db/notes` is not the address of a store in PostgreSQL: a host off this machine needs TLS: leave out sslmode=disable
        `mysql://me@db/notes` is not the address of a store in PostgreSQL: it must begin with postgres://
        ");
    }

    #[test]
    fn off_this_machine_there_is_tls() {
        for (url, mode) in [
            ("postgres://me@db/notes", SslMode::Require),
            ("postgres://me@db/notes?sslmode=prefer", SslMode::Require),
            (
                "postgres://me@localhost/notes?hostaddr=10.0.0.1",
                SslMode::Require,
            ),
            ("postgres://me@localhost,db/notes", SslMode::Require),
            ("postgres://me@localhost/notes", SslMode::Disable),
            ("postgres://me@127.0.0.2/notes", SslMode::Disable),
            ("postgres://me@[::1]/notes", SslMode::Disable),
            ("postgres://me@%2Fvar%2Frun/notes", SslMode::Disable),
            (
                "postgres://me@localhost/notes?sslmode=require",
                SslMode::Require,
            ),
            (
                "postgres://me@localhost/notes?sslrootcert=a.pem",
                SslMode::Require,
            ),
        ] {
            let options = Options::of_url(url).unwrap();
            assert_eq!(options.config.get_ssl_mode(), mode, "{url}");
        }
    }
}
