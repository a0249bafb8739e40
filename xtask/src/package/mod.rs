//! The packages of the program, with one version in all of them: a wheel and its source, two for npm, one for Debian, a
//! tar with checksums, an MCP bundle, and the files by which catalogues and other package managers find these.

mod archive;
mod program;
mod source;
mod trial;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use archive::{Files, ar, gzip};
use program::{Program, VERSION};
use source::SOURCE;
pub(crate) use source::prove;
pub(crate) use trial::{bare, check};

/// Makes the packages, as the words of the command line say.
pub(crate) fn make(words: &[&str]) -> Result<()> {
    let (mut binary, mut out, mut repository) = (None, None, stated("repository"));
    for pair in words.chunks(2) {
        match *pair {
            ["--binary", path] => binary = Some(PathBuf::from(path)),
            ["--out", path] => out = Some(PathBuf::from(path)),
            ["--repository", url] => repository = Some(url.to_owned()),
            _ => bail!(
                "usage: cargo xtask package [--binary PATH] [--out FOLDER] [--repository https://github.com/OWNER/NAME]"
            ),
        }
    }
    let binary = binary.map_or_else(|| kit::steps::program("dist"), Ok)?;
    let out = out.unwrap_or_else(|| kit::registries::target().join("packages"));
    let packages = Packages::of(&binary, repository)?;
    for file in packages.write(&out, &crate::packages::unpacked()?)? {
        println!("{}", file.display());
    }
    if packages.source.is_none() {
        println!(
            "no server.json, catalogue entry, formula or flake: they name a repository, and Cargo.toml states none; --repository does"
        );
    }
    Ok(())
}

/// A field of `[workspace.package]`.
fn stated(field: &str) -> Option<String> {
    let manifest: toml::Table = include_str!("../../../Cargo.toml").parse().ok()?;
    let value = manifest.get("workspace")?.get("package")?.get(field)?;
    value.as_str().map(str::to_owned)
}

struct Packages {
    program: Program,
    summary: String,
    license: String,
    source: Option<Source>,
    extras: Files,
}

/// Where the packages are published, which some of them name.
struct Source {
    repository: String,
    owner: String,
}

impl Source {
    fn of(repository: String) -> Result<Self> {
        let path = repository.strip_prefix("https://github.com/");
        let owner = path.and_then(|path| path.split_once('/'));
        let (owner, _) = owner.context("a repository is https://github.com/OWNER/NAME")?;
        Ok(Self {
            owner: owner.to_owned(),
            repository,
        })
    }

    /// The name in the registry of MCP servers, which has to be in every package as the proof of its owner.
    fn mcp_name(&self) -> String {
        format!("io.github.{}/waynote", self.owner)
    }

    fn download(&self, file: &str) -> String {
        format!("{}/releases/download/v{VERSION}/{file}", self.repository)
    }
}

impl Packages {
    fn of(binary: &Path, repository: Option<String>) -> Result<Self> {
        let program = Program::read(binary)?;
        Ok(Self {
            summary: stated("description").context("a description")?,
            license: stated("license").context("a license")?,
            source: repository.map(Source::of).transpose()?,
            extras: extras(&program)?,
            program,
        })
    }

