//! The open connections, by address. Where there is no room for a new one, one that is idle makes room: a client that
//! only holds connections keeps nobody out.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::addresses::network;

/// The open connections.
#[derive(Clone, Default)]
pub(crate) struct Connections(Arc<Mutex<OpenConnections>>);

#[derive(Default)]
struct OpenConnections {
    by_number: BTreeMap<u64, Connection>,
    last: u64,
}

struct Connection {
    of: IpAddr,
    /// The requests that are being answered.
    running: usize,
    /// Grows with every connection and every answer: the lowest one has been idle for longest.
    idle_since: u64,
    ends: Arc<Notify>,
}

impl OpenConnections {
    fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn of(&self, address: IpAddr) -> usize {
        let all = self.by_number.values();
        all.filter(|connection| connection.of == address).count()
    }

    /// Ends the connection of an address that has been idle for longest. False if it has no idle one.
    fn end_idle(&mut self, address: IpAddr) -> bool {
        let all = self.by_number.iter();
        let idle = all.filter(|(_, of)| of.of == address && of.running == 0);
        let longest = idle.min_by_key(|(_, of)| of.idle_since);
        let longest = longest.map(|(number, _)| *number);
        let ended = longest.and_then(|number| self.by_number.remove(&number));
        ended.is_some_and(|connection| {
            connection.ends.notify_one();
            true
        })
    }

    /// The address with the most idle connections.
    fn idlest(&self) -> Option<IpAddr> {
        let mut idle: BTreeMap<IpAddr, usize> = BTreeMap::new();
        for connection in self.by_number.values().filter(|of| of.running == 0) {
            *idle.entry(connection.of).or_default() += 1;
        }
        let most = idle.into_iter().max_by_key(|(_, connections)| *connections);
        most.map(|(address, _)| address)
    }
}

impl Connections {
    /// Adds a connection, unless there is no room for it: `most` for all together, and `most_of_address` (0: no limit).
    pub(crate) fn sit(
        &self,
        address: IpAddr,
        most: usize,
        most_of_address: usize,
    ) -> Option<ConnectionGuard> {
        let of = network(address);
        let mut open = self.0.lock();
        if most_of_address > 0 && open.of(of) >= most_of_address && !open.end_idle(of) {
            return None;
        }
        if most > 0 && open.by_number.len() >= most {
            let idlest = open.idlest()?;
            open.end_idle(idlest);
        }
        let ends = Arc::new(Notify::new());
        let number = open.number();
        let connection = Connection {
            of,
            running: 0,
            idle_since: number,
            ends: Arc::clone(&ends),
        };
        open.by_number.insert(number, connection);
        Some(ConnectionGuard {
            all: self.clone(),
            number,
            ends,
        })
    }

    fn change(&self, number: u64, change: impl FnOnce(&mut Connection, u64)) {
        let mut open = self.0.lock();
        let now = open.number();
        // One that made room for another is not here any more.
        if let Some(connection) = open.by_number.get_mut(&number) {
            change(connection, now);
        }
    }
}

/// A connection that is counted, until it is dropped.
pub(crate) struct ConnectionGuard {
    all: Connections,
    number: u64,
    ends: Arc<Notify>,
}

impl ConnectionGuard {
    /// Marks the connection as busy until the returned guard is dropped.
    pub(crate) fn busy(self: &Arc<Self>) -> RequestGuard {
        self.all.change(self.number, |of, _| of.running += 1);
        RequestGuard(Arc::clone(self))
    }

    /// Returns when the connection makes room for another one.
    pub(crate) async fn ended(&self) {
        self.ends.notified().await;
    }
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.all.0.lock().by_number.remove(&self.number);
    }
}

/// A request that is being answered.
pub(crate) struct RequestGuard(Arc<ConnectionGuard>);

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.all.change(self.0.number, |of, now| {
            of.running -= 1;
            of.idle_since = now;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_connection_makes_room_and_a_busy_one_does_not() {
        let connections = Connections::default();
        let sit = |address: &str, of: usize| {
            let seat = connections.sit(address.parse().unwrap(), 3, of);
            seat.map(Arc::new)
        };
        let numbers = || -> Vec<u64> { connections.0.lock().by_number.keys().copied().collect() };
        let first = sit("10.0.0.1", 2).unwrap();
        let second = sit("10.0.0.1", 2).unwrap();
        let third = sit("::ffff:10.0.0.1", 2).unwrap();
        assert!(!numbers().contains(&first.number), "the oldest made room");
        let busy = [second.busy(), third.busy()];
        assert!(sit("10.0.0.1", 2).is_none(), "both are busy");
        let other = sit("10.0.0.2", 2).unwrap();
        let network = sit("2001:db8::1", 2).unwrap();
        assert!(!numbers().contains(&other.number), "the idle one made room");
        assert!(
            sit("2001:db8::2", 1).is_some(),
            "of one network with the last"
        );
        assert!(!numbers().contains(&network.number));
        drop(busy);
        assert!(sit("10.0.0.1", 2).is_some(), "they are idle again");
        drop((first, second, third, other, network));
        assert!(numbers().is_empty(), "nothing is kept");
    }
}
