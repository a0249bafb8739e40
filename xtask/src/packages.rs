//! The crates as they would be published: packed, unpacked somewhere else, and built from there against each other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use kit::steps::{cargo, step};

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// A crate of the workspace or a dependency, as `cargo metadata` has it.
#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    /// Its registry; none: this workspace.
    source: Option<String>,
    description: Option<String>,
    license: Option<String>,
    readme: Option<PathBuf>,
    rust_version: Option<String>,
    keywords: Vec<String>,
    categories: Vec<String>,
    dependencies: Vec<Dependency>,
    /// The registries that it may go to; none: any.
    publish: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    req: String,
    /// `dev` for one of tests alone.
    kind: Option<String>,
    path: Option<PathBuf>,
}

/// Files in every package.
const FILES: [&str; 4] = ["Cargo.toml", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Packs every crate that is published, and builds the packages. The folder has them unpacked, as one workspace.
pub(crate) fn check() -> Result<PathBuf> {
    let folder = unpacked()?;
    // The dependencies are those that are built already.
    let mut build = cargo(&["check", "--workspace", "--locked", "--offline", "--quiet"]);
    build
        .arg("--target-dir")
        .arg(kit::registries::target())
        .current_dir(&folder);
    step("packages, unpacked and checked", build)?;
    Ok(folder)
}

/// A folder with every crate that is published, packed and unpacked again: a workspace, with the lock file for it.
pub(crate) fn unpacked() -> Result<PathBuf> {
    let output = cargo(&["metadata", "--format-version", "1"]).output()?;
    ensure!(output.status.success(), "cargo metadata failed");
    let all: Metadata = serde_json::from_slice(&output.stdout)?;
    let is_published = |package: &Package| package.publish.as_ref().is_none_or(|to| !to.is_empty());
    let (ours, dependencies): (Vec<_>, Vec<_>) = all
        .packages
        .into_iter()
        .partition(|package| package.source.is_none());
    let (published, others): (Vec<_>, Vec<_>) = ours.into_iter().partition(is_published);
    let mut wrong: Vec<String> = published.iter().flat_map(missing).collect();
    wrong.extend(published.first().into_iter().flat_map(|ours| {
        let newer = dependencies.iter().filter(|other| needs_newer(other, ours));
        newer.map(|other| {
            format!(
                "{} {} needs Rust {}: state it as rust-version in Cargo.toml, or take an older {0}",
                other.name,
                other.version,
                other.rust_version.as_deref().unwrap_or_default()
            )
        })
    }));
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));

    // A package is built below, once for all: cargo's own check would build every dependency again for each.
    let mut pack = cargo(&["package", "--workspace", "--no-verify", "--allow-dirty"]);
    pack.arg("--quiet");
    for other in &others {
        pack.args(["--exclude", &other.name]);
    }
    let target = kit::registries::target();
    pack.arg("--target-dir").arg(&target);
    step("packages", pack)?;
    let packed = target.join("package");
    let folder = packed.join("unpacked");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    for package in &published {
        unpack(&packed, &folder, package)?;
    }
    std::fs::write(folder.join("Cargo.toml"), workspace(&published)?)?;
    std::fs::copy("Cargo.lock", folder.join("Cargo.lock"))?;
    // Without what only the tools and the tests of this workspace need.
    let mut lock = cargo(&["update", "--workspace", "--offline", "--quiet"]);
    step("packages, unpacked", {
        lock.current_dir(&folder);
        lock
    })?;
    Ok(folder)
}

/// Fields that a crate lacks and a registry asks for or shows.
fn missing(package: &Package) -> Vec<String> {
    let mut lacks = Vec::new();
    let mut need = |is_there: bool, what: &str| {
        if !is_there {
            lacks.push(format!("{}: its Cargo.toml has no {what}", package.name));
        }
    };
    need(package.description.is_some(), "description");
    need(package.license.is_some(), "license");
    need(package.readme.is_some(), "readme");
    need(package.rust_version.is_some(), "rust-version");
    need(!package.keywords.is_empty(), "keywords");
    need(!package.categories.is_empty(), "categories");
    for dependency in &package.dependencies {
        let is_packed = dependency.path.is_some() && dependency.kind.as_deref() != Some("dev");
        if is_packed && dependency.req == "*" {
            need(false, &format!("version for {}", dependency.name));
        }
    }
    lacks
}

