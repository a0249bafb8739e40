//! The packages, installed as people install them into empty folders, and what a person does first with each.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use kit::registries::{apt_install, npm, python, quietly};
use kit::steps::step;
use kit::unchecked::not_checked;

use super::Packages;
use super::program::VERSION;

/// A tool that installs a package: what it takes, and how the program is started then.
type Installer = fn(&PackageFolder<'_>) -> std::result::Result<InstalledProgram, String>;

/// Installs every package of a program, and uses it. `crates` has the unpacked crates, for the source package.
pub(crate) fn check(crates: &Path) -> Result<()> {
    let binary = stripped(&kit::steps::program("dev")?)?;
    let folder = tempfile::tempdir()?;
    let packages = Packages::of(
        binary.path(),
        Some("https://github.com/example/waynote".into()),
    )?;
    packages.write(folder.path(), crates)?;
    let mut sums = Command::new("sha256sum");
    sums.args(["--check", "--quiet", "SHA256SUMS"])
        .current_dir(folder.path());
    step("checksums of the packages", sums)?;
    let installers: [(&str, Installer); 6] = [
        ("the wheel by pip", by_pip),
        ("the wheel by uvx", by_uvx),
        ("the packages by npm", by_npm),
        ("the Debian package by dpkg", by_dpkg),
        ("the tar", by_tar),
        ("the MCP bundle", by_bundle),
    ];
    for (name, install) in installers {
        let root = tempfile::tempdir()?;
        let packed = PackageFolder {
            folder: folder.path(),
            root: root.path(),
        };
        println!("== {name}");
        match install(&packed) {
            Ok(installed) => used(&installed, root.path()).with_context(|| name.to_owned())?,
            Err(why) => not_checked(name, why),
        }
    }
    for (name, words) in [
        ("waynote.rb", &["ruby", "-c"][..]),
        ("flake.nix", &["nix-instantiate", "--parse"]),
    ] {
        let mut command = Command::new(words[0]);
        let done = quietly(command.args(&words[1..]).arg(folder.path().join(name)));
        if let Err(why) = done {
            not_checked(name, why);
        }
    }
    Ok(())
}

/// Installs the packages of the program as it is shipped in bare Debian roots, and times the way to the first notes.
pub(crate) fn bare() -> Result<()> {
    let (name, roots) = (
        "packages in a bare Debian root",
        kit::registries::target().join("bare"),
    );
    let script = |words: &[&std::ffi::OsStr]| {
        let mut script = Command::new("python3");
        script.arg("tools/packages/bare.py").arg(&roots).args(words);
        script
    };
    let made = || {
        if quietly(Command::new("which").arg("debootstrap")).is_err() {
            apt_install(&["debootstrap"])?;
        }
        quietly(&mut script(&[]))?;
        python(&kit::registries::target(), UV)
    };
    let uv = match made() {
        Ok(python) => python.with_file_name("uv"),
        Err(why) => {
            not_checked(name, why);
            return Ok(());
        }
    };
    let packages = tempfile::tempdir()?;
    let all = Packages::of(&kit::steps::program("dist")?, None)?;
    all.write(packages.path(), &crate::packages::unpacked()?)?;
    step(name, script(&[packages.path().as_os_str(), uv.as_os_str()]))
}

/// The program without its symbols: what is compressed six times should be small.
fn stripped(program: &Path) -> Result<tempfile::NamedTempFile> {
    let file = tempfile::NamedTempFile::new()?;
    std::fs::copy(program, file.path())?;
    if let Err(why) = quietly(Command::new("strip").arg(file.path())) {
        println!("the program keeps its symbols: {why}");
    }
    // A program that somebody has open for writing cannot be started.
    let (file, path) = file.into_parts();
    drop(file);
    Ok(tempfile::NamedTempFile::from_parts(
        std::fs::File::open(&path)?,
        path,
    ))
}

/// Packages, and an empty folder to install them in.
struct PackageFolder<'p> {
    folder: &'p Path,
    root: &'p Path,
}

impl PackageFolder<'_> {
    /// The one package whose name begins and ends so.
    fn package(&self, begin: &str, end: &str) -> std::result::Result<PathBuf, String> {
        let files = std::fs::read_dir(self.folder).map_err(|error| error.to_string())?;
        let mut paths = files.flatten().map(|entry| entry.path());
        let is_it = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(begin) && name.ends_with(end)
        };
        paths.find(is_it).ok_or_else(|| format!("no {begin}…{end}"))
    }

    fn inside(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }
}

