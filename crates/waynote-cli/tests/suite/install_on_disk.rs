//! Clients' files on the disk: what stays in them, links, modes, owners, the right to write.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;

use serde_json::Value;

use super::client_files::{CLIENTS, FOUND, files, found, run, said};
use super::common::{Scratch, has, rows};

/// Entries of one kind replace those of another, and in the end every byte is restored.
#[test]
fn every_way_is_taken_back_to_the_byte() {
    let scratch = found();
    let before = files(&scratch);
    let ways = [
        "",
        " --store https://notes.example/s/team",
        " --store https://notes.example/s/team --remote-mcp --agent builder",
        " --store postgres://u@h,i:5433/d?store=/s/team&sslmode=require",
    ];
    for client in CLIENTS {
        for way in ways {
            let words = format!("install {client}{way}");
            run(&scratch, &words).ok();
            let after = files(&scratch);
            let again = run(&scratch, &words).ok();
            assert!(again.contains("already set up"), "{words}: {again}");
            // It stays the same without being named again.
            let again = run(&scratch, &format!("install {client}")).ok();
            assert!(again.contains("already set up"), "{words}: {again}");
            assert_eq!(files(&scratch), after, "{words}");
            let text: String = after.iter().map(|(_, text)| text.as_str()).collect();
            let store = way.split(' ').nth(2);
            assert_eq!(store.is_some(), text.contains("/s/team"), "{words}");
            assert_eq!(
                way.contains("remote"),
                text.contains("/s/team/mcp"),
                "{words}: {text}"
            );
        }
        run(&scratch, &format!("uninstall {client}")).ok();
        assert_eq!(files(&scratch), before, "{client}");
    }
}

/// An entry that a person had written before is theirs, and so is what was added since.
#[test]
fn what_a_person_wrote_stays() {
    const SERVER: &str = r#"{ "mcpServers": { "waynote": { "command": "/old/waynote", "args": ["mcp"], "env": { "A": "mine" } } } }"#;
    const HOOK: &str = r#"{ "hooks": { "SessionStart": [ { "hooks": [ { "type": "command", "command": "/old/waynote hook claude-code SessionStart --budget 500" } ] } ] } }"#;
    const TABLE: &str = "[mcp_servers.waynote] # mine\ncommand = '/old/waynote'\nargs = ['mcp']\n";
    for (client, name, before) in [
        ("claude-code", ".claude.json", SERVER),
        ("claude-code", ".claude/settings.json", HOOK),
        ("codex", ".codex/config.toml", TABLE),
    ] {
        let scratch = Scratch::new();
        let file = scratch.put(name, before);
        run(&scratch, &format!("install {client}")).ok();
        assert!(!fs::read_to_string(&file).unwrap().contains("/old/"));
        let said = said(&scratch, &format!("uninstall {client}"));
        has(said, "had an entry of waynote before `install`");
        assert_eq!(fs::read_to_string(&file).unwrap(), before);
        // One that needs no change stays too.
        let now = before.replace("/old/waynote", env!("CARGO_BIN_EXE_waynote"));
        fs::write(&file, &now).unwrap();
        for command in ["install", "uninstall"] {
            run(&scratch, &format!("{command} {client}")).ok();
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), now);
    }
    for (client, name, before, more) in [
        (
            "codex",
            ".codex/config.toml",
            "model = \"o3\" # mine\n",
            "[tui]\nx = 1 # later\n",
        ),
        (
            "gemini",
            ".gemini/settings.json",
            "{\n  // mine\n  \"a\": 1\n}\n",
            "// later\n",
        ),
    ] {
        let scratch = Scratch::new();
        let file = scratch.put(name, before);
        run(&scratch, &format!("install {client}")).ok();
        let edited = fs::read_to_string(&file).unwrap() + more;
        fs::write(&file, edited).unwrap();
        run(&scratch, &format!("uninstall {client}")).ok();
        let left = fs::read_to_string(&file).unwrap();
        let bare = |text: &str| text.replace([' ', '\n'], "");
        assert_eq!(bare(&left), bare(&format!("{before}{more}")), "{client}");
    }
}

/// A client that rewrites its file while `install` runs loses none of its writes.
#[test]
fn a_client_that_writes_its_file_meanwhile_loses_nothing() {
    let scratch = Scratch::new();
    let file = scratch.put(".claude.json", "{ \"count\": 0 }");
    let write = |count: u64| {
        // As Claude Code does it: read, changed, replaced.
        let text = fs::read_to_string(&file).unwrap();
        let mut state: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(state["count"], count, "a write was lost");
        state["count"] = (count + 1).into();
        let new = file.with_extension("new");
        fs::write(&new, state.to_string()).unwrap();
        fs::rename(&new, &file).unwrap();
    };
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let client = scope.spawn(|| {
            let mut count = 0;
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                write(count);
                count += 1;
                // Idle for a while between writes, as a client is.
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
        });
        for _ in 0..5 {
            for command in ["install", "uninstall"] {
                run(&scratch, &format!("{command} claude-code")).output();
            }
        }
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        client.join().unwrap();
    });
}

