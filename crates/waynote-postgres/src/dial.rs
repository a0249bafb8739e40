//! Dialing a host: its socket, and a look at what the server says first: how it asks for the password, before it gets
//! one, and which of its processes it is.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::task::{Context, Poll, ready};

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
#[cfg(not(unix))]
use tokio::net::TcpStream as UnixStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, SslNegotiation};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_util::either::Either;

use crate::hosts::Target;

/// A connection without TLS, to a host or to a socket of this machine.
pub(crate) type PlainStream = StartupCheck<Either<TcpStream, UnixStream>>;

/// Connects to a host.
pub(crate) async fn dial(target: &Target, methods: AuthMethods) -> io::Result<PlainStream> {
    let (port, config) = (target.port, &target.config);
    let address = target.address.as_ref().map(ToString::to_string);
    let host = match (&address, &target.host) {
        (Some(address), _) => address.as_str(),
        (None, Some(Host::Tcp(host))) => host.as_str(),
        #[cfg(unix)]
        (None, Some(Host::Unix(folder))) => {
            let path = folder.join(format!(".s.PGSQL.{port}"));
            let socket = Either::Right(UnixStream::connect(path).await?);
            return Ok(StartupCheck::plain(socket, config, methods));
        }
        (None, _) => return Err(io::Error::other("it names no host")),
    };
    let stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    let socket = SockRef::from(&stream);
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(config.get_tcp_user_timeout().copied())?;
    if config.get_keepalives() {
        let mut alive = TcpKeepalive::new().with_time(config.get_keepalives_idle());
        if let Some(interval) = config.get_keepalives_interval() {
            alive = alive.with_interval(interval);
        }
        if let Some(retries) = config.get_keepalives_retries() {
            alive = alive.with_retries(retries);
        }
        socket.set_tcp_keepalive(&alive)?;
    }
    Ok(StartupCheck::plain(Either::Left(stream), config, methods))
}

/// The methods by which a server may ask for the password: the name in libpq's `require_auth`, the code of the server's
/// message, and words.
const METHODS: [(&str, u32, &str); 4] = [
    ("none", 0, "no password"),
    ("password", 3, "the password in clear text"),
    ("md5", 5, "the password's MD5 hash"),
    ("scram-sha-256", 10, "SCRAM-SHA-256"),
];

/// Which of [`METHODS`] are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AuthMethods([bool; 4]);

impl AuthMethods {
    pub(crate) const ANY: Self = Self([true; 4]);

    /// Those that give the password to nobody who listens.
    pub(crate) const SAFE: Self = Self([true, false, false, true]);

    /// Reads `require_auth`: names of methods, or names with a `!`, which are those that are not allowed.
    pub(crate) fn read(text: &str) -> Result<Self, &'static str> {
        let words: Vec<&str> = text.split(',').collect();
        let excluded = words.iter().filter(|word| word.starts_with('!')).count();
        if excluded != 0 && excluded != words.len() {
            return Err(
                "require_auth names methods, or only methods that are not allowed (`!md5`)",
            );
        }
        let names: Vec<&str> = words
            .iter()
            .map(|word| word.trim_start_matches('!'))
            .collect();
        let is_known = |name: &&str| METHODS.iter().any(|(known, ..)| known == name);
        if !names.iter().all(is_known) {
            return Err("require_auth is none, password, md5 or scram-sha-256");
        }
        let is_allowed = |name| names.contains(&name) != (excluded != 0);
        Ok(Self(METHODS.map(|(name, ..)| is_allowed(name))))
    }

    /// Checks the code of the server's first message about authentication.
    fn check(self, code: u32) -> Result<(), MethodRefused> {
        let methods = METHODS.iter().zip(self.0);
        let refused = methods.filter(|(_, is_allowed)| !is_allowed);
        match refused
            .map(|(method, _)| method)
            .find(|(_, of, _)| *of == code)
        {
            Some((.., words)) => Err(MethodRefused(words)),
            None => Ok(()),
        }
    }
}

