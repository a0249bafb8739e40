//! Sharing a token budget: every section is sure of a share, and the others can use what it does not need.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The token budget of a block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Budget {
    /// The budget in tokens of the model that reads the block; 0: no limit.
    pub tokens: usize,
    /// How many tokens of that model correspond to one token of o200k, by which blocks are counted exactly.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
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
    pub(super) fn limit(self) -> Option<usize> {
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
    pub(super) fn charged(self, counted: usize) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative"
        )]
        let charged = (counted as f64 * self.factor.get()).ceil() as usize;
        charged
    }
}

impl From<usize> for Budget {
    /// A budget in tokens of o200k; 0: no limit.
    fn from(tokens: usize) -> Self {
        Self::of(tokens)
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
        Self::new(factor)
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

    /// # Errors
    /// [`Error::InvalidTokenFactor`] for a number outside 0.1 to 10.
    pub fn new(factor: f64) -> Result<Self> {
        match (0.1..=10.0).contains(&factor) {
            true => Ok(Self(factor)),
            false => Err(Error::InvalidTokenFactor { factor }),
        }
    }

    /// Whether it is that of a model that counts like o200k.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's form")]
    pub(super) fn is_one(&self) -> bool {
        *self == Self::ONE
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Divides a number of tokens among sections in order: each gets what it asks for, up to its share (in percent). What
/// is left goes to the sections that ask for more, in order. `asks` returns what a section asks for, and may stop
/// counting once that exceeds a given number.
pub(super) fn share_out(
    total: usize,
    percent: &[usize],
    asks: &mut dyn FnMut(usize, usize) -> usize,
) -> Vec<usize> {
    let mut given = Vec::new();
    for (index, percent) in percent.iter().enumerate() {
        let share = total * percent / 100;
        given.push(asks(index, share).min(share));
    }
    let mut left = total - given.iter().sum::<usize>();
    for (index, given) in given.iter_mut().enumerate() {
        let more = asks(index, *given + left).saturating_sub(*given).min(left);
        *given += more;
        left -= more;
    }
    given
}

/// Tokens move between sections in steps of this size, so that one more note in a section seldom changes the others.
pub(super) fn step(total: usize) -> usize {
    (total / 16).max(1)
}

/// How many of the latest notes to keep when only the first `fits` of a longer list fit.
///
/// Dropping the oldest for every new one would change the block from that place on at every write. So up to a quarter
/// of them is dropped at once: the list begins at the roundest number there is in that quarter, which stays the
/// roundest for a while as notes are added. `rank` gives a number for each place in the list that falls from note to
/// note and does not change when notes are added: a time. Lists that go by the same clock often make room together.
pub(super) fn steady(fits: usize, rank: impl Fn(usize) -> u128) -> usize {
    let least = fits - fits / 4;
    if least == fits || least == 0 {
        return fits;
    }
    let begin = roundest(rank(fits - 1), rank(least - 1));
    let kept = (0..fits).take_while(|place| rank(*place) >= begin).count();
    kept.max(least)
}

/// The number from `low` to `high` that the highest power of two divides.
fn roundest(low: u128, high: u128) -> u128 {
    if low == 0 || low >= high {
        return low;
    }
    // The highest bit in which the number before the first and the last differ.
    let bit = 127 - ((low - 1) ^ high).leading_zeros();
    (high >> bit) << bit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_shares_flow_on_in_order() {
        let shared = |total, asked: [usize; 4]| {
            share_out(total, &[30, 30, 25, 15], &mut |index, _| asked[index])
        };
        assert_eq!(shared(1000, [100, 200, 50, 50]), [100, 200, 50, 50]);
        assert_eq!(shared(1000, [900, 900, 900, 900]), [300, 300, 250, 150]);
        assert_eq!(shared(1000, [0, 900, 900, 100]), [0, 650, 250, 100]);
        assert_eq!(shared(1000, [0, 0, 0, 5000]), [0, 0, 0, 1000]);
        assert_eq!(shared(3, [9, 9, 9, 9]), [3, 0, 0, 0]);
    }

    #[test]
    fn the_roundest_number_is_the_one_with_most_zeros() {
        for low in 1..200_u128 {
            for high in low..200 {
                let best = (low..=high).max_by_key(|number| number.trailing_zeros());
                let best = best.map(u128::trailing_zeros);
                assert_eq!(
                    Some(roundest(low, high).trailing_zeros()),
                    best,
                    "{low} {high}"
                );
                assert!((low..=high).contains(&roundest(low, high)));
            }
        }
        assert_eq!(roundest(0, 9), 0);
    }

    #[test]
    fn a_full_list_makes_room_in_steps() {
        // 20 fit; the oldest shown changes seldom while 200 notes are added, and never fewer than 15 are shown.
        let mut changes = 0;
        let mut oldest = None;
        for count in 20..220_u128 {
            let kept = steady(20, |place| count - place as u128);
            assert!((15..=20).contains(&kept));
            let begins = count - kept as u128;
            changes += u32::from(oldest.replace(begins) != Some(begins));
        }
        assert!(changes <= 60, "{changes}");
        assert_eq!(steady(3, |place| 3 - place as u128), 3);
        assert_eq!(steady(0, |_| 0), 0);
    }

    #[test]
    fn a_factor_lowers_the_cap_and_raises_the_figure() {
        let factor = TokenFactor::new(1.3).unwrap();
        let budget = Budget::of(2000).factor(factor);
        assert_eq!(budget.limit(), Some(1538));
        assert_eq!(budget.charged(1538), 2000);
        assert_eq!(budget.tokens_of("one two three four"), 6);
        assert_eq!(Budget::NONE.limit(), None);
    }

    #[test]
    fn a_factor_that_no_vocabulary_has_is_refused() {
        for factor in [0.0, -1.0, 0.09, 10.1, f64::NAN, f64::INFINITY] {
            let error = TokenFactor::new(factor).unwrap_err();
            assert_eq!(error.kind(), "invalid_token_factor");
        }
        assert_eq!(TokenFactor::new(0.1).unwrap().get(), 0.1);
    }
}
