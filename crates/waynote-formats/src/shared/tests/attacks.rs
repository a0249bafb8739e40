//! Files that a stranger has committed, or an agent has put there.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::time::Instant;

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

use super::*;

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
}

#[test]
fn nothing_is_read_or_written_through_a_link() {
    let shop = Shop::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("x.md"), "secret").unwrap();
    let at = |path: &str| shop.path().join(path);
    shop.put(".waynote/fine.md", "fine");
    symlink(outside.path(), at(".waynote/src")).unwrap();
    symlink(outside.path().join("x.md"), at(".waynote/x.md")).unwrap();
    symlink("fine.md", at(".waynote/inner.md")).unwrap();
    symlink("nowhere", at(".waynote/gone.md")).unwrap();
    pipe(&at(".waynote/pipe.md"));
    let _socket = UnixListener::bind(at(".waynote/socket.md")).unwrap();
    fs::create_dir_all(at(".waynote/folder.md/y.md")).unwrap();
    let notes = shop.notes();
    assert_eq!(addresses(&notes.all()), ["@#fine"]);
    insta::assert_snapshot!(left_out(&notes).join("\n"), @"
    .waynote/folder.md: name it `folder%2Emd`
    .waynote/gone.md: it is a link
    .waynote/inner.md: it is a link
    .waynote/pipe.md: it is no regular file
    .waynote/socket.md: it is no regular file
    .waynote/src: it is a link
    .waynote/x.md: it is a link
    ");
    let refused = |address: &str| {
        let written = notes.write(&self::address(address), &content("mine"), None, None);
        written.unwrap_err().to_string()
    };
    let refused = [
        "@//src#x",
        "@//src/new#y",
        "@#x",
        "@#gone",
        "@#pipe",
        "@#socket",
    ]
    .map(refused);
    insta::assert_snapshot!(refused.join("\n"), @"
    .waynote/src/x.md cannot be written: `src` is a link or a file, not a folder
    .waynote/src/new/y.md cannot be written: `src` is a link or a file, not a folder
    .waynote/x.md cannot be written: it is a link
    .waynote/gone.md cannot be written: it is a link
    .waynote/pipe.md cannot be written: it is a named pipe, and no file
    .waynote/socket.md cannot be written: it is a socket or a device, and no file
    ");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    assert_eq!(fs::read(outside.path().join("x.md")).unwrap(), b"secret");

    fs::rename(at(".waynote"), at("real")).unwrap();
    symlink("real", at(".waynote")).unwrap();
    let notes = shop.notes();
    assert!(notes.all().is_empty());
    assert_eq!(
        left_out(&notes),
        [".waynote: `.waynote` is a link or a file, not a folder"]
    );
    assert!(
        notes
            .write(&address("@#new"), &content("x"), None, None)
            .is_err()
    );
    fs::remove_file(at(".waynote")).unwrap();
    pipe(&at(".waynote"));
    let notes = shop.notes();
    assert!(notes.all().is_empty() && notes.left_out().len() == 1);
}

#[test]
fn a_device_is_no_note() {
    let shop = Shop::new();
    shop.put(".waynote/fine.md", "fine");
    let zero = shop.path().join(".waynote/zero.md");
    let (kind, of_zero) = (FileType::CharacterDevice, makedev(1, 5));
    // Others than root are refused.
    if mknodat(CWD, &zero, kind, Mode::RWXU, of_zero).is_err() {
        return;
    }
    let notes = shop.notes();
    assert_eq!(addresses(&notes.all()), ["@#fine"]);
    assert_eq!(
        left_out(&notes),
        [".waynote/zero.md: it is no regular file"]
    );
    let written = notes.write(&address("@#zero"), &content("x"), None, None);
    assert!(written.is_err());
}

#[test]
fn no_name_leads_out_of_the_folder() {
    let shop = Shop::new();
    shop.put(".git", "gitdir: /etc\n");
    shop.put(".waynote/.git", "gitdir: /etc\n");
    for name in [
        "%2E%2E",
        "%2E",
        "..%2F..",
        "%2e%2e%2f",
        "a%2Fb",
        "%00",
        "%FF",
        "%E2%80%AE",
        ".GIT",
    ] {
        shop.put(&format!(".waynote/{name}/x.md"), "x");
        shop.put(&format!(".waynote/{name}.md"), "x");
    }
    let notes = shop.notes();
    // A name with a hidden character is one that a folder can have.
    assert_eq!(addresses(&notes.all()), ["@//\u{202e}#x"]);
    assert_eq!(notes.left_out().len(), 17);
    for place in [
        "repo:github.com/acme/shop//../x",
        "repo:github.com/acme/shop//a/../../x",
    ] {
        let file = notes
            .file_of(&format!("{place}#k").parse().unwrap())
            .unwrap();
        assert_eq!(file, Path::new(".waynote/x/k.md"), "a place is normalized");
    }
}

#[test]
fn a_front_matter_is_no_bomb() {
    let shop = Shop::new();
    let bomb =
        "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b]\n";
    let nested = |open: &str| format!("x: {}\n", open.repeat(30_000));
    for (index, head) in [
        bomb.to_owned(),
        nested("["),
        nested("{"),
        nested("{a: "),
        nested("- "),
        nested("? "),
        "x: 1\n".repeat(12_000),
        format!("x: {}\n", "y".repeat(10 << 20)),
        format!("x: \"{}\n", "\\u0041".repeat(10_000)),
        "\t\n%YAML 9\n--- x\n".into(),
    ]
    .iter()
    .enumerate()
    {
        shop.put(
            &format!(".waynote/k{index}.md"),
            format!("---\n{head}---\ntext\n"),
        );
    }
    let begin = Instant::now();
    let notes = shop.notes();
    // A field that is there twice is a person's own.
    assert_eq!(addresses(&notes.all()), ["@#k6"]);
    insta::assert_snapshot!(left_out(&notes).join("\n"), @"
    .waynote/k0.md: its front matter is no mapping of YAML, has an alias, or is longer than 64 KiB
    .waynote/k1.md: its front matter is no mapping of YAML, has an alias, or is longer than 64 KiB
    .waynote/k2.md: its front matter is no mapping of YAML, has an alias, or is longer than 64 KiB
    .waynote/k3.md: its front matter is no mapping of YAML, has an alias, or is longer than 64 KiB
    .waynote/k4.md: its front matter is no mapping of YAML, has an alias, or is longer than 64 KiB
    .waynote/k5.md: its front matter is no mapping of YAML, has an alias, or is longer than 64 KiB
    .waynote/k7.md: it has 10485777 bytes
    .waynote/k8.md: its front matter is no mapping of YAML, has an alias, or is longer than 64 KiB
    .waynote/k9.md: its front matter is no mapping of YAML, has an alias, or is longer than 64 KiB
    ");
    assert!(begin.elapsed() < OF_ALL.time, "{:?}", begin.elapsed());
}

#[test]
fn no_number_of_files_is_read_for_long() {
    let shop = Shop::new();
    shop.put(".waynote/src/x.md", "x");
    shop.put(".waynote/many/0.md", "x");
    for number in 0..MOST_IN_FOLDER {
        fs::File::create(shop.path().join(format!(".waynote/many/x{number}"))).unwrap();
    }
    let deep = format!(".waynote/{}", "d/".repeat(MAX_DEPTH + 2));
    shop.put(&format!("{deep}x.md"), "x");
    let notes = shop.notes();
    assert_eq!(addresses(&notes.all()), ["@//src#x"]);
    let said = left_out(&notes).join("\n").replace("d/", "");
    insta::assert_snapshot!(said, @"
    .waynote/d: it is more than 64 folders deep
    .waynote/many: there are more than 4096 files in it
    ");
    // What is not asked for costs nothing.
    assert_eq!(
        addresses(&notes.of_scopes(&scopes(&["~/shop/src"]))),
        ["@//src#x"]
    );
}

#[test]
fn a_reading_ends_when_its_time_is_over() {
    let shop = Shop::new();
    shop.put(".waynote/x.md", "x");
    let mut reasons = Reasons::new();
    let now = Instant::now();
    let files = shop.notes().files(None, now, &OF_ALL, &mut reasons);
    assert!(files.is_empty());
    let said = "there is more than is read: 20000 files and folders, 16 MiB, or 2s";
    assert_eq!(reasons[FOLDER], said);
}

#[test]
fn a_block_reads_little_of_many_notes() {
    let shop = Shop::new();
    let torn = format!("<<<<<<< a\n{}", "x".repeat(100 << 10));
    for number in 0..6 {
        shop.put(&format!(".waynote/k{number}.md"), &torn);
        shop.put(&format!(".waynote/src/k{number}.md"), &torn);
    }
    shop.put(".waynote/src/z.md", "z");
    let notes = shop.notes();
    // Two questions have as much together as one.
    notes.of_scopes(&scopes(&["~/shop"]));
    notes.kept.lock().until = Some(Instant::now() + Duration::from_secs(3600));
    assert!(notes.of_scopes(&scopes(&["~/shop/src"])).is_empty());
    let said = "there is more than is read: 20000 files and folders, 1 MiB, or 400ms";
    assert!(notes.left_out().iter().any(|(_, reason)| *reason == said));
    assert_eq!(addresses(&notes.all()), ["@//src#z"]);
}

#[test]
fn of_more_files_than_are_looked_at_a_part_is_read() {
    let shop = Shop::new();
    shop.put(".waynote/src/x.md", "x");
    for number in 0..=MOST {
        let folder = shop.path().join(format!(".waynote/{}", number / 4000));
        if number % 4000 == 0 {
            fs::create_dir_all(&folder).unwrap();
        }
        fs::File::create(folder.join(format!("k{number}.md"))).unwrap();
    }
    // A hint counts no further.
    let (count, is_all) = shop.notes().count();
    assert!(count < MOST && !is_all);
    let notes = shop.notes();
    notes.all();
    let left_out = notes.left_out();
    assert!(left_out.len() <= MOST + 1, "{}", left_out.len());
    assert!(left_out.iter().any(|(file, _)| file == FOLDER));
    // What is not asked for costs nothing.
    let notes = shop.notes();
    let of_src = notes.of_scopes(&scopes(&["~/shop/src"]));
    assert_eq!(addresses(&of_src), ["@//src#x"]);
    assert_eq!(notes.left_out(), []);
}
