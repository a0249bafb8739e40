//! The query of a request.

use axum::extract::{FromRequestParts, Query as AxumQuery};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::app::App;
use crate::problem::{Answer, Problem};

/// The query of a request. A query that cannot be read is a problem.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<App> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Answer<Self> {
        let query = AxumQuery::<T>::from_request_parts(parts, app).await;
        match query {
            Ok(AxumQuery(query)) => Ok(Self(query)),
            Err(rejection) => {
                let text = waynote::error::safe(rejection.body_text());
                Err(Problem::bad_request(text))
            }
        }
    }
}
