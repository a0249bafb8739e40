//! The address of a store on a server.

use std::fmt;
use std::net::IpAddr;

use ureq::http::Uri;
use waynote::Result;

use crate::error::RemoteError;

/// The address of a store on a server: `https://HOST[:PORT]/s/NAME`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Url(String);

impl Url {
    /// True if a text is meant as an address on a server, rather than as a file.
    pub fn is_meant(text: &str) -> bool {
        let scheme = text.split_once("://").map(|(scheme, _)| scheme);
        scheme.is_some_and(|scheme| {
            scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
        })
    }

    /// Reads an address. Without TLS only this machine is allowed: the token and the notes would be read on the way.
    ///
    /// # Errors
    /// [`RemoteError::BadUrl`].
    pub fn read(text: &str) -> Result<Self> {
        let text = text.trim();
        let uri: Option<Uri> = text.parse().ok();
        // Whoever writes a password into an address must not read it in a message.
        let named = match text.rsplit_once('@') {
            Some((_, host)) => format!("https://…@{host}"),
            None => text.to_owned(),
        };
        let bad = |reason| RemoteError::BadUrl {
            url: named.clone(),
            reason,
        };
        let uri = uri.ok_or_else(|| bad("it cannot be read"))?;
        let (Some(scheme), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err(bad("it names no host").into());
        };
        if text.contains('@') {
            return Err(bad("a token is handed over in another way than in an address").into());
        }
        if uri.query().is_some() || text.contains('#') {
            return Err(bad("it ends with the name of the store").into());
        }
        match scheme {
            "https" => {}
            "http" if is_loopback(host) => {}
            "http" => return Err(bad("http:// is not encrypted: use https://").into()),
            _ => return Err(bad("it begins with https://").into()),
        }
        let path = uri.path().trim_end_matches('/');
        let name = path.strip_prefix("/s/").unwrap_or_default();
        if name.is_empty() || name.contains('/') {
            return Err(bad("its path is /s/NAME").into());
        }
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        let authority = authority.to_ascii_lowercase();
        Ok(Self(format!("{scheme}://{authority}{path}")))
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address of a route of the API.
    pub(crate) fn route(&self, route: &str) -> String {
        format!("{}{}/{route}", self.0, waynote::wire::API)
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_stores() {
        let read = |text: &str| Url::read(text);
        for (text, url) in [
            (
                "https://Notes.example/s/main",
                "https://notes.example/s/main",
            ),
            (
                "https://notes.example:8443/s/main/",
                "https://notes.example:8443/s/main",
            ),
            (
                "http://127.0.0.1:7467/s/main",
                "http://127.0.0.1:7467/s/main",
            ),
            ("http://[::1]:7467/s/main", "http://[::1]:7467/s/main"),
            ("http://localhost/s/main", "http://localhost/s/main"),
        ] {
            assert_eq!(read(text).unwrap().as_str(), url);
            assert!(Url::is_meant(text));
        }
        let refused: Vec<String> = [
            "http://notes.example/s/main",
            "http://127.0.0.1.example/s/main",
            "https://user:hunter2@notes.example/s/main",
            "https://notes.example/main",
            "https://notes.example/s/",
            "https://notes.example/s/a/b",
            "https://notes.example/s/main?token=x",
            "https:///s/main",
        ]
        .iter()
        .map(|text| read(text).unwrap_err().to_string())
        .collect();
        insta::assert_snapshot!(refused.join("\n"), @"
        `http://notes.example/s/main` is not the address of a store on a server: http:// is not encrypted: use https://
        `http://127.0.0.1.example/s/main` is not the address of a store on a server: http:// is not encrypted: use https://
        `https://…@notes.example/s/main` is not the address of a store on a server: a token is handed over in another way than in an address
        `https://notes.example/main` is not the address of a store on a server: its path is /s/NAME
        `https://notes.example/s/` is not the address of a store on a server: its path is /s/NAME
        `https://notes.example/s/a/b` is not the address of a store on a server: its path is /s/NAME
        `https://notes.example/s/main?token=x` is not the address of a store on a server: it ends with the name of the store
        `https:///s/main` is not the address of a store on a server: it cannot be read
        ");
        assert!(!Url::is_meant("/srv/notes.db") && !Url::is_meant("file://x"));
    }
}
