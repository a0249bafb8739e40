//! Errors as problem details (RFC 9457).

use std::borrow::Cow;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use serde_json::{Map, Value, json};
use waynote::{Error, ErrorClass};

/// The media type of problem details.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

/// Why a request is not answered as its sender wants.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    kind: Cow<'static, str>,
    pub(crate) detail: String,
    pub(crate) hint: Option<String>,
    more: Map<String, Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

/// What a handler returns.
pub(crate) type Answer<T> = Result<T, Problem>;

impl Problem {
    pub(crate) fn new(
        status: StatusCode,
        kind: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            status,
            kind: kind.into(),
            detail: detail.into(),
            hint: None,
            more: Map::new(),
            headers: Vec::new(),
        }
    }

    /// What to do about it.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    pub(crate) fn header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    /// No token, or none that this store knows. It says nothing of OAuth, which would make clients ignore a token that
    /// they were given.
    pub(crate) fn unauthorized() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "this store needs a token that it knows",
        )
        .hint("send `Authorization: Bearer TOKEN`; whoever runs the server makes one with `waynote token create NAME`")
        .header(WWW_AUTHENTICATE, "Bearer")
    }

    pub(crate) fn not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "no_such_route",
            "there is nothing at this address",
        )
        .hint("the routes of a store are listed at /s/NAME/api/v1/openapi.json")
    }

    pub(crate) fn no_such_store() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "no_such_store",
            "this server has no store of that name",
        )
        .hint("whoever runs the server names its stores with `--store NAME=PATH`")
    }

    pub(crate) fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "this address does not take that method",
        )
        .hint("the header `Allow` names those that it takes")
    }

    pub(crate) fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", detail)
            .hint("/s/NAME/api/v1/openapi.json says what each route takes")
    }

    pub(crate) fn too_many(detail: &str) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many_requests", detail)
            .hint("wait a moment and send it again")
            .header(RETRY_AFTER, "1")
    }

    pub(crate) fn timed_out() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "timed_out",
            "the server did not finish this request in time",
        )
        .hint("send it again; a write with the same `Idempotency-Key` is not carried out twice")
        .header(RETRY_AFTER, "1")
    }

    /// What must not happen.
    pub(crate) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "the server failed at this request",
        )
        .hint("the server's log has a line with the id of this request")
    }

    /// What a status says of which nothing else is known.
    pub(crate) fn of_status(status: StatusCode) -> Self {
        match status {
            StatusCode::UNAUTHORIZED => Self::unauthorized(),
            StatusCode::NOT_FOUND => Self::not_found(),
            StatusCode::METHOD_NOT_ALLOWED => Self::method_not_allowed(),
            StatusCode::PAYLOAD_TOO_LARGE => Self::new(
                status,
                "body_too_large",
                "the body of the request is larger than this server takes",
            )
            .hint("send less at once"),
            StatusCode::UNSUPPORTED_MEDIA_TYPE => Self::new(
                status,
                "unsupported_media_type",
                "the body of the request is of a type that this address does not take",
            )
            .hint("send JSON with `Content-Type: application/json`"),
            StatusCode::TOO_MANY_REQUESTS => Self::too_many("there are too many requests"),
            status if status.is_server_error() => Self::internal(),
            status => Self::new(
                status,
                "bad_request",
                status
                    .canonical_reason()
                    .unwrap_or("the request is not valid"),
            )
            .hint("/s/NAME/api/v1/openapi.json says what each route takes"),
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let status = match error.class() {
            ErrorClass::Invalid => StatusCode::BAD_REQUEST,
            ErrorClass::NotFound => StatusCode::NOT_FOUND,
            ErrorClass::Conflict | ErrorClass::Blocked => StatusCode::CONFLICT,
            ErrorClass::Refused | ErrorClass::Limit => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorClass::Denied => StatusCode::FORBIDDEN,
            ErrorClass::Busy | ErrorClass::Unreachable => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let problem = Self {
            hint: error.advice(),
            ..Self::new(status, error.kind(), error.to_string())
        };
        match status {
            StatusCode::SERVICE_UNAVAILABLE => problem.header(RETRY_AFTER, "1"),
            _ => problem,
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let title = self.status.canonical_reason().unwrap_or("Problem");
        let mut body = Map::new();
        body.insert(
            "type".into(),
            json!(format!("urn:waynote:problem:{}", self.kind)),
        );
        body.insert("title".into(), json!(title));
        body.insert("status".into(), json!(self.status.as_u16()));
        body.insert("detail".into(), json!(self.detail));
        if let Some(hint) = self.hint {
            body.insert("hint".into(), json!(hint));
        }
        body.extend(self.more);
        let mut response = Response::new(Body::from(Value::Object(body).to_string()));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        for (name, value) in self.headers {
            headers.append(name, value);
        }
        response
    }
}
