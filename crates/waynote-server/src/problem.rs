//! Errors as problem details (RFC 9457).

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use waynote::wire::{self, PROBLEM};
use waynote::{Error, ErrorClass, LoopError, Note};

/// An error: `application/problem+json`.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemForm {
    /// The kind of the error, as a name: `urn:waynote:problem:not_found`. It never changes.
    #[serde(rename = "type")]
    reference: String,
    /// The kind in words.
    title: String,
    /// The HTTP status.
    status: u16,
    /// The failure and its reason, in one line.
    detail: String,
    /// Advice.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// The kind of the error: a stable word.
    kind: String,
    /// The family of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<ErrorClass>,
    /// The note as it is now, when a write expected another revision, or none over another's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<Box<Note>>,
    /// The fields of the error: a client in Rust makes the same error of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Error>)]
    fields: Option<Value>,
}

/// The reason why a request is refused or failed, as an answer.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    form: Box<ProblemForm>,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// The cause as only the log has it.
    cause: Option<Cause>,
}

/// The cause of a failed request, for the log: it may name a database and its user.
#[derive(Clone, Debug)]
pub(crate) struct Cause(pub(crate) String);

/// The result of a handler.
pub(crate) type Answer<T> = Result<T, Problem>;

impl Problem {
    pub(crate) fn new(status: StatusCode, kind: &str, detail: impl Into<String>) -> Self {
        Self {
            status,
            form: Box::new(ProblemForm {
                reference: format!("urn:waynote:problem:{kind}"),
                title: kind.replace('_', " "),
                status: status.as_u16(),
                detail: detail.into(),
                hint: None,
                kind: kind.to_owned(),
                class: None,
                current: None,
                fields: None,
            }),
            headers: Vec::new(),
            cause: None,
        }
    }

    /// The problem for an error of the store of that name. The name replaces paths of this machine.
    pub(crate) fn of_store(error: &Error, name: &str) -> Self {
        let current = error.current().cloned().map(Box::new);
        // An error of a crate above the library has no fields and no path.
        let fields = serde_json::to_value(error).ok();
        let told = fields
            .as_ref()
            .and_then(|fields| wire::error(fields, current.clone(), &format!("/s/{name}")));
        let told = told.as_ref().unwrap_or(error);
        let detail = told.to_string();
        if let Error::Custom(custom) = error
            && custom.names_server()
        {
            return Self::of_database(error, name, &detail);
        }
        let mut problem = Self::new(status(error), error.kind(), detail);
        problem.form.hint = match error {
            Error::StoreLost { .. } => Some(hint(error, name)),
            _ => told.advice().or_else(|| Some(hint(error, name))),
        };
        problem.form.class = Some(error.class());
        (problem.form.current, problem.form.fields) = (current, fields);
        problem.retry_if_unavailable()
    }

    /// The problem for an error of the database of a store. Its address and its user are for whoever runs the server.
    fn of_database(error: &Error, name: &str, cause: &str) -> Self {
        // A database that refuses this server is the server's fault.
        let (status, class) = match error.class() {
            ErrorClass::Denied if error.kind() != "read_only" => {
                (StatusCode::SERVICE_UNAVAILABLE, ErrorClass::Unreachable)
            }
            class => (status(error), class),
        };
        let kind = error.kind();
        let detail = format!(
            "the database of /s/{name} failed: {}",
            kind.replace('_', " ")
        );
        let mut problem = Self::new(status, kind, detail).hint(match status {
            StatusCode::SERVICE_UNAVAILABLE => {
                "send it again later; the log of the server says why"
            }
            _ => "the log of the server says why",
        });
        problem.form.class = Some(class);
        problem.cause = Some(Cause(format!("store {name}: {cause}")));
        problem.retry_if_unavailable()
    }

    /// Tells the client to try again after a second, if the store does not answer now.
    fn retry_if_unavailable(self) -> Self {
        match self.status {
            StatusCode::SERVICE_UNAVAILABLE => self.header(RETRY_AFTER, "1"),
            _ => self,
        }
    }