/// True if a dependency needs a newer Rust than a crate states.
fn needs_newer(dependency: &Package, ours: &Package) -> bool {
    let numbers = |package: &Package| -> Vec<u32> {
        let version = package.rust_version.as_deref().unwrap_or_default();
        version
            .split('.')
            .filter_map(|part| part.parse().ok())
            .collect()
    };
    let (needed, stated) = (numbers(dependency), numbers(ours));
    needed.iter().take(2).gt(stated.iter().take(2))
}

/// Unpacks a package, and checks what files it has.
fn unpack(packed: &Path, folder: &Path, package: &Package) -> Result<()> {
    let name = format!("{}-{}", package.name, package.version);
    let archive = packed.join(format!("{name}.crate"));
    let mut tar = Command::new("tar");
    // All files of a package have one time, by which cargo would not see that they have changed.
    tar.arg("-xmzf").arg(&archive).arg("-C").arg(folder);
    let status = tar.status().context("tar")?;
    ensure!(status.success(), "{} cannot be unpacked", archive.display());
    let files: BTreeSet<String> = std::fs::read_dir(folder.join(&name))?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<_>>()?;
    for file in FILES {
        ensure!(files.contains(file), "{name} is packed without {file}");
    }
    ensure!(!files.contains("tests"), "{name} is packed with its tests");
    Ok(())
}

/// The manifest that builds the packages against each other, with the profiles of this workspace: with others, every
/// dependency would be rebuilt.
fn workspace(published: &[Package]) -> Result<String> {
    let ours = std::fs::read_to_string("Cargo.toml")?;
    let ours: toml::Table = ours.parse()?;
    let folder = |of: &Package| format!("{}-{}", of.name, of.version);
    let members: Vec<String> = published.iter().map(folder).collect();
    let patches = published
        .iter()
        .map(|of| (of.name.clone(), json!({ "path": folder(of) })));
    let mut manifest = json!({
        "workspace": { "resolver": "3", "members": members },
        "patch": { "crates-io": Value::Object(patches.collect()) },
    });
    if let Some(profiles) = ours.get("profile") {
        manifest["profile"] = serde_json::to_value(profiles)?;
    }
    Ok(toml::to_string(&manifest)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(rust_version: &str, req: &str) -> Package {
        serde_json::from_value(serde_json::json!({
            "name": "one", "version": "0.1.0", "source": null, "description": "One", "license": "MIT",
            "readme": "README.md", "rust_version": rust_version, "keywords": [], "categories": ["encoding"],
            "dependencies": [
                { "name": "two", "req": req, "kind": null, "path": "/two" },
                { "name": "three", "req": "*", "kind": "dev", "path": "/three" },
            ],
            "publish": null,
        }))
        .unwrap()
    }

    #[test]
    fn what_a_registry_asks_for_is_missed() {
        assert_eq!(
            missing(&package("1.91", "*")),
            [
                "one: its Cargo.toml has no keywords",
                "one: its Cargo.toml has no version for two"
            ]
        );
        assert_eq!(missing(&package("1.91", "^0.1.0")).len(), 1);
    }

    #[test]
    fn a_dependency_that_needs_a_newer_rust_is_found() {
        let ours = package("1.91", "*");
        for (needed, is_newer) in [
            ("1.91.1", false),
            ("1.91", false),
            ("1.89.0", false),
            ("1.100", true),
            ("1.92", true),
            ("2.0", true),
            ("", false),
        ] {
            assert_eq!(
                needs_newer(&package(needed, "*"), &ours),
                is_newer,
                "{needed}"
            );
        }
    }
}
