//! Requests over HTTP: the streamable HTTP transport, in its stateless form.
//!
//! Each request stands for itself, so that any of several servers over one store can answer it. That is how the protocol
//! of 2026-07-28 works; a client of an older one gets no session id, which that protocol allows. There are no streams: an
//! answer is one JSON document.

use std::convert::Infallible;
use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header};
use http_body::Body;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::host::Host;
use crate::scan::{MESSAGE_VALUES, Scan};
use crate::server::{Options, Server};
use crate::stdio::{INVALID_REQUEST, MESSAGE_BYTES, TOO_LONG, error_message};

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
    let (parts, body) = request.into_parts();
    let body = match Limited::new(body, MESSAGE_BYTES).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            return refused(StatusCode::PAYLOAD_TOO_LARGE, TOO_LONG, None);
        }
        Err(_) => {
            return refused(
                StatusCode::BAD_REQUEST,
                "the message did not arrive whole",
                None,
            );
        }
    };
    let mut scan = Scan::default();
    scan.feed(&body);
    if scan.values() > MESSAGE_VALUES {
        let message = format!("the message has more than {MESSAGE_VALUES} values");
        return refused(StatusCode::BAD_REQUEST, &message, scan.id().as_ref());
    }
    service
        .handle(Request::from_parts(parts, Full::new(body)))
        .await
}

fn refused(
    status: StatusCode,
    message: &str,
    id: Option<&serde_json::Value>,
) -> Response<BoxBody<Bytes, Infallible>> {
    let error = error_message(INVALID_REQUEST, message, id);
    let mut response = Response::new(Full::new(Bytes::from(error.to_string())).boxed());
    *response.status_mut() = status;
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
