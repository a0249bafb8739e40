//! The hosts of a store's URL, each with all options of its connections.

use std::net::IpAddr;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, LoadBalanceHosts};

use crate::options::Options;

/// The port of a server that names none.
const PORT: u16 = 5432;

/// A host of a store's URL.
pub(crate) struct Target {
    pub(crate) host: Option<Host>,
    pub(crate) address: Option<IpAddr>,
    pub(crate) port: u16,
    /// The options of its connections; the hosts in it are those of the whole URL.
    pub(crate) config: Config,
}

impl Target {
    /// True if the host is on this machine, so that nobody can listen in between.
    pub(crate) fn is_here(&self) -> bool {
        match (self.address, &self.host) {
            (Some(address), _) => address.is_loopback(),
            (None, Some(Host::Tcp(host))) => {
                let address = host.parse::<IpAddr>();
                host == "localhost" || address.is_ok_and(|address| address.is_loopback())
            }
            (None, _) => true,
        }
    }
}

impl Options {
    /// How many hosts the URL names.
    pub(crate) fn host_count(&self) -> usize {
        let of = &self.config;
        of.get_hosts().len().max(of.get_hostaddrs().len())
    }

    /// The hosts in the order of the URL.
    pub(crate) fn targets(&self) -> impl Iterator<Item = Target> {
        let of = &self.config;
        let one = move |index: usize| {
            let port = of.get_ports().get(index).or(of.get_ports().first());
            let mut target = Target {
                host: of.get_hosts().get(index).cloned(),
                address: of.get_hostaddrs().get(index).copied(),
                port: port.copied().unwrap_or(PORT),
                config: of.clone(),
            };
            let mode = self.trust.mode(target.is_here());
            let alive = of.get_keepalives_idle().min(Duration::from_secs(30));
            let timeout = of.get_tcp_user_timeout().copied();
            target
                .config
                .ssl_mode(mode)
                .keepalives_idle(alive)
                .tcp_user_timeout(timeout.unwrap_or(Duration::from_secs(10)));
            target
        };
        (0..self.host_count()).map(one)
    }

    /// The hosts in the order in which they are tried.
    pub(crate) fn hosts(&self) -> Vec<Target> {
        let mut hosts: Vec<Target> = self.targets().collect();
        let count = hosts.len();
        if self.config.get_load_balance_hosts() == LoadBalanceHosts::Random && count > 1 {
            let mut random = [0; 8];
            // Without randomness they are tried in their order.
            let _ = getrandom::fill(&mut random);
            hosts.rotate_left((u64::from_be_bytes(random) % count as u64) as usize);
        }
        hosts
    }
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::{ChannelBinding, SslMode};

    use super::*;

    #[test]
    fn off_this_machine_there_is_tls() {
        let mode = |url: &str| {
            Options::of_url(url).unwrap().hosts()[0]
                .config
                .get_ssl_mode()
        };
        for (url, expected) in [
            ("postgres://me@db/notes", SslMode::Require),
            (
                "postgres://me@localhost/notes?hostaddr=10.0.0.1",
                SslMode::Require,
            ),
            ("postgres://me@db/notes?sslmode=prefer", SslMode::Prefer),
            ("postgres://me@db/notes?sslmode=disable", SslMode::Disable),
            ("postgres://me@localhost/notes", SslMode::Prefer),
            ("postgres://me@127.0.0.2/notes", SslMode::Prefer),
            ("postgres://me@%2Fvar%2Frun/notes", SslMode::Prefer),
            (
                "postgres://me@localhost/notes?sslrootcert=a.pem",
                SslMode::Require,
            ),
        ] {
            assert_eq!(mode(url), expected, "{url}");
        }
    }

    #[test]
    fn every_option_of_a_connection_gets_to_its_hosts() {
        let url = "postgres://me@a,b/notes?channel_binding=require&keepalives_interval=3&keepalives_retries=4";
        for host in Options::of_url(url).unwrap().hosts() {
            assert_eq!(host.config.get_channel_binding(), ChannelBinding::Require);
            assert_eq!(
                host.config.get_keepalives_interval(),
                Some(Duration::from_secs(3))
            );
            assert_eq!(host.config.get_keepalives_retries(), Some(4));
        }
        let first = || {
            let url = "postgres://me@a,b,c,d/notes?load_balance_hosts=random";
            Options::of_url(url).unwrap().hosts()[0].host.clone()
        };
        let different = (0..200).map(|_| format!("{:?}", first()));
        assert_eq!(
            different.collect::<std::collections::BTreeSet<_>>().len(),
            4
        );
    }
}
