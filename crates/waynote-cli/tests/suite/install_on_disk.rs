//! Clients' files on the disk: links, modes, owners, the right to write.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;

use super::client_files::{FOUND, files, found, run, said};
use super::common::{Run, Scratch, has};

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

/// npx and uvx run the program from a cache that they empty.
#[test]
fn agents_start_a_copy_of_a_program_that_may_go() {
    let scratch = Scratch::new();
    let cached = scratch
        .home()
        .join("_npx/1f/node_modules/waynote-linux-x64/bin/waynote");
    fs::create_dir_all(cached.parent().unwrap()).unwrap();
    let own = env!("CARGO_BIN_EXE_waynote");
    fs::hard_link(own, &cached)
        .or_else(|_| fs::copy(own, &cached).map(drop))
        .unwrap();
    let from_cache = |words: &str| {
        let output = scratch.shell(&format!("cd home/work && {} {words}", cached.display()));
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let copy = scratch.home().join(".local/share/waynote/bin/waynote");
    from_cache("install codex --dry-run");
    assert!(!copy.exists());
    for client in ["codex", "claude-code"] {
        let said = from_cache(&format!("install {client}"));
        has(
            &said,
            format!("agents start a copy of the program, {}", copy.display()),
        );
    }
    let entry = fs::read_to_string(scratch.home().join(".claude.json")).unwrap();
    has(&entry, copy.to_str().unwrap());
    fs::remove_dir_all(scratch.home().join("_npx")).unwrap();
    for (client, is_left) in [("codex", true), ("claude-code", false)] {
        let run = scratch.shell(&format!(
            "cd home/work && {} uninstall {client}",
            copy.display()
        ));
        assert!(run.status.success(), "{run:?}");
        assert_eq!(copy.exists(), is_left, "{client}");
    }
}

/// Whoever took the right to write away meant it, though an exchange would get around it.
#[test]
fn a_read_only_file_is_left_alone() {
    let scratch = found();
    let file = scratch.home().join(".claude/settings.json");
    let before = files(&scratch);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let mut seen = String::new();
    for words in ["install claude-code", "install claude-code --dry-run"] {
        let said = said(&scratch, words);
        let lines: Vec<&str> = said
            .lines()
            .filter(|line| {
                !line.starts_with("  +") && !line.starts_with("  -") && !line.starts_with("   ")
            })
            .collect();
        seen += &format!("$ {words}\n{}\n", lines.join("\n"));
    }
    // Nothing of the client is half written.
    assert_eq!(files(&scratch), before);
    let writable = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    writable(0o600);
    run(&scratch, "install claude-code").ok();
    let installed = files(&scratch);
    writable(0o400);
    seen += &format!("$ uninstall\n{}", said(&scratch, "uninstall claude-code"));
    assert_eq!(files(&scratch), installed);
    insta::assert_snapshot!(seen, @"
    $ install claude-code
    exit 1
    error: HOME/.claude/settings.json is read-only
      `ls -l HOME/.claude/settings.json` shows who owns it; if another program manages it, make the change there: `--dry-run` shows it
    $ install claude-code --dry-run
    HOME/.claude.json (server): would be changed
    HOME/.claude/settings.json (hooks): would be changed
      HOME/.claude/settings.json is read-only: it would be refused
    nothing was written: this was a dry run
    $ uninstall
    exit 1
    error: HOME/.claude/settings.json is read-only
      `ls -l HOME/.claude/settings.json` shows who owns it; if another program manages it, make the change there: `--dry-run` shows it
    ");
}

#[test]
fn what_is_no_file_is_named() {
    let scratch = Scratch::new();
    let home = scratch.home();
    fs::create_dir_all(home.join(".codex/config.toml")).unwrap();
    fs::create_dir(home.join(".cursor")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(home.join(".cursor/mcp.json"))
        .status();
    assert!(made.unwrap().success());
    fs::write(home.join(".gemini"), "a file").unwrap();
    symlink("settings.json", home.join("settings.json")).unwrap();
    fs::create_dir(home.join(".claude")).unwrap();
    symlink("settings.json", home.join(".claude/settings.json")).unwrap();
    let long = fs::File::create(home.join(".claude.json")).unwrap();
    long.set_len(1 << 30).unwrap();
    let mut seen = String::new();
    for client in ["codex", "cursor", "gemini", "claude-code"] {
        seen += &format!(
            "$ install {client}: {}",
            said(&scratch, &format!("install {client}"))
        );
    }
    fs::remove_file(home.join(".claude.json")).unwrap();
    seen += &format!(
        "$ install claude-code: {}",
        said(&scratch, "install claude-code")
    );
    insta::assert_snapshot!(seen, @"
    $ install codex: exit 1
    error: HOME/.codex/config.toml is a directory; a file should be there
      move it away
    $ install cursor: exit 1
    error: HOME/.cursor/mcp.json is no regular file; one should be there
      move it away
    $ install gemini: exit 1
    error: HOME/.gemini is a file; a directory should be there
      move it away
    $ install claude-code: exit 1
    error: HOME/.claude.json is too long: 1024 MiB, 64 are read
      repair it or move it away
    $ install claude-code: exit 1
    error: HOME/.claude/settings.json cannot be read: Too many levels of symbolic links (os error 40)
      fix the cause and try again
    ");
}

#[test]
fn a_file_of_several_names_keeps_them() {
    let scratch = found();
    let (file, other) = (
        scratch.home().join(".claude.json"),
        scratch.home().join("dotfiles.json"),
    );
    fs::hard_link(&file, &other).unwrap();
    run(&scratch, "install claude-code").ok();
    assert_eq!(fs::read(&file).unwrap(), fs::read(&other).unwrap());
    assert!(fs::read_to_string(&other).unwrap().contains("waynote"));
    run(&scratch, "uninstall claude-code").ok();
    assert_eq!(fs::read_to_string(&other).unwrap(), FOUND[0].1);
}

#[test]
fn a_file_keeps_its_owner() {
    let scratch = found();
    let file = scratch.home().join(".claude.json");
    // Only root may give files away; a group of one's own anyone may.
    let nobody = 65534;
    if std::os::unix::fs::chown(&file, Some(nobody), Some(nobody)).is_err() {
        return waynote_testing::not_checked(
            "that a client's file keeps its owner",
            "only root gives files away",
        );
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o4640)).unwrap();
    run(&scratch, "install claude-code").ok();
    let now = fs::metadata(&file).unwrap();
    assert_eq!(
        (now.uid(), now.gid(), now.mode() & 0o7777),
        (nobody, nobody, 0o4640)
    );
}

/// Runs a command as a user other than root, because root has every right.
fn as_a_person(scratch: &Scratch, words: &str) -> String {
    let mut command = scratch.command(words);
    let nobody = 65534;
    if std::os::unix::fs::chown(scratch.home(), Some(nobody), Some(nobody)).is_ok() {
        command.uid(nobody).gid(nobody);
    }
    let output = command.env("PATH", "/usr/bin:/bin").output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text)
        .unwrap()
        .replace(&*scratch.home().to_string_lossy(), "HOME")
}

#[test]
fn a_right_that_is_missing_is_named() {
    let scratch = Scratch::new();
    let home = scratch.home();
    let mode =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    mode(home.parent().unwrap(), 0o755);
    for folder in [".cursor", ".codex"] {
        fs::create_dir(home.join(folder)).unwrap();
    }
    let config = home.join(".codex/config.toml");
    fs::write(&config, "").unwrap();
    mode(&config, 0o000);
    mode(&home.join(".cursor"), 0o555);
    let mut seen = String::new();
    for words in ["install cursor", "install codex", "doctor codex"] {
        seen += &format!("$ {words}\n{}", as_a_person(&scratch, words));
    }
    let dry = as_a_person(&scratch, "install cursor --dry-run");
    assert!(dry.contains("it would be refused"), "{dry}");
    seen = seen.replace(
        Path::new(env!("CARGO_BIN_EXE_waynote"))
            .parent()
            .unwrap()
            .to_str()
            .unwrap(),
        "BIN",
    );
    insta::assert_snapshot!(seen, @"
    $ install cursor
    error: HOME/.cursor/mcp.json cannot be changed: you have no right to write to HOME/.cursor
      `ls -ld HOME/.cursor` shows who owns it
    $ install codex
    error: HOME/.codex/config.toml cannot be read: you have no right to
      `ls -l HOME/.codex/config.toml` shows who owns it
    $ doctor codex
    note  `waynote` is not on the path
          next: add BIN to PATH: files shared by a team start it by its name
    ok    store: HOME/.local/share/waynote/notes.db, created by the first write
    WRONG Codex: HOME/.codex/config.toml cannot be read: you have no right to
          next: `ls -l HOME/.codex/config.toml` shows who owns it
    WRONG Codex: no hooks in HOME/.codex/hooks.json
          next: `waynote install codex` sets it up
    ");
}

#[test]
fn a_home_that_is_not_there_is_not_made() {
    let scratch = Scratch::new();
    let nowhere = scratch.home().join("typo");
    let run = run(&scratch, "install cursor").env("HOME", &nowhere);
    let said = run.said();
    assert!(said.contains("HOME is no directory"), "{said}");
    assert!(!nowhere.exists());
}

#[test]
fn what_a_client_will_not_see_is_named_every_time() {
    let scratch = Scratch::new();
    let next = |run: Run| {
        let said = run.ok();
        let lines = said.lines().filter(|line| line.starts_with("next: "));
        let home = scratch.home();
        lines
            .collect::<Vec<_>>()
            .join("\n")
            .replace(home.to_str().unwrap(), "HOME")
    };
    for words in [
        "install claude-code",
        "install claude-code --dry-run",
        "install claude-code",
    ] {
        let run = scratch.run(words).env("WAYNOTE_TOKEN_FILE", "/x/token");
        let said = next(run);
        let named = "next: run `waynote config set token_file /x/token` if Claude Code should use this token_file: it sees WAYNOTE_TOKEN_FILE only if it is started from this shell";
        assert!(said.ends_with(named), "{said}");
    }
}

/// A project that came from elsewhere may bring links, to have other files written.
#[test]
fn a_link_that_leaves_the_project_is_not_followed() {
    for (client, link, to) in [
        ("claude-code", ".mcp.json", "../mine.json"),
        ("claude-code", ".claude", "../folder"),
        ("codex", ".codex", "../folder"),
        ("cursor", ".cursor/mcp.json", "../../mine.json"),
        ("vscode", ".vscode", "../folder"),
        ("gemini", ".gemini/settings.json", "../../../none.json"),
        ("opencode", "opencode.json", "../mine.json"),
    ] {
        let scratch = Scratch::new();
        let project = scratch.home().join("work");
        let link = project.join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        fs::create_dir_all(scratch.home().join("folder")).unwrap();
        scratch.put("mine.json", "{}");
        symlink(to, &link).unwrap();
        let install = |words: &str| {
            let run = scratch.run(&format!("install {client} --project{words}"));
            run.cwd(&project).output()
        };
        let refused = install("");
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(1), "{client}: {said}");
        assert!(said.contains("leads out of"), "{client}: {said}");
        let planned = install(" --dry-run");
        has(String::from_utf8_lossy(&planned.stdout), "leads out of");
        // Nothing was written, there or elsewhere.
        assert_eq!(
            fs::read_to_string(scratch.home().join("mine.json")).unwrap(),
            "{}"
        );
        assert_eq!(
            fs::read_dir(scratch.home().join("folder")).unwrap().count(),
            0
        );
        assert!(!scratch.home().join("none.json").exists());
        // Within the project a link is followed.
        fs::remove_file(&link).unwrap();
        fs::create_dir(project.join("inside")).unwrap();
        fs::write(project.join("inside.json"), "{}").unwrap();
        let is_file = link.extension().is_some();
        let inside = if is_file { "inside.json" } else { "inside" };
        symlink(project.join(inside), &link).unwrap();
        assert_eq!(install("").status.code(), Some(0), "{client}");
    }
}