    /// Writes everything into a folder, and returns the files. `crates` has the unpacked crates.
    fn write(&self, out: &Path, crates: &Path) -> Result<Vec<PathBuf>> {
        std::fs::create_dir_all(out)?;
        let program = &self.program;
        let (npm, debian) = (program.names.npm, program.names.debian);
        let wheel = program.wheel_platform();
        let tar = format!("waynote-{VERSION}-{}.tar.gz", program.target());
        let bundle = format!("waynote-{VERSION}-linux-{npm}.mcpb");
        let mut files = vec![
            (
                format!("waynote-{VERSION}-py3-none-{wheel}.whl"),
                self.wheel()?,
            ),
            (format!("{SOURCE}.tar.gz"), self.source_of_wheel(crates)?),
            (
                format!("waynote-{VERSION}.tgz"),
                self.npm()?.tar_gz("package/")?,
            ),
            (
                format!("waynote-linux-{npm}-{VERSION}.tgz"),
                self.npm_of_platform()?.tar_gz("package/")?,
            ),
            (format!("waynote_{VERSION}_{debian}.deb"), self.deb()?),
            (tar.clone(), self.tar()?),
            (bundle.clone(), self.bundle()?),
        ];
        let sum = |name: &str| {
            let found = files.iter().find(|(of, _)| of == name);
            found.map_or_else(String::new, |(_, bytes)| hex(bytes))
        };
        let sums: String = files
            .iter()
            .map(|(name, bytes)| format!("{}  {name}\n", hex(bytes)))
            .collect();
        let of_tar = |source: &Source| [("url", source.download(&tar)), ("sha256", sum(&tar))];
        let mut texts = vec![
            ("SHA256SUMS", sums),
            (
                "Containerfile",
                self.filled(include_str!("templates/Containerfile"), &[]),
            ),
        ];
        if let Some(source) = &self.source {
            let server = self.server_json(source, &bundle, &sum(&bundle))?;
            let (brew, nix) = (
                include_str!("templates/waynote.rb"),
                include_str!("templates/flake.nix"),
            );
            texts.extend([
                ("server.json", server),
                (
                    "server.yaml",
                    self.filled(include_str!("templates/server.yaml"), &[]),
                ),
                ("waynote.rb", self.filled(brew, &of_tar(source))),
                ("flake.nix", self.filled(nix, &of_tar(source))),
            ]);
        }
        let texts = texts.into_iter();
        files.extend(texts.map(|(name, text)| (name.to_owned(), text.into_bytes())));
        files
            .into_iter()
            .map(|(name, bytes)| {
                let path = out.join(name);
                std::fs::write(&path, bytes)?;
                Ok(path)
            })
            .collect()
    }

    /// A template with its `{names}` filled in.
    fn filled(&self, template: &str, more: &[(&str, String)]) -> String {
        let program = &self.program;
        let source = self.source.as_ref();
        let of_source = |of: fn(&Source) -> String| source.map(of).unwrap_or_default();
        let known = [
            ("version", VERSION.to_owned()),
            ("summary", self.summary.clone()),
            ("license", self.license.clone()),
            ("cpu", program.names.cpu.to_owned()),
            ("brew_cpu", program.names.cpu.replace("aarch64", "arm64")),
            ("debian_cpu", program.names.debian.to_owned()),
            ("depends", program.depends()),
            ("repository", of_source(|source| source.repository.clone())),
            ("owner", of_source(|source| source.owner.clone())),
            ("mcp_name", of_source(Source::mcp_name)),
        ];
        let mut text = template.to_owned();
        for (name, value) in known.iter().chain(more) {
            text = text.replace(&format!("{{{name}}}"), value);
        }
        text
    }

    /// The README, with the proof of the owner where there is one.
    fn readme(&self) -> String {
        let proof = self.source.as_ref().map(Source::mcp_name);
        let proof = proof
            .map(|name| format!("\nmcp-name: {name}\n"))
            .unwrap_or_default();
        format!("{}{proof}", include_str!("../../../README.md"))
    }

    /// What an index of Python packages shows.
    fn metadata(&self) -> String {
        let source = self.source.as_ref();
        let source = source.map(|of| format!("Project-URL: Source, {}\n", of.repository));
        format!(
            "Metadata-Version: 2.4\nName: waynote\nVersion: {VERSION}\nSummary: {}\nLicense-Expression: {}\n\
             License-File: LICENSE-APACHE\nLicense-File: LICENSE-MIT\nKeywords: agents,llm,memory,notes,mcp\n{}\
             Requires-Python: >=3.9\n{EXTRAS}Description-Content-Type: text/markdown\n\n{}",
            self.summary,
            self.license,
            source.unwrap_or_default(),
            self.readme()
        )
    }

    /// A wheel that puts the program beside Python's, with the client.
    fn wheel(&self) -> Result<Vec<u8>> {
        let mut files = Files::default();
        client(&mut files, "clients/python/waynote", "waynote/")?;
        files.program(
            format!("waynote-{VERSION}.data/scripts/waynote"),
            &*self.program.bytes,
        );
        let info = format!("waynote-{VERSION}.dist-info");
        files.add(format!("{info}/METADATA"), self.metadata());
        let tags = self.program.wheel_platform();
        let tags: String = tags
            .split('.')
            .map(|tag| format!("Tag: py3-none-{tag}\n"))
            .collect();
        files.add(
            format!("{info}/WHEEL"),
            format!("Wheel-Version: 1.0\nGenerator: waynote-xtask {VERSION}\nRoot-Is-Purelib: false\n{tags}"),
        );
        licences(&mut files, &format!("{info}/licenses/"));
        let record = format!("{info}/RECORD");
        let lines: String = files
            .0
            .iter()
            .map(|file| {
                let sum = BASE64URL_NOPAD.encode(&Sha256::digest(&file.bytes));
                format!("{},sha256={sum},{}\n", file.path, file.bytes.len())
            })
            .collect();
        files.add(&*record, format!("{lines}{record},,\n"));
        files.zip()
    }

