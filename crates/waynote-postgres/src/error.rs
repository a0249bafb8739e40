//! Errors of a database server beside the errors of a store.

use std::error::Error as _;
use std::io;
use std::time::Duration;

use tokio_postgres::error::SqlState;
use waynote::Error;
use waynote::error::{CustomError, ErrorClass, safe};
use waynote::text::seconds;

/// An error of the connection to a database. None of them ever holds a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum PostgresError {
    /// The URL is none of a store in PostgreSQL.
    #[error(
        "`{}` is not the address of a store in PostgreSQL: {}",
        safe(url),
        safe(reason)
    )]
    BadUrl {
        /// The URL, without a password.
        url: String,
        /// The reason.
        reason: String,
    },
    /// A password file that others than its owner may read.
    #[error("the password file {} is not used: others may read it", safe(file))]
    #[strum(serialize = "password_file_open")]
    OpenPasswords {
        /// Its path.
        file: String,
    },
    /// The database has no such store.
    #[error("there is no store {}", safe(store))]
    NoStore {
        /// The store.
        store: String,
    },
    /// The tables are of an older version, and lack something that this program needs.
    #[error(
        "the tables of {} are of an older version, and need an update by their owner",
        safe(store)
    )]
    OlderTables {
        /// The store.
        store: String,
    },
    /// The database has such a store already.
    #[error("there is a store {} already", safe(store))]
    StoreExists {
        /// The store.
        store: String,
    },
    /// No server answers, or none that can be written.
    #[error("the store {} does not answer: {away}", safe(store))]
    #[strum(serialize = "server_away")]
    Away {
        /// The store.
        store: String,
        /// How that showed.
        away: Away,
    },
    /// The server does not let this user write there, or is a standby.
    #[error("the store {} cannot be written: {}", safe(store), safe(reason))]
    ReadOnly {
        /// The store.
        store: String,
        /// The server's message.
        reason: String,
    },
    /// The server does not let this user in, or not into this database.
    #[error("the server of {} refuses: {}", safe(store), safe(reason))]
    #[strum(serialize = "server_refuses")]
    Refused {
        /// The store.
        store: String,
        /// The server's message.
        reason: String,
    },
    /// The server asks for a password, and none was given.
    #[error("the server of {} asks for a password, and there is none", safe(store))]
    NoPassword {
        /// The store.
        store: String,
    },
    /// The certificate of the server cannot be trusted.
    #[error("the server of {} cannot be trusted: {}", safe(store), safe(reason))]
    #[strum(serialize = "server_not_trusted")]
    NotTrusted {
        /// The store.
        store: String,
        /// Why.
        reason: String,
    },
    /// The server has no TLS, and the address asks for it.
    #[error(
        "the server of {} has no TLS, and the connection needs it",
        safe(store)
    )]
    #[strum(serialize = "server_without_tls")]
    NoTls {
        /// The store.
        store: String,
    },
    /// The server is set up in a way that loses or mixes up notes.
    #[error(
        "the database of {} cannot hold a store: {}",
        safe(store),
        safe(reason)
    )]
    #[strum(serialize = "server_unsuitable")]
    Unsuitable {
        /// The store.
        store: String,
        /// The setting, and the value that it has to have.
        reason: String,
    },
    /// The connection was lost during a commit, and no server could be asked about it: it may have been carried out.
    #[error(
        "the connection to {} was lost during a commit: whether it was carried out is not known ({})",
        safe(store),
        safe(reason)
    )]
    #[strum(serialize = "commit_unknown")]
    Unknown {
        /// The store.
        store: String,
        /// The error of the connection.
        reason: String,
    },
    /// The server stopped a statement that took longer than it may.
    #[error("the store {} takes too long: the limit is {}", safe(store), seconds(*limit))]
    TooLong {
        /// The store.
        store: String,
        /// The limit.
        limit: Duration,
    },
}

/// How it showed that a server is away.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Away {
    /// No answer within the time.
    #[error("no answer within {}", seconds(*.0))]
    TimedOut(Duration),
    /// No connection to any of its hosts.
    #[error("no connection ({})", safe(.0))]
    Unreachable(String),
    /// The connection ended before the answer did.
    #[error("the connection ended ({})", safe(.0))]
    Lost(String),
    /// All connections of this process were in use for the whole wait.
    #[error("all connections were in use for {}", seconds(*.0))]
    InUse(Duration),
}

