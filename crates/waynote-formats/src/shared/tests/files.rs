//! The files: which note each is, and what is kept of it when it is written again.

use std::time::Duration;

use proptest::prelude::*;

use super::*;

#[test]
fn each_file_is_a_note_of_its_folder() {
    let shop = Shop::new();
    for (file, text) in [
        ("README.md", "the shop\n"),
        ("build.md", "\u{feff}\nrun `make`\n\n"),
        ("src/pay/README.md", "paying\n"),
        ("src/pay/currency.md", "cents\n"),
        ("src/pays/other.md", "other\n"),
        (".github/ci.md", "ci\n"),
        (".gitattributes", "x"),
        ("src/.currency.md.swp", "x"),
    ] {
        shop.put(&format!(".waynote/{file}"), text);
    }
    let notes = shop.notes();
    let all = notes.all();
    assert_eq!(
        addresses(&all).join(" "),
        "@ @#build @//.github#ci @//src/pay @//src/pay#currency @//src/pays#other"
    );
    assert_eq!(
        (all.len(), notes.count(), left_out(&notes)),
        (6, (6, true), vec![])
    );
    assert_eq!(all[1].content, content("run `make`"));
    assert_eq!(all[1].preview, "run `make`");
    assert_eq!((all[1].source, all[1].revision), (Source::Shared, 0));
    // By the path and by every name of the repository, each once.
    let of = |places: &[&str]| addresses(&notes.of_scopes(&scopes(places))).join(" ");
    let pay = "@//src/pay @//src/pay#currency";
    assert_eq!(
        of(&["~/shop/src/pay", "repo:github.com/acme/shop//src/pay"]),
        pay
    );
    assert_eq!(of(&["repo:old.example/shop//src/pay"]), pay);
    assert_eq!(of(&["~/main", "~/shop/src", "~", "repo:a/b"]), "@ @#build");
    assert_eq!(of(&["~/shop/gone"]), "");
    let agent = Scope::Agent("a".parse().unwrap());
    assert!(notes.of_scopes(&[agent]).is_empty());
}

#[test]
fn a_repository_without_a_name_has_notes_by_its_path() {
    let shop = Shop::new();
    shop.put(".waynote/src/x.md", "x");
    let root: Place = "~/shop".parse().unwrap();
    let (name, also) = (root.clone(), Vec::new());
    let notes = SharedNotes::new(shop.path().to_owned(), &Checkout { root, name, also });
    assert_eq!(addresses(&notes.all()), ["place:~/shop/src#x"]);
    let file = notes
        .file_of(&"place:~/shop/src#x".parse().unwrap())
        .unwrap();
    assert_eq!(file, Path::new(".waynote/src/x.md"));
}

#[test]
fn the_front_matter_has_pins_and_code() {
    let shop = Shop::new();
    shop.put(
        ".waynote/build.md",
        "---\r\n# of the team\nowner: [a, b]\npinned: true\ncites:\n  - code: src/pay.rs:40-60\n    said: 3-9-ab\n  \
         - fn charge\n---\n\n---\n\nrun it\n",
    );
    let note = shop.notes().all().remove(0);
    assert!(note.pinned);
    assert_eq!(note.content, content("---\n\nrun it"));
    let cites: Vec<_> = note
        .cites
        .iter()
        .map(|of| (of.code.as_str(), of.said.as_deref()))
        .collect();
    assert_eq!(
        cites,
        [("src/pay.rs:40-60", Some("3-9-ab")), ("fn charge", None)]
    );
    assert_eq!(
        note.cites[0].repository,
        Some("repo:github.com/acme/shop".parse().unwrap())
    );
}

