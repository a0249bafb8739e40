//! How long an agent that failed is left alone before it is tried again.

use std::time::Duration;

/// However often it fails, it waits no longer.
const MAX_WAIT: Duration = Duration::from_secs(300);

/// A wait that doubles, up to five minutes.
#[derive(Clone, Copy, Debug)]
pub struct Backoff {
    first: Duration,
    retries: u32,
}

impl Backoff {
    /// The first wait, and how often an agent that failed is tried again.
    pub fn new(first: Duration, retries: u32) -> Self {
        Self { first, retries }
    }

    /// How often an agent is started at most.
    pub fn attempts(&self) -> u32 {
        self.retries.saturating_add(1)
    }

    /// The wait after so many attempts that failed; none: it is given up.
    pub fn after(&self, attempts: u32) -> Option<Duration> {
        let retry = attempts
            .checked_sub(1)
            .filter(|retry| *retry < self.retries)?;
        let factor = 2_u32.checked_pow(retry).unwrap_or(u32::MAX);
        Some(self.first.saturating_mul(factor).min(MAX_WAIT))
    }
}

impl Default for Backoff {
    /// Eight retries, the first after 5 s: that outlasts an outage of a quarter of an hour.
    fn default() -> Self {
        Self::new(Duration::from_secs(5), 8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_doubles_to_its_most_and_ends() {
        let seconds =
            |backoff: Backoff, attempts| backoff.after(attempts).map(|wait| wait.as_secs());
        let few = Backoff::new(Duration::from_secs(2), 3);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|attempts| seconds(few, attempts)),
            [None, Some(2), Some(4), Some(8), None]
        );
        let usual = Backoff::default();
        let waits: Vec<u64> = (1..=9)
            .map_while(|attempts| seconds(usual, attempts))
            .collect();
        assert_eq!(waits, [5, 10, 20, 40, 80, 160, 300, 300]);
        let many = Backoff::new(Duration::from_secs(2), 1_000);
        assert_eq!(
            [8, 9, 100].map(|attempts| seconds(many, attempts)),
            [Some(256), Some(300), Some(300)]
        );
        assert_eq!(Backoff::new(Duration::ZERO, 0).after(1), None);
    }
}
