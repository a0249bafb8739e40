//! Clients that generators make from the OpenAPI document: openapi-python-client for Python, openapi-typescript for
//! TypeScript. Each calls all routes of a running server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::store::{API, SERVE};
use kit::registries::{npm, python, target};
use kit::served::Server;
use kit::unchecked::not_checked;

const PYTHON: &str = "openapi-python-client==0.29.1";
const TYPESCRIPT: [&str; 4] = [
    "openapi-typescript@7.13.0",
    "openapi-fetch@0.17.0",
    "typescript@5.9.3",
    "@types/node@20.19.0",
];

pub(super) fn run(program: &Path) -> Result<()> {
    let document = std::path::absolute("docs/openapi.json")?;
    let clients = std::path::absolute("tools/serving/clients")?;
    match python(&target(), PYTHON) {
        Ok(python) => in_python(program, &python, &document, &clients)?,
        Err(why) => not_checked(&format!("{PYTHON} of PyPI"), why),
    }
    match npm(&target().join("openapi-typescript"), &TYPESCRIPT) {
        Ok(folder) => in_typescript(program, &folder, &document, &clients)?,
        Err(why) => not_checked(&format!("{} of npm", TYPESCRIPT[0]), why),
    }
    Ok(())
}

fn in_python(program: &Path, python: &Path, document: &Path, clients: &Path) -> Result<()> {
    let home = tempfile::tempdir_in(target())?;
    let folder = home.path();
    let (_server, words) = served(program, folder)?;
    let generator = python.with_file_name("openapi-python-client");
    succeed(
        Command::new(generator)
            .args(["generate", "--meta", "none", "--path"])
            .arg(document)
            .arg("--output-path")
            .arg(folder.join("generated")),
    )?;
    fs::copy(clients.join("routes.py"), folder.join("routes.py"))?;
    let said = succeed(
        Command::new(python)
            .arg(folder.join("routes.py"))
            .args(words)
            .arg(document),
    )?;
    println!("{PYTHON}: {}", said.trim());
    Ok(())
}

fn in_typescript(program: &Path, packages: &Path, document: &Path, clients: &Path) -> Result<()> {
    let home = tempfile::tempdir_in(target())?;
    let (_server, words) = served(program, home.path())?;
    fs::copy(clients.join("routes.ts"), packages.join("routes.ts"))?;
    fs::write(
        packages.join("package.json"),
        r#"{"private":true,"type":"module"}"#,
    )?;
    let bin = |name: &str| -> PathBuf { packages.join("node_modules/.bin").join(name) };
    succeed(
        Command::new(bin("openapi-typescript"))
            .arg(document)
            .arg("-o")
            .arg(packages.join("api.d.ts")),
    )?;
    succeed(
        Command::new(bin("tsc"))
            .args(["--strict", "--target", "es2022", "--module", "nodenext"])
            .args([
                "--skipLibCheck",
                "--types",
                "node",
                "--outDir",
                "out",
                "routes.ts",
            ])
            .current_dir(packages),
    )?;
    let said = succeed(
        Command::new("node")
            .arg(packages.join("out/routes.js"))
            .args(words),
    )?;
    println!("{}: {}", TYPESCRIPT[0], said.trim());
    Ok(())
}

/// A server of an empty store in a folder, the address of its API, and a token that may do everything.
fn served(program: &Path, folder: &Path) -> Result<(Server, [String; 2])> {
    let server = Server::start(program, folder, &SERVE)?;
    let api = format!("http://{}{API}", server.address);
    let token = server.token("clients", "--admin")?;
    Ok((server, [api, token]))
}

/// Runs a command that has to succeed, and returns its output.
fn succeed(command: &mut Command) -> Result<String> {
    let ran = command.output().with_context(|| format!("{command:?}"))?;
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    if !ran.status.success() {
        bail!(
            "{command:?}\n{said}\n{}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
    Ok(said)
}
