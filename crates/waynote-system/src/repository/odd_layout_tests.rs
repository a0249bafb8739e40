//! Layouts that lie, that cannot be read, and that the person's settings and configuration change.

use std::fs;

use super::Naming;
use super::layout_tests::{Home, OUTER};

/// Files that lie, that cannot be read, and folders that are no repository; in a home with the named repositories
/// `shop` and `outer`, and `plain` without a remote. Each with the directory, its lineage, and the scripts.
const ODD: [(&str, &str, &[&str]); 5] = [
    (
        "a/b",
        "~ ~/a ~/a/b | none",
        &[
            // Folders without git; a temporary folder is no project.
            "mkdir -p a/b",
        ],
    ),
    (
        "thief",
        "~ ~/thief @ | @",
        &[
            // A name is not asked for trust: whoever claims it has it, and no path of another.
            "mkdir thief; echo 'gitdir: ../shop/.git' > thief/.git",
            "git init -q thief; echo ../../shop/.git > thief/.git/commondir",
            "git init -q thief; git -C thief config include.path ../../shop/.git/config",
        ],
    ),
    (
        "thief",
        "~ ~/thief | ~/thief",
        &[
            "mkdir thief; echo 'gitdir: ../plain/.git' > thief/.git",
            "mkdir thief; echo 'gitdir: ../plain/.git/worktrees/fix' > thief/.git",
            "mkdir thief; ln -s ../fix/.git thief/.git",
            "git init -q thief; echo ../../plain/.git > thief/.git/commondir",
            "mkdir -p thief; echo \"gitdir: $HOME/bare.git/worktrees/tree\" > thief/.git",
            "git init -q thief; git -C thief config core.worktree ../../plain",
        ],
    ),
    (
        "odd",
        "~ ~/odd | ~/odd",
        &[
            // Addresses that are none.
            "git init -q odd; git -C odd remote add origin https://github.com/../../etc",
            "git init -q odd; git -C odd remote add origin 'ext::sh -c touch% x'",
            "git init -q odd; git -C odd remote add origin https://github.com/a%0Ab/c",
            "git init -q odd; git -C odd remote add origin .",
            "git init -q odd; git -C odd remote add origin ../ring; git init -q ring; git -C ring remote add origin ../odd",
            "git init -q odd; mkfifo pipe; git -C odd remote add origin ../pipe",
            "git init -q odd; git -C odd remote add origin /dev/zero",
        ],
    ),
    (
        "odd",
        "~ ~/odd | unknown",
        &[
            // Unknown is not absent.
            "mkdir odd; echo 'gitdir: ../nowhere' > odd/.git",
            "mkdir odd empty; echo 'gitdir: ../empty' > odd/.git",
            "mkdir odd; echo 'gitdir: /etc' > odd/.git",
            "mkdir odd; mkfifo odd/.git",
            "mkdir odd; ln -s .git odd/.git",
            "mkdir odd; ln -s ../nowhere odd/.git",
            "git init -q odd; rm odd/.git/config; mkfifo odd/.git/config",
            "git init -q odd; rm odd/.git/config; mkdir odd/.git/config",
            "git init -q odd; rm odd/.git/config; ln -s config odd/.git/config",
            "git init -q odd; head -c 1100000 /dev/zero | tr '\\0' '#' > odd/.git/config",
            "git init -q odd; mkfifo odd/.git/commondir",
            "git init -q odd; echo ../../nowhere > odd/.git/commondir",
            "git init -q odd; mkfifo pipe; git -C odd config include.path ../../pipe",
            "git init -q odd; git -C odd config include.path /etc/passwd",
        ],
    ),
];

