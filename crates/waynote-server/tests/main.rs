//! Tests of the server over real sockets.

mod suite {
    mod access;
    mod bodies;
    mod bounds;
    mod browser;
    mod driver;
    mod edge;
    mod feed;
    mod health;
    mod leases;
    mod link;
    mod mcp;
    mod notes;
    mod openapi;
    mod page;
    mod page_access;
    mod page_says;
    mod page_tend;
    mod seats;
    mod stop;
    mod support;
    mod tls;
}
