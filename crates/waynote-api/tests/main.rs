//! The JSON forms of the HTTP API.

mod suite {
    mod given;
    mod problems;
    #[cfg(feature = "openapi")]
    mod schemas;
    mod values;
}
