//! Tools of other ecosystems: they come from their registries into the target folder.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Cargo's target folder.
pub fn target() -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from);
    std::path::absolute(&target).unwrap_or(target)
}

/// The interpreter of an environment that has a package of PyPI; its programs lie beside it.
pub fn python(target: &Path, package: &str) -> Result<PathBuf, String> {
    let name = package.replace("==", "-");
    python_with(&target.join("python").join(name), &[package])
}

/// As [`python`], with several packages, in a folder of their own.
pub fn python_with(folder: &Path, packages: &[&str]) -> Result<PathBuf, String> {
    let (python, ready) = (folder.join("bin/python"), folder.join("ready"));
    let wanted = packages.join("\n");
    if !std::fs::read_to_string(&ready).is_ok_and(|there| there == wanted) {
        quietly(
            Command::new("python3")
                .args(["-m", "venv", "--clear"])
                .arg(folder),
        )?;
        let pip = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--retries",
            "1",
            "--timeout",
            "30",
        ];
        quietly(Command::new(&python).args(pip).args(packages))?;
        std::fs::write(ready, wanted).map_err(|error| error.to_string())?;
    }
    Ok(python)
}

/// Runs what may well fail, and says why it did.
pub fn quietly(command: &mut Command) -> Result<(), String> {
    let name = format!("{}", command.get_program().to_string_lossy());
    match command.stdin(Stdio::null()).stdout(Stdio::null()).output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let last = said.lines().rev().find(|line| !line.trim().is_empty());
            Err(format!("{name}: {}", last.unwrap_or("it failed").trim()))
        }
        Err(error) => Err(format!("{name}: {error}")),
    }
}

/// Installs packages of npm into a folder, and returns it.
pub fn npm(folder: &Path, packages: &[&str]) -> Result<PathBuf, String> {
    npm_with(folder, packages, &[])
}

/// As [`npm`], with more options.
pub fn npm_with(folder: &Path, packages: &[&str], more: &[&str]) -> Result<PathBuf, String> {
    let wanted = packages.join("\n");
    let ready = folder.join("ready");
    if !std::fs::read_to_string(&ready).is_ok_and(|there| there == wanted) {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        std::fs::write(folder.join("package.json"), "{\"private\":true}")
            .map_err(|error| error.to_string())?;
        let npm = [
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--fetch-retries",
            "1",
        ];
        quietly(
            Command::new("npm")
                .args(npm)
                .args(more)
                .args(packages)
                .current_dir(folder),
        )?;
        std::fs::write(ready, wanted).map_err(|error| error.to_string())?;
    }
    Ok(folder.to_owned())
}

/// Installs packages of a Debian-like system.
pub fn apt_install(packages: &[&str]) -> Result<(), String> {
    println!("== {} is installed", packages.join(", "));
    let install = [&["install", "--yes", "--quiet"], packages].concat();
    // The list of packages may be missing, or too old for what is there now.
    apt(&install).or_else(|_| apt(&["update", "--quiet"]).and_then(|()| apt(&install)))
}

/// Runs apt-get as root.
fn apt(words: &[&str]) -> Result<(), String> {
    let is_root = nix::unistd::geteuid().is_root();
    let mut command = match is_root {
        true => Command::new("apt-get"),
        false => {
            let mut sudo = Command::new("sudo");
            // No terminal to ask for a password.
            sudo.args(["--non-interactive", "apt-get"]);
            sudo
        }
    };
    command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
    quietly(&mut command)
}
