//! Connecting, within a time limit.

use std::error::Error as _;
use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use tokio::task::AbortHandle;
use tokio_postgres::error::{DbError, SqlState};
use tokio_postgres::{AsyncMessage, Client};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls;

use crate::error::{Failure, Fault, Outage, told};
use crate::options::Options;
use crate::tls;

/// Makes the connections of a pool.
pub(crate) struct Connector {
    options: Options,
    tls: MakeRustlsConnect,
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
}

impl Drop for Connection {
    /// Closes it now. A client that is dropped waits for its answers, which nobody wants any more.
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Connector {
    pub(crate) fn new(options: &Options) -> Result<Self, waynote::Error> {
        Ok(Self {
            options: options.clone(),
            tls: tls::connector(options.roots.as_deref())?,
        })
    }

    /// The failure that an error of a connection attempt stands for.
    fn refused(&self, error: tokio_postgres::Error) -> Failure {
        let ours = |fault: Fault, reason: String| fault.of(&self.options.shown, reason).into();
        let reason = told(&error);
        let is_of_tls = error
            .source()
            .and_then(|source| source.downcast_ref::<io::Error>()?.get_ref())
            .is_some_and(|cause| cause.is::<rustls::Error>());
        if reason.contains("server does not support TLS") {
            return ours(Fault::NotTrusted, "it has no TLS".into());
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
            // There is no password, or it asked for one in a way that is not spoken here.
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
        let mut config = self.options.config.clone();
        // A password that was given takes precedence.
        let source = self.options.password_source.clone();
        if let Some(source) = source.filter(|_| config.get_password().is_none()) {
            // On a thread of its own: the caller's time may end before.
            let asked = tokio::task::spawn_blocking(move || source()).await;
            let answer = asked.unwrap_or_else(|_| Err("it was not asked for".into()));
            let unknown = |reason| Fault::PasswordUnknown.of(&self.options.shown, reason);
            config.password(answer.map_err(unknown)?);
        }
        let time = self.options.connect;
        let connected = tokio::time::timeout(time, config.connect(self.tls.clone())).await;
        let connected = connected.map_err(|_| Failure::Away(Outage::TimedOut(time)))?;
        let (client, mut connection) = connected.map_err(|error| self.refused(error))?;
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
