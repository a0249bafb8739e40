//! Some hundred layouts of repositories, made by git, each with every kind of remote: the places that apply, in their
//! order, and the project.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use waynote::Place;

use super::Naming;
use crate::Environment;

/// A home with what git makes in it.
pub(super) struct Home {
    pub(super) folder: tempfile::TempDir,
    pub(super) home: PathBuf,
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
pub(super) const OUTER: &str = "repo:github.com/acme/outer";

impl Home {
    pub(super) fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap().join("home");
        fs::create_dir(&home).unwrap();
        let made = Self { folder, home };
        made.run(script);
        made
    }

    pub(super) fn run(&self, script: &str) {
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

    pub(super) fn write(&self, path: &str, text: &str) {
        let file = self.home.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    pub(super) fn environment(&self, variable: Option<(&str, &str)>) -> Environment {
        let variables = [
            ("HOME", self.home.to_str().unwrap()),
            ("GIT_CONFIG_NOSYSTEM", "1"),
        ];
        let variables = variables.into_iter().chain(variable);
        Environment::new(variables.map(|(name, value)| (name.into(), value.into())))
    }

    /// The places that apply at a path below home, and the project.
    pub(super) fn lineage(
        &self,
        path: &str,
        naming: &Naming,
        variable: Option<(&str, &str)>,
    ) -> String {
        let environment = self.environment(variable);
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

/// The name that a configuration gives.
enum Says {
    Name(&'static str),
    Nothing,
    Unknown,
    /// Names are switched off, also those of other repositories.
    Off,
}

use Says::{Name, Nothing, Off, Unknown};

/// What the name is with the person's own configuration and with each of these remotes. `HOME` stands for the home directory.
const REMOTES: [(Says, &str, &[&str]); 13] = [
    (
        Nothing,
        "",
        &[
            "",
            "me https://github.com/me/shop, upstream https://github.com/acme/shop",
            "origin HOME/origins/three",
            "origin HOME/gone",
            // An empty address takes back those before it.
            "origin https://github.com/acme/shop, origin ",
        ],
    ),
    (
        Name("github.com/acme/shop"),
        "",
        &[
            "origin https://github.com/acme/shop.git",
            "origin git@GitHub.com:Acme/Shop.git",
            "origin ssh://git@github.com:2222/acme/shop/",
            "origin ssh://git@ssh.github.com:443/acme/shop",
            "origin https://me:secret@github.com/acme/shop?x=1",
            "upstream https://github.com/acme/shop",
            // The setting `repos` makes these two one with it.
            "origin https://github.com/Fork/Shop",
            "origin box:acme/shop",
            "origin HOME/origins/one",
            "origin file://HOME/origins/one/.git",
            "origin HOME/origins/two",
            "origin HOME/origins/mirror",
        ],
    ),
    (
        Name("git.example:8443/team/shop"),
        "",
        &["origin https://git.example:8443/team/shop"],
    ),
    (
        Name("github.com/me/shop"),
        "",
        &["upstream https://github.com/acme/shop, origin https://github.com/me/shop"],
    ),
    (Name("work/acme/shop"), "", &["origin work:acme/shop"]),
    (
        Name("github.com/acme/shop"),
        "[url \"https://github.com/\"]\ninsteadOf = gh:\n",
        &["origin gh:acme/shop"],
    ),
    (
        Name("git.example/acme/shop"),
        "[url \"ssh://git@git.example:7999/\"]\ninsteadOf = corp://\n",
        &["origin corp://acme/shop"],
    ),
    (
        Name("github.com/acme/shop"),
        "[url \"/srv/mirror/\"]\ninsteadOf = https://github.com/\n",
        &["origin https://github.com/acme/shop"],
    ),
    (
        Name("git.example/work/shop"),
        "[includeIf \"gitdir:~/\"]\npath = inc/work\n[includeIf \"gitdir:/elsewhere/\"]\npath = missing\n",
        &["origin w:shop"],
    ),
    (
        Unknown,
        "",
        &["origin https://github.com/acme/shop\n[remote"],
    ),
    (
        Unknown,
        "[include]\npath = inc/ring\n",
        &["origin https://github.com/acme/shop"],
    ),
    (
        Name("github.com/acme/shop"),
        "[url \"https://github.com/acme/\"]\ninsteadOf = gh:own/\n[url \"https://github.com/\"]\ninsteadOf = gh:\n",
        &[
            // The longest rule counts.
            "origin gh:own/shop",
        ],
    ),
    (Off, "", &["origin https://github.com/acme/shop\n[remote"]),
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
    let (mut wrong, mut count) = (String::new(), 0);
    for layout in &LAYOUTS {
        let home = Home::new(layout.script);
        origins(&home);
        let config = home.home.join(layout.config);
        let own = fs::read_to_string(&config).unwrap_or_default();
        let each = REMOTES.iter().flat_map(|(says, personal, remotes)| {
            let each = remotes.iter();
            each.map(move |remotes| (remotes, personal, says))
        });
        for (remotes, personal, says) in each {
            count += 1;
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
            let mut places: Vec<String> = Vec::new();
            for place in layout.places.split_whitespace().filter(has) {
                // Each name that is one with it.
                if let (Some(inside), Name("github.com/acme/shop")) =
                    (place.strip_prefix('@'), says)
                {
                    let others = naming.same.keys().filter(|_| !naming.is_off);
                    places.extend(others.map(|of| format!("repo:{of}{inside}")));
                }
                places.push(place.to_owned());
            }
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
    assert!(count > 500);
}