    /// Adds the advice.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.form.hint = Some(hint.into());
        self
    }

    /// True if a note was at another revision than expected.
    pub(crate) fn is_conflict(&self) -> bool {
        self.form.kind == "conflict"
    }

    /// True if a store is not there any more.
    pub(crate) fn is_of_lost_store(&self) -> bool {
        matches!(self.form.kind.as_str(), "store_lost" | "no_store")
    }

    /// The cause, in a sentence.
    pub(crate) fn detail(&self) -> &str {
        &self.form.detail
    }

    /// The advice.
    pub(crate) fn hint_text(&self) -> Option<&str> {
        self.form.hint.as_deref()
    }

    /// The same problem with another status: 412 if a header said which revision is expected.
    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self.form.status = status.as_u16();
        self
    }

    pub(crate) fn header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.push((name, HeaderValue::from_static(value)));
        self
    }

    /// No token, or one that this store does not know. The answer does not mention OAuth: clients would then ignore a
    /// token that they were given.
    pub(crate) fn unauthorized() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "this store needs a token that it knows",
        )
        .hint(
            "send `Authorization: Bearer TOKEN`; whoever runs the server makes one with \
             `waynote --store STORE token create NAME --write`",
        )
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
        .hint("whoever runs the server names its stores with `--store NAME=PATH`, or makes one in its database")
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

    /// A failure of the server itself.
    pub(crate) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "the server failed at this request",
        )
        .hint("the server's log has a line with the id of this request")
    }

    /// The problem of a status without other details.
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
                "`Content-Type` names a type that this address does not take",
            )
            .hint("send JSON with `Content-Type: application/json`"),
            StatusCode::TOO_MANY_REQUESTS => Self::too_many("there are too many requests"),
            status if status.is_server_error() => Self::internal(),
            status => {
                let reason = status.canonical_reason();
                Self::bad_request(reason.unwrap_or("the request is not valid")).with_status(status)
            }
        }
    }
}

/// The status for an error.
fn status(error: &Error) -> StatusCode {
    match error.class() {
        // The server is well, but another loop has the session.
        _ if matches!(error, Error::Loop(LoopError::LoopRunning { .. })) => StatusCode::CONFLICT,
        ErrorClass::Invalid => StatusCode::BAD_REQUEST,
        ErrorClass::NotFound => StatusCode::NOT_FOUND,
        ErrorClass::Conflict | ErrorClass::Blocked => StatusCode::CONFLICT,
        ErrorClass::Refused | ErrorClass::Limit => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorClass::Denied => StatusCode::FORBIDDEN,
        ErrorClass::Busy | ErrorClass::Unreachable => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The advice for an error that has none of its own.
fn hint(error: &Error, store: &str) -> String {
    match error.class() {
        _ if matches!(error, Error::StoreLost { .. }) => {
            "send it again: if a store has this name now, it is opened; one that the server was started with needs a new \
             start of the server; nothing was written"
                .into()
        }
        ErrorClass::NotFound => {
            format!("/s/{store}/api/v1/notes lists what there is, for this token")
        }
        ErrorClass::Conflict | ErrorClass::Blocked => "read it again, then decide".into(),
        ErrorClass::Denied => "ask whoever runs the server for a token that allows it".into(),
        ErrorClass::Busy => "send it again after a moment".into(),
        ErrorClass::Invalid | ErrorClass::Refused | ErrorClass::Limit => {
            format!("/s/{store}/api/v1/openapi.json says what each route takes")
        }
        _ => "the log of the server says more".into(),
    }
}

/// For errors that are not about one store.
impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Self::of_store(&error, "NAME")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        // The form always serializes.
        let body = serde_json::to_vec(&self.form).unwrap_or_default();
        let mut response = (self.status, [(CONTENT_TYPE, PROBLEM)], body).into_response();
        response.headers_mut().extend(self.headers);
        if let Some(cause) = self.cause {
            response.extensions_mut().insert(cause);
        }
        response
    }
}
