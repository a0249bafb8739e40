//! Tests of the server over real sockets.

mod suite {
    mod edge;
    mod health;
    mod mcp;
    mod page;
    mod stop;
    mod support;
}