#[test]
fn links_names_modes_and_owners_stay() {
    let scratch = found();
    let home = scratch.home();
    let (file, real, other) = (
        home.join(".claude.json"),
        home.join("dotfiles.json"),
        home.join("other.json"),
    );
    fs::rename(&file, &real).unwrap();
    symlink("dotfiles.json", &file).unwrap();
    fs::hard_link(&real, &other).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    // Only root may give files away.
    let nobody = 65534;
    let owner = match std::os::unix::fs::chown(&real, Some(nobody), Some(nobody)) {
        Ok(()) => nobody,
        Err(_) => rustix::process::geteuid().as_raw(),
    };
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let is_kept = || {
        assert!(fs::symlink_metadata(&file).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), fs::read(&other).unwrap());
        assert_eq!(
            (mode(&real), fs::metadata(&real).unwrap().uid()),
            (0o640, owner)
        );
    };
    run(&scratch, "install claude-code").ok();
    has(fs::read_to_string(&real).unwrap(), "waynote");
    is_kept();
    run(&scratch, "uninstall claude-code").ok();
    assert_eq!(fs::read_to_string(&real).unwrap(), FOUND[0].1);
    is_kept();
    run(&scratch, "install codex").ok();
    assert_eq!(mode(&home.join(".codex/hooks.json")), 0o600);
    run(&scratch, "install codex --project").ok();
    assert_eq!(mode(&home.join("work/.codex/hooks.json")), 0o644);
}

/// Who took the right to write away meant it, though an exchange would get around it.
#[test]
fn a_read_only_file_is_left_alone() {
    let scratch = found();
    let file = scratch.home().join(".claude/settings.json");
    let before = files(&scratch);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    insta::assert_snapshot!(said(&scratch, "install claude-code"), @"
    exit 1
    error: HOME/.claude/settings.json is read-only
      `ls -l HOME/.claude/settings.json` shows who owns it; if another program manages it, make the change there: `--dry-run` shows it
    ");
    has(
        said(&scratch, "install claude-code --dry-run"),
        "HOME/.claude/settings.json is read-only: it would be refused",
    );
    // Nothing of the client is half written.
    assert_eq!(files(&scratch), before);
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
fn what_is_no_file_and_a_right_that_is_missing_are_named() {
    let cases = "
        codex | mkdir -p .codex/config.toml | .codex/config.toml is a directory; a file should be there
        cursor | mkdir .cursor; mkfifo .cursor/mcp.json | .cursor/mcp.json is no regular file; one should be there
        gemini | touch .gemini | .gemini is a file; a directory should be there
        claude-code | truncate -s 1G .claude.json | .claude.json is too long: 1024 MiB, 64 are read
        cursor | mkdir -m 555 .cursor | cannot be changed: you have no right to write to HOME/.cursor
        claude-code | touch .claude.json; chmod 0 .claude.json | .claude.json cannot be read: you have no right to";
    for [client, made, named] in rows(cases) {
        let scratch = Scratch::new();
        scratch.shell(&format!("chmod 755 .; cd home; {made}"));
        has(as_a_person(&scratch, &format!("install {client}")), named);
    }
}

#[test]
fn a_home_that_is_not_there_is_not_made() {
    let scratch = Scratch::new();
    let nowhere = scratch.home().join("typo");
    let run = run(&scratch, "install cursor").env("HOME", &nowhere);
    has(run.said(), "HOME is no directory");
    assert!(!nowhere.exists());
}

/// A project that came from elsewhere may bring links, to have other files written.
#[test]
fn a_link_that_leaves_the_project_is_not_followed() {
    for (client, link, to) in [
        ("claude-code", ".mcp.json", "../mine.json"),
        ("claude-code", ".claude", "../folder"),
        ("codex", ".codex", "../folder"),
        ("cursor", ".cursor/mcp.json", "../../mine.json"),
        ("gemini", ".gemini/settings.json", "../../../none.json"),
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
        let mine = fs::read_to_string(scratch.home().join("mine.json"));
        assert_eq!(mine.unwrap(), "{}");
        let folder = fs::read_dir(scratch.home().join("folder"));
        assert_eq!(folder.unwrap().count(), 0);
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
