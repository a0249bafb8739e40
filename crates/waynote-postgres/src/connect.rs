//! Connecting: one host after the other, each within its time.

use std::error::Error as _;
use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use tokio::task::AbortHandle;
use tokio_postgres::config::{Host, TargetSessionAttrs};
use tokio_postgres::error::{DbError, SqlState};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{AsyncMessage, Client, Config, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;
use tokio_rustls::rustls::{self, AlertDescription};

use crate::dial::{AuthMethods, CheckedTls, MethodRefused, PlainStream, dial};
use crate::error::{Failure, Fault, Outage, told};
use crate::hosts::Target;
use crate::options::Options;
use crate::passwords::PasswordSource;
use crate::prepared::Prepared;

/// Makes the connections of a pool.
pub(crate) struct Hosts {
    hosts: Vec<Target>,
    /// The one that answered last.
    first: AtomicUsize,
    time: Duration,
    require_auth: Option<AuthMethods>,
    password: Option<PasswordSource>,
    tls: MakeRustlsConnect,
    shown: String,
}

/// A connection to one server.
pub(crate) struct Connection {
    pub(crate) client: Client,
    notices: Arc<[AtomicBool; 2]>,
    /// The port on this side.
    pub(crate) local_port: Option<u16>,
    pub(crate) prepared: Prepared,
    task: AbortHandle,
}

impl Connection {
    /// True if the server has warned since the last call; and if it has skipped a table that others use.
    pub(crate) fn take_notices(&self) -> [bool; 2] {
        let [warned, skipped] = &*self.notices;
        [warned, skipped].map(|notice| notice.swap(false, Ordering::SeqCst))
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

impl Hosts {
    pub(crate) fn new(options: &Options) -> Result<Self, waynote::Error> {
        Ok(Self {
            hosts: options.hosts(),
            first: AtomicUsize::new(0),
            time: options.times.connect,
            tls: options.trust.connector()?,
            require_auth: options.require_auth,
            // One that was given takes precedence.
            password: options
                .password_source
                .clone()
                .filter(|_| options.config.get_password().is_none()),
            shown: options.shown.clone(),
        })
    }

    /// Begins with the host after the one that answered last.
    pub(crate) fn pass_over(&self) {
        let next = (self.first.load(Ordering::Relaxed) + 1) % self.hosts.len().max(1);
        self.first.store(next, Ordering::Relaxed);
    }

    async fn connected(&self, index: usize) -> Result<Connection, Failure> {
        let target = &self.hosts[index];
        let mut config = target.config.clone();
        if let Some(source) = &self.password {
            let unknown = |reason| Fault::PasswordUnknown.of(&self.shown, reason);
            config.password(source.password().await.map_err(unknown)?);
        }
        let config = &config;
        let methods = self.methods(target);
        let connecting = tokio::time::timeout(self.time, async {
            let away = |error: io::Error| Failure::Away(Outage::Unreachable(error.to_string()));
            let line = dial(target, methods.0).await.map_err(away)?;
            let (local_port, process) = (line.local_port(), line.process());
            let name = match &target.host {
                Some(Host::Tcp(name)) => name,
                _ => "",
            };
            let mut tls = self.tls.clone();
            let Ok(tls) = MakeTlsConnect::<PlainStream>::make_tls_connect(&mut tls, name);
            let tls = CheckedTls(tls, methods.1);
            let connected = config.connect_raw(line, tls).await;
            let connected = connected.map_err(|error| self.refused(error))?;
            Ok::<_, Failure>((connected, local_port, process.load(Ordering::SeqCst)))
        });
        let timed_out = || Failure::Away(Outage::TimedOut(self.time));
        let connected = connecting.await.map_err(|_| timed_out()).flatten();
        if let (Err(Failure::Server(_)), Some(source)) = (&connected, &self.password) {
            source.forget().await;
        }
        let ((client, mut connection), local_port, process) = connected?;
        if let Some(encoding) = connection.parameter("server_encoding")
            && encoding != "UTF8"
        {
            let reason = format!("its encoding is {encoding}, and has to be UTF8");
            return Err(Fault::Unsuitable.of(&self.shown, reason).into());
        }
        let notices = Arc::<[AtomicBool; 2]>::default();
        let noticed = Arc::clone(&notices);
        let task = tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|cx| connection.poll_message(cx)).await {
                // Those of statements outside a transaction, which say nothing, have a code of their own.
                let AsyncMessage::Notice(notice) = message else {
                    continue;
                };
                let kinds = [&SqlState::WARNING, &SqlState::LOCK_NOT_AVAILABLE];
                if let Some(kind) = kinds.iter().position(|kind| notice.code() == *kind) {
                    noticed[kind].store(true, Ordering::SeqCst);
                }
            }
        });
        let connection = Connection {
            client,
            notices,
            local_port,
            prepared: Prepared::of(process),
            task: task.abort_handle(),
        };
        let fits = tokio::time::timeout(self.time, fits(&connection.client, config));
        match fits.await.map_err(|_| timed_out()).flatten() {
            Ok(()) => Ok(connection),
            Err(failure) => {
                connection.cut();
                Err(failure)
            }
        }
    }

    /// The methods by which a host may ask for the password: without TLS, and with it.
    fn methods(&self, target: &Target) -> (AuthMethods, AuthMethods) {
        match self.require_auth {
            Some(methods) => (methods, methods),
            None if target.is_here() => (AuthMethods::ANY, AuthMethods::ANY),
            None => (AuthMethods::SAFE, AuthMethods::ANY),
        }
    }

    /// The failure that an error of a connection attempt stands for.
    fn refused(&self, error: tokio_postgres::Error) -> Failure {
        let ours = |fault: Fault, reason: String| fault.of(&self.shown, reason).into();
        let reason = told(&error);
        if let Some(reason) = cause::<MethodRefused>(&error) {
            return ours(Fault::Refused, reason.to_string());
        }
        if reason.contains("server does not support TLS") {
            return ours(Fault::NoTls, String::new());
        }
        if let Some(rustls::Error::AlertReceived(alert)) = cause::<rustls::Error>(&error)
            && let Some(words) = refusal(*alert)
        {
            return ours(Fault::Refused, words.into());
        }
        if cause::<rustls::Error>(&error).is_some()
            || reason.starts_with("error performing TLS handshake")
        {
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

/// The words of a server that does not take the certificate of this side; none: the alert is about something else.
fn refusal(alert: AlertDescription) -> Option<&'static str> {
    Some(match alert {
        AlertDescription::CertificateRequired => {
            "it wants a certificate of this side: name it with sslcert and sslkey"
        }
        AlertDescription::UnknownCA => {
            "it does not know the authority that signed the certificate of sslcert"
        }
        AlertDescription::CertificateExpired => "the certificate of sslcert has expired",
        AlertDescription::CertificateRevoked => "the certificate of sslcert was revoked",
        AlertDescription::BadCertificate
        | AlertDescription::DecryptError
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnsupportedCertificate => "it does not take the certificate of sslcert",
        _ => return None,
    })
}

/// The cause of an error of a connection, if it is one of that type.
fn cause<E: std::error::Error + 'static>(error: &tokio_postgres::Error) -> Option<&E> {
    let io = error.source()?.downcast_ref::<io::Error>()?;
    io.get_ref()?.downcast_ref()
}

/// Checks that a server can be written, or cannot, if only such a one will do.
async fn fits(client: &Client, config: &Config) -> Result<(), Failure> {
    let (wanted, reason) = match config.get_target_session_attrs() {
        TargetSessionAttrs::ReadWrite => ("off", "database does not allow writes"),
        TargetSessionAttrs::ReadOnly => ("on", "database is not read only"),
        _ => return Ok(()),
    };
    let answers = client.simple_query("SHOW transaction_read_only").await?;
    let fits = answers.iter().any(|answer| match answer {
        SimpleQueryMessage::Row(row) => row.get(0) == Some(wanted),
        _ => false,
    });
    match fits {
        true => Ok(()),
        false => Err(Failure::Away(Outage::Unreachable(reason.into()))),
    }
}

impl Manager for Hosts {
    type Type = Connection;
    type Error = Failure;

    async fn create(&self) -> Result<Connection, Failure> {
        let first = self.first.load(Ordering::Relaxed);
        let mut worst = None;
        for index in (0..self.hosts.len()).map(|step| (first + step) % self.hosts.len()) {
            match self.connected(index).await {
                Ok(connection) => {
                    self.first.store(index, Ordering::Relaxed);
                    return Ok(connection);
                }
                // A host that refuses says more than one that is away.
                Err(failure) => match (&worst, &failure) {
                    (Some(Failure::Server(_) | Failure::Ours(_)), Failure::Away(_)) => {}
                    _ => worst = Some(failure),
                },
            }
        }
        Err(worst.unwrap_or_else(|| Failure::Away(Outage::Unreachable("it names no host".into()))))
    }

    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<Failure> {
        match connection.client.is_closed() {
            true => Err(RecycleError::message("closed")),
            false => Ok(()),
        }
    }
}
