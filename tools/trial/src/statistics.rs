//! Rates with their intervals, and what a difference shows.

use serde::Serialize;

/// The quantile of the normal distribution for 95 %.
const Z: f64 = 1.959_963_985;

/// Differences within this much are of no interest.
const EQUAL: f64 = 0.10;

/// A value with its interval of 95 %.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// So many of so many.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Count {
    pub(crate) hits: usize,
    pub(crate) of: usize,
}

impl Count {
    /// Counts what holds.
    pub(crate) fn of(all: impl Iterator<Item = bool>) -> Self {
        all.fold(Self::default(), |count, hit| Self {
            hits: count.hits + usize::from(hit),
            of: count.of + 1,
        })
    }

    /// The rate with Wilson's interval; of nothing, all is possible.
    pub(crate) fn rate(self) -> Estimate {
        if self.of == 0 {
            let (value, low, high) = (f64::NAN, 0.0, 1.0);
            return Estimate { value, low, high };
        }
        let (n, value) = (self.of as f64, self.hits as f64 / self.of as f64);
        let scale = 1.0 + Z * Z / n;
        let middle = (value + Z * Z / (2.0 * n)) / scale;
        let half = Z / scale * (value * (1.0 - value) / n + Z * Z / (4.0 * n * n)).sqrt();
        Estimate {
            value,
            low: (middle - half).clamp(0.0, value),
            high: (middle + half).clamp(value, 1.0),
        }
    }

    /// The difference of two rates, with Newcombe's interval of Wilson's.
    pub(crate) fn minus(self, other: Self) -> Estimate {
        let (one, two) = (self.rate(), other.rate());
        if self.of == 0 || other.of == 0 {
            let (value, low, high) = (f64::NAN, -1.0, 1.0);
            return Estimate { value, low, high };
        }
        let value = one.value - two.value;
        Estimate {
            value,
            low: value - (one.value - one.low).hypot(two.high - two.value),
            high: value + (one.high - one.value).hypot(two.value - two.low),
        }
    }
}

/// What a difference to the placebo shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Verdict {
    Fewer,
    More,
    Equal,
    Insufficient,
}

impl Verdict {
    pub(crate) fn of(difference: Estimate) -> Self {
        match difference {
            Estimate { high, .. } if high < 0.0 => Self::Fewer,
            Estimate { low, .. } if low > 0.0 => Self::More,
            Estimate { low, high, .. } if low > -EQUAL && high < EQUAL => Self::Equal,
            _ => Self::Insufficient,
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Fewer => "fewer",
            Self::More => "MORE",
            Self::Equal => "equal",
            Self::Insufficient => "INSUFFICIENT",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_about(estimate: Estimate, low: f64, high: f64) -> bool {
        (estimate.low - low).abs() < 5e-5 && (estimate.high - high).abs() < 5e-5
    }

    /// The examples of Newcombe, Statistics in Medicine 17 (1998): single proportions, and differences by method 10.
    #[test]
    fn intervals_are_those_of_the_literature() {
        for (hits, of, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
            (29, 29, 0.8830, 1.0),
            (0, 0, 0.0, 1.0),
        ] {
            let rate = Count { hits, of }.rate();
            assert!(is_about(rate, low, high), "{hits} of {of}: {rate:?}");
        }
        for ((hits, of), (others, of_others), low, high) in [
            ((56, 70), (48, 80), 0.0524, 0.3339),
            ((9, 10), (3, 10), 0.1705, 0.8090),
            ((5, 56), (0, 29), -0.0381, 0.1926),
            ((0, 10), (0, 10), -0.2775, 0.2775),
            ((10, 10), (0, 10), 0.6075, 1.0),
        ] {
            let (one, two) = (
                Count { hits, of },
                Count {
                    hits: others,
                    of: of_others,
                },
            );
            let difference = one.minus(two);
            assert!(
                is_about(difference, low, high),
                "{hits} of {of}: {difference:?}"
            );
        }
    }

    #[test]
    fn a_wide_interval_is_insufficient() {
        let verdict = |hits, others, of| {
            let (one, two) = (Count { hits, of }, Count { hits: others, of });
            Verdict::of(one.minus(two))
        };
        assert_eq!(verdict(1, 8, 10), Verdict::Fewer);
        assert_eq!(verdict(8, 1, 10), Verdict::More);
        assert_eq!(verdict(2, 4, 10), Verdict::Insufficient);
        assert_eq!(verdict(0, 0, 10), Verdict::Insufficient);
        assert_eq!(verdict(5, 5, 1000), Verdict::Equal);
        assert_eq!(verdict(0, 0, 0), Verdict::Insufficient);
    }
}