#[test]
fn a_file_that_is_no_note_is_left_out_and_named() {
    let shop = Shop::new();
    let long = "x".repeat(4097);
    for (file, text) in [
        (
            "a.md",
            "one\n<<<<<<< HEAD\ntwo\n=======\nthree\n>>>>>>> other\n",
        ),
        ("b.md", "---\npinned: true\n"),
        ("c.md", "---\npinned: [\n---\ntext"),
        ("d.md", "---\npinned: maybe\n---\ntext"),
        ("e.md", "---\npinned: true\npinned: true\n---\ntext"),
        ("f.md", "---\nx: &a [1]\ny: *a\n---\ntext"),
        ("g.md", "---\n- pinned\n---\ntext"),
        ("h.md", "---\ncites:\n  - ../../etc/passwd:1-3\n---\ntext"),
        ("i.md", "---\ncites:\n  - code: \n---\ntext"),
        ("j.md", "\n\n"),
        ("k.md", &*long),
        ("l.md", "a\0b"),
        ("Build.md", "text"),
        ("notes.txt", "text"),
        ("readme.md", "text"),
        ("src/A/x.md", "text"),
        ("src/a/x.md", "text"),
        ("con/x.md", "text"),
    ] {
        shop.put(&format!(".waynote/{file}"), text);
    }
    shop.put(".waynote/m.md", b"caf\xE9");
    let notes = shop.notes();
    assert_eq!(addresses(&notes.all()), Vec::<String>::new());
    insta::assert_snapshot!(left_out(&notes).join("\n"));
    let origin = |address: &str| notes.origin(&self::address(address));
    assert_eq!(
        origin("@#a").unwrap(),
        ".waynote/a.md (line 2 is a conflict marker; resolve the conflict: until then no one gets this note)"
    );
    // By another name it is no note of this file.
    assert_eq!(
        (origin("place:~/shop#a"), origin("repo:old.example/shop#a")),
        (None, None)
    );
    // Where case does not count, it is the note's file.
    assert_eq!(
        origin("@#build").unwrap(),
        ".waynote/Build.md (name it `build.md`)"
    );
    assert_eq!((origin("@#z"), origin("agent:a#a")), (None, None));
    // What is mended is a note, and no longer named.
    shop.put(".waynote/a.md", "one two");
    // A mistyped name beside a right one takes only itself out.
    shop.put(".waynote/build.md", "make");
    let notes = shop.notes();
    let read = notes.of_scopes(&scopes(&["~/shop"]));
    assert_eq!(addresses(&read), ["@#a", "@#build"]);
    assert!(!left_out(&notes).concat().contains("a.md"));
    fs::remove_dir_all(shop.path().join(".waynote/src/A")).unwrap();
    assert_eq!(
        addresses(&notes.of_scopes(&scopes(&["~/shop/src/a"]))),
        ["@//src/a#x"]
    );
    assert_eq!(addresses(&notes.all()), ["@#a", "@#build", "@//src/a#x"]);
    fs::remove_dir_all(shop.path().join(".waynote")).unwrap();
    let notes = shop.notes();
    assert_eq!((notes.all(), notes.left_out()), (vec![], vec![]));
}

#[test]
fn credentials_are_masked_and_hidden_characters_dropped() {
    let shop = Shop::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    shop.put(".waynote/build.md", format!("use {token}\u{202e} here"));
    let notes = shop.notes();
    let note = notes.all().remove(0);
    assert_eq!(note.content, content("use [masked: github-token] here"));
    assert_eq!(note.preview, "use [masked: github-token] here");
    assert_eq!(
        left_out(&notes),
        [format!(".waynote/build.md: {CREDENTIAL}")]
    );
    assert_eq!(
        notes.not_read().unwrap(),
        "The shared notes of 1 file are not read whole: .waynote/build.md"
    );
    // One that says how a mask looks has none.
    let quotes = Shop::new();
    quotes.put(".waynote/build.md", "logs say [masked: github-token]");
    let read = quotes.notes();
    assert_eq!((read.all().len(), left_out(&read).len()), (1, 0));
    // A pin or a confirmation of what is read leaves the text.
    let file = shop
        .notes()
        .write(&note.address, &note.content, Some(true), None);
    let text = file.unwrap().text;
    assert_eq!(
        text,
        format!("---\npinned: true\n---\n\nuse {token}\u{202e} here\n")
    );
}