/// The same, each in a home of its own.
const APART: [(&str, &str, &str); 12] = [
    // Files of a home are no project.
    ("git init -q .; git remote add origin https://github.com/me/dotfiles; mkdir notes", "notes", "~ ~/notes | none"),
    ("git init -q ..; git -C .. remote add origin https://github.com/me/all; mkdir x", "x", "~ ~/x | none"),
    ("echo broken > .git; mkdir x", "x", "~ ~/x | none"),
    // A folder as a sandbox leaves it, and a file that is nothing to git.
    ("mkdir -p outer/box/.git", "outer/box", "~ ~/outer ^ ~/outer/box ^//box | ^"),
    ("mkdir outer/text; echo text > outer/text/.git", "outer/text", "~ ~/outer ^ ~/outer/text ^//text | ^"),
    // Not initialized, a submodule is a directory.
    ("repo lib; git -C outer submodule --quiet add $HOME/lib lib; git -C outer submodule --quiet deinit -f lib",
     "outer/lib", "~ ~/outer ^ ~/outer/lib ^//lib | ^"),
    ("mkdir -p thief/git; cd thief; echo 'gitdir: git' > .git; cp ../plain/.git/HEAD git; echo ../.git > git/gitdir
      echo ../../plain/.git > git/commondir", "thief", "~ ~/thief | ~/thief"),
    ("mkfifo .gitconfig", "shop", "~ ~/shop | unknown"),
    ("mv plain moved", "fix/src", "~ ~/fix ~/fix/src | unknown"),
    // One around it that is not known has no part in it, and one inside is not taken for the outer.
    ("echo '[' > outer/.git/config; cp -r shop outer/shop", "outer/shop", "~ ~/outer ~/outer/shop @ | @"),
    ("cp -r shop outer/shop; echo '[' > outer/shop/.git/config", "outer/shop", "~ ~/outer ~/outer/shop | unknown"),
    ("ln -s /no/such/file .gitconfig", "shop", "~ ~/shop @ | @"),
];

#[test]
fn files_that_lie_or_cannot_be_read_have_no_lineage_but_their_own() {
    let made = "outer; repo shop; git -C shop remote add origin https://github.com/acme/shop
                repo plain; git -C plain worktree add -q ../fix\n";
    let shared = Home::new(&format!(
        "{made}git clone -q --bare plain bare.git; git -C bare.git remote remove origin
         git -C bare.git worktree add -q --detach ../tree"
    ));
    let mut wrong = String::new();
    let mut look = |home: &Home, script: &str, at: &str, expected: &str| {
        let found = home.lineage(at, &Naming::default(), None);
        let expected = expected
            .replace('@', "repo:github.com/acme/shop")
            .replace('^', OUTER);
        if found != expected {
            wrong += &format!("{script}\n  {found}\n  {expected}\n");
        }
    };
    for (at, expected, scripts) in ODD {
        for script in scripts {
            shared.run(&format!("rm -rf odd thief empty ring pipe\n{script}"));
            look(&shared, script, at, expected);
        }
    }
    for (script, at, expected) in APART {
        let home = Home::new(&format!("{made}{script}"));
        look(&home, script, at, expected);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_monorepo_has_the_projects_that_the_settings_name() {
    let home = Home::new("outer; mkdir -p outer/packages/web/src outer/apps/a/b outer/docs");
    let projects = ["packages/*", "apps/**/b", "docs/old"];
    let projects = projects
        .map(|of| format!("GitHub.com/Acme/Outer//{of}"))
        .to_vec();
    let naming = Naming {
        projects,
        ..Naming::default()
    };
    for (at, project) in [
        ("", ""),
        ("packages", ""),
        ("packages/web", "//packages/web"),
        ("packages/web/src/x", "//packages/web"),
        ("Packages/web", ""),
        ("apps/a", ""),
        ("apps/a/b/c", "//apps/a/b"),
        ("docs", ""),
        ("docs/old/x", "//docs/old"),
    ] {
        let found = home.lineage(&format!("outer/{at}"), &naming, None);
        let (_, found) = found.split_once(" | ").unwrap();
        assert_eq!(found, format!("{OUTER}{project}"), "{at}");
    }
}

#[test]
fn homes_and_temporary_folders_are_no_projects() {
    let home = Home::new("");
    for (place, project) in [
        ("~", None),
        ("/", None),
        ("/tmp/a/b", None),
        ("/srv/x", Some("/srv/x")),
        ("repo:a/b//c", Some("repo:a/b")),
    ] {
        let environment = home.environment(None);
        let lineage = environment.lineage(&place.parse().unwrap(), &Naming::default());
        let found = lineage.unwrap().project().map(ToString::to_string);
        assert_eq!(found.as_deref(), project, "{place}");
    }
}

#[test]
fn a_persons_configuration_is_where_git_looks_for_it() {
    let home =
        Home::new("repo shop; git -C shop remote add origin gh:acme/shop; ln -s home ../again");
    let rule = "[url \"https://github.com/\"]\ninsteadOf = gh:\n";
    let at = |path: &str| home.home.join(path).to_str().unwrap().to_owned();
    let of = |variable: Option<(&str, &str)>| {
        let found = home.lineage("shop", &Naming::default(), variable);
        found.split_once(" | ").unwrap().1.to_owned()
    };
    let (alias, whole) = ("repo:gh/acme/shop", "repo:github.com/acme/shop");
    assert_eq!(of(None), alias);
    home.write(".config/git/config", rule);
    assert_eq!(of(None), whole);
    home.write("own/git/config", "");
    assert_eq!(of(Some(("XDG_CONFIG_HOME", &at("own")))), alias);
    assert_eq!(of(Some(("GIT_CONFIG_GLOBAL", "/dev/null"))), alias);
    home.write("other", rule);
    assert_eq!(of(Some(("GIT_CONFIG_GLOBAL", &at("other")))), whole);
    assert_eq!(of(Some(("GIT_CONFIG_GLOBAL", &at("shop/none")))), alias);
    // Includes are followed five deep.
    fs::remove_file(home.home.join(".config/git/config")).unwrap();
    for depth in 1..=6 {
        home.write(
            &format!("inc{depth}"),
            &format!("[include]\npath = inc{}\n", depth - 1),
        );
    }
    home.write("inc0", rule);
    home.write(".gitconfig", "[include]\npath = ~/inc4\n");
    assert_eq!(of(None), whole);
    home.write(".gitconfig", "[include]\npath = ~/inc5\n");
    assert_eq!(of(None), "unknown");
    // A home that is named by a link has the same notes.
    home.write(
        ".gitconfig",
        "[includeIf \"gitdir:~/shop/\"]\npath = other\n",
    );
    let again = home.folder.path().canonicalize().unwrap().join("again");
    assert_eq!(of(Some(("HOME", again.to_str().unwrap()))), whole);
}
