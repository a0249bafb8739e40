//! The source package of Python: the crates as they are published, the client, and what builds a wheel of them. It is
//! for processors and systems that no wheel is for, where Rust is.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use kit::registries::{python, quietly, target};
use kit::steps::step;
use kit::unchecked::not_checked;

use super::archive::Files;
use super::{Packages, client, licences};

/// The folder in it, and its file without the ending.
pub(super) const SOURCE: &str = concat!("waynote-", env!("CARGO_PKG_VERSION"));

/// No path has one of these: what a build makes, and crates with texts that others wrote, for tests.
const LEFT_OUT: [&str; 3] = ["/target/", "/.git", "/waynote-test"];

/// Files that cargo packs and no build of the whole reads.
const OF_CARGO: [&str; 3] = [".cargo_vcs_info.json", "Cargo.toml.orig", "Cargo.lock"];

impl Packages {
    /// The source package, from the unpacked crates.
    pub(super) fn source_of_wheel(&self, crates: &Path) -> Result<Vec<u8>> {
        let mut files = Files::default();
        // The one that people read first.
        files.add("PKG-INFO", self.metadata());
        let project = include_str!("templates/pyproject.toml");
        files.add("pyproject.toml", self.filled(project, &[]));
        files.add("README.md", self.readme());
        licences(&mut files, "");
        client(&mut files, "clients/python/waynote", "python/waynote/")?;
        files.add("Cargo.lock", std::fs::read(crates.join("Cargo.lock"))?);
        files.folder(crates, "", &|path| {
            !OF_CARGO.iter().any(|of| path.ends_with(of))
        })?;
        let is_other = |path: &str| {
            LEFT_OUT
                .iter()
                .any(|part| format!("/{path}").contains(part))
        };
        let others = files.0.iter().map(|file| &*file.path);
        let others: Vec<&str> = others.filter(|path| is_other(path)).collect();
        ensure!(others.is_empty(), "the source package has {others:?}");
        files.tar_gz(&format!("{SOURCE}/"))
    }
}

/// Installs the source package as pip does where no wheel fits, by a build without optimization, and runs the program.
pub(crate) fn prove() -> Result<()> {
    let (name, folder) = ("the source package by pip", tempfile::tempdir()?);
    let python = match python(&target(), MATURIN) {
        Ok(python) => python,
        Err(why) => {
            not_checked(name, why);
            return Ok(());
        }
    };
    let packages = Packages::of(&kit::steps::program("dev")?, None)?;
    let source = folder.path().join(format!("{SOURCE}.tar.gz"));
    let bytes = packages.source_of_wheel(&crate::packages::unpacked()?)?;
    std::fs::write(&source, bytes)?;
    let into = folder.path().join("installed");
    let mut pip = Command::new(&python);
    // Maturin is there already: an environment of its own would fetch it again.
    pip.args(["-m", "pip", "install", "--quiet", "--no-build-isolation"]);
    pip.args(["--no-deps", "--target"]).arg(&into).arg(&source);
    pip.env("MATURIN_PEP517_ARGS", "--profile dev --offline");
    pip.env("CARGO_TARGET_DIR", target());
    // The build finds maturin by its name.
    let programs = python.parent().context("a folder")?.to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    pip.env(
        "PATH",
        std::env::join_paths(std::iter::once(programs).chain(std::env::split_paths(&path)))?,
    );
    step(name, pip)?;
    let mut version = Command::new(into.join("bin/waynote"));
    quietly(version.arg("--version")).map_err(anyhow::Error::msg)?;
    let mut client = Command::new(&python);
    client.args(["-c", "import waynote; waynote.Client()"]);
    quietly(client.env("PYTHONPATH", &into)).map_err(anyhow::Error::msg)
}

const MATURIN: &str = "maturin==1.16.0";
