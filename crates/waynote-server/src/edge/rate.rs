//! Rate limits: a bucket of requests for each token, which fills over time.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Instant;

use waynote::Name;

use crate::options::Limits;

/// The number of buckets that are kept before full ones are dropped.
const MOST: usize = 4096;

/// The limits of an address without a valid token: requests at once, and requests a second.
const REFUSED: (f64, f64) = (60.0, 2.0);

/// The owner of a bucket.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(String, bool);

impl Key {
    /// The key of a token of a store.
    pub(crate) fn token(store: &str, token: &Name) -> Self {
        Self(format!("{store}/{token}"), false)
    }

    /// The key of a network that sends requests without a valid token.
    pub(crate) fn refused(address: IpAddr) -> Self {
        Self(network(address).to_string(), true)
    }
}

/// The network of an address: with IPv6, one customer has at least all 2^64 addresses of a network.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

struct Bucket {
    requests: f64,
    at: Instant,
}

/// All buckets.
pub(crate) struct Buckets {
    rate: f64,
    burst: f64,
    buckets: Mutex<HashMap<Key, Bucket>>,
}

impl Buckets {
    pub(crate) fn new(limits: &Limits) -> Self {
        let rate = f64::from(limits.rate);
        Self {
            rate,
            burst: f64::from(limits.burst).max(rate).max(1.0),
            buckets: Mutex::default(),
        }
    }

    /// How many requests the bucket holds, and how many come back in a second.
    fn size(&self, key: &Key) -> (f64, f64) {
        if key.1 {
            REFUSED
        } else {
            (self.burst, self.rate)
        }
    }

    /// Takes a request out of the bucket. False if it is empty.
    pub(crate) fn take(&self, key: Key) -> bool {
        self.take_at(key, Instant::now())
    }

    fn take_at(&self, key: Key, now: Instant) -> bool {
        let (burst, rate) = self.size(&key);
        if rate == 0.0 {
            return true;
        }
        let mut buckets = self.buckets.lock();
        if buckets.len() >= MOST && !buckets.contains_key(&key) {
            // A full bucket is the same as no bucket.
            buckets.retain(|key, bucket| {
                let (burst, rate) = self.size(key);
                filled(bucket, now, burst, rate) < burst
            });
        }
        let bucket = buckets.entry(key).or_insert(Bucket {
            requests: burst,
            at: now,
        });
        bucket.requests = filled(bucket, now, burst, rate);
        bucket.at = now;
        let has_one = bucket.requests >= 1.0;
        if has_one {
            bucket.requests -= 1.0;
        }
        has_one
    }

    /// True if the bucket is empty.
    pub(crate) fn is_empty(&self, key: &Key) -> bool {
        let (burst, rate) = self.size(key);
        let buckets = self.buckets.lock();
        let bucket = buckets.get(key);
        bucket.is_some_and(|bucket| filled(bucket, Instant::now(), burst, rate) < 1.0)
    }
}

fn filled(bucket: &Bucket, now: Instant, burst: f64, rate: f64) -> f64 {
    let passed = now.saturating_duration_since(bucket.at).as_secs_f64();
    (bucket.requests + passed * rate).min(burst)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bucket_empties_and_fills_again() {
        let limits = Limits {
            rate: 2,
            burst: 3,
            ..Limits::default()
        };
        let buckets = Buckets::new(&limits);
        let start = Instant::now();
        let take = |token: &str, ms: u64| {
            let key = Key::token("s", &token.parse().unwrap());
            buckets.take_at(key, start + Duration::from_millis(ms))
        };
        assert_eq!([0; 4].map(|at| take("a", at)), [true, true, true, false]);
        assert!(take("b", 0), "another token has a bucket of its own");
        assert!(!take("a", 400), "half a second brings one");
        assert!(take("a", 500));
        assert!(!take("a", 501));
        assert_eq!([9000; 4].map(|at| take("a", at)), [true, true, true, false]);
    }
}
