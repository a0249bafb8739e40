//! The name of a repository in the address of its remote: host and path, without protocol, user and `.git`.

/// Second hosts of forges, and the one that they stand for.
const HOSTS: [(&str, &str); 7] = [
    ("ssh.github.com", "github.com"),
    ("www.github.com", "github.com"),
    ("altssh.gitlab.com", "gitlab.com"),
    ("altssh.bitbucket.org", "bitbucket.org"),
    ("hf.co", "huggingface.co"),
    ("ssh.dev.azure.com", "dev.azure.com"),
    ("vs-ssh.visualstudio.com", "dev.azure.com"),
];

/// Where a remote is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Remote {
    /// On a host: `github.com/acme/shop`, in lower case.
    Named(String),
    /// A path of this machine, as it is written.
    Path(String),
}

/// Reads the address of a remote; none for one that names no repository.
pub(super) fn read(address: &str) -> Option<Remote> {
    let address = address.trim();
    if let Some((scheme, rest)) = address.split_once("://") {
        let scheme = scheme.to_ascii_lowercase();
        if scheme == "file" {
            return Some(Remote::Path(rest.to_owned()));
        }
        let default_port = match &*scheme {
            "ssh" | "git+ssh" | "ssh+git" => None,
            "https" => Some("443"),
            "http" => Some("80"),
            "git" => Some("9418"),
            "ftp" | "ftps" => Some("21"),
            _ => return None,
        };
        let (host, path) = rest.split_once('/')?;
        let (host, port) = host_and_port(host);
        return match (port, default_port) {
            (Some(port), Some(default)) if port != default => {
                named(&format!("{host}:{port}"), path)
            }
            _ => named(host, path),
        };
    }
    // `user@host:path`; a path with a colon behind a slash is a path.
    match address.split_once(':') {
        Some((host, _)) if address.starts_with('[') || !host.contains('/') => {
            let at = match address.find(']') {
                Some(end) if address.starts_with('[') || host.contains("@[") => end + 1,
                _ => host.len(),
            };
            let path = address[at..].strip_prefix(':')?;
            // `ext::` and other helpers.
            match path.starts_with(':') {
                true => None,
                false => named(host_and_port(&address[..at]).0, path),
            }
        }
        _ if address.is_empty() => None,
        _ => Some(Remote::Path(address.to_owned())),
    }
}

/// The host without a user, and the port.
fn host_and_port(host: &str) -> (&str, Option<&str>) {
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    if let Some(bare) = host.strip_prefix('[') {
        let (bare, rest) = bare.split_once(']').unwrap_or((bare, ""));
        return (bare, rest.strip_prefix(':'));
    }
    match host.split_once(':') {
        Some((host, port)) => (host, Some(port).filter(|port| !port.is_empty())),
        None => (host, None),
    }
}

fn named(host: &str, path: &str) -> Option<Remote> {
    let host = host.trim_end_matches('.').to_lowercase();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let path = percent_encoding::percent_decode_str(path)
        .decode_utf8()
        .ok()?
        .to_lowercase();
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    if let Some(last) = parts.last_mut() {
        *last = last.strip_suffix(".git").unwrap_or(last);
    }
    parts.retain(|part| !part.is_empty());
    let known = HOSTS.iter().find(|(second, _)| *second == host);
    let mut host = known.map_or(&*host, |(_, first)| first);
    let account = host.strip_suffix(".visualstudio.com");
    if let Some(account) = account {
        parts.retain(|part| *part != "defaultcollection");
        parts.insert(0, account);
    }
    if host == "dev.azure.com" || account.is_some() {
        host = "dev.azure.com";
        parts = match parts.as_slice() {
            ["v3", rest @ ..] => rest.to_vec(),
            [account, "_git", name] => vec![*account, *name, *name],
            [account, project, "_git", name] => vec![*account, *project, *name],
            _ => parts,
        };
    }
    let is_part = |part: &&str| !matches!(*part, "." | "..") && !part.contains(char::is_control);
    let is_name = !parts.is_empty() && parts.iter().all(is_part);
    let is_odd = |char: char| char.is_control() || char.is_whitespace();
    let is_host = !host.is_empty() && !host.contains(is_odd);
    let name = format!("{host}/{}", parts.join("/"));
    (is_name && is_host).then_some(Remote::Named(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_repository_has_one_name_by_every_way() {
        for (name, addresses) in [
            (
                "github.com/acme/shop",
                &[
                    "https://github.com/acme/shop.git",
                    "https://github.com/Acme/Shop/",
                    "https://token:x-oauth@github.com/acme/shop?depth=1",
                    "http://github.com:80/acme/shop",
                    "https://github.com:443/acme/shop.git/",
                    "git@github.com:acme/shop.git",
                    "github.com:acme/shop",
                    "git@github.com:/acme/shop.git",
                    "ssh://git@github.com/acme/shop.git",
                    "ssh://git@github.com:2222/acme/shop",
                    "ssh://git@ssh.github.com:443/acme/shop.git",
                    "git+ssh://git@github.com//acme//shop.git",
                    "git://GitHub.com./acme/shop",
                ][..],
            ),
            (
                "git.sr.ht/~u/x",
                &["git@git.sr.ht:~u/x", "https://git.sr.ht/~u/x"],
            ),
            (
                "dev.azure.com/acme/the shop/web",
                &[
                    "https://acme@dev.azure.com/acme/The%20Shop/_git/web",
                    "git@ssh.dev.azure.com:v3/acme/The%20Shop/web",
                    "https://acme.visualstudio.com/DefaultCollection/The%20Shop/_git/web",
                    "acme@vs-ssh.visualstudio.com:v3/acme/The%20Shop/web",
                ],
            ),
            (
                "dev.azure.com/acme/web/web",
                &["https://dev.azure.com/acme/_git/web"],
            ),
            ("git.example:8443/x", &["https://git.example:8443/x.git"]),
            (
                "::1/x",
                &["ssh://git@[::1]:22/x", "git@[::1]:x.git", "[::1]:x"],
            ),
            ("work/acme/shop", &["work:acme/shop", "git@work:acme/shop"]),
        ] {
            for address in addresses {
                let expected = Some(Remote::Named(name.to_owned()));
                assert_eq!(read(address), expected, "{address}");
            }
        }
    }

    #[test]
    fn paths_and_what_names_nothing() {
        for path in ["/srv/shop.git", "../shop", "./a:b", "~/shop", "dummy"] {
            assert_eq!(read(path), Some(Remote::Path(path.to_owned())));
        }
        assert_eq!(
            read("file:///srv/x"),
            Some(Remote::Path("/srv/x".to_owned()))
        );
        for nothing in [
            "",
            "https://",
            "https://github.com",
            "https://github.com/",
            "https://github.com/.git",
            "ext::sh -c x",
            "codecommit::eu-west-1://shop",
            "https://github.com/../x",
            "git@:x",
            "https://a b/x",
            "javascript://x/y",
            "https://github.com/a%0Ab/x",
        ] {
            assert_eq!(read(nothing), None, "{nothing}");
        }
    }
}
