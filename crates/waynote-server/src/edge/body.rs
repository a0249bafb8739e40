//! The body of a request.

use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use http_body_util::Limited;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::problem::{Answer, Problem};

/// The whole body of a request, within the size and the time that a body may have.
pub(crate) async fn whole(request: Request, app: &App) -> Answer<Bytes> {
    within(Bytes::from_request(request, app), app).await
}

/// The same for a body of so many bytes at the most.
pub(crate) async fn whole_within(request: Request, app: &App, bytes: usize) -> Answer<Bytes> {
    let request = request.map(|body| Body::new(Limited::new(body, bytes)));
    within(Bytes::from_request(request, app), app).await
}

/// A body that comes within the time that a body may have.
async fn within(
    read: impl Future<Output = Result<Bytes, BytesRejection>>,
    app: &App,
) -> Answer<Bytes> {
    match tokio::time::timeout(app.options.limits.body_time, read).await {
        Ok(read) => {
            read.map_err(|rejection: BytesRejection| Problem::of_status(rejection.status()))
        }
        Err(_) => Err(Problem::new(
            StatusCode::REQUEST_TIMEOUT,
            "body_timed_out",
            "the body of the request did not come in time",
        )
        .hint("send it again, faster")),
    }
}

/// The body of a request as JSON. A body that cannot be read is a problem.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Answer<Self> {
        if !is_json(&request) {
            return Err(Problem::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        let bytes = whole(request, app).await?;
        // A reader that serde derives takes the fields in their order. No document says so, and a new field breaks it.
        if bytes.trim_ascii_start().starts_with(b"[") {
            return Err(cannot_read(&"a list is given for an object"));
        }
        let mut json = serde_json::Deserializer::from_slice(&bytes);
        let read = serde_path_to_error::deserialize(&mut json);
        let value = read.map_err(|error| cannot_read(&error))?;
        json.end().map_err(|error| cannot_read(&error))?;
        Ok(Self(value))
    }
}

/// True if a request says that its body is JSON.
fn is_json(request: &Request) -> bool {
    let content_type = request.headers().get(CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    content_type.is_some_and(|of| {
        let of = of.split(';').next().unwrap_or_default().trim();
        of.eq_ignore_ascii_case("application/json")
    })
}

/// The problem with a JSON body, without credentials: the error may quote a value of the body, which may hold one.
fn cannot_read(error: &dyn std::fmt::Display) -> Problem {
    let error = waynote::error::safe(error.to_string());
    Problem::bad_request(format!("the body cannot be read: {error}"))
}
