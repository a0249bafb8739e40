//! Clients' files on the disk: links, modes, owners, the right to write.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::client_files::{FOUND, found, run};

#[test]
fn links_are_followed_and_modes_stay() {
    let scratch = found();
    let real = scratch.home().join("dotfiles.json");
    fs::rename(scratch.home().join(".claude.json"), &real).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("dotfiles.json", scratch.home().join(".claude.json")).unwrap();
    run(&scratch, "install claude-code").ok();
    let link = fs::symlink_metadata(scratch.home().join(".claude.json")).unwrap();
    assert!(link.is_symlink());
    assert!(fs::read_to_string(&real).unwrap().contains("waynote"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&real), 0o640);
    run(&scratch, "uninstall claude-code").ok();
    assert_eq!(fs::read_to_string(&real).unwrap(), FOUND[0].1);
    assert_eq!(mode(&real), 0o640);
    run(&scratch, "install codex").ok();
    assert_eq!(mode(&scratch.home().join(".codex/hooks.json")), 0o600);
    run(&scratch, "install codex --project").ok();
    assert_eq!(mode(&scratch.home().join("work/.codex/hooks.json")), 0o644);
}
