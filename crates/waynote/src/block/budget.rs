//! The token budget of a block.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The token budget of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Budget {
    /// The budget in tokens of the model that reads the block; 0: no limit.
    pub tokens: usize,
    /// How many tokens of that model correspond to one token of o200k, by which blocks are counted exactly.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = f64, minimum = 0.1, maximum = 10))]
    pub factor: TokenFactor,
}

impl Budget {
    /// No limit.
    pub const NONE: Self = Self::of(0);

    /// A budget in tokens of o200k; 0: no limit.
    pub const fn of(tokens: usize) -> Self {
        Self {
            tokens,
            factor: TokenFactor::ONE,
        }
    }

    /// The same model with another number of tokens; 0: no limit.
    pub fn tokens(self, tokens: usize) -> Self {
        Self { tokens, ..self }
    }

    /// The same number of tokens of another model.
    pub fn factor(self, factor: TokenFactor) -> Self {
        Self { factor, ..self }
    }

    /// The limit in tokens of o200k; none if there is no limit.
    pub(crate) fn limit(self) -> Option<usize> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative, and rounded down"
        )]
        let limit = (self.tokens as f64 / self.factor.get()) as usize;
        (self.tokens > 0).then_some(limit)
    }

    /// The tokens of a text for the model that reads the block.
    pub fn tokens_of(self, text: &str) -> usize {
        self.charged(crate::tokens::count(text))
    }

    /// Converts a number of o200k tokens to tokens of the model.
    pub(crate) fn charged(self, counted: usize) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative"
        )]
        let charged = (counted as f64 * self.factor.get()).ceil() as usize;
        charged
    }
}

impl TryFrom<usize> for Budget {
    type Error = Error;

    /// A budget in tokens of o200k.
    fn try_from(tokens: usize) -> Result<Self> {
        match tokens {
            0 => Err(Error::Incomplete {
                needs: "a budget of at least one token".into(),
                advice: "use `Budget::NONE` for a block without a limit".into(),
            }),
            tokens => Ok(Self::of(tokens)),
        }
    }
}

impl Default for Budget {
    /// 2,000 tokens of o200k.
    fn default() -> Self {
        Self::of(2000)
    }
}

/// How many tokens of a model correspond to one token of o200k: from 0.1 to 10, a wider range than vocabularies differ
/// by.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64")]
pub struct TokenFactor(f64);

/// It is always a number.
impl Eq for TokenFactor {}

impl Default for TokenFactor {
    fn default() -> Self {
        Self::ONE
    }
}

impl TryFrom<f64> for TokenFactor {
    type Error = Error;

    fn try_from(factor: f64) -> Result<Self> {
        match (0.1..=10.0).contains(&factor) {
            true => Ok(Self(factor)),
            false => Err(Error::InvalidTokenFactor { factor }),
        }
    }
}

impl fmt::Display for TokenFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TokenFactor {
    /// The factor of a model that counts like o200k.
    pub const ONE: Self = Self(1.0);

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_lowers_the_cap_and_raises_the_figure() {
        let factor = TokenFactor::try_from(1.3).unwrap();
        let budget = Budget::of(2000).factor(factor);
        assert_eq!(budget.limit(), Some(1538));
        assert_eq!(budget.charged(1538), 2000);
        assert_eq!(budget.tokens_of("one two three four"), 6);
        assert_eq!(Budget::NONE.limit(), None);
    }

    #[test]
    fn a_factor_that_no_vocabulary_has_is_refused() {
        for factor in [0.0, -1.0, 0.09, 10.1, f64::NAN, f64::INFINITY] {
            let error = TokenFactor::try_from(factor).unwrap_err();
            assert_eq!(error.kind(), "invalid_token_factor");
        }
        assert_eq!(TokenFactor::try_from(0.1).unwrap().get(), 0.1);
    }
}
