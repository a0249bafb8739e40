//! The server as a program embeds it.

mod suite {
    mod calls;
    mod embedded;
}
