//! The server as a program embeds it.

mod suite {
    mod calls;
    mod embedded;
    #[cfg(feature = "http")]
    mod http;
    mod roots;
    mod written_back;
}