/// How the program of a package is started.
struct InstalledProgram {
    words: Vec<PathBuf>,
    /// True if the tool runs it from a cache, which it empties at will.
    in_cache: bool,
    /// A command that prints the address of a client from the package, if it brings one.
    client: Vec<PathBuf>,
}

impl From<PathBuf> for InstalledProgram {
    fn from(program: PathBuf) -> Self {
        Self {
            words: vec![program],
            in_cache: false,
            client: Vec::new(),
        }
    }
}

fn by_pip(packed: &PackageFolder<'_>) -> std::result::Result<InstalledProgram, String> {
    let environment = packed.inside("venv");
    let mut venv = Command::new("python3");
    quietly(venv.args(["-m", "venv"]).arg(&environment))?;
    let python = environment.join("bin/python");
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--no-index", "--quiet"]);
    quietly(pip.arg(packed.package("waynote-", ".whl")?))?;
    let client = "import waynote; print(waynote.Client().url)";
    Ok(InstalledProgram {
        client: vec![python, "-c".into(), client.into()],
        ..environment.join("bin/waynote").into()
    })
}

/// `uvx waynote`, with the wheel in place of the registry.
fn by_uvx(packed: &PackageFolder<'_>) -> std::result::Result<InstalledProgram, String> {
    let uv = python(&kit::registries::target(), UV)?.with_file_name("uvx");
    let wheel = packed.package("waynote-", ".whl")?;
    let cache = packed.inside("uv");
    let words = ["--offline", "--no-config", "--no-python-downloads"].map(PathBuf::from);
    let more = ["--cache-dir".into(), cache, "--from".into(), wheel];
    let mut all = vec![uv];
    all.extend(words.into_iter().chain(more));
    all.push("waynote".into());
    Ok(InstalledProgram {
        words: all,
        in_cache: true,
        client: Vec::new(),
    })
}

const UV: &str = "uv==0.13.9";

/// Without scripts and without the registry: nothing may be built or fetched.
fn by_npm(packed: &PackageFolder<'_>) -> std::result::Result<InstalledProgram, String> {
    let folder = packed.inside("npm");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let mut install = Command::new("npm");
    install.args(["install", "--ignore-scripts", "--offline"]);
    install.args(["--no-audit", "--no-fund", "--prefix"]);
    install.arg(&folder);
    for begin in ["waynote-linux-".to_owned(), format!("waynote-{VERSION}")] {
        install.arg(packed.package(&begin, ".tgz")?);
    }
    quietly(&mut install)?;
    let client = folder.join("client.mjs");
    let text = "import { Client } from 'waynote'; console.log(new Client().url);";
    std::fs::write(&client, text).map_err(|error| error.to_string())?;
    Ok(InstalledProgram {
        client: vec!["node".into(), client],
        ..folder.join("node_modules/.bin/waynote").into()
    })
}

fn by_dpkg(packed: &PackageFolder<'_>) -> std::result::Result<InstalledProgram, String> {
    let (deb, root) = (packed.package("waynote_", ".deb")?, packed.inside("root"));
    let control = packed.inside("control");
    for (word, to) in [("--extract", &root), ("--control", &control)] {
        quietly(Command::new("dpkg-deb").arg(word).arg(&deb).arg(to))?;
    }
    for script in ["postinst", "prerm"] {
        quietly(Command::new("sh").arg("-n").arg(control.join(script)))?;
    }
    // As dpkg unpacks it: its names, versions and needs are read, and its scripts are left out.
    let admin = packed.inside("dpkg");
    let made = ["updates", "info", "triggers"]
        .iter()
        .try_for_each(|folder| std::fs::create_dir_all(admin.join(folder)));
    made.and_then(|()| std::fs::write(admin.join("status"), ""))
        .map_err(|error| error.to_string())?;
    let mut dpkg = Command::new("dpkg");
    dpkg.arg(format!("--admindir={}", admin.display()));
    dpkg.arg(format!("--instdir={}", root.display()));
    dpkg.args(["--force-not-root", "--force-script-chrootless", "--unpack"]);
    quietly(dpkg.arg(&deb))?;
    Ok(root.join("usr/bin/waynote").into())
}

