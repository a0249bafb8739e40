//! Shared notes, read and written in a checkout.

mod attacks;
mod files;

use std::fs;
use std::path::Path;

use waynote::store::NotesBeside;
use waynote::{Address, Checkout, Citation, Content, Note};

use super::*;

/// A checkout of `github.com/acme/shop` at `~/shop`.
struct Shop(tempfile::TempDir);

impl Shop {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn notes(&self) -> SharedNotes {
        let place = |text: &str| text.parse().unwrap();
        let checkout = Checkout {
            root: place("~/shop"),
            name: place("repo:github.com/acme/shop"),
            also: vec![place("repo:old.example/shop"), place("~/main")],
        };
        SharedNotes::new(self.path().to_owned(), &checkout)
    }

    fn put(&self, file: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.path().join(file)).unwrap()
    }
}

fn addresses(notes: &[Note]) -> Vec<String> {
    let short = |note: &Note| note.address.to_string();
    let each = notes.iter().map(short);
    each.map(|of| of.replace("repo:github.com/acme/shop", "@"))
        .collect()
}

fn left_out(notes: &SharedNotes) -> Vec<String> {
    let each = notes.left_out().into_iter();
    each.map(|(file, reason)| format!("{file}: {reason}"))
        .collect()
}

impl SharedNotes {
    fn write(
        &self,
        address: &Address,
        content: &Content,
        pinned: Option<bool>,
        cites: Option<&[Citation]>,
    ) -> waynote::Result<SharedFile> {
        let file = self.file_with(address, content, pinned, cites)?;
        self.put(&file).map(|()| file)
    }
}

fn scopes(places: &[&str]) -> Vec<Scope> {
    places
        .iter()
        .map(|place| Scope::Place(place.parse().unwrap()))
        .collect()
}

fn address(text: &str) -> Address {
    text.replace('@', "repo:github.com/acme/shop")
        .parse()
        .unwrap()
}

fn content(text: &str) -> Content {
    Content::text(text).unwrap()
}

fn cited(code: &str, said: &str) -> Citation {
    let mut cited = Citation::new(code);
    cited.said = Some(said.into());
    cited
}