#[test]
fn a_folder_is_read_once_for_a_prompt() {
    let shop = Shop::new();
    shop.put(".waynote/a.md", "a");
    shop.put(".waynote/src/b.md", "b");
    let notes = shop.notes();
    let of = |place: &str| addresses(&notes.of_scopes(&scopes(&[place]))).concat();
    let keep = |until| notes.kept.lock().until = Some(until);
    let now = Instant::now();
    assert_eq!(of("~/shop"), "@#a");
    keep(now + Duration::from_secs(3600));
    fs::remove_file(shop.path().join(".waynote/a.md")).unwrap();
    assert_eq!(
        (of("~/shop"), of("~/shop/src")),
        ("@#a".into(), "@//src#b".into())
    );
    // All are not known yet; once they are, no folder is read again.
    assert_eq!(addresses(&notes.all()), ["@//src#b"]);
    keep(now + Duration::from_secs(3600));
    fs::remove_file(shop.path().join(".waynote/src/b.md")).unwrap();
    assert_eq!(
        (of("~/shop"), of("~/shop/src")),
        (String::new(), "@//src#b".into())
    );
    assert_eq!(addresses(&notes.all()), ["@//src#b"]);
    // A write is seen at once, another's change soon.
    notes
        .write(&address("@#c"), &content("c"), None, None)
        .unwrap();
    assert_eq!(
        (of("~/shop"), of("~/shop/src")),
        ("@#c".into(), String::new())
    );
    shop.put(".waynote/d.md", "d");
    keep(now);
    assert_eq!(of("~/shop"), "@#c@#d");
}

#[test]
fn a_note_is_written_where_it_is_read() {
    let shop = Shop::new();
    let notes = shop.notes();
    let write = |address: &str, text: &str| {
        let file = notes.write(&self::address(address), &content(text), None, None);
        file.map(|file| (file.path.display().to_string(), file.is_changed()))
    };
    for (address, file) in [
        ("@", ".waynote/README.md"),
        ("@#readme", ".waynote/%72eadme.md"),
        ("@//src/pay#currency", ".waynote/src/pay/currency.md"),
        ("@//src/x.md#nul", ".waynote/src/x%2Emd/%6Eul.md"),
    ] {
        assert_eq!(write(address, "text\n").unwrap(), (file.into(), true));
        assert_eq!(write(address, "text").unwrap(), (file.into(), false));
        assert_eq!(shop.text(file), "text\n");
    }
    assert_eq!(notes.all().len(), 4);
    let origin = |address: &str| notes.origin(&self::address(address));
    assert_eq!(origin("@#readme").unwrap(), ".waynote/%72eadme.md");
    assert_eq!(origin("agent:a#readme"), None);
    // A file that says the same in other bytes stays as it is.
    shop.put(".waynote/README.md", "\r\ntext\r\n\r\n");
    assert!(!write("@", "text").unwrap().1);
    // By another name of the place, it is the same file.
    assert!(!write("place:~/shop/src/pay#currency", "text").unwrap().1);
    // Only what it says is in the file, not what the file was.
    assert!(write("@", "---").unwrap().1);
    assert_eq!(shop.text(".waynote/README.md"), "---\n---\n\n---\n");
    let there = fs::read_dir(shop.path().join(".waynote")).unwrap().count();
    assert_eq!(there, 3, "no file of a write is left");
}

#[test]
fn the_rest_of_the_front_matter_stays_as_it_is() {
    let shop = Shop::new();
    let notes = shop.notes();
    let build = address("@#build");
    let write = |text: &str, pinned, cites: Option<&[Citation]>| {
        notes.write(&build, &content(text), pinned, cites).unwrap();
        shop.text(".waynote/build.md")
    };
    let hash = cited("src/pay.rs:40-60", "3-9-ab");
    let cites = [hash.clone(), cited("fn a: \"b\"", "word")];
    assert_eq!(write("one", Some(false), Some(&[])), "one\n");
    assert_eq!(
        write("one", Some(true), Some(&cites)),
        "---\npinned: true\ncites:\n  - code: src/pay.rs:40-60\n    said: 3-9-ab\n  \
         - code: \"fn a: \\\"b\\\"\"\n    said: word\n---\n\none\n"
    );
    assert_eq!(notes.all()[0].cites[1].code, "fn a: \"b\"");
    let kept = "# a team's\r\nowner:   {of: [x]}  # odd\npinned:  true\n\nafter: |\n  cites:\n   - x\ncites: src/a.rs\n# end\n";
    shop.put(".waynote/build.md", format!("---\n{kept}---\none\n"));
    assert_eq!(write("two", None, None), format!("---\n{kept}---\ntwo\n"));
    let unpinned = kept
        .replace("pinned:  true\n\n", "")
        .replace("cites: src/a.rs\n", "");
    assert_eq!(
        write("two", Some(false), Some(&[hash])),
        format!("---\n{unpinned}cites:\n  - code: src/pay.rs:40-60\n    said: 3-9-ab\n---\ntwo\n")
    );
}

