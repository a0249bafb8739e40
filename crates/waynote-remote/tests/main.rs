//! A store on a server, spoken to over a loopback port.

mod suite {
    mod away;
    mod follow;
    mod keep;
    mod same;
    mod support;
}
