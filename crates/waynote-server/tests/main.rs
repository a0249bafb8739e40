//! Tests of the server over real sockets.

mod suite {
    mod edge;
    mod health;
    mod stop;
    mod support;
}