fn by_tar(packed: &PackageFolder<'_>) -> std::result::Result<InstalledProgram, String> {
    let archive = packed.package(&format!("waynote-{VERSION}-"), ".tar.gz")?;
    let mut tar = Command::new("tar");
    quietly(tar.arg("-xzf").arg(&archive).arg("-C").arg(packed.root))?;
    let folder = archive.file_name().unwrap_or_default().to_string_lossy();
    let folder = folder.trim_end_matches(".tar.gz");
    Ok(packed.inside(folder).join("waynote").into())
}

fn by_bundle(packed: &PackageFolder<'_>) -> std::result::Result<InstalledProgram, String> {
    let bundle = packed.package("waynote-", ".mcpb")?;
    let unpacked = || -> Result<PathBuf> {
        let bytes = std::fs::read(bundle)?;
        let folder = packed.inside("bundle");
        zip::ZipArchive::new(Cursor::new(bytes))?.extract(&folder)?;
        let manifest: serde_json::Value =
            serde_json::from_slice(&std::fs::read(folder.join("manifest.json"))?)?;
        let command = manifest["server"]["mcp_config"]["command"]
            .as_str()
            .context("a command")?;
        Ok(command
            .replace("${__dirname}", &folder.to_string_lossy())
            .into())
    };
    let program = unpacked().map_err(|error| error.to_string())?;
    let schema = npm(&kit::registries::target().join("mcpb"), &[MCPB])?;
    let mut validate = Command::new(schema.join("node_modules/.bin/mcpb"));
    validate
        .arg("validate")
        .arg(packed.inside("bundle/manifest.json"));
    quietly(&mut validate)?;
    Ok(program.into())
}

/// The bundles' own tool.
const MCPB: &str = "@anthropic-ai/mcpb@2.1.2";

/// What a person does first: looks, sets an agent up, takes it back; and what that agent's hook then does.
fn used(installed: &InstalledProgram, root: &Path) -> Result<()> {
    let home = root.join("home");
    let project = home.join("project");
    std::fs::create_dir_all(&project)?;
    let run = |program: &[PathBuf], words: &[&str], input: &str| run(program, words, input, &home);
    let waynote = |words: &[&str]| run(&installed.words, words, "");
    let version = waynote(&["--version"])?;
    ensure!(version == format!("waynote {VERSION}\n"), "it is {version}");
    if !installed.client.is_empty() {
        let url = run(&installed.client, &[], "")?;
        ensure!(
            url == "http://127.0.0.1:7467/s/default\n",
            "its client is at {url}"
        );
    }
    waynote(&["demo"])?;
    waynote(&["place", "write", CANARY])?;
    waynote(&["install", "claude-code"])?;
    let settings = home.join(".claude/settings.json");
    let hooks: serde_json::Value = serde_json::from_slice(&std::fs::read(&settings)?)?;
    let command = hooks["hooks"]["SessionStart"][0]["hooks"][0]["command"]
        .as_str()
        .context("a hook")?;
    let program = command.split(' ').next().unwrap_or_default();
    ensure!(
        program.starts_with('/'),
        "the hook's program is no absolute path: {command}"
    );
    if installed.in_cache {
        // A tool empties its cache: the hook has to run all the same.
        std::fs::remove_dir_all(root.join("uv"))?;
    }
    let started = format!(
        "{{\"session_id\":\"a\",\"cwd\":\"{}\",\"source\":\"startup\"}}",
        project.display()
    );
    let shell = ["sh", "-c", command].map(PathBuf::from);
    let given = run(&shell, &[], &started)?;
    ensure!(given.contains(CANARY), "the hook said: {given}");
    let own = [PathBuf::from(program)];
    run(&own, &["uninstall", "claude-code"], "")?;
    ensure!(!settings.exists(), "{} is still there", settings.display());
    Ok(())
}

const CANARY: &str = "canary-5190: prices are integers, in cents";

/// The output of a program in a home of its own.
fn run(program: &[PathBuf], words: &[&str], input: &str, home: &Path) -> Result<String> {
    use std::io::Write;

    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).args(words).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home).current_dir(home.join("project"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .with_context(|| format!("{} cannot be started", program[0].display()))?;
    // It may not read what it does not need.
    let _ = child
        .stdin
        .take()
        .context("its input")?
        .write_all(input.as_bytes());
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "`{}` failed: {said}{errors}",
        words.join(" ")
    );
    Ok(said)
}
