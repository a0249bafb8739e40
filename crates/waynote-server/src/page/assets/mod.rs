//! The files of the page, built into the program. Their names hold a hash, so that browsers can cache them.

use std::sync::LazyLock;
use waynote::text::hex;

use sha2::{Digest, Sha256};

/// A file of the page.
pub(crate) struct Asset {
    name: &'static str,
    ending: &'static str,
    /// Its media type.
    pub(crate) media: &'static str,
    /// The content.
    pub(crate) text: &'static str,
}

pub(crate) static CSS: LazyLock<Named> = LazyLock::new(|| {
    Named::new(Asset {
        name: "page",
        ending: "css",
        media: "text/css; charset=utf-8",
        text: include_str!("page.css"),
    })
});

pub(crate) static JS: LazyLock<Named> = LazyLock::new(|| {
    Named::new(Asset {
        name: "page",
        ending: "js",
        media: "text/javascript; charset=utf-8",
        text: include_str!("page.js"),
    })
});

pub(crate) static ICON: LazyLock<Named> = LazyLock::new(|| {
    Named::new(Asset {
        name: "icon",
        ending: "svg",
        media: "image/svg+xml",
        text: include_str!("icon.svg"),
    })
});

/// A file with the name under which it is served.
pub(crate) struct Named {
    asset: Asset,
    path: String,
}

impl Named {
    fn new(asset: Asset) -> Self {
        let hash = Sha256::digest(asset.text);
        let hash = hex(&hash[..6]);
        let path = format!("/page/{}-{hash}.{}", asset.name, asset.ending);
        Self { asset, path }
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }
}

/// The file with this path.
pub(crate) fn find(path: &str) -> Option<&'static Asset> {
    let all: [&'static Named; 3] = [&CSS, &JS, &ICON];
    let named = all.into_iter().find(|named| named.path == path)?;
    Some(&named.asset)
}
