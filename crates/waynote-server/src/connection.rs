//! Connections: their number, and their timeouts.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

use crate::app::{App, permits};
use crate::edge::user;
use crate::visit::{Peer, waiting};

/// How long a client may take to agree on TLS.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The pause after the system has refused a connection, for example because too many files are open.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// Serves connections until the server is told to stop, then answers what has been asked.
pub(crate) async fn serve(app: &App, listener: TcpListener, router: Router) {
    let limits = &app.options.limits;
    // Where there is no room, new connections wait. Idle ones end after the time of a head.
    let room = Arc::new(Semaphore::new(permits(limits.connections)));
    let open = GracefulShutdown::new();
    loop {
        let next = async {
            let seat = room.clone().acquire_owned().await;
            (seat, listener.accept().await)
        };
        let (seat, accepted) = tokio::select! {
            next = next => next,
            () = app.stopper.stopped() => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                app.log_event("accept_failed", error.to_string());
                tokio::time::sleep(AFTER_ERROR).await;
                continue;
            }
        };
        let connection = Connection {
            app: app.clone(),
            peer,
            router: router.clone(),
            watcher: open.watcher(),
        };
        let counted = app.metrics.connections.one();
        tokio::spawn(async move {
            let _open = (seat, counted);
            connection.run(stream).await;
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(limits.stop_time, open.shutdown()).await;
}

struct Connection {
    app: App,
    peer: SocketAddr,
    router: Router,
    watcher: Watcher,
}

impl Connection {
    async fn run(self, stream: TcpStream) {
        // Answers are sent at once, without Nagle's algorithm. A stream without this option works too.
        let _ = stream.set_nodelay(true);
        if self.app.options.one_time_link && !self.is_own_users(&stream).await {
            return;
        }
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.app.options.limits.write_time));
        let stream = Box::pin(stream);
        match &self.app.certificates {
            None => self.speak(stream).await,
            Some(certificates) => {
                let time = self.app.options.limits.header_time.min(HANDSHAKE);
                let handshake = certificates.acceptor().accept(stream);
                let handshake = tokio::time::timeout(time, handshake);
                if let Ok(Ok(stream)) = handshake.await {
                    self.speak(stream).await;
                }
            }
        }
    }

    /// True if the client is a program of the user that this server is for.
    async fn is_own_users(&self, stream: &TcpStream) -> bool {
        let (peer, local) = (self.peer, stream.local_addr());
        let is_own = waiting(move || local.is_ok_and(|local| user::is_own(peer, local)));
        is_own.await.unwrap_or(false)
    }

    /// Errors here are the client's: it disconnected, was too slow, or does not speak HTTP.
    fn speak<S>(self, stream: S) -> impl Future<Output = ()> + Send
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let peer = Peer(self.peer.ip());
        let router = TowerToHyperService::new(self.router);
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(peer);
            router.call(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.app.options.limits.header_time)
            .max_buf_size(64 << 10)
            .serve_connection(TokioIo::new(stream), service);
        let connection = self.watcher.watch(connection);
        async move {
            let _ = connection.await;
        }
    }
}
