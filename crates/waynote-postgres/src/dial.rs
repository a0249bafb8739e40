//! Dialing a host: its socket, and a look at what the server sends: how it asks for the password, before it gets one,
//! which of its processes it is, and how much it says, before that is kept.

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
pub(crate) type PlainStream = CheckedStream<Either<TcpStream, UnixStream>>;

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
            return Ok(CheckedStream::plain(socket, config, methods));
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
    Ok(CheckedStream::plain(Either::Left(stream), config, methods))
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

/// The most bytes of a row: more than the largest note has.
const ROW_BYTES: usize = 256 << 20;

/// The most bytes of everything but rows until the server is ready for another request.
const OTHER_BYTES: usize = 1 << 20;

/// A server sends more than an answer has.
#[derive(Debug, thiserror::Error)]
#[error("it sends a message that no PostgreSQL server sends")]
struct MessageTooLong;

/// A connection whose messages are looked at.
pub(crate) struct CheckedStream<S> {
    stream: S,
    methods: AuthMethods,
    /// None: nothing is checked, since TLS follows.
    messages: Option<Messages>,
    /// True if the server first answers whether it has TLS.
    is_asked_for_tls: bool,
    process: Arc<AtomicI32>,
}

/// The message under way.
#[derive(Default)]
struct Messages {
    /// Its first bytes: letter, length, and the number of those that have one.
    begin: Vec<u8>,
    /// How many more bytes it has.
    left: usize,
    /// The bytes of everything but rows since the server was ready.
    other: usize,
    is_later: bool,
    /// The process that the server names.
    process: Arc<AtomicI32>,
}

/// The letter of a message and its length; and the code of one about authentication, or a process.
const BEGIN: usize = 5;
const NUMBER: usize = 4;

impl Messages {
    fn look(&mut self, mut bytes: &[u8], methods: AuthMethods) -> io::Result<()> {
        while let Some((first, rest)) = bytes.split_first() {
            if self.left > 0 {
                bytes = &bytes[self.left.min(bytes.len())..];
                self.left = self.left.saturating_sub(rest.len() + 1);
                continue;
            }
            self.begin.push(*first);
            bytes = rest;
            let has_number = match self.begin[0] {
                b'R' => !self.is_later,
                kind => kind == b'K',
            };
            let wanted = BEGIN + if has_number { NUMBER } else { 0 };
            if self.begin.len() == wanted {
                self.begun(methods)?;
            }
        }
        Ok(())
    }

    /// Checks the begin of a message.
    fn begun(&mut self, methods: AuthMethods) -> io::Result<()> {
        let number = |bytes: &[u8]| {
            bytes
                .iter()
                .fold(0, |number, byte| number << 8 | u32::from(*byte))
        };
        let length = number(&self.begin[1..BEGIN]) as usize;
        self.left = (length + 1).saturating_sub(self.begin.len());
        let is_too_long = match self.begin[0] {
            b'D' => length > ROW_BYTES,
            _ => {
                self.other = self.other.saturating_add(length);
                self.other > OTHER_BYTES
            }
        };
        match self.begin[0] {
            _ if is_too_long => return Err(io::Error::other(MessageTooLong)),
            b'R' if !self.is_later => {
                let code = number(&self.begin[BEGIN..]);
                methods.check(code).map_err(io::Error::other)?;
            }
            b'K' => {
                let process = number(&self.begin[BEGIN..]).cast_signed();
                self.process.store(process, Ordering::SeqCst);
            }
            b'Z' => self.other = 0,
            _ => {}
        }
        self.is_later = true;
        self.begin.clear();
        Ok(())
    }
}

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

impl<S> CheckedStream<S> {
    fn plain(stream: S, config: &Config, methods: AuthMethods) -> Self {
        let mode = config.get_ssl_mode();
        let is_direct = config.get_ssl_negotiation() == SslNegotiation::Direct;
        let mut plain = Self::secured(stream, methods, Arc::default());
        if is_direct && mode != SslMode::Disable {
            plain.messages = None;
        }
        plain.is_asked_for_tls = mode != SslMode::Disable;
        plain
    }

    /// A connection inside TLS.
    fn secured(stream: S, methods: AuthMethods, process: Arc<AtomicI32>) -> Self {
        let messages = Messages {
            process: Arc::clone(&process),
            ..Messages::default()
        };
        Self {
            stream,
            methods,
            messages: Some(messages),
            is_asked_for_tls: false,
            process,
        }
    }

    fn look(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        if self.is_asked_for_tls
            && let Some((answer, rest)) = bytes.split_first()
        {
            self.is_asked_for_tls = false;
            if *answer == b'S' {
                self.messages = None;
            }
            bytes = rest;
        }
        match &mut self.messages {
            Some(messages) => messages.look(bytes, self.methods),
            None => Ok(()),
        }
    }
}

/// Makes a connection inside TLS, whose messages are looked at too.
pub(crate) struct CheckedTls<T>(pub(crate) T, pub(crate) AuthMethods);

impl<T: TlsConnect<PlainStream>> TlsConnect<PlainStream> for CheckedTls<T>
where
    T::Future: Send + 'static,
    T::Stream: Unpin,
{
    type Stream = CheckedStream<T::Stream>;
    type Error = T::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Stream, T::Error>> + Send>>;

    fn connect(self, line: PlainStream) -> Self::Future {
        let Self(tls, methods) = self;
        let process = line.process();
        let connecting = tls.connect(line);
        Box::pin(async move { Ok(CheckedStream::secured(connecting.await?, methods, process)) })
    }
}

impl<S: TlsStream + Unpin> TlsStream for CheckedStream<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.stream.channel_binding()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for CheckedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, into))?;
        Poll::Ready(self.look(&into.filled()[before..]))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for CheckedStream<S> {
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
    fn messages_are_seen_however_they_arrive() {
        let plain = |mode| {
            let mut config = Config::new();
            config.ssl_mode(mode);
            CheckedStream::plain((), &config, AuthMethods::SAFE)
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
        // A row may be long, other messages not, also many of them together.
        let ready = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
        let notice = [&b"N\0\x01\0\0"[..], &[0; 0xfffc]].concat();
        for (bytes, is_right) in [
            (b"D\x10\0\0\0".to_vec(), true),
            (b"D\x10\0\0\x01".to_vec(), false),
            (b"T\0\x10\0\x01".to_vec(), false),
            (notice.repeat(16), true),
            (notice.repeat(17), false),
            (
                [&notice.repeat(15)[..], ready, &notice.repeat(15)].concat(),
                true,
            ),
        ] {
            let sent = [&ready[..], &bytes].concat();
            for size in [1, 7, sent.len()] {
                let mut line = plain(SslMode::Disable);
                let looked = sent.chunks(size).all(|part| line.look(part).is_ok());
                assert_eq!(looked, is_right, "{:?} {size}", &bytes[..5]);
            }
        }
        // TLS, and the rest of a conversation.
        let mut secured = plain(SslMode::Require);
        assert!(secured.look(b"S").is_ok() && secured.look(clear).is_ok());
    }
}
