//! Some hundred layouts of repositories, made by git, each with every kind of remote: the places that apply, in their
//! order, and the project.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use waynote::Place;

use super::Naming;
use crate::Environment;

/// A home with what git makes in it.
struct Home {
    folder: tempfile::TempDir,
    home: PathBuf,
}

/// Short commands for the scripts.
const SHELL: &str = r#"
git() {
    command git -c user.name=t -c user.email=t@example.org -c init.defaultBranch=main -c protocol.file.allow=always "$@"
}
repo() { git init -q "$1"; git -C "$1" commit -q --allow-empty -m one; }
outer() { repo outer; git -C outer remote add origin https://github.com/acme/outer; }
"#;

/// The name of the repository around the one that is looked at.
const OUTER: &str = "repo:github.com/acme/outer";

impl Home {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap().join("home");
        fs::create_dir(&home).unwrap();
        let made = Self { folder, home };
        made.run(script);
        made
    }

    fn run(&self, script: &str) {
        let shell = Command::new("sh")
            .args(["-e", "-c", &format!("{SHELL}{script}")])
            .current_dir(&self.home)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", &self.home)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(shell.status.success(), "{script}: {shell:?}");
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.home.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// The places that apply at a path below home, and the project.
    fn lineage(&self, path: &str, naming: &Naming, variable: Option<(&str, &str)>) -> String {
        let variables = [
            ("HOME", self.home.to_str().unwrap()),
            ("GIT_CONFIG_NOSYSTEM", "1"),
        ];
        let variables = variables.into_iter().chain(variable);
        let environment =
            Environment::new(variables.map(|(name, value)| (name.into(), value.into())));
        let base = environment.base().unwrap();
        let place = Place::resolve(&format!("~/{path}"), &base).unwrap();
        let lineage = environment.lineage(&place, naming).unwrap();
        let places: Vec<&str> = lineage.places().iter().map(Place::as_str).collect();
        let project = match (lineage.unknown(), lineage.project()) {
            (Some(_), project) => project.map_or("unknown", |_| "unknown and a project"),
            (None, Some(project)) => project.as_str(),
            (None, None) => "none",
        };
        format!("{} | {project}", places.join(" "))
    }
}

/// A way in which a checkout comes to be.
struct Layout {
    script: &'static str,
    /// The file with the remotes.
    config: &'static str,
    at: &'static str,
    /// The places: `@` stands for the name of the repository, `^` for that of the one around it.
    places: &'static str,
    /// The project, if the repository has no name.
    unnamed: &'static str,
}

const LAYOUTS: [Layout; 21] = [
    Layout {
        script: "repo shop",
        config: "shop/.git/config",
        at: "shop",
        places: "~ ~/shop @",
        unnamed: "~/shop",
    },
    Layout {
        script: "repo Shop; mkdir -p Shop/SRC/Pay",
        config: "Shop/.git/config",
        at: "Shop/SRC/Pay",
        places: "~ ~/Shop @ ~/Shop/SRC @//SRC ~/Shop/SRC/Pay @//SRC/Pay",
        unnamed: "~/Shop",
    },
    // A directory that is not there yet.
    Layout {
        script: "repo shop",
        config: "shop/.git/config",
        at: "shop/new",
        places: "~ ~/shop @ ~/shop/new @//new",
        unnamed: "~/shop",
    },
    Layout {
        script: "mkdir -p shop/src deep/er; git -C shop init -q; mv shop deep/er",
        config: "deep/er/shop/.git/config",
        at: "deep/er/shop/src",
        places: "~ ~/deep ~/deep/er ~/deep/er/shop @ ~/deep/er/shop/src @//src",
        unnamed: "~/deep/er/shop",
    },
    Layout {
        script: "repo big; git clone -q --depth 1 file://$HOME/big shop; git -C shop remote remove origin",
        config: "shop/.git/config",
        at: "shop/src",
        places: "~ ~/shop @ ~/shop/src @//src",
        unnamed: "~/shop",
    },
    Layout {
        script: "mkdir gits; git init -q --separate-git-dir gits/shop shop",
        config: "gits/shop/config",
        at: "shop",
        places: "~ ~/shop @",
        unnamed: "~/shop",
    },
    Layout {
        script: "repo shop; ln -s . shop/again; mkdir code; ln -s ../shop code/link",
        config: "shop/.git/config",
        at: "code/link/again/src",
        places: "~ ~/shop @ ~/shop/src @//src",
        unnamed: "~/shop",
    },
    Layout {
        script: "repo store; mkdir shop; ln -s ../store/.git shop/.git",
        config: "store/.git/config",
        at: "shop",
        places: "~ ~/shop @",
        unnamed: "~/shop",
    },
    // Another user's, where the tests may make one.
    Layout {
        script: "repo shop; chown -R 54321 shop 2>/dev/null || true",
        config: "shop/.git/config",
        at: "shop/src",
        places: "~ ~/shop @ ~/shop/src @//src",
        unnamed: "~/shop",
    },
    Layout {
        script: "repo shop; git -C shop worktree add -q ../trees/fix",
        config: "shop/.git/config",
        at: "trees/fix/src",
        places: "~ ~/shop ~/shop/src ~/trees ~/trees/fix @ ~/trees/fix/src @//src",
        unnamed: "~/shop",
    },
    Layout {
        script: "repo shop; git -C shop worktree add -q ../fix; git -C shop worktree move ../fix ../moved",
        config: "shop/.git/config",
        at: "moved",
        places: "~ ~/shop ~/moved @",
        unnamed: "~/shop",
    },
    Layout {
        script: "repo shop; git -C shop worktree add -q .worktrees/fix",
        config: "shop/.git/config",
        at: "shop/.worktrees/fix/src",
        places: "~ ~/shop ~/shop/src @ ~/shop/.worktrees @//.worktrees ~/shop/.worktrees/fix \
                 ~/shop/.worktrees/fix/src @//src",
        unnamed: "~/shop",
    },
    Layout {
        script: "repo shop; git -C shop config extensions.worktreeConfig true; git -C shop worktree add -q ../fix",
        config: "shop/.git/worktrees/fix/config.worktree",
        at: "fix",
        places: "~ ~/shop ~/fix @",
        unnamed: "~/shop",
    },
    Layout {
        script: "repo shop; git clone -q --bare shop shop.git; rm -rf shop; git -C shop.git remote remove origin
                 git -C shop.git worktree add -q --detach ../tree",
        config: "shop.git/config",
        at: "tree/src",
        places: "~ ~/shop.git ~/shop.git/src ~/tree @ ~/tree/src @//src",
        unnamed: "~/shop.git",
    },
    Layout {
        script: "repo shop; git clone -q --bare shop all/.bare; git -C all/.bare remote remove origin
                 echo 'gitdir: ./.bare' > all/.git; git -C all worktree add -q --detach fix",
        config: "all/.bare/config",
        at: "all/fix",
        places: "~ ~/all ~/all/.bare @ ~/all/fix",
        unnamed: "~/all/.bare",
    },
    Layout {
        script: "outer; repo lib; git -C outer submodule --quiet add $HOME/lib lib; git -C outer/lib remote remove origin",
        config: "outer/.git/modules/lib/config",
        at: "outer/lib/src",
        places: "~ ~/outer ^ ~/outer/lib ^//lib @ ~/outer/lib/src ^//lib/src @//src",
        unnamed: "~/outer/lib",
    },
    Layout {
        script: "outer; repo lib; git -C outer submodule --quiet add $HOME/lib lib; git -C outer/lib remote remove origin
                 git -C outer/lib worktree add -q --detach ../../trees/lib",
        config: "outer/.git/modules/lib/config",
        at: "trees/lib",
        places: "~ ~/outer ~/outer/lib ~/trees ~/trees/lib @",
        unnamed: "~/outer/lib",
    },
    Layout {
        script: "repo in; repo lib; git -C lib submodule --quiet add $HOME/in in; git -C lib commit -qm two
                 outer; git -C outer submodule --quiet add $HOME/lib lib
                 git -C outer submodule --quiet update --init --recursive; git -C outer/lib/in remote remove origin",
        config: "outer/.git/modules/lib/modules/in/config",
        at: "outer/lib/in",
        places: "~ ~/outer ^ ~/outer/lib ^//lib ~/outer/lib/in ^//lib/in @",
        unnamed: "~/outer/lib/in",
    },
    Layout {
        script: "outer; repo outer/vendor/shop",
        config: "outer/vendor/shop/.git/config",
        at: "outer/vendor/shop/x",
        places: "~ ~/outer ^ ~/outer/vendor ^//vendor ~/outer/vendor/shop ^//vendor/shop @ \
                 ~/outer/vendor/shop/x ^//vendor/shop/x @//x",
        unnamed: "~/outer/vendor/shop",
    },
    Layout {
        script: "git init -q .; git remote add origin https://github.com/me/dotfiles; repo code/shop",
        config: "code/shop/.git/config",
        at: "code/shop/src",
        places: "~ ~/code ~/code/shop @ ~/code/shop/src @//src",
        unnamed: "~/code/shop",
    },
    Layout {
        script: "mkdir -p café/src; repo café",
        config: "café/.git/config",
        at: "cafe\u{301}/src",
        places: "~ ~/café @ ~/café/src @//src",
        unnamed: "~/café",
    },
];

/// What the configuration says, and the name that it gives.
enum Says {
    Name(&'static str),
    Nothing,
    Unknown,
    /// Names are switched off, also those of other repositories.
    Off,
}

use Says::{Name, Nothing, Off, Unknown};

/// Remotes, the person's own configuration, and the name. `HOME` stands for the home directory.
const REMOTES: [(&str, &str, Says); 26] = [
    ("", "", Nothing),
    (
        "origin https://github.com/acme/shop.git",
        "",
        Name("github.com/acme/shop"),
    ),
    (
        "origin git@GitHub.com:Acme/Shop.git",
        "",
        Name("github.com/acme/shop"),
    ),
    (
        "origin ssh://git@github.com:2222/acme/shop/",
        "",
        Name("github.com/acme/shop"),
    ),
    (
        "origin ssh://git@ssh.github.com:443/acme/shop",
        "",
        Name("github.com/acme/shop"),
    ),
    (
        "origin https://me:secret@github.com/acme/shop?x=1",
        "",
        Name("github.com/acme/shop"),
    ),
    (
        "origin https://git.example:8443/team/shop",
        "",
        Name("git.example:8443/team/shop"),
    ),
    (
        "upstream https://github.com/acme/shop",
        "",
        Name("github.com/acme/shop"),
    ),
    (
        "me https://github.com/me/shop, upstream https://github.com/acme/shop",
        "",
        Nothing,
    ),
    (
        "upstream https://github.com/acme/shop, origin https://github.com/me/shop",
        "",
        Name("github.com/me/shop"),
    ),
    // The setting `repos` makes them one.
    (
        "origin https://github.com/Fork/Shop",
        "",
        Name("github.com/acme/shop"),
    ),
    ("origin box:acme/shop", "", Name("github.com/acme/shop")),
    ("origin work:acme/shop", "", Name("work/acme/shop")),
    (
        "origin gh:acme/shop",
        "[url \"https://github.com/\"]\ninsteadOf = gh:\n",
        Name("github.com/acme/shop"),
    ),
    (
        "origin corp://acme/shop",
        "[url \"ssh://git@git.example:7999/\"]\ninsteadOf = corp://\n",
        Name("git.example/acme/shop"),
    ),
    (
        "origin https://github.com/acme/shop",
        "[url \"/srv/mirror/\"]\ninsteadOf = https://github.com/\n",
        Name("github.com/acme/shop"),
    ),
    (
        "origin w:shop",
        "[includeIf \"gitdir:~/\"]\npath = inc/work\n[includeIf \"gitdir:/elsewhere/\"]\npath = missing\n",
        Name("git.example/work/shop"),
    ),
    ("origin HOME/origins/one", "", Name("github.com/acme/shop")),
    (
        "origin file://HOME/origins/one/.git",
        "",
        Name("github.com/acme/shop"),
    ),
    ("origin HOME/origins/two", "", Name("github.com/acme/shop")),
    ("origin HOME/origins/three", "", Nothing),
    (
        "origin HOME/origins/mirror",
        "",
        Name("github.com/acme/shop"),
    ),
    ("origin HOME/gone", "", Nothing),
    ("origin https://github.com/acme/shop\n[remote", "", Unknown),
    (
        "origin https://github.com/acme/shop",
        "[include]\npath = inc/ring\n",
        Unknown,
    ),
    ("origin https://github.com/acme/shop", "", Off),
];

/// Repositories that an origin names by their paths.
fn origins(home: &Home) {
    for (path, origin) in [
        ("one/.git", "git@github.com:acme/shop"),
        ("two/.git", "../one"),
        ("three/.git", "../two/.git"),
        ("mirror.git", "https://github.com/acme/shop"),
    ] {
        home.write(&format!("origins/{path}/HEAD"), "ref: refs/heads/main\n");
        fs::create_dir(home.home.join(format!("origins/{path}/objects"))).unwrap();
        let config = format!("[remote \"origin\"]\nurl = {origin}\n");
        home.write(&format!("origins/{path}/config"), &config);
    }
    home.write(
        "inc/work",
        "[url \"git@git.example:work/\"]\ninsteadOf = w:\n",
    );
    home.write("inc/ring", "[include]\npath = ring\n");
}

#[test]
fn every_layout_with_every_remote_has_its_lineage() {
    let one = |from: &str| (from.to_owned(), "github.com/acme/shop".to_owned());
    let same = [one("github.com/fork/shop"), one("box/acme/shop")].into();
    let naming = Naming {
        same,
        ..Naming::default()
    };
    let mut wrong = String::new();
    for layout in &LAYOUTS {
        let home = Home::new(layout.script);
        origins(&home);
        let config = home.home.join(layout.config);
        let own = fs::read_to_string(&config).unwrap_or_default();
        for (remotes, personal, says) in &REMOTES {
            let mut text = own.clone();
            for remote in remotes.split(", ").filter(|remote| !remote.is_empty()) {
                let (name, url) = remote.split_once(' ').unwrap();
                let url = url.replace("HOME", home.home.to_str().unwrap());
                text += &format!("[remote \"{name}\"]\n\turl = {url}\n");
            }
            fs::write(&config, text).unwrap();
            home.write(".gitconfig", personal);
            let naming = Naming {
                is_off: matches!(says, Off),
                ..naming.clone()
            };
            let found = home.lineage(layout.at, &naming, None);
            let has = |place: &&str| match says {
                Name(_) => true,
                Nothing => !place.starts_with('@'),
                Unknown | Off => !place.starts_with(['@', '^']),
            };
            let places: Vec<&str> = layout.places.split_whitespace().filter(has).collect();
            let (name, project) = match says {
                Name(name) => (*name, "@"),
                Unknown => ("", "unknown"),
                Nothing | Off => ("", layout.unnamed),
            };
            let expected = format!("{} | {project}", places.join(" "));
            let expected = expected
                .replace('@', &format!("repo:{name}"))
                .replace('^', OUTER);
            if found != expected {
                let (script, at) = (layout.script, layout.at);
                wrong += &format!("{script} ({remotes}) at {at}\n  {found}\n  {expected}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(LAYOUTS.len() * REMOTES.len() > 500);
}

/// Files that lie, that cannot be read, and folders that are no repository; in a home with the named repositories `shop`
/// and `outer`, and `plain` without a remote.
const ODD: [(&str, &str, &str); 30] = [
    // Folders without git; a temporary folder is no project.
    ("mkdir -p a/b", "a/b", "~ ~/a ~/a/b | none"),
    // A name is not asked for trust: whoever claims it has it, and no path of another.
    (
        "mkdir thief; echo 'gitdir: ../shop/.git' > thief/.git",
        "thief",
        "~ ~/thief @ | @",
    ),
    (
        "mkdir thief; echo 'gitdir: ../plain/.git' > thief/.git",
        "thief",
        "~ ~/thief | ~/thief",
    ),
    (
        "mkdir thief; echo 'gitdir: ../plain/.git/worktrees/fix' > thief/.git",
        "thief",
        "~ ~/thief | ~/thief",
    ),
    (
        "mkdir thief; ln -s ../fix/.git thief/.git",
        "thief",
        "~ ~/thief | ~/thief",
    ),
    (
        "git init -q thief; echo ../../plain/.git > thief/.git/commondir",
        "thief",
        "~ ~/thief | ~/thief",
    ),
    (
        "git init -q thief; echo ../../shop/.git > thief/.git/commondir",
        "thief",
        "~ ~/thief @ | @",
    ),
    (
        "mkdir -p thief; echo \"gitdir: $HOME/bare.git/worktrees/tree\" > thief/.git",
        "thief",
        "~ ~/thief | ~/thief",
    ),
    (
        "git init -q thief; git -C thief config core.worktree ../../plain",
        "thief",
        "~ ~/thief | ~/thief",
    ),
    (
        "git init -q thief; git -C thief config include.path ../../shop/.git/config",
        "thief",
        "~ ~/thief @ | @",
    ),
    // Addresses that are none.
    (
        "git init -q odd; git -C odd remote add origin https://github.com/../../etc",
        "odd",
        "~ ~/odd | ~/odd",
    ),
    (
        "git init -q odd; git -C odd remote add origin 'ext::sh -c touch% x'",
        "odd",
        "~ ~/odd | ~/odd",
    ),
    (
        "git init -q odd; git -C odd remote add origin https://github.com/a%0Ab/c",
        "odd",
        "~ ~/odd | ~/odd",
    ),
    (
        "git init -q odd; git -C odd remote add origin .",
        "odd",
        "~ ~/odd | ~/odd",
    ),
    (
        "git init -q odd; git -C odd remote add origin ../ring; git init -q ring; git -C ring remote add origin ../odd",
        "odd",
        "~ ~/odd | ~/odd",
    ),
    (
        "git init -q odd; mkfifo pipe; git -C odd remote add origin ../pipe",
        "odd",
        "~ ~/odd | ~/odd",
    ),
    (
        "git init -q odd; git -C odd remote add origin /dev/zero",
        "odd",
        "~ ~/odd | ~/odd",
    ),
    // Unknown is not absent.
    (
        "mkdir odd; echo 'gitdir: ../nowhere' > odd/.git",
        "odd",
        "~ ~/odd | unknown",
    ),
    (
        "mkdir odd empty; echo 'gitdir: ../empty' > odd/.git",
        "odd",
        "~ ~/odd | unknown",
    ),
    ("mkdir odd; mkfifo odd/.git", "odd", "~ ~/odd | unknown"),
    ("mkdir odd; ln -s .git odd/.git", "odd", "~ ~/odd | unknown"),
    (
        "mkdir odd; ln -s ../nowhere odd/.git",
        "odd",
        "~ ~/odd | unknown",
    ),
    (
        "git init -q odd; rm odd/.git/config; mkfifo odd/.git/config",
        "odd",
        "~ ~/odd | unknown",
    ),
    (
        "git init -q odd; rm odd/.git/config; mkdir odd/.git/config",
        "odd",
        "~ ~/odd | unknown",
    ),
    (
        "git init -q odd; rm odd/.git/config; ln -s config odd/.git/config",
        "odd",
        "~ ~/odd | unknown",
    ),
    (
        "git init -q odd; head -c 1100000 /dev/zero | tr '\\0' '#' > odd/.git/config",
        "odd",
        "~ ~/odd | unknown",
    ),
    (
        "git init -q odd; mkfifo odd/.git/commondir",
        "odd",
        "~ ~/odd | unknown",
    ),
    (
        "git init -q odd; echo ../../nowhere > odd/.git/commondir",
        "odd",
        "~ ~/odd | unknown",
    ),
    (
        "git init -q odd; mkfifo pipe; git -C odd config include.path ../../pipe",
        "odd",
        "~ ~/odd | unknown",
    ),
    (
        "git init -q odd; git -C odd config include.path /etc/passwd",
        "odd",
        "~ ~/odd | unknown",
    ),
];

/// The same, each in a home of its own.
const APART: [(&str, &str, &str); 12] = [
    // Files of a home are no project.
    ("git init -q .; git remote add origin https://github.com/me/dotfiles; mkdir notes", "notes", "~ ~/notes | none"),
    ("git init -q ..; git -C .. remote add origin https://github.com/me/all; mkdir x", "x", "~ ~/x | none"),
    ("echo broken > .git; mkdir x", "x", "~ ~/x | none"),
    // What a sandbox leaves, and what is nothing to git.
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
    let made = "outer; repo shop; git -C shop remote add origin https://github.com/acme/shop; repo plain
                git -C plain worktree add -q ../fix; git clone -q --bare plain bare.git; git -C bare.git remote remove origin
                git -C bare.git worktree add -q --detach ../tree\n";
    let shared = Home::new(made);
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
    for (script, at, expected) in ODD {
        shared.run(&format!("rm -rf odd thief empty ring pipe\n{script}"));
        look(&shared, script, at, expected);
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