/// A server asked for a password by a method that is not allowed. It did not get one.
#[derive(Debug, thiserror::Error)]
#[error("it wants {0}, which is not allowed here")]
pub(crate) struct MethodRefused(&'static str);

/// A connection whose first messages are looked at.
pub(crate) struct StartupCheck<S> {
    stream: S,
    /// Those that the first message about authentication may ask for; none: it was looked at.
    methods: Option<AuthMethods>,
    /// The first bytes of a message; none: there is nothing more to look for.
    begin: Option<Vec<u8>>,
    /// The bytes of the message that are of no interest.
    rest: usize,
    /// True if the server first answers whether it has TLS.
    is_asked_for_tls: bool,
    process: Arc<AtomicI32>,
}

/// The letter of a message, its length, and a number: the code of an authentication, or a process.
const BEGIN: usize = 9;

impl PlainStream {
    /// The port on this side; none for a socket of this machine.
    pub(crate) fn local_port(&self) -> Option<u16> {
        match &self.stream {
            Either::Left(stream) => stream.local_addr().ok().map(|address| address.port()),
            Either::Right(_) => None,
        }
    }

    /// The process of the server for this connection, which it names once it has let the user in; before it is 0.
    pub(crate) fn process(&self) -> Arc<AtomicI32> {
        Arc::clone(&self.process)
    }
}

impl<S> StartupCheck<S> {
    fn plain(stream: S, config: &Config, methods: AuthMethods) -> Self {
        let mode = config.get_ssl_mode();
        let is_direct = config.get_ssl_negotiation() == SslNegotiation::Direct;
        let mut plain = Self::secured(stream, methods, Arc::default());
        if is_direct && mode != SslMode::Disable {
            plain.begin = None;
        }
        plain.is_asked_for_tls = mode != SslMode::Disable;
        plain
    }

    /// A connection inside TLS.
    fn secured(stream: S, methods: AuthMethods, process: Arc<AtomicI32>) -> Self {
        Self {
            stream,
            methods: Some(methods),
            begin: Some(Vec::new()),
            rest: 0,
            is_asked_for_tls: false,
            process,
        }
    }

    fn look(&mut self, mut bytes: &[u8]) -> Result<(), MethodRefused> {
        if self.is_asked_for_tls
            && self.begin.is_some()
            && let Some((answer, rest)) = bytes.split_first()
        {
            self.is_asked_for_tls = false;
            if *answer == b'S' {
                self.begin = None;
            }
            bytes = rest;
        }
        while let (Some(begin), [byte, rest @ ..]) = (&mut self.begin, bytes) {
            if self.rest > 0 {
                let skipped = self.rest.min(bytes.len());
                self.rest -= skipped;
                bytes = &bytes[skipped..];
                continue;
            }
            bytes = rest;
            begin.push(*byte);
            // Nobody is asked for anything, or no longer.
            if !matches!(begin[0], b'R' | b'S' | b'K' | b'N' | b'v') {
                self.begin = None;
            } else if begin.len() == BEGIN {
                let word =
                    |at: usize| u32::from_be_bytes([0, 1, 2, 3].map(|byte| begin[at + byte]));
                let (kind, length, number) = (begin[0], word(1), word(5));
                // The length counts itself.
                self.rest = (length as usize + 1).saturating_sub(BEGIN);
                begin.clear();
                match kind {
                    b'R' => self
                        .methods
                        .take()
                        .map_or(Ok(()), |methods| methods.check(number))?,
                    b'K' => {
                        self.process.store(number.cast_signed(), Ordering::SeqCst);
                        self.begin = None;
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// Makes a connection inside TLS, whose first messages are looked at too.
pub(crate) struct CheckedTls<T>(pub(crate) T, pub(crate) AuthMethods);

impl<T: TlsConnect<PlainStream>> TlsConnect<PlainStream> for CheckedTls<T>
where
    T::Future: Send + 'static,
    T::Stream: Unpin,
{
    type Stream = StartupCheck<T::Stream>;
    type Error = T::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Stream, T::Error>> + Send>>;

    fn connect(self, line: PlainStream) -> Self::Future {
        let Self(tls, methods) = self;
        let process = line.process();
        let connecting = tls.connect(line);
        Box::pin(async move { Ok(StartupCheck::secured(connecting.await?, methods, process)) })
    }
}

impl<S: TlsStream + Unpin> TlsStream for StartupCheck<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.stream.channel_binding()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StartupCheck<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, into))?;
        Poll::Ready(
            self.look(&into.filled()[before..])
                .map_err(io::Error::other),
        )
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StartupCheck<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ways_are_those_of_require_auth() {
        assert_eq!(
            AuthMethods::read("scram-sha-256,none"),
            Ok(AuthMethods::SAFE),
            "those that are named"
        );
        assert_eq!(
            AuthMethods::read("!password,!md5"),
            Ok(AuthMethods::SAFE),
            "the others"
        );
        for wrong in ["", "kerberos", "md5,!password"] {
            assert!(AuthMethods::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_first_message_is_seen_however_it_arrives() {
        let plain = |mode| {
            let mut config = Config::new();
            config.ssl_mode(mode);
            StartupCheck::plain((), &config, AuthMethods::SAFE)
        };
        let clear = b"R\0\0\0\x08\0\0\0\x03more";
        for (mode, before) in [(SslMode::Disable, &b""[..]), (SslMode::Prefer, b"N")] {
            let sent = [before, clear].concat();
            for size in 1..=sent.len() {
                let mut watched = plain(mode);
                let looked: Vec<_> = sent.chunks(size).map(|part| watched.look(part)).collect();
                assert!(looked.iter().any(Result::is_err), "{mode:?} {size}");
            }
        }
        for harmless in [
            &b"R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0"[..],
            b"R\0\0\0\x08\0\0\0\0",
            b"E\0\0\0\x03\0\0\0\x03",
        ] {
            assert!(plain(SslMode::Disable).look(harmless).is_ok());
        }
        // CheckedTls TLS, and the rest of a conversation.
        let mut secured = plain(SslMode::Require);
        assert!(secured.look(b"S").is_ok() && secured.look(clear).is_ok());
    }

    #[test]
    fn the_process_is_seen_however_it_arrives() {
        let sent = b"NR\0\0\0\x0c\0\0\0\x0a\0\0\0\0R\0\0\0\x08\0\0\0\x03S\0\0\0\x09a\0bc\0\
            K\0\0\0\x0c\0\x01\x02\x03\x09\x09\x09\x09Z\0\0\0\x05IK\0\0\0\x0c\x09\x09\x09\x09";
        for size in 1..=sent.len() {
            let mut watched = StartupCheck::plain(
                (),
                Config::new().ssl_mode(SslMode::Prefer),
                AuthMethods::SAFE,
            );
            for part in sent.chunks(size) {
                assert!(
                    watched.look(part).is_ok(),
                    "only the first is about a password"
                );
            }
            assert_eq!(watched.process.load(Ordering::SeqCst), 0x01_02_03, "{size}");
        }
    }
}
