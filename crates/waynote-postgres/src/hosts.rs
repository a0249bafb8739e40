//! The hosts of a store's URL, each with all options of its connections.

use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, LoadBalanceHosts};

use crate::dial::is_here;
use crate::options::Options;

impl Options {
    /// How many hosts the URL names.
    pub(crate) fn host_count(&self) -> usize {
        let of = &self.config;
        of.get_hosts().len().max(of.get_hostaddrs().len())
    }

    /// The hosts to be tried, in order, each as options of its own.
    pub(crate) fn hosts(&self) -> Vec<Config> {
        let of = &self.config;
        let count = self.host_count();
        let one = |index: usize| {
            let mut config = Config::new();
            if let Some(user) = of.get_user() {
                config.user(user);
            }
            if let Some(password) = &self.password {
                config.password(password);
            }
            if let Some(database) = of.get_dbname() {
                config.dbname(database);
            }
            if let Some(options) = of.get_options() {
                config.options(options);
            }
            if let Some(name) = of.get_application_name() {
                config.application_name(name);
            }
            match of.get_hosts().get(index) {
                Some(Host::Tcp(host)) => config.host(host),
                Some(Host::Unix(path)) => config.host_path(path),
                None => &mut config,
            };
            if let Some(address) = of.get_hostaddrs().get(index) {
                config.hostaddr(*address);
            }
            if let Some(port) = of.get_ports().get(index).or_else(|| of.get_ports().first()) {
                config.port(*port);
            }
            config
                .ssl_negotiation(of.get_ssl_negotiation())
                .channel_binding(of.get_channel_binding())
                .keepalives(of.get_keepalives())
                .keepalives_idle(of.get_keepalives_idle().min(Duration::from_secs(30)))
                .target_session_attrs(of.get_target_session_attrs())
                .connect_timeout(self.times.connect)
                .tcp_user_timeout(
                    of.get_tcp_user_timeout()
                        .copied()
                        .unwrap_or(Duration::from_secs(10)),
                );
            if let Some(interval) = of.get_keepalives_interval() {
                config.keepalives_interval(interval);
            }
            if let Some(retries) = of.get_keepalives_retries() {
                config.keepalives_retries(retries);
            }
            config.ssl_mode(self.trust.mode(is_here(&config)));
            config
        };
        let mut hosts: Vec<Config> = (0..count).map(one).collect();
        if of.get_load_balance_hosts() == LoadBalanceHosts::Random && count > 1 {
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
        let mode = |url: &str| Options::of_url(url).unwrap().hosts()[0].get_ssl_mode();
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
            assert_eq!(host.get_channel_binding(), ChannelBinding::Require);
            assert_eq!(host.get_keepalives_interval(), Some(Duration::from_secs(3)));
            assert_eq!(host.get_keepalives_retries(), Some(4));
        }
        let first = || {
            let url = "postgres://me@a,b,c,d/notes?load_balance_hosts=random";
            Options::of_url(url).unwrap().hosts()[0]
                .get_hosts()
                .to_vec()
        };
        let different = (0..200).map(|_| format!("{:?}", first()));
        assert_eq!(
            different.collect::<std::collections::BTreeSet<_>>().len(),
            4
        );
    }
}
