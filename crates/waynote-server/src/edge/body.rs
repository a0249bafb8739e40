//! The body of a request.

use axum::Json as AxumJson;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, JsonRejection};
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::problem::{Answer, Problem};

/// The whole body of a request, within the size and the time that a body may have.
pub(crate) async fn whole(request: Request, app: &App) -> Answer<Bytes> {
    let read = Bytes::from_request(request, app);
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

/// The body of a request as JSON. What is wrong with it is a problem.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Answer<Self> {
        if !is_json(&request) {
            return Err(Problem::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        let bytes = whole(request, app).await?;
        match AxumJson::from_bytes(&bytes) {
            Ok(AxumJson(value)) => Ok(Self(value)),
            Err(rejection) => Err(problem(&rejection)),
        }
    }
}

/// Whether a request says that its body is JSON.
fn is_json(request: &Request) -> bool {
    let content_type = request.headers().get(CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    content_type.is_some_and(|of| {
        let of = of.split(';').next().unwrap_or_default().trim();
        of.eq_ignore_ascii_case("application/json")
    })
}

fn problem(rejection: &JsonRejection) -> Problem {
    match rejection {
        JsonRejection::JsonSyntaxError(error) => Problem::bad_request(in_short(&error.body_text())),
        // It may show a value of the body: a text may hold a credential.
        JsonRejection::JsonDataError(error) => Problem::bad_request(in_short(&error.body_text())),
        rejection => Problem::of_status(rejection.status()),
    }
}

/// What is wrong with JSON, without credentials.
fn in_short(text: &str) -> String {
    waynote::error::safe(text)
}