    /// What the two packages for npm have in common.
    fn package_json(&self, name: &str, more: &Value) -> Result<String> {
        let mut package = json!({
            "name": name, "version": VERSION, "description": self.summary,
            "license": format!("({})", self.license),
        });
        let fields = package.as_object_mut().context("an object")?;
        if let Some(source) = &self.source {
            let url = format!("git+{}.git", source.repository);
            fields.insert("repository".into(), json!({ "type": "git", "url": url }));
        }
        fields.extend(more.as_object().context("an object")?.clone());
        Ok(serde_json::to_string_pretty(&package)? + "\n")
    }

    /// The package that people name: it finds the program in the platform's package, and has the client.
    fn npm(&self) -> Result<Files> {
        // The packages of the other processors may lack: npm leaves out what does not fit the machine.
        let platforms =
            ["x64", "arm64"].map(|cpu| (format!("waynote-linux-{cpu}"), VERSION.into()));
        let mut package = json!({
            "bin": { "waynote": "bin/waynote.js" },
            "engines": { "node": ">=18" },
            "keywords": ["agents", "llm", "memory", "notes", "mcp"],
            "optionalDependencies": Value::Object(platforms.into_iter().collect()),
        });
        let client_package: Value =
            serde_json::from_str(include_str!("../../../clients/typescript/package.json"))?;
        package["exports"] = client_package["exports"].clone();
        if let Some(source) = &self.source {
            package["mcpName"] = source.mcp_name().into();
        }
        let mut files = Files::default();
        files.add("package.json", self.package_json("waynote", &package)?);
        files.program("bin/waynote.js", include_str!("templates/waynote.js"));
        client(&mut files, "clients/typescript", "")?;
        files.add("README.md", self.readme());
        licences(&mut files, "");
        Ok(files)
    }

    fn npm_of_platform(&self) -> Result<Files> {
        let cpu = self.program.names.npm;
        let mut package = json!({ "os": ["linux"], "cpu": [cpu], "preferUnplugged": true });
        if self.program.glibc.is_some() {
            package["libc"] = json!(["glibc"]);
        }
        let mut files = Files::default();
        files.add(
            "package.json",
            self.package_json(&format!("waynote-linux-{cpu}"), &package)?,
        );
        files.program("bin/waynote", &*self.program.bytes);
        licences(&mut files, "");
        Ok(files)
    }

    /// A Debian package, with a service that nobody has to start.
    fn deb(&self) -> Result<Vec<u8>> {
        let mut files = Files::default();
        files.program("usr/bin/waynote", &*self.program.bytes);
        for extra in &self.extras.0 {
            let name = extra.path.rsplit('/').next().unwrap_or_default();
            let to = match name {
                "waynote.bash" => "bash-completion/completions/waynote",
                "_waynote" => "zsh/vendor-completions/_waynote",
                "waynote.fish" => "fish/vendor_completions.d/waynote.fish",
                page => {
                    files.add(format!("usr/share/man/man1/{page}.gz"), gzip(&extra.bytes)?);
                    continue;
                }
            };
            files.add(format!("usr/share/{to}"), &*extra.bytes);
        }
        files.add(
            "usr/lib/systemd/system/waynote.service",
            include_str!("templates/waynote.service"),
        );
        files.add(
            "usr/lib/sysusers.d/waynote.conf",
            "u waynote - \"waynote serve\" /var/lib/waynote\n",
        );
        let doc = "usr/share/doc/waynote";
        files.add(
            format!("{doc}/copyright"),
            include_str!("templates/copyright"),
        );
        files.add(
            format!("{doc}/changelog.gz"),
            gzip(include_bytes!("../../../CHANGELOG.md"))?,
        );
        licences(&mut files, &format!("{doc}/"));
        let kilobytes = files
            .0
            .iter()
            .map(|file| file.bytes.len().div_ceil(1024))
            .sum::<usize>();
        let mut control = Files::default();
        control.add(
            "control",
            self.filled(
                include_str!("templates/control"),
                &[("kilobytes", kilobytes.to_string())],
            ),
        );
        control.program("postinst", include_str!("templates/postinst"));
        control.program("prerm", include_str!("templates/prerm"));
        Ok(ar(&[
            ("debian-binary", b"2.0\n".to_vec()),
            ("control.tar.gz", control.tar_gz("./")?),
            ("data.tar.gz", files.tar_gz("./")?),
        ]))
    }

