//! Files of a package, and the archives that they go into. Equal files give equal bytes.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use zip::write::{SimpleFileOptions, ZipWriter};

/// Files by their paths, in their order.
#[derive(Default)]
pub(super) struct Files(pub(super) Vec<File>);

pub(super) struct File {
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    mode: u32,
}

impl Files {
    pub(super) fn add(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.put(path.into(), bytes.into(), 0o644);
    }

    /// A file that can be run.
    pub(super) fn program(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.put(path.into(), bytes.into(), 0o755);
    }

    /// The files of a folder for which `fits` holds, and those of folders in it, in the order of their names.
    pub(super) fn folder(
        &mut self,
        from: &Path,
        to: &str,
        fits: &impl Fn(&Path) -> bool,
    ) -> Result<()> {
        let found =
            fs::read_dir(from).with_context(|| format!("{} cannot be read", from.display()))?;
        let found = found.map(|entry| Ok(entry?.path()));
        let mut found = found.collect::<Result<Vec<_>>>()?;
        found.sort();
        for path in found.iter().filter(|path| fits(path)) {
            let name = path.file_name().context("a name")?.to_string_lossy();
            let to = format!("{to}{name}");
            if path.is_dir() {
                self.folder(path, &format!("{to}/"), fits)?;
            } else {
                self.add(to, fs::read(path)?);
            }
        }
        Ok(())
    }

    fn put(&mut self, path: String, bytes: Vec<u8>, mode: u32) {
        self.0.push(File { path, bytes, mode });
    }

    /// A tar archive, compressed by gzip; every path begins with `prefix`.
    pub(super) fn tar_gz(&self, prefix: &str) -> Result<Vec<u8>> {
        let mut tar = tar::Builder::new(GzBuilder::new().write(Vec::new(), Compression::default()));
        let mut made: Vec<String> = Vec::new();
        for file in &self.0 {
            let path = format!("{prefix}{}", file.path);
            // A package manager removes only the folders that a package names.
            for (end, _) in path
                .match_indices('/')
                .filter(|(end, _)| path[..*end] != *".")
            {
                let folder = path[..=end].to_owned();
                if !made.contains(&folder) {
                    let mut header = header(0, 0o755);
                    header.set_entry_type(tar::EntryType::Directory);
                    tar.append_data(&mut header, &folder, &[][..])?;
                    made.push(folder);
                }
            }
            let mut header = header(file.bytes.len(), file.mode);
            tar.append_data(&mut header, &path, &*file.bytes)?;
        }
        Ok(tar.into_inner()?.finish()?)
    }

    pub(super) fn zip(&self) -> Result<Vec<u8>> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for file in &self.0 {
            let options = SimpleFileOptions::default();
            zip.start_file(&file.path, options.unix_permissions(file.mode))?;
            zip.write_all(&file.bytes)?;
        }
        Ok(zip.finish()?.into_inner())
    }
}

fn header(size: usize, mode: u32) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(size as u64);
    header.set_mode(mode);
    header.set_mtime(0);
    header.set_uid(0);
    header.set_gid(0);
    header
}

/// An archive as `ar` makes it, which is what a Debian package is.
pub(super) fn ar(members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut ar = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let head = format!(
            "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
            0,
            0,
            0,
            100_644,
            bytes.len()
        );
        ar.extend(head.as_bytes());
        ar.extend(bytes);
        // A member begins at an even place.
        ar.extend(std::iter::repeat_n(b'\n', bytes.len() % 2));
    }
    ar
}

/// One file, compressed by gzip.
pub(super) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut gzip = GzBuilder::new().write(Vec::new(), Compression::best());
    gzip.write_all(bytes)?;
    Ok(gzip.finish()?)
}
