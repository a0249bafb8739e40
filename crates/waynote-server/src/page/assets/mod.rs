//! The files of the page, built into the program. Their names hold a hash, so that browsers can cache them.

use std::sync::LazyLock;
use waynote::text::hex;

use sha2::{Digest, Sha256};

/// A file of the page.
pub(crate) struct Asset {
    /// The path under which it is served.
    pub(crate) path: String,
    /// Its media type.
    pub(crate) media: &'static str,
    /// The content.
    pub(crate) text: &'static str,
}

pub(crate) static CSS: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("page", "css", include_str!("page.css")));
pub(crate) static JS: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("page", "js", include_str!("page.js")));
pub(crate) static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon", "svg", include_str!("icon.svg")));

impl Asset {
    fn new(name: &str, ending: &str, text: &'static str) -> Self {
        let hash = Sha256::digest(text);
        Self {
            path: format!("/page/{name}-{}.{ending}", hex(&hash[..6])),
            media: match ending {
                "css" => "text/css; charset=utf-8",
                "js" => "text/javascript; charset=utf-8",
                _ => "image/svg+xml",
            },
            text,
        }
    }
}

/// The file with this path.
pub(crate) fn find(path: &str) -> Option<&'static Asset> {
    let all: [&'static Asset; 3] = [&CSS, &JS, &ICON];
    all.into_iter().find(|asset| asset.path == path)
}
