//! A store on a server, spoken to over a loopback port.

mod suite {
    mod away;
    mod keep;
    mod leases;
    mod same;
    mod support;
}
