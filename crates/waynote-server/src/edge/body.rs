//! The body of a request.

use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use http_body_util::Limited;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

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

impl<T: DeserializeOwned + Serialize> FromRequest<App> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Answer<Self> {
        if !is_json(&request) {
            return Err(Problem::of_status(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        let bytes = whole(request, app).await?;
        let mut json = serde_json::Deserializer::from_slice(&bytes);
        let read = serde_path_to_error::deserialize(&mut json);
        let value: T = read.map_err(|error| cannot_read(&error))?;
        json.end().map_err(|error| cannot_read(&error))?;
        refuse_lists(&bytes, &value)?;
        Ok(Self(value))
    }
}

/// Refuses a body with the list of a structure's fields in their order. A reader that serde derives takes one, but no
/// document says so, and the next field would break it.
fn refuse_lists(body: &[u8], value: &impl Serialize) -> Answer<()> {
    if !body.contains(&b'[') {
        return Ok(());
    }
    let written = serde_json::to_value(value).unwrap_or_default();
    let given = serde_json::from_slice(body).unwrap_or_default();
    match is_list_for_object(&given, &written) {
        true => Err(cannot_read(
            &"a list is given for an object with named fields",
        )),
        false => Ok(()),
    }
}

/// True if a list is given somewhere for what is written as an object.
fn is_list_for_object(given: &Value, written: &Value) -> bool {
    match (given, written) {
        (Value::Array(_), Value::Object(_)) => true,
        (Value::Array(given), Value::Array(written)) => {
            let mut pairs = given.iter().zip(written);
            pairs.any(|(given, written)| is_list_for_object(given, written))
        }
        (Value::Object(given), Value::Object(written)) => given.iter().any(|(name, given)| {
            let written = written.get(name);
            written.is_some_and(|written| is_list_for_object(given, written))
        }),
        _ => false,
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

#[cfg(test)]
mod tests {
    use waynote::store::Ask;
    use waynote::wire::ApplyRequest;

    use super::*;

    #[test]
    fn a_list_is_no_structure_at_any_depth() {
        let read = |json: &str| {
            let value: Ask = serde_json::from_str(json).unwrap();
            refuse_lists(json.as_bytes(), &value).is_ok()
        };
        for json in [
            "[]",
            r#"{"journal":[[null,null]]}"#,
            r#"{"pages":[{"of":{"keyed":["agent:a",true]}}]}"#,
        ] {
            assert!(!read(json), "{json}");
        }
        // A text of bytes is a list.
        let json = r#"{"changes":[{"save":{"address":"agent:a#k","content":[255,1]}}],
            "stamp":{"now":"2026-05-17T12:00:00Z","author":"person"}}"#;
        let value: ApplyRequest = serde_json::from_str(json).unwrap();
        assert!(refuse_lists(json.as_bytes(), &value).is_ok());
    }
}
