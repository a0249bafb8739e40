//! The authorities that a connection to a server trusts: those of this system, and those of the setting `ca_file`.

use std::path::Path;

use waynote::visible::visible;
use waynote_remote::Authority;

use crate::error::{Failure, Outcome};

/// The largest file of certificates, in bytes: a system's whole collection has some 200 KB.
const LONGEST: u64 = 4 << 20;

/// The authorities of this system (or of the variables `SSL_CERT_FILE` and `SSL_CERT_DIR`), and those of `ca_file`.
/// None if there are neither: then the authorities built into this program are used.
pub(crate) fn authorities(ca_file: Option<&Path>) -> Outcome<Vec<Authority>> {
    let of_file = ca_file.map_or(Ok(Vec::new()), of_file)?;
    // An unreadable part is no error here: the connection fails later, and names the authority that is not known.
    let of_system = rustls_native_certs::load_native_certs().certs;
    let mut all: Vec<Authority> = of_system.iter().map(|der| Authority::of_der(der)).collect();
    all.extend(of_file);
    Ok(all)
}

/// Those of a file.
fn of_file(file: &Path) -> Outcome<Vec<Authority>> {
    let read = waynote_files::contents(file, LONGEST);
    let failed = |reason: String| {
        let file = visible(&file.display().to_string());
        let hint = "name a file with the certificate of the authority that signed the server's, in PEM (-----BEGIN CERTIFICATE-----)";
        let what = format!("the setting `ca_file` cannot be used: {file} {reason}");
        Failure::usage(what, hint)
    };
    let pem = read.map_err(|error| failed(format!("cannot be read: {error}")))?;
    match Authority::all_of_pem(&pem) {
        found if found.is_empty() => Err(failed("holds no certificate".into())),
        found => Ok(found),
    }
}
