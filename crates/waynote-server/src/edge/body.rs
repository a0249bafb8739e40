//! The body of a request as JSON.

use axum::Json as AxumJson;
use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::problem::{Answer, Problem};

/// The body of a request as JSON, within the time and the size that a body may have. What is wrong with it is a problem.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Answer<Self> {
        let time = app.options.limits.body_time;
        let read = AxumJson::<T>::from_request(request, app);
        match tokio::time::timeout(time, read).await {
            Ok(Ok(AxumJson(value))) => Ok(Self(value)),
            Ok(Err(rejection)) => Err(problem(&rejection)),
            Err(_) => Err(Problem::new(
                StatusCode::REQUEST_TIMEOUT,
                "body_timed_out",
                "the body of the request did not come in time",
            )
            .hint("send it again, faster")),
        }
    }
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
