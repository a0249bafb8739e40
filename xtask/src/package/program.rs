//! The program that is packed: its version, its processor, and the system libraries that it really needs.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use object::read::elf::{ElfFile64, FileHeader};
use object::{Architecture, Endianness, Object};

/// The libraries that a wheel may take from the system (PEP 600). All are part of glibc, but for `libgcc_s`.
const OF_SYSTEM: [&str; 7] = [
    "ld-linux-aarch64.so.1",
    "ld-linux-x86-64.so.2",
    "libc.so.6",
    "libdl.so.2",
    "libgcc_s.so.1",
    "libm.so.6",
    "libpthread.so.0",
];

pub(crate) struct Program {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
    pub(super) names: Names,
    /// The oldest glibc that it runs with; none: it needs none.
    pub(super) glibc: Option<(u32, u32)>,
    needs_libgcc: bool,
}

/// A processor, as each kind of package calls it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    /// In Rust's targets, in wheels and in Nix.
    pub(super) cpu: &'static str,
    pub(super) npm: &'static str,
    pub(super) debian: &'static str,
}

impl Program {
    /// Reads a program of Linux, and asks it for its version.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let bytes =
            std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let file = ElfFile64::<Endianness>::parse(&*bytes)
            .with_context(|| format!("{} is no program of 64-bit Linux", path.display()))?;
        let names = match file.architecture() {
            Architecture::X86_64 => Names {
                cpu: "x86_64",
                npm: "x64",
                debian: "amd64",
            },
            Architecture::Aarch64 => Names {
                cpu: "aarch64",
                npm: "arm64",
                debian: "arm64",
            },
            other => anyhow::bail!("packages for {other:?} are not made"),
        };
        let endian = file.endian();
        let sections = file.elf_header().sections(endian, &*bytes)?;
        let mut glibc = None;
        let mut needed = Vec::new();
        if let Some((mut all, link)) = sections.gnu_verneed(endian, &*bytes)? {
            let texts = sections.strings(endian, &*bytes, link)?;
            while let Some((library, mut versions)) = all.next()? {
                needed.push(String::from_utf8_lossy(library.file(endian, texts)?).into_owned());
                while let Some(version) = versions.next()? {
                    glibc = glibc.max(glibc_version(version.name(endian, texts)?));
                }
            }
        }
        for library in &needed {
            ensure!(
                OF_SYSTEM.contains(&library.as_str()),
                "{} needs {library}, which not every system has",
                path.display()
            );
        }
        let program = Self {
            path: path.to_owned(),
            needs_libgcc: needed.iter().any(|library| library == "libgcc_s.so.1"),
            names,
            glibc,
            bytes,
        };
        let (own, stated) = (
            program.says(&["--version"])?,
            format!("waynote {VERSION}\n"),
        );
        ensure!(own == stated, "{} is {own}, not {stated}", path.display());
        Ok(program)
    }

    /// The output of a command.
    pub(super) fn says(&self, words: &[&str]) -> Result<String> {
        let output = Command::new(&self.path).args(words).output()?;
        ensure!(
            output.status.success(),
            "waynote {} failed",
            words.join(" ")
        );
        Ok(String::from_utf8(output.stdout)?)
    }

    /// The target, as Rust calls it.
    pub(super) fn target(&self) -> String {
        let libc = if self.glibc.is_some() { "gnu" } else { "musl" };
        format!("{}-unknown-linux-{libc}", self.names.cpu)
    }

    /// The platforms of its wheel: glibc of that age or newer, and where it needs none, musl too.
    pub(super) fn wheel_platform(&self) -> String {
        let cpu = self.names.cpu;
        match self.glibc {
            Some((major, minor)) => format!("manylinux_{major}_{minor}_{cpu}"),
            None => format!("manylinux_2_17_{cpu}.musllinux_1_1_{cpu}"),
        }
    }

    /// The Debian packages that it needs.
    pub(super) fn depends(&self) -> String {
        let libc = self
            .glibc
            .map(|(major, minor)| format!("libc6 (>= {major}.{minor})"));
        let libgcc = self.needs_libgcc.then(|| "libgcc-s1".to_owned());
        libc.into_iter()
            .chain(libgcc)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// The one version of the workspace.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The version of glibc that a symbol's version names: `GLIBC_2.34`.
fn glibc_version(name: &[u8]) -> Option<(u32, u32)> {
    let version = std::str::from_utf8(name).ok()?.strip_prefix("GLIBC_")?;
    let mut parts = version.split('.').map(|part| part.parse().ok());
    Some((parts.next()??, parts.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbols_version_names_glibc() {
        for (name, version) in [
            ("GLIBC_2.34", Some((2, 34))),
            ("GLIBC_2.2.5", Some((2, 2))),
            ("GLIBC_PRIVATE", None),
            ("GCC_4.2.0", None),
        ] {
            assert_eq!(glibc_version(name.as_bytes()), version, "{name}");
        }
        assert!(glibc_version(b"GLIBC_2.4") < glibc_version(b"GLIBC_2.17"));
    }
}
