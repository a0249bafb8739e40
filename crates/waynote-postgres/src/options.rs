//! Options for reaching a store: the parts of its URL, and the settings that are handed in.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tokio_postgres::Config;
use tokio_postgres::config::{ChannelBinding, TargetSessionAttrs};
use waynote::{Error, Name};

use crate::dial::AuthMethods;
use crate::error::{Fault, Outcome, told};
use crate::passwords::{self, PasswordSource};
use crate::schema::SchemaName;
use crate::tls::Trust;

/// How a store in PostgreSQL is reached. Made from a URL; nothing here is read from the environment.
#[derive(Clone)]
pub struct Options {
    pub(crate) config: Config,
    pub(crate) store: Option<Name>,
    /// The schema with the tables.
    pub(crate) schema: SchemaName,
    pub(crate) password_source: Option<PasswordSource>,
    pub(crate) trust: Trust,
    /// The methods by which a server may ask for the password; none: without TLS those that give it to no listener.
    pub(crate) require_auth: Option<AuthMethods>,
    pub(crate) times: Times,
    pub(crate) connections: usize,
    /// A standby that may answer reads.
    standby: Option<Box<Options>>,
    /// The URL with the user, without a password and without the store.
    pub(crate) shown: String,
}

/// How long something may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) connect: Duration,
    pub(crate) wait: Duration,
    /// True if the first connection waits too.
    pub(crate) wait_at_first: bool,
    pub(crate) answer: Duration,
    pub(crate) within: Option<Duration>,
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

/// The variables that fill what a URL leaves open.
pub const VARIABLES: [&str; 9] = [
    "PGHOST",
    "PGPORT",
    "PGUSER",
    "PGDATABASE",
    "PGSSLMODE",
    "PGSSLROOTCERT",
    "PGSSLCERT",
    "PGSSLKEY",
    "PGSERVICE",
];

impl Options {
    /// The options of a URL: `postgres://USER@HOST[:PORT][,HOST[:PORT]…]/DATABASE?store=NAME`.
    ///
    /// `schema` names the schema with the tables (`waynote`). Beside these it takes the parameters of libpq's URLs:
    /// `host`, `hostaddr`, `port`, `dbname`, `user`, `password`, `options`, `application_name`, `connect_timeout`,
    /// `keepalives`, `keepalives_idle`, `keepalives_interval`, `keepalives_retries`, `tcp_user_timeout`,
    /// `load_balance_hosts`, `target_session_attrs` (`read-write` when several hosts are named), `sslmode` (`disable`,
    /// `prefer`, `require`, `verify-ca`, `verify-full`; `require` unless the host is this machine), `sslnegotiation`,
    /// `sslrootcert` (a path, or `system` for the well-known authorities), `sslcert` and `sslkey` (the files of the
    /// client's certificate and its key, which only its owner may read), `channel_binding` and `require_auth` (`none`,
    /// `password`, `md5`, `scram-sha-256`; by default a host off this machine gets no clear-text or MD5 password
    /// without TLS). `read_url` is the URL of a standby of this database, for [`reading`](crate::reading). What it
    /// leaves open is taken from this URL.
    ///
    /// # Errors
    /// [`Fault::BadUrl`].
    pub fn of_url(url: &str) -> Result<Self, Error> {
        Self::of_url_and(url, &|_| None)
    }

