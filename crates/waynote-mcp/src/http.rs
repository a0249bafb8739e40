//! Requests over HTTP: the streamable HTTP transport, in its stateless form.
//!
//! Each request stands for itself, so that any of several servers over one store can answer it. That is how the protocol
//! of 2026-07-28 works; a client of an older one gets no session id, which that protocol allows. There are no streams: an
//! answer is one JSON document.

use std::convert::Infallible;
use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::host::Host;
use crate::message::{MESSAGE_BYTES, Unreadable, limit_values};
use crate::server::{Options, Server};

/// Answers a request. Who may send it, and from where, is for the program to check before: host, origin, token. So is
/// the time that the body may take. [`Options::delivery`] should be none.
pub async fn answer<B>(
    request: Request<B>,
    options: Options,
    host: Arc<dyn Host>,
) -> Response<BoxBody<Bytes, Infallible>>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Display,
{
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_keep_alive(None)
        .with_sse_retry(None)
        .disable_allowed_hosts()
        .with_max_request_body_bytes(MESSAGE_BYTES);
    let service = StreamableHttpService::new(
        move || Ok(Server::new(options.clone(), Arc::clone(&host))),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    if request.method() != Method::POST {
        return service.handle(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let body = match Limited::new(body, MESSAGE_BYTES).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, &Unreadable::too_long(), b"");
        }
        Err(_) => {
            let cut = Unreadable::new("the message did not arrive whole");
            return refused(StatusCode::BAD_REQUEST, &cut, b"");
        }
    };
    let body = waynote::json::mend(&body).into_owned();
    if let Err(unreadable) = limit_values(&body) {
        return refused(StatusCode::BAD_REQUEST, &unreadable, &body);
    }
    // rmcp wants both forms named, although its answer is always JSON here.
    let both = HeaderValue::from_static("application/json, text/event-stream");
    parts.headers.insert(header::ACCEPT, both);
    service
        .handle(Request::from_parts(parts, Full::new(Bytes::from(body))))
        .await
}

fn refused(
    status: StatusCode,
    unreadable: &Unreadable,
    message: &[u8],
) -> Response<BoxBody<Bytes, Infallible>> {
    let answer = unreadable.answer(message).to_string();
    let mut response = Response::new(Full::new(Bytes::from(answer)).boxed());
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
