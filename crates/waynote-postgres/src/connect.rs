//! Connecting, within a time limit.

use std::error::Error as _;
use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use tokio::task::AbortHandle;
use tokio_postgres::error::{DbError, SqlState};
use tokio_postgres::{AsyncMessage, Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls;

use crate::error::{Failure, Fault, Outage, told};
use crate::options::Options;
use crate::passwords::PasswordSource;
use crate::tls;

/// Makes the connections of a pool.
pub(crate) struct Connector {
    config: Config,
    time: Duration,
    password: Option<PasswordSource>,
    tls: MakeRustlsConnect,
    shown: String,
}

/// A connection to the server.
pub(crate) struct Connection {
    pub(crate) client: Client,
    is_warned: Arc<AtomicBool>,
    task: AbortHandle,
}

impl Connection {
    /// True if the server has warned since the last call.
    pub(crate) fn take_warning(&self) -> bool {
        self.is_warned.swap(false, Ordering::SeqCst)
    }

    /// Closes it now, without waiting for the server's answers.
    pub(crate) fn cut(&self) {
        self.task.abort();
    }
}

impl Drop for Connection {
    /// Aborts the task. A client that is dropped waits for its answers, which nobody wants any more.
    fn drop(&mut self) {
        if self.client.is_closed() {
            self.task.abort();
        }
    }
}

impl Connector {
    pub(crate) fn new(options: &Options) -> Result<Self, waynote::Error> {
        let mut config = options.config.clone();
        let time = options.times.connect;
        let hosts = config.get_hosts().len().max(config.get_hostaddrs().len());
        // So that there is time for each.
        config.connect_timeout(time / u32::try_from(hosts).unwrap_or(1).max(1));
        Ok(Self {
            time,
            tls: tls::connector(options.roots.as_deref())?,
            // One that was given takes precedence.
            password: options
                .password_source
                .clone()
                .filter(|_| config.get_password().is_none()),
            config,
            shown: options.shown.clone(),
        })
    }

    /// The failure that an error of a connection attempt stands for.
    fn refused(&self, error: tokio_postgres::Error) -> Failure {
        let ours = |fault: Fault, reason: String| fault.of(&self.shown, reason).into();
        let reason = told(&error);
        let is_of_tls = error
            .source()
            .and_then(|source| source.downcast_ref::<io::Error>()?.get_ref())
            .is_some_and(|cause| cause.is::<rustls::Error>());
        if reason.contains("server does not support TLS") {
            return ours(Fault::NoTls, String::new());
        }
        if is_of_tls || reason.starts_with("error performing TLS handshake") {
            return ours(Fault::NotTrusted, reason);
        }
        match error.as_db_error().map(DbError::code) {
            Some(
                &(SqlState::INVALID_PASSWORD
                | SqlState::INVALID_AUTHORIZATION_SPECIFICATION
                | SqlState::INVALID_CATALOG_NAME
                | SqlState::INSUFFICIENT_PRIVILEGE),
            ) => Failure::Server(error),
            Some(_) => Failure::Away(Outage::Unreachable(reason)),
            None if reason.contains("password missing") => ours(Fault::NoPassword, String::new()),
            // It asked in a way that is not spoken here.
            None if reason.contains("authentication") || reason.contains("password") => {
                ours(Fault::Refused, reason)
            }
            None => Failure::Away(Outage::Unreachable(reason)),
        }
    }
}

impl Manager for Connector {
    type Type = Connection;
    type Error = Failure;

    async fn create(&self) -> Result<Connection, Failure> {
        let mut config = self.config.clone();
        if let Some(source) = self.password.clone() {
            // On a thread of its own: the caller's time may end before.
            let asked = tokio::task::spawn_blocking(move || source()).await;
            let answer = asked.unwrap_or_else(|_| Err("it was not asked for".into()));
            let unknown = |reason| Fault::PasswordUnknown.of(&self.shown, reason);
            config.password(answer.map_err(unknown)?);
        }
        let connecting = tokio::time::timeout(self.time, config.connect(self.tls.clone()));
        let connected = match connecting.await {
            Ok(connected) => connected.map_err(|error| self.refused(error)),
            Err(_) => Err(Failure::Away(Outage::TimedOut(self.time))),
        };
        let (client, mut connection) = connected?;
        if let Some(encoding) = connection.parameter("server_encoding")
            && encoding != "UTF8"
        {
            let reason = format!("its encoding is {encoding}, and has to be UTF8");
            return Err(Fault::Unsuitable.of(&self.shown, reason).into());
        }
        let is_warned = Arc::<AtomicBool>::default();
        let warned = Arc::clone(&is_warned);
        let task = tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
                // Notices of statements outside a transaction have a code of their own.
                if let AsyncMessage::Notice(notice) = message
                    && notice.code() == &SqlState::WARNING
                {
                    warned.store(true, Ordering::SeqCst);
                }
            }
        });
        Ok(Connection {
            client,
            is_warned,
            task: task.abort_handle(),
        })
    }

    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<Failure> {
        match connection.client.is_closed() {
            true => Err(RecycleError::message("closed")),
            false => Ok(()),
        }
    }
}
