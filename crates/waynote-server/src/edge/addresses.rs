//! The network of an address.

use std::net::{IpAddr, Ipv6Addr};

/// The network of an address: with IPv6, one customer has at least all 2^64 addresses of a network.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX))),
        v4 => v4,
    }
}