    fn tar(&self) -> Result<Vec<u8>> {
        let mut files = Files::default();
        files.program("waynote", &*self.program.bytes);
        for extra in &self.extras.0 {
            files.add(&*extra.path, &*extra.bytes);
        }
        files.add("waynote.service", include_str!("templates/waynote.service"));
        files.add("README.md", include_str!("../../../README.md"));
        files.add("CHANGELOG.md", include_str!("../../../CHANGELOG.md"));
        licences(&mut files, "");
        files.tar_gz(&format!("waynote-{VERSION}-{}/", self.program.target()))
    }

    /// A bundle that desktop clients install as an MCP server.
    fn bundle(&self) -> Result<Vec<u8>> {
        let mut manifest = json!({
            "manifest_version": "0.3", "name": "waynote", "display_name": "waynote", "version": VERSION,
            "description": self.summary, "author": { "name": "the waynote authors" }, "license": self.license,
            "keywords": ["memory", "notes", "agents"],
            "server": {
                "type": "binary", "entry_point": "server/waynote",
                "mcp_config": { "command": "${__dirname}/server/waynote", "args": ["mcp"], "env": {} },
            },
            "compatibility": { "platforms": ["linux"] },
            "tools_generated": true,
        });
        if let Some(source) = &self.source {
            manifest["repository"] = json!({ "type": "git", "url": source.repository });
        }
        let mut files = Files::default();
        files.add("manifest.json", serde_json::to_string_pretty(&manifest)?);
        files.program("server/waynote", &*self.program.bytes);
        licences(&mut files, "");
        files.zip()
    }

    /// The entry in the registry of MCP servers.
    fn server_json(&self, source: &Source, bundle: &str, sum: &str) -> Result<String> {
        ensure!(
            self.summary.len() <= 100,
            "the registry takes a description of at most 100 characters"
        );
        let runs = |kind: &str, identifier: &str, runner: &str| {
            json!({
                "registryType": kind, "identifier": identifier, "version": VERSION, "runtimeHint": runner,
                "transport": { "type": "stdio" }, "packageArguments": [{ "type": "positional", "value": "mcp" }],
            })
        };
        let server = json!({
            "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
            "name": source.mcp_name(), "title": "waynote", "description": self.summary, "version": VERSION,
            "repository": { "url": source.repository, "source": "github" },
            "packages": [
                runs("npm", "waynote", "npx"),
                runs("pypi", "waynote", "uvx"),
                { "registryType": "mcpb", "identifier": source.download(bundle), "fileSha256": sum,
                  "transport": { "type": "stdio" } },
                { "registryType": "oci", "identifier": format!("ghcr.io/{}/waynote:{VERSION}", source.owner),
                  "transport": { "type": "stdio" } },
            ],
        });
        Ok(serde_json::to_string_pretty(&server)? + "\n")
    }
}

/// The libraries that the Python client has adapters for.
const EXTRAS: &str = "Provides-Extra: anthropic\nRequires-Dist: anthropic; extra == \"anthropic\"\n\
                      Provides-Extra: langchain\nRequires-Dist: langchain-core; extra == \"langchain\"\n\
                      Provides-Extra: langgraph\nRequires-Dist: langgraph-checkpoint>=4.3; extra == \"langgraph\"\n";

/// The client's own files for a language; the package has a manifest of its own.
fn client(files: &mut Files, from: &str, to: &str) -> Result<()> {
    files.folder(from.as_ref(), to, &|path| {
        path.is_file() && !path.ends_with("package.json")
    })
}

/// Completions and manual pages, as the program prints them.
fn extras(program: &Program) -> Result<Files> {
    let mut files = Files::default();
    for (shell, name) in [
        ("bash", "waynote.bash"),
        ("zsh", "_waynote"),
        ("fish", "waynote.fish"),
    ] {
        files.add(
            format!("completions/{name}"),
            program.says(&["completions", shell])?,
        );
    }
    let folder = tempfile::tempdir()?;
    program.says(&["man", "--dir", &folder.path().to_string_lossy()])?;
    files.folder(folder.path(), "man/", &|_| true)?;
    Ok(files)
}

fn licences(files: &mut Files, folder: &str) {
    files.add(
        format!("{folder}LICENSE-APACHE"),
        include_str!("../../../LICENSE-APACHE"),
    );
    files.add(
        format!("{folder}LICENSE-MIT"),
        include_str!("../../../LICENSE-MIT"),
    );
}

fn hex(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}
