//! Puts the functions that servers and hooks run side by side in what is shipped: `cargo xtask order` writes which.
//!
//! The kernel maps sixteen pages around each that is touched: spread over the whole program, the functions that one
//! command runs take up most of it.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=used.ld");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|is| is == value);
    let is_shipped = is("PROFILE", "release")
        && is("CARGO_CFG_TARGET_OS", "linux")
        && is("CARGO_CFG_TARGET_ENV", "gnu")
        && is("CARGO_CFG_TARGET_ARCH", "x86_64");
    // Not every linker that somebody may have chosen reads such scripts; the two that Rust chooses do.
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let is_chosen = env::var_os("RUSTC_LINKER").is_some() || flags.contains("link");
    if is_shipped && !is_chosen {
        let folder = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
        println!("cargo::rustc-link-arg-bins=-T");
        println!("cargo::rustc-link-arg-bins={folder}/used.ld");
    }
}