impl CustomError for PostgresError {
    fn kind(&self) -> &'static str {
        self.into()
    }

    fn class(&self) -> ErrorClass {
        match self {
            Self::BadUrl { .. } | Self::OpenPasswords { .. } => ErrorClass::Invalid,
            Self::NoStore { .. } => ErrorClass::NotFound,
            Self::StoreExists { .. } => ErrorClass::Conflict,
            Self::Refused { .. } | Self::NoPassword { .. } | Self::ReadOnly { .. } => {
                ErrorClass::Denied
            }
            Self::Away { .. }
            | Self::NotTrusted { .. }
            | Self::NoTls { .. }
            | Self::Unsuitable { .. }
            | Self::OlderTables { .. }
            | Self::Unknown { .. }
            | Self::TooLong { .. } => ErrorClass::Unreachable,
        }
    }

    fn advice(&self) -> Option<String> {
        Some(match self {
            Self::BadUrl { .. } => "write it as postgres://USER@HOST/DATABASE?store=NAME".into(),
            Self::OpenPasswords { file } => format!("take their access away: chmod 600 '{}'", safe(file)),
            Self::NoStore { store } => {
                format!("check the name, or make it: waynote stores create '{}'", safe(store))
            }
            Self::OlderTables { store } => {
                format!("as the owner of the tables: waynote stores migrate '{}'", safe(store))
            }
            Self::StoreExists { .. } => "use it, or choose another name".into(),
            Self::Away { .. } => "check the address and the server, then try again".into(),
            Self::ReadOnly { .. } => {
                "use a database user with the right to write, and an address that leads to no standby".into()
            }
            Self::Refused { .. } => {
                "check user, password and database; a password comes from PGPASSWORD or the file of PGPASSFILE".into()
            }
            Self::NoPassword { .. } => {
                "set PGPASSWORD, or write it into ~/.pgpass (PGPASSFILE names another file)".into()
            }
            Self::NotTrusted { .. } => {
                "check the address, or name the certificate of whoever signed the server's with sslrootcert".into()
            }
            Self::NoTls { .. } => {
                "turn TLS on at the server; or add sslmode=prefer to the address if the network can be trusted".into()
            },
            Self::Unsuitable { .. } => "ask whoever runs the server to change it".into(),
            Self::Unknown { .. } => {
                "look whether it is there before you write it again; a call with an id can be repeated as it is".into()
            }
            Self::TooLong { .. } => "try again when the server has less to do, or raise the limit".into(),
        })
    }

    fn of_store(&self) -> Option<Box<dyn CustomError>> {
        match self {
            // Each of them waited as long as it may.
            Self::Away { .. }
            | Self::NoStore { .. }
            | Self::Refused { .. }
            | Self::NoPassword { .. }
            | Self::NotTrusted { .. }
            | Self::NoTls { .. }
            | Self::OlderTables { .. }
            | Self::Unsuitable { .. } => Some(Box::new(self.clone())),
            Self::BadUrl { .. }
            | Self::OpenPasswords { .. }
            | Self::ReadOnly { .. }
            | Self::StoreExists { .. }
            | Self::Unknown { .. }
            | Self::TooLong { .. } => None,
        }
    }
}

/// True if an error says that the server is away or cannot serve now. False if the request was answered, and if the
/// server cannot be trusted.
pub fn is_away(error: &Error) -> bool {
    match error.downcast_ref::<PostgresError>() {
        Some(error) => matches!(
            error,
            PostgresError::Away { .. }
                | PostgresError::Unknown { .. }
                | PostgresError::TooLong { .. }
        ),
        None => matches!(error.class(), ErrorClass::Busy | ErrorClass::Unreachable),
    }
}

/// Inside this crate a failure is the server's, or one of the connection to it, or already an error for the caller.
#[derive(Debug)]
pub(crate) enum Failure {
    Server(tokio_postgres::Error),
    Away(Away),
    Ours(Error),
}

pub(crate) type Outcome<T> = Result<T, Failure>;

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Server(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Ours(error)
    }
}

impl From<PostgresError> for Failure {
    fn from(error: PostgresError) -> Self {
        Self::Ours(error.into())
    }
}

/// The cure of a failure: how the call can be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cure {
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

    /// The cure of this failure.
    pub(crate) fn cure(&self) -> Cure {
        match self {
            // The wait for a connection is over already: no other attempt.
            Self::Away(Away::Lost(_)) => Cure::Elsewhere,
            Self::Away(_) | Self::Ours(_) => Cure::None,
            Self::Server(error) => match error.code() {
                Some(&SqlState::T_R_SERIALIZATION_FAILURE | &SqlState::T_R_DEADLOCK_DETECTED) => {
                    Cure::Again
                }
                Some(code) if is_of_server(code) || is_of_standby(error) => Cure::Elsewhere,
                Some(_) => Cure::None,
                None if is_of_connection(error) => Cure::Elsewhere,
                None => Cure::None,
            },
        }
    }

    /// The error for the caller. `waited` is how long a lock was waited for, and `limit` how long a statement may take.
    pub(crate) fn of(self, store: &str, waited: Duration, limit: Duration) -> Error {
        let name = || store.to_owned();
        let away = |away| {
            Error::from(PostgresError::Away {
                store: name(),
                away,
            })
        };
        let error = match self {
            Self::Ours(error) => return error,
            Self::Away(how) => return away(how),
            Self::Server(error) => error,
        };
        let Some(said) = error.as_db_error() else {
            return match is_of_connection(&error) {
                true => away(Away::Lost(told(&error))),
                false => Error::engine(store, told(&error)),
            };
        };
        let reason = said.message().to_owned();
        match *said.code() {
            SqlState::LOCK_NOT_AVAILABLE => Error::Busy {
                path: store.into(),
                waited,
                holder: None,
            },
            SqlState::QUERY_CANCELED => PostgresError::TooLong {
                store: name(),
                limit,
            }
            .into(),
            SqlState::READ_ONLY_SQL_TRANSACTION | SqlState::INSUFFICIENT_PRIVILEGE => {
                PostgresError::ReadOnly {
                    store: name(),
                    reason,
                }
                .into()
            }
            SqlState::DISK_FULL => Error::DiskFull { path: store.into() },
            SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => {
                Error::damaged_store(store, reason)
            }
            SqlState::INVALID_PASSWORD
            | SqlState::INVALID_AUTHORIZATION_SPECIFICATION
            | SqlState::INVALID_CATALOG_NAME => PostgresError::Refused {
                store: name(),
                reason,
            }
            .into(),
            // The schema or a table of it.
            SqlState::UNDEFINED_TABLE | SqlState::INVALID_SCHEMA_NAME => {
                PostgresError::NoStore { store: name() }.into()
            }
            SqlState::UNDEFINED_COLUMN => crate::migrate::older(store).into(),
            ref code if is_of_server(code) || is_of_standby(&error) => away(Away::Lost(reason)),
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
