//! Clients that generators make from the OpenAPI document: openapi-python-client for Python, openapi-typescript for
//! TypeScript. Each calls all routes of a running server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::server::{API, RunningServer, admin_token};
use kit::registries::{npm, python, target};
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
    let served = EmptyServer::start(program)?;
    let folder = served.folder.path();
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
            .args([&served.api, &served.token])
            .arg(document),
    )?;
    println!("{PYTHON}: {}", said.trim());
    Ok(())
}

fn in_typescript(program: &Path, packages: &Path, document: &Path, clients: &Path) -> Result<()> {
    let served = EmptyServer::start(program)?;
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
            .args([&served.api, &served.token]),
    )?;
    println!("{}: {}", TYPESCRIPT[0], said.trim());
    Ok(())
}

/// A server of an empty store, with a token that may do everything.
struct EmptyServer {
    folder: tempfile::TempDir,
    api: String,
    token: String,
    _server: RunningServer,
}

impl EmptyServer {
    fn start(program: &Path) -> Result<Self> {
        let folder = tempfile::tempdir_in(target())?;
        let token = admin_token(program, folder.path(), "clients")?;
        let server = RunningServer::start(program, folder.path(), 0)?;
        let api = format!("http://{}{API}", server.address);
        Ok(Self {
            folder,
            api,
            token,
            _server: server,
        })
    }
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
