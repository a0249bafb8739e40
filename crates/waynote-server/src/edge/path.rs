//! The parameters of a path: a note's address, or a name.

use std::str::FromStr;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use waynote::Error;

use crate::app::App;
use crate::problem::{Answer, Problem};

/// The last parameter of a path: the note in `/notes/{address}`, percent-encoded (`place%3A~%2Fp%23key`), or the name in
/// `/sessions/{session}`.
pub(crate) struct PathOf<T>(pub(crate) T);

impl<T: FromStr<Err = Error>> FromRequestParts<App> for PathOf<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Answer<Self> {
        let params = RawPathParams::from_request_parts(parts, app).await;
        let params = params.map_err(|_| Problem::not_found())?;
        let (_, text) = params.iter().last().ok_or_else(Problem::not_found)?;
        Ok(Self(text.parse()?))
    }
}