#[test]
fn what_would_not_be_read_back_is_not_written() {
    let shop = Shop::new();
    shop.put(".waynote/torn.md", "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n");
    shop.put(".waynote/Twin.md", "x");
    shop.put(".waynote/Src/x.md", "x");
    let notes = shop.notes();
    let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let long = "x".repeat(4097);
    let refused = [
        ("@#torn", "new"),
        ("@#twin", "new"),
        ("@//src#y", "new"),
        ("@#a", " \n"),
        ("@#a", ">>>>>>> b"),
        ("@#a", &*token),
        ("@#a", &*long),
        ("repo:a/other#a", "new"),
        ("place:~/elsewhere", "new"),
        ("agent:a#k", "new"),
    ]
    .map(|(address, text)| {
        let refused = notes
            .write(&self::address(address), &content(text), None, None)
            .unwrap_err();
        format!("{address}: {refused}")
    });
    insta::assert_snapshot!(refused.join("\n"));
    let outside = [Citation::new("../x.rs:1")];
    notes
        .write(&address("@#a"), &content("x"), None, Some(&outside))
        .unwrap_err();
    assert_eq!(
        fs::read_dir(shop.path().join(".waynote")).unwrap().count(),
        3
    );
}

#[test]
fn a_file_keeps_the_spelling_of_its_name() {
    let shop = Shop::new();
    shop.put(".waynote/cafe\u{301}/x.md", "old");
    let notes = shop.notes();
    let x = address("@//caf\u{e9}#x");
    let file = Path::new(".waynote/cafe\u{301}/x.md");
    assert_eq!(notes.file_of(&x).unwrap(), file);
    assert_eq!(notes.origin(&x).unwrap(), file.display().to_string());
    notes.write(&x, &content("new"), None, None).unwrap();
    assert_eq!(shop.text(".waynote/cafe\u{301}/x.md"), "new\n");
    assert_eq!(notes.all()[0].address, x);
    fs::create_dir(shop.path().join(".waynote/caf\u{e9}")).unwrap();
    let notes = shop.notes();
    notes.write(&x, &content("newer"), None, None).unwrap_err();
    assert!(notes.all().is_empty() && notes.left_out().len() == 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn every_note_is_read_back(
        parts in prop::collection::vec("[^/\0\u{a0}-\u{10ffff}]{1,8}|con|\\.git|x\\.md", 0..3),
        key in "[a-z0-9][a-z0-9_-]{0,9}|readme|nul",
        has_key: bool,
        text in "(---|\\.\\.\\.|a: b|[ -~]{0,9}|\r|\u{e9}){1,3}(\n(---|[ -~]{0,9})){0,3}",
        pinned: bool,
        codes in prop::collection::btree_set("[a-zA-Z#:'\"{-][ -~]{0,9}[a-z]", 0..3),
    ) {
        prop_assume!(parts.iter().all(|part| part != "." && part != ".."));
        prop_assume!(!text.trim().is_empty());
        let shop = Shop::new();
        let notes = shop.notes();
        let place: Place = "repo:github.com/acme/shop".parse().unwrap();
        let place = place.join(&parts.join("/"));
        let address = match has_key {
            true => Address::PlaceKey(place, key.parse().unwrap()),
            false => Address::Place(place),
        };
        let cites: Vec<Citation> = codes.iter().map(|code| cited(code, "1-2-ab")).collect();
        prop_assume!(Citation::check(&cites).is_ok());
        let file = notes.write(&address, &content(&text), Some(pinned), Some(&cites)).unwrap();
        let read = notes.of_scopes(&[address.scope()]);
        prop_assert_eq!(read.len(), 1, "{:?}", notes.left_out());
        prop_assert_eq!(&read[0].address, &address);
        prop_assert_eq!(read[0].content.shown(), text.trim_matches(['\r', '\n']));
        prop_assert_eq!(read[0].pinned, pinned);
        let read: Vec<_> = read[0].cites.iter().map(|of| (of.code.clone(), of.said.clone())).collect();
        let cites: Vec<_> = cites.into_iter().map(|of| (of.code, of.said)).collect();
        prop_assert_eq!(read, cites);
        prop_assert!(shop.path().join(file.path).is_file());
    }
}
