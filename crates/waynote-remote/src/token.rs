//! The token of a store: it is never shown.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

/// The source of a token.
enum Source {
    Nowhere,
    Given(String),
    /// Asked for when it is needed, and again when the server no longer takes the last one.
    Made(Box<dyn Fn() -> Result<String, String> + Send + Sync>),
}

/// The token of a store. `Debug` does not show it.
#[derive(Clone)]
pub struct Token {
    source: Arc<Source>,
    /// The name of the token's holder, for errors.
    name: Arc<str>,
    kept: Arc<Mutex<Option<String>>>,
}

impl Default for Token {
    fn default() -> Self {
        Self::of(Source::Nowhere)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// A token.
    pub fn new(token: impl Into<String>) -> Self {
        Self::of(Source::Given(token.into()))
    }

    /// A token from a function, called at the first request, and again when the server no longer accepts the last one.
    /// Its error must not hold a credential.
    pub fn from_fn(make: impl Fn() -> Result<String, String> + Send + Sync + 'static) -> Self {
        Self::of(Source::Made(Box::new(make)))
    }

    fn of(source: Source) -> Self {
        Self {
            source: Arc::new(source),
            name: "it".into(),
            kept: Arc::default(),
        }
    }

    /// Names the token's holder, such as a file or a variable, for the error about a token that cannot be sent.
    pub fn held_by(self, name: &str) -> Self {
        Self {
            name: name.into(),
            ..self
        }
    }

    /// The token, if there is one.
    pub(crate) fn get(&self) -> Result<Option<String>, String> {
        let make = match &*self.source {
            Source::Nowhere => return Ok(None),
            Source::Given(token) => return self.checked(token).map(Some),
            Source::Made(make) => make,
        };
        let mut kept = self.kept.lock();
        if kept.is_none() {
            *kept = Some(self.checked(&make()?)?);
        }
        Ok(kept.clone())
    }

    /// A token that can stand in a header.
    fn checked(&self, token: &str) -> Result<String, String> {
        let token = token.trim();
        if token.is_empty() {
            return Err(format!("{} is empty", self.name));
        }
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!(
                "{} must hold the token alone (`wn_…`), without `Bearer` or other words",
                self.name
            ));
        }
        Ok(token.to_owned())
    }

    /// Lets the next request ask for the token again; returns whether that can give another one.
    pub(crate) fn renew(&self) -> bool {
        let mut kept = self.kept.lock();
        matches!(&*self.source, Source::Made(_)) && kept.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_not_shown() {
        let token = Token::new(" secret\n");
        assert_eq!(token.get(), Ok(Some("secret".into())));
        assert_eq!(format!("{token:?}"), "Token");
        assert_eq!(
            Token::new("Bearer wn_secret").held_by("TOKEN").get(),
            Err("TOKEN must hold the token alone (`wn_…`), without `Bearer` or other words".into())
        );
        assert!(Token::new("").get().is_err());
        assert_eq!(Token::default().get(), Ok(None));
    }

    #[test]
    fn a_token_is_asked_for_again_when_it_is_no_longer_taken() {
        let asked = Arc::new(Mutex::new(0));
        let count = Arc::clone(&asked);
        let token = Token::from_fn(move || {
            let mut asked = count.lock();
            *asked += 1;
            Ok(format!("token-{asked}"))
        });
        assert!(!token.renew());
        assert_eq!(token.get(), Ok(Some("token-1".into())));
        assert_eq!(token.get(), Ok(Some("token-1".into())));
        assert!(token.renew());
        assert_eq!(token.get(), Ok(Some("token-2".into())));
        assert_eq!(*asked.lock(), 2);
    }
}
