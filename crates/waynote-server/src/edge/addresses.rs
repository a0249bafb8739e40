//! The number of connections of each address.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use parking_lot::Mutex;

/// The number of connections of each address.
#[derive(Clone, Default)]
pub(crate) struct Addresses {
    connections: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Addresses {
    /// Counts one more connection, unless the address has reached its limit (0: no limit).
    pub(crate) fn sit(&self, address: IpAddr, most: usize) -> Option<Seat> {
        let of = network(address);
        let mut connections = self.connections.lock();
        let count = connections.entry(of).or_default();
        if most > 0 && *count >= most {
            return None;
        }
        *count += 1;
        Some(Seat {
            addresses: self.clone(),
            of,
        })
    }
}

/// A connection that is counted, until it is dropped.
pub(crate) struct Seat {
    addresses: Addresses,
    of: IpAddr,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut connections = self.addresses.connections.lock();
        if let Some(count) = connections.get_mut(&self.of) {
            *count -= 1;
            if *count == 0 {
                connections.remove(&self.of);
            }
        }
    }
}

/// The network of an address: with IPv6, one customer has at least all 2^64 addresses of a network.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_so_many_seats_and_no_more() {
        let addresses = Addresses::default();
        let sit = |address: &str| addresses.sit(address.parse().unwrap(), 2);
        let first = sit("10.0.0.1");
        let second = sit("10.0.0.1");
        assert!(first.is_some() && second.is_some());
        assert!(sit("10.0.0.1").is_none(), "the third");
        assert!(
            sit("::ffff:10.0.0.1").is_none(),
            "the same, written as IPv6"
        );
        assert!(sit("10.0.0.2").is_some(), "another address");
        drop(first);
        assert!(sit("10.0.0.1").is_some(), "a seat is free again");
        let network = [sit("2001:db8::1"), sit("2001:db8::2")];
        assert!(
            sit("2001:db8::3").is_none(),
            "one network counts as one address"
        );
        drop((second, network));
        assert!(addresses.connections.lock().is_empty(), "nothing is kept");
    }
}
