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
    mod page_says;
    mod page_sign_in;
    mod page_worth;
    mod stop;
    mod support;
    mod tls;
}
