//! Errors of a database server beside the errors of a store.

use std::error::Error as _;
use std::fmt;
use std::io;
use std::time::Duration;

use tokio_postgres::error::SqlState;
use waynote::Error;
use waynote::error::{CustomError, ErrorClass, safe};
use waynote::text::seconds;

/// An error of the connection to a database. It never holds a password.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PostgresError {
    /// The kind of the error.
    pub fault: Fault,
    /// The store, or the password file.
    pub store: String,
    /// The reason: the server's message, a time limit; empty where the kind says everything.
    pub reason: String,
}

/// The kind of a [`PostgresError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum Fault {
    /// The URL is none of a store in PostgreSQL.
    BadUrl,
    /// The URL has a password in it.
    #[strum(serialize = "password_in_address")]
    PasswordInUrl,
    /// A password file that others than its owner may read.
    #[strum(serialize = "password_file_open")]
    OpenPasswords,
    /// A password was to be asked for, and was not got.
    PasswordUnknown,
    /// The database has no such store.
    NoStore,
    /// The database has such a store already.
    StoreExists,
    /// No server answers, or none that can be written.
    #[strum(serialize = "server_away")]
    Away,
    /// The server does not let this user write there, or is a standby.
    ReadOnly,
    /// The server does not let this user in, or not into this database.
    #[strum(serialize = "server_refuses")]
    Refused,
    /// The certificate of the server cannot be trusted.
    #[strum(serialize = "server_not_trusted")]
    NotTrusted,
    /// The server is set up in a way that loses or mixes up notes.
    #[strum(serialize = "server_unsuitable")]
    Unsuitable,
    /// The connection was lost during a commit, and no server could be asked about it: it may have been carried out.
    #[strum(serialize = "commit_unknown")]
    Unknown,
    /// The server stopped a statement that took longer than it may.
    TooLong,
}

impl Fault {
    /// The error of this kind with a store.
    pub fn of(self, store: impl Into<String>, reason: impl Into<String>) -> PostgresError {
        PostgresError {
            fault: self,
            store: store.into(),
            reason: reason.into(),
        }
    }

    /// The class; the words, in which `{s}` stands for the store and `{r}` for the reason; and the advice.
    fn says(self) -> (ErrorClass, &'static str, &'static str) {
        use ErrorClass::{Conflict, Denied, Invalid, NotFound, Unreachable};
        match self {
            Self::BadUrl => (
                Invalid,
                "`{s}` is not the address of a store in PostgreSQL: {r}",
                "write it as postgres://USER@HOST/DATABASE?store=NAME",
            ),
            Self::PasswordInUrl => (
                Invalid,
                "the address {s} has a password in it, which others could read",
                "leave it out, and set PGPASSWORD, or write it into ~/.pgpass (PGPASSFILE names another file), or name a command that prints it with the setting `postgres_password_command`",
            ),
            Self::OpenPasswords => (
                Invalid,
                "the password file {s} is not used: others may read it",
                "take their access away: chmod 600 '{s}'",
            ),
            Self::PasswordUnknown => (
                Denied,
                "there is no password for the server of {s}: {r}",
                "run the command of `postgres_password_command` by hand: it has to print the password, and nothing else",
            ),
            Self::NoStore => (
                NotFound,
                "there is no store {s}",
                "check the name with `waynote stores list`, or make it: waynote stores create '{s}'",
            ),
            Self::StoreExists => (
                Conflict,
                "there is a store {s} already",
                "use it, or choose another name",
            ),
            Self::Away => (
                Unreachable,
                "the store {s} does not answer: {r}",
                "check the address and the server, then try again",
            ),
            Self::ReadOnly => (
                Denied,
                "the server of {s} does not allow it: {r}",
                "use a database user who may read and write the tables, and an address that leads to no standby",
            ),
            Self::Refused => (
                Denied,
                "the server of {s} refuses: {r}",
                "check user, password and database; a password comes from PGPASSWORD, from ~/.pgpass (PGPASSFILE names another file), or from a command that the setting `postgres_password_command` names",
            ),
            Self::NotTrusted => (
                Unreachable,
                "the server of {s} cannot be trusted: {r}",
                "check the address, or name the certificate of the authority that signed the server's with sslrootcert",
            ),
            Self::Unsuitable => (
                Unreachable,
                "the database of {s} cannot hold a store: {r}",
                "ask whoever runs the server to change it",
            ),
            Self::Unknown => (
                Unreachable,
                "the connection to {s} was lost during a commit: whether it was carried out is not known ({r})",
                "look whether it is there before you write it again; a call with an id can be repeated as it is",
            ),
            Self::TooLong => (
                Unreachable,
                "the store {s} takes too long: the limit is {r}",
                "try again when the server has less to do, or raise the limit",
            ),
        }
    }
}

