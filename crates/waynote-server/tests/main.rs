//! Tests of the server over real sockets.

mod suite {
    mod edge;
    mod health;
    mod mcp;
    mod stop;
    mod support;
}
