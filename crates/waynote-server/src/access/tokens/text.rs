//! The text of a token: `wn_` and 48 characters, of which the last 6 are a checksum. So a token that was cut or mistyped
//! is recognized without looking it up, and programs that search for credentials find tokens and little else.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as URL_SAFE;
use sha2::{Digest, Sha256};

/// The prefix of every token.
const PREFIX: &str = "wn_";

/// How many characters of it are its id: nine bytes of the 32.
const ID: usize = 12;

/// A token. Its debug form shows its id only.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    text: String,
    random: [u8; 32],
}

impl Token {
    /// The token of these bytes.
    pub(super) fn of(random: [u8; 32]) -> Self {
        let mut bytes = random.to_vec();
        bytes.extend(checksum(&random));
        Self {
            text: format!("{PREFIX}{}", URL_SAFE.encode(bytes)),
            random,
        }
    }

    /// The token with this text, unless it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE.decode(text.trim().strip_prefix(PREFIX)?).ok()?;
        let (random, sum) = bytes.split_at_checked(32)?;
        let random: [u8; 32] = random.try_into().ok()?;
        (sum == checksum(&random)).then(|| Self::of(random))
    }

    /// The whole text, to be shown once or sent as a credential.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// The part that is no secret: 12 characters.
    pub fn id(&self) -> &str {
        let from = PREFIX.len();
        self.text.get(from..from + ID).unwrap_or_default()
    }

    /// The hash of the random part, which is stored instead of it.
    pub(super) fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.random).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token({PREFIX}{}…)", self.id())
    }
}

fn checksum(random: &[u8; 32]) -> [u8; 4] {
    crc32fast::hash(random).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_and_nothing_else_is_a_token() {
        let token = Token::of(*b"0123456789abcdefghijklmnopqrstuv");
        let text = token.expose().to_owned();
        assert_eq!(text.len(), PREFIX.len() + 48);
        assert_eq!(Token::parse(&text), Some(token.clone()));
        assert_eq!(Token::parse(&format!(" {text}\n")), Some(token.clone()));
        assert_eq!(format!("{token:?}"), format!("Token(wn_{}…)", &text[3..15]));
        for at in 0..text.len() {
            let mut other = text.clone().into_bytes();
            other[at] = if other[at] == b'x' { b'y' } else { b'x' };
            let other = String::from_utf8(other).unwrap();
            assert_eq!(Token::parse(&other), None, "{at}");
            assert_eq!(Token::parse(&text[..at]), None, "{at}");
        }
        assert_eq!(Token::parse(&format!("{text}A")), None);
        assert_eq!(Token::parse(""), None);
    }

    #[test]
    fn a_token_is_found_as_a_credential() {
        for number in 0..64_u8 {
            let random = Sha256::digest([number]).into();
            let token = Token::of(random);
            let line = format!("WAYNOTE_TOKEN={}", token.expose());
            let found = waynote::secrets::scan(&line);
            assert_eq!(found.len(), 1, "{line}");
            assert_eq!(found[0].rule, "waynote-token");
        }
    }
}