impl fmt::Display for PostgresError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (_, words, _) = self.fault.says();
        let words = words.replace("{r}", &safe(&self.reason));
        f.write_str(&words.replacen("{s}", &safe(&self.store), 1))
    }
}

impl std::error::Error for PostgresError {}

impl CustomError for PostgresError {
    fn kind(&self) -> &'static str {
        self.fault.into()
    }

    fn class(&self) -> ErrorClass {
        self.fault.says().0
    }

    fn advice(&self) -> Option<String> {
        let (.., advice) = self.fault.says();
        Some(advice.replace("{s}", &safe(&self.store)))
    }

    fn names_server(&self) -> bool {
        true
    }

    fn of_store(&self) -> Option<Box<dyn CustomError>> {
        let is_of_call = matches!(
            self.fault,
            Fault::BadUrl
                | Fault::OpenPasswords
                | Fault::PasswordInUrl
                | Fault::ReadOnly
                | Fault::StoreExists
                | Fault::Unknown
                | Fault::TooLong
        );
        (!is_of_call).then(|| Box::new(self.clone()) as _)
    }
}

/// How it showed that a server is away.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Outage {
    /// No answer within the time.
    #[error("no answer within {}", seconds(*.0))]
    TimedOut(Duration),
    /// No connection to any of its hosts.
    #[error("no connection ({0})")]
    Unreachable(String),
    /// The connection ended before the answer did.
    #[error("the connection ended ({0})")]
    Lost(String),
    /// All connections of this process were in use for the whole wait.
    #[error("all connections were in use for {}", seconds(*.0))]
    InUse(Duration),
}

/// True if an error says that the server is away or cannot serve now. False if the request was answered, and if the
/// server cannot be trusted.
pub fn is_away(error: &Error) -> bool {
    match error.downcast_ref::<PostgresError>() {
        Some(error) => matches!(error.fault, Fault::Away | Fault::Unknown | Fault::TooLong),
        None => matches!(error.class(), ErrorClass::Busy | ErrorClass::Unreachable),
    }
}

