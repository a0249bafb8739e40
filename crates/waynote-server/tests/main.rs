//! Tests of the server over real sockets.

mod suite {
    mod access;
    mod browser;
    mod driver;
    mod edge;
    mod feed;
    mod health;
    mod link;
    mod mcp;
    mod notes;
    mod openapi;
    mod page;
    mod stop;
    mod support;
    mod tls;
}
