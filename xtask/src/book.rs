//! The book that mdBook makes of docs/, and whether each of its links leads somewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use kit::registries::target;
use kit::steps::{cargo, step};

const MDBOOK: &str = "0.5.4";

/// Pages whose links are those of other pages again.
const AGAIN: [&str; 3] = ["404.html", "print.html", "toc.html"];

/// Builds the book, with mdBook, which is built here once.
pub(crate) fn prove() -> Result<()> {
    let root = target().join("tools");
    let mdbook = root.join("bin/mdbook");
    if !mdbook.exists() {
        let mut install = cargo(&["install", "mdbook", "--locked", "--quiet", "--debug"]);
        // Without its server, and its optimizer: it runs for a second.
        install.args(["--no-default-features", "--features", "search"]);
        install.args(["--version", MDBOOK, "--root"]).arg(&root);
        step("mdbook", install)?;
    }
    let book = target().join("book");
    let mut build = Command::new(mdbook);
    build.arg("build").arg("--dest-dir").arg(&book);
    step("book", build)?;
    let mut pages = BTreeMap::new();
    let mut folders = vec![book];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "html") {
                let text = std::fs::read_to_string(&path)?;
                pages.insert(path, text);
            }
        }
    }
    let is_again = |path: &Path| AGAIN.iter().any(|name| path.ends_with(name));
    let checked = pages.iter().filter(|(path, _)| !is_again(path));
    let wrong: Vec<String> = checked
        .flat_map(|(path, text)| lost(path, text, &pages))
        .collect();
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("== book: {} pages", pages.len());
    Ok(())
}

/// Links of a page that lead to no file, or to no heading of it.
fn lost(path: &Path, text: &str, pages: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let values = |name: &str| -> Vec<String> {
        let begin = format!(" {name}=\"");
        let found = text.split(&begin).skip(1);
        found
            .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
            .collect()
    };
    let links = ["href", "src"].into_iter().flat_map(values);
    let own = links.filter(|link| !link.contains(':'));
    let leads = |link: &String| {
        let (file, heading) = link.split_once('#').unwrap_or((link, ""));
        let file = match file {
            "" => path.to_owned(),
            file => path.with_file_name(file),
        };
        let Ok(file) = file.canonicalize() else {
            return false;
        };
        let id = format!("id=\"{heading}\"");
        heading.is_empty() || pages.get(&file).is_some_and(|page| page.contains(&id))
    };
    own.filter(|link| !leads(link))
        .map(|link| format!("{} links to {link}", path.display()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let path = folder.join("one.html");
        let text = r##"<h2 id="a"> <a href="#a"> <a href="#b"> <a href="two.html"> <img src="https://x/y"> <a href="one.html#a">"##;
        std::fs::write(&path, text).unwrap();
        let pages = BTreeMap::from([(path.clone(), text.to_owned())]);
        let lost = lost(&path, text, &pages);
        let lost: Vec<_> = lost
            .iter()
            .map(|line| line.rsplit(' ').next().unwrap())
            .collect();
        assert_eq!(lost, ["#b", "two.html"]);
    }
}