    /// The same, with libpq's variables for what the URL leaves open: the values of [`VARIABLES`].
    ///
    /// # Errors
    /// [`Fault::BadUrl`], also when `PGSERVICE` is set: service files are not read.
    pub fn of_url_and(url: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let (rest, query) = url.split_once('?').unwrap_or((url, ""));
        let shown = without_password(rest);
        let bad = |reason: &str| Error::from(Fault::BadUrl.of(&shown, reason));
        if !is_url(url) {
            return Err(bad("it must begin with postgres://"));
        }
        let (mut store, mut mode, mut roots, mut require_auth) = (None, None, None, None);
        let mut schema = SchemaName::default();
        let (mut certificate, mut key_file, mut read_url) = (None, None, None);
        let mut others = Vec::new();
        let mut has_attrs = false;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let decoded = |what: &str| {
                let value = percent_decode_str(value).decode_utf8();
                let value = value.map_err(|_| bad(&format!("{what} is not UTF-8")))?;
                Ok::<_, Error>(value.into_owned())
            };
            match key {
                "store" if store.is_some() => return Err(bad("it names two stores")),
                "store" => {
                    let name = decoded("the name of the store")?;
                    let name: Name = name.parse().map_err(|_| {
                        bad("the name of a store has 1 to 200 bytes and no control characters")
                    })?;
                    store = Some(name);
                }
                "read_url" if read_url.is_some() => return Err(bad("it has two read_url")),
                "read_url" => read_url = Some(decoded(key)?),
                "schema" => schema = decoded(key)?.parse().map_err(bad)?,
                "sslmode" => mode = Some(decoded(key)?),
                "sslrootcert" => roots = Some(decoded(key)?),
                "sslcert" => certificate = Some(decoded(key)?),
                "sslkey" => key_file = Some(decoded(key)?),
                "require_auth" => {
                    require_auth = Some(AuthMethods::read(&decoded(key)?).map_err(bad)?);
                }
                _ => {
                    has_attrs |= key == "target_session_attrs";
                    others.push(pair);
                }
            }
        }
        let plain = match others.as_slice() {
            [] => rest.to_owned(),
            others => format!("{rest}?{}", others.join("&")),
        };
        // The parser's message could quote a part of the URL, and so a password.
        let unread = |error: tokio_postgres::Error| {
            let said = told(&error);
            let mut keys = others
                .iter()
                .map(|pair| pair.split('=').next().unwrap_or(pair));
            // Behind a password with a `?` there would be an `@`.
            let named = keys.find(|key| said.contains(&format!("option `{key}`")));
            match named.filter(|_| !query.contains('@')) {
                Some(key) if said.contains("unknown option") => {
                    bad(&format!("there is no option `{key}`"))
                }
                Some(key) => bad(&format!("its option `{key}` has no value that can be read")),
                None => bad("it cannot be read"),
            }
        };
        let mut config: Config = plain.parse().map_err(unread)?;
        if variable("PGSERVICE").is_some() {
            return Err(bad(
                "PGSERVICE is set, and service files are not read: unset it, and write the whole address",
            ));
        }
        let is_open = config.get_hosts().is_empty() && config.get_hostaddrs().is_empty();
        if let Some(hosts) = variable("PGHOST").filter(|_| is_open) {
            for host in hosts.split(',') {
                config.host(host);
            }
        }
        if let Some(ports) = variable("PGPORT").filter(|_| config.get_ports().is_empty()) {
            for port in ports.split(',') {
                config.port(port.parse().map_err(|_| bad("PGPORT is no port"))?);
            }
        }
        if let Some(user) = variable("PGUSER").filter(|_| config.get_user().is_none()) {
            config.user(user);
        }
        if let Some(name) = variable("PGDATABASE").filter(|_| config.get_dbname().is_none()) {
            config.dbname(name);
        }
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(bad("it names no host"));
        }
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
        if ![0, 1, hosts].contains(&config.get_ports().len()) {
            return Err(bad("it names more ports than hosts"));
        }
        if hosts > 1 && !has_attrs {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        if config.get_application_name().is_none() {
            config.application_name("waynote");
        }
        let mode = mode.or_else(|| variable("PGSSLMODE"));
        let roots = roots.or_else(|| variable("PGSSLROOTCERT"));
        let certificate = certificate.or_else(|| variable("PGSSLCERT"));
        let key_file = key_file.or_else(|| variable("PGSSLKEY"));
        let standby = read_url.map(|read_url| {
            let inherited = |name: &str| match name {
                // Without TLS where it is not wanted there: on this machine.
                "PGSSLMODE" => mode
                    .clone()
                    .filter(|mode| mode.starts_with("verify") || mode == "require"),
                "PGSSLROOTCERT" => roots.clone(),
                "PGSSLCERT" => certificate.clone(),
                "PGSSLKEY" => key_file.clone(),
                "PGUSER" => config.get_user().map(str::to_owned),
                "PGDATABASE" => config.get_dbname().map(str::to_owned),
                _ => None,
            };
            let mut standby = Self::of_url_and(&read_url, &inherited)?;
            if standby.store.is_some()
                || standby.schema.named().is_some()
                || standby.standby.is_some()
            {
                return Err(bad(
                    "read_url names a server and its database, and no store, schema or read_url",
                ));
            }
            if read_url.contains("target_session_attrs=read-write") {
                return Err(bad(
                    "read_url is only read, so it needs no target_session_attrs=read-write",
                ));
            }
            if standby.config.get_target_session_attrs() == TargetSessionAttrs::ReadWrite {
                standby.config.target_session_attrs(TargetSessionAttrs::Any);
            }
            if config.get_channel_binding() == ChannelBinding::Require {
                standby.config.channel_binding(ChannelBinding::Require);
            }
            if let (None, Some(password)) = (standby.config.get_password(), config.get_password()) {
                standby.config.password(password);
            }
            standby.require_auth = standby.require_auth.or(require_auth);
            standby.schema = schema.clone();
            // A person waits, and the primary has the answer too.
            let connect = standby.config.get_connect_timeout().copied();
            standby.times.connect = connect.unwrap_or(Duration::from_secs(1));
            standby.times.wait = Duration::from_secs(3);
            standby.times.answer = Duration::from_secs(3);
            Ok(Box::new(standby))
        });
        let standby = standby.transpose()?;
        let identity = match (certificate, key_file) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => return Err(bad("sslcert and sslkey need each other")),
        };
        let trust = Trust::of(mode.as_deref(), roots.as_deref()).map_err(bad)?;
        let trust = trust.with_identity(identity);
        Ok(Self {
            times: Times {
                connect: config
                    .get_connect_timeout()
                    .copied()
                    .unwrap_or(Duration::from_secs(5)),
                wait: Duration::from_secs(10),
                wait_at_first: false,
                answer: Duration::from_secs(30),
                within: None,
            },
            config,
            store,
            schema,
            password_source: None,
            trust,
            require_auth,
            connections: 8,
            standby,
            shown,
        })
    }

    /// The password, unless the URL has one: the value of `PGPASSWORD`.
    #[must_use]
    pub fn password(mut self, password: impl Into<Option<String>>) -> Self {
        if let Some(password) = password.into() {
            self.each(&mut |options| {
                if options.config.get_password().is_none() {
                    options.config.password(&password);
                }
            });
        }
        self
    }

    /// Changes these options, and those of the standby.
    fn each(&mut self, change: &mut dyn FnMut(&mut Self)) {
        change(self);
        if let Some(standby) = &mut self.standby {
            change(standby);
        }
    }

    /// Asks for a password before each new connection, unless one was given: for tokens that last for minutes. An answer
    /// is used for up to a minute. The name says which source it is; the error is in words, and gives no password away.
    #[must_use]
    pub fn password_from(
        mut self,
        name: impl Into<String>,
        ask: impl Fn() -> Result<String, String> + Send + Sync + 'static,
    ) -> Self {
        let source = PasswordSource::new(name.into(), ask);
        self.each(&mut |options| options.password_source = Some(source.clone()));
        self
    }

    /// The text of a password file, as `PGPASSFILE` names one: lines `HOST:PORT:DATABASE:USER:PASSWORD`. It counts
    /// for each host for which nothing else gives a password.
    #[must_use]
    pub fn passwords(mut self, file: &str) -> Self {
        self.each(&mut |options| {
            if let (None, Some(found)) = (
                options.config.get_password(),
                passwords::find(file, options),
            ) {
                options.config.password(found);
            }
        });
        self
    }

    /// True if the URL has a password in it.
    pub fn has_password(&self) -> bool {
        let mut has = false;
        self.clone()
            .each(&mut |options| has |= options.config.get_password().is_some());
        has
    }

    /// The same store on the standby that may answer reads, if the URL names one.
    pub(crate) fn standby(&self) -> Option<Self> {
        let standby = self.standby.as_deref()?.clone();
        Some(standby.store(self.store.clone()))
    }

    /// The password file with this path. One that does not exist gives no password.
    ///
    /// # Errors
    /// [`Error::File`] when it cannot be read; [`Fault::OpenPasswords`] when others than its owner may read it.
    pub fn password_file(self, path: &Path) -> Result<Self, Error> {
        match passwords::read(path)? {
            Some(file) => Ok(self.passwords(&file)),
            None => Ok(self),
        }
    }

    /// Another store of the same database; none: the database itself, for [`stores`](crate::stores).
    #[must_use]
    pub fn store(self, store: impl Into<Option<Name>>) -> Self {
        Self {
            store: store.into(),
            ..self
        }
    }

    /// The name of the store, if the URL has one.
    pub fn store_name(&self) -> Option<&Name> {
        self.store.as_ref()
    }

    /// How long connecting to one host may take, with TLS and the log-in (5 seconds).
    #[must_use]
    pub fn connect(mut self, time: Duration) -> Self {
        self.times.connect = time;
        self
    }

    /// How long a write waits for the writers before it, a call for a free connection, and a call of a process that was
    /// connected for a server that is away, for example while a standby takes over (10 seconds).
    #[must_use]
    pub fn wait(mut self, time: Duration) -> Self {
        self.times.wait = time;
        self
    }

    /// Sets whether the first connection of a process also waits for a server that is away, if several hosts are named
    /// (default: no). Use it for a single write, which a failover should not stop.
    #[must_use]
    pub fn wait_at_first(mut self, waits: bool) -> Self {
        self.times.wait_at_first = waits;
        self
    }

    /// How long one round trip may take (30 seconds).
    #[must_use]
    pub fn answer(mut self, time: Duration) -> Self {
        self.times.answer = time;
        self
    }

    /// How long a whole call may take, connecting included; none: as the other limits allow. For a caller who would
    /// rather do without.
    #[must_use]
    pub fn within(mut self, time: impl Into<Option<Duration>>) -> Self {
        self.times.within = time.into();
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
        let (times, shown) = (self.times, self.shown());
        outcome.map_err(|failure| failure.of(&shown, times.wait, times.answer))
    }

    /// True if every host is on this machine.
    pub(crate) fn is_here(&self) -> bool {
        self.targets().all(|target| target.is_here())
    }

    /// True if only a server that can be written will do.
    pub(crate) fn wants_writable(&self) -> bool {
        self.config.get_target_session_attrs() == TargetSessionAttrs::ReadWrite
    }
}

impl PartialEq for Options {
    /// True if both lead to the same connections. The store and the limits of calls are not compared.
    fn eq(&self, other: &Self) -> bool {
        self.config == other.config
            && self.schema == other.schema
            && self.password_source == other.password_source
            && self.trust == other.trust
            && self.require_auth == other.require_auth
            && self.connections == other.connections
            && self.times.connect == other.times.connect
    }
}

/// Without a password.
impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("url", &self.shown())
            .field("times", &self.times)
            .field("connections", &self.connections)
            .finish_non_exhaustive()
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
mod tests;
