//! The parameters of a path: a note's address, or a name.

use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use waynote::{AddressAt, Error, Name};

use crate::app::App;
use crate::problem::{Answer, Problem};

/// The note in `/notes/{address}`, percent-encoded: `place%3A~%2Fp%23key`.
pub(crate) struct AddressOf(pub(crate) AddressAt);

/// The name in `/sessions/{session}`.
pub(crate) struct NameOf(pub(crate) Name);

impl FromRequestParts<App> for AddressOf {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Answer<Self> {
        param(parts, app, &["address"]).await.map(Self)
    }
}

impl FromRequestParts<App> for NameOf {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Answer<Self> {
        param(parts, app, &["session"]).await.map(Self)
    }
}

async fn param<T: FromStr<Err = Error>>(parts: &mut Parts, app: &App, names: &[&str]) -> Answer<T> {
    let params = RawPathParams::from_request_parts(parts, app).await;
    let params = params.map_err(|_| Problem::not_found())?;
    let param = params.iter().find(|(name, _)| names.contains(name));
    let (_, text) = param.ok_or_else(Problem::not_found)?;
    Ok(text.parse::<T>()?)
}