/// Inside this crate a failure is the server's, or one of the connection to it, or already an error for the caller.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(crate) enum Failure {
    Server(#[from] tokio_postgres::Error),
    Away(#[from] Outage),
    Ours(#[from] Error),
}

pub(crate) type Outcome<T> = Result<T, Failure>;

impl From<PostgresError> for Failure {
    fn from(error: PostgresError) -> Self {
        Self::Ours(error.into())
    }
}

/// The cure of a failure: how the call can be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryKind {
    /// Nothing: it is the answer.
    None,
    /// The same again: another transaction was in the way.
    Again,
    /// The same on another connection: this one is gone, or its server can no longer be written.
    Elsewhere,
}

impl Failure {
    /// The code that the server gave.
    pub(crate) fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Server(error) => error.code(),
            Self::Away(_) | Self::Ours(_) => None,
        }
    }

    /// The cure of this failure, on one server or on one of several.
    pub(crate) fn cure(&self, has_others: bool) -> RetryKind {
        match self {
            // A server that is cut off may have a sibling that is not.
            Self::Away(Outage::TimedOut(_)) if has_others => RetryKind::Elsewhere,
            // The wait for a connection is over already: no other attempt.
            Self::Away(Outage::Lost(_)) => RetryKind::Elsewhere,
            Self::Away(_) | Self::Ours(_) => RetryKind::None,
            Self::Server(error) => match error.code() {
                Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED) => {
                    RetryKind::Again
                }
                Some(&SqlState::READ_ONLY_SQL_TRANSACTION) if !has_others => RetryKind::None,
                Some(code) if is_of_server(code) || is_of_standby(error) => RetryKind::Elsewhere,
                Some(_) => RetryKind::None,
                None if is_of_connection(error) => RetryKind::Elsewhere,
                None => RetryKind::None,
            },
        }
    }

    /// True if the server refused a statement, so that its connection can be used again.
    pub(crate) fn is_refused(&self, has_others: bool) -> bool {
        let is_answer = match self {
            Self::Server(error) => error.as_db_error().is_some(),
            Self::Away(_) => false,
            Self::Ours(_) => true,
        };
        is_answer && self.cure(has_others) != RetryKind::Elsewhere
    }

    /// The error for the caller. `waited` is how long a lock was waited for, and `limit` how long a statement may take.
    pub(crate) fn of(self, store: &str, waited: Duration, limit: Duration) -> Error {
        let away = |away: Outage| Error::from(Fault::Away.of(store, away.to_string()));
        let error = match self {
            Self::Ours(error) => return error,
            Self::Away(how) => return away(how),
            Self::Server(error) => error,
        };
        let Some(said) = error.as_db_error() else {
            return match is_of_connection(&error) {
                true => away(Outage::Lost(told(&error))),
                false => Error::engine(store, told(&error)),
            };
        };
        let reason = said.message();
        match *said.code() {
            SqlState::LOCK_NOT_AVAILABLE => Error::Busy {
                path: store.into(),
                waited,
                holder: None,
            },
            SqlState::QUERY_CANCELED => Fault::TooLong.of(store, seconds(limit)).into(),
            SqlState::READ_ONLY_SQL_TRANSACTION | SqlState::INSUFFICIENT_PRIVILEGE => {
                Fault::ReadOnly.of(store, reason).into()
            }
            SqlState::DISK_FULL => Error::DiskFull { path: store.into() },
            SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => {
                Error::damaged_store(store, reason)
            }
            SqlState::INVALID_PASSWORD
            | SqlState::INVALID_AUTHORIZATION_SPECIFICATION
            | SqlState::INVALID_CATALOG_NAME => Fault::Refused.of(store, reason).into(),
            // The schema or a table of it.
            SqlState::UNDEFINED_TABLE | SqlState::INVALID_SCHEMA_NAME => {
                Fault::NoStore.of(store, "").into()
            }
            ref code if is_of_server(code) || is_of_standby(&error) => {
                away(Outage::Lost(reason.to_owned()))
            }
            ref code => Error::engine(store, format!("{reason} ({})", code.code())),
        }
    }
}

/// True if the error is about the server, not about the statement: it stops, starts, is full, or cannot be written any
/// more.
fn is_of_server(code: &SqlState) -> bool {
    [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::READ_ONLY_SQL_TRANSACTION,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
    ]
    .contains(code)
        // Connection exceptions. PgBouncer reports one if the server behind it is gone.
        || code.code().starts_with("08")
        || code.code() == "57P05"
}

/// True if a write came to a standby: the server may be promoted, or its address may lead to another one soon.
fn is_of_standby(error: &tokio_postgres::Error) -> bool {
    error.as_db_error().is_some_and(|said| {
        said.code() == &SqlState::FEATURE_NOT_SUPPORTED
            && said.message().contains("during recovery")
    })
}

/// True if the connection is gone; false if only the statement was refused.
pub(crate) fn is_of_connection(error: &tokio_postgres::Error) -> bool {
    error.is_closed()
        || error
            .source()
            .is_some_and(|source| source.is::<io::Error>())
}

/// An error with its causes, on one line.
pub(crate) fn told(error: &(dyn std::error::Error + 'static)) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !told.contains(&more) {
            told = format!("{told}: {more}");
        }
        cause = error.source();
    }
    told
}
