//! Layouts as git makes them, written without git, and the names that they have.

use std::os::unix::fs::symlink;

use waynote::Place;

use super::*;
use crate::Environment;

/// A folder with a home and checkouts.
struct World {
    folder: tempfile::TempDir,
    personal: PersonalFiles,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap().join("home");
        fs::create_dir(&home).unwrap();
        let files = vec![home.join(".config/git/config"), home.join(".gitconfig")];
        let personal = PersonalFiles {
            home: Some(home),
            files,
        };
        Self { folder, personal }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.at(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A checkout with these remotes.
    fn checkout(&self, path: &str, remotes: &[(&str, &str)]) {
        self.git_folder(&format!("{path}/.git"), remotes);
    }

    fn git_folder(&self, path: &str, remotes: &[(&str, &str)]) {
        self.write(&format!("{path}/HEAD"), "ref: refs/heads/main\n");
        let remotes = remotes.iter();
        let remotes: String = remotes
            .map(|(name, url)| format!("[remote \"{name}\"]\n\turl = {url}\n"))
            .collect();
        self.write(
            &format!("{path}/config"),
            &format!("[core]\n\tbare = false\n{remotes}"),
        );
    }

    /// A worktree of the git folder.
    fn worktree(&self, of: &str, path: &str) {
        let own = format!("{of}/worktrees/{}", path.replace('/', "-"));
        self.write(&format!("{own}/HEAD"), "ref: refs/heads/fix\n");
        self.write(&format!("{own}/commondir"), "../..\n");
        let link = self.at(path).join(".git");
        self.write(&format!("{own}/gitdir"), &format!("{}\n", link.display()));
        self.write(
            &format!("{path}/.git"),
            &format!("gitdir: {}\n", self.at(&own).display()),
        );
    }

    fn of(&self, path: &str) -> Result<Option<Repository>, Unknown> {
        Repository::of(&self.at(path), &self.personal)
    }

    /// The name at a path, or what stands in its place.
    fn name(&self, path: &str) -> String {
        match self.of(path) {
            Ok(Some(found)) => match found.name {
                Some(name) => name,
                None if !found.several.is_empty() => "several".into(),
                None => "no remote".into(),
            },
            Ok(None) => "none".into(),
            Err(_) => "unknown".into(),
        }
    }
}

const SHOP: &str = "https://github.com/acme/shop.git";

#[test]
fn every_checkout_of_a_repository_has_its_name() {
    let world = World::new();
    world.checkout("a/shop", &[("origin", SHOP)]);
    world.checkout("b/clone", &[("origin", "git@github.com:Acme/Shop.git")]);
    world.worktree("a/shop/.git", "trees/fix");
    world.git_folder(
        "bare.git",
        &[("origin", "ssh://git@github.com:22/acme/shop")],
    );
    world.worktree("bare.git", "trees/main");
    world.checkout("local", &[("origin", "../a/shop")]);
    world.checkout("again", &[("origin", "../local/.git")]);
    world.checkout("third", &[("origin", "../again")]);
    world.git_folder(
        "a/shop/.git/modules/lib",
        &[("origin", "https://github.com/acme/lib")],
    );
    world.write("a/shop/lib/.git", "gitdir: ../.git/modules/lib\n");
    world.worktree("a/shop/.git/modules/lib", "trees/lib");
    for (path, name) in [
        ("a/shop", "github.com/acme/shop"),
        ("a/shop/src/pay", "github.com/acme/shop"),
        ("b/clone", "github.com/acme/shop"),
        ("trees/fix", "github.com/acme/shop"),
        ("trees/main/src", "github.com/acme/shop"),
        ("local", "github.com/acme/shop"),
        ("again", "github.com/acme/shop"),
        ("third", "no remote"),
        ("a/shop/lib/src", "github.com/acme/lib"),
        ("trees/lib", "github.com/acme/lib"),
        ("a", "none"),
    ] {
        assert_eq!(world.name(path), name, "{path}");
    }
    let shared = world.of("trees/fix").unwrap().unwrap().git_folder;
    assert_eq!(shared, world.at("a/shop/.git"));
    symlink(world.at("a/shop"), world.at("link")).unwrap();
    assert_eq!(world.name("link/src"), "github.com/acme/shop");
    fs::rename(world.at("b/clone"), world.at("b/moved")).unwrap();
    assert_eq!(world.name("b/moved"), "github.com/acme/shop");
}

#[test]
fn origin_gives_the_name_else_the_only_remote() {
    let world = World::new();
    let upstream = ("upstream", "https://github.com/other/shop");
    world.checkout("fork", &[upstream, ("origin", SHOP)]);
    world.checkout("one", &[upstream]);
    world.checkout("two", &[upstream, ("backup", SHOP)]);
    world.checkout("none", &[]);
    world.checkout("gone", &[("origin", "/no/such/place")]);
    world.checkout("taken-back", &[("origin", SHOP), ("origin", "")]);
    for (path, name) in [
        ("fork", "github.com/acme/shop"),
        ("one", "github.com/other/shop"),
        ("two", "several"),
        ("none", "no remote"),
        ("gone", "no remote"),
        ("taken-back", "no remote"),
    ] {
        assert_eq!(world.name(path), name, "{path}");
    }
}

#[test]
fn a_home_is_no_project() {
    let world = World::new();
    world.checkout("home", &[("origin", SHOP)]);
    world.checkout("home/code/shop", &[("origin", SHOP)]);
    assert_eq!(world.name("home"), "none");
    assert_eq!(world.name("home/notes"), "none");
    assert_eq!(world.name("home/code/shop/src"), "github.com/acme/shop");
    world.checkout(".", &[("origin", SHOP)]);
    assert_eq!(world.name("."), "none");
    assert_eq!(world.name("beside"), "none");
}

#[test]
fn a_rule_for_an_alias_counts_and_one_for_an_address_does_not() {
    let world = World::new();
    world.write(
        "home/.gitconfig",
        "[url \"https://github.com/\"]\n\tinsteadOf = gh:\n\
         [url \"https://github.com/acme/\"]\n\tinsteadOf = gh:own/\n\
         [url \"/srv/mirror/\"]\n\tinsteadOf = https://github.com/\n\
         [includeIf \"gitdir:~/work/\"]\n\tpath = work.inc\n",
    );
    world.write(
        "home/work.inc",
        "[url \"git@forge.example:\"]\n\tinsteadOf = \"w:\"\n",
    );
    world.checkout("a", &[("origin", "gh:acme/shop")]);
    world.checkout("b", &[("origin", "gh:own/shop")]);
    world.checkout("c", &[("origin", SHOP)]);
    world.checkout("home/work/d", &[("origin", "w:team/api")]);
    world.checkout("home/play/e", &[("origin", "w:team/api")]);
    for path in ["a", "b", "c"] {
        assert_eq!(world.name(path), "github.com/acme/shop", "{path}");
    }
    assert_eq!(world.name("home/work/d"), "forge.example/team/api");
    assert_eq!(world.name("home/play/e"), "w/team/api");
}

#[test]
fn what_cannot_be_read_is_unknown_and_never_absent() {
    let world = World::new();
    world.checkout("damaged", &[("origin", SHOP)]);
    world.write("damaged/.git/config", "[remote \"origin\n");
    world.checkout("fifo", &[]);
    let config = world.at("fifo/.git/config");
    fs::remove_file(&config).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &config,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    world.write("lost/.git", "gitdir: ../nowhere\n");
    for path in ["damaged", "fifo", "lost"] {
        assert_eq!(world.name(path), "unknown", "{path}");
    }
    // What is no repository at all has no name, and that is known.
    world.write("text/.git", "something else\n");
    fs::create_dir_all(world.at("empty/.git")).unwrap();
    assert_eq!(world.name("text"), "none");
    assert_eq!(world.name("empty"), "none");
    let error = world.of("damaged").unwrap_err().to_string();
    assert!(
        error.ends_with("damaged/.git/config line 1 is not understood"),
        "{error}"
    );
    world.write("spy/.git/HEAD", "ref: refs/heads/main\n");
    world.write("spy/.git/config", "[include]\n\tpath = /etc/passwd\n");
    let error = world.of("spy").unwrap_err().to_string();
    assert_eq!(error, "/etc/passwd line 1 is not understood");
}

impl World {
    fn environment(&self) -> Environment {
        let home = self.personal.home.clone().unwrap();
        Environment::new([
            ("HOME".into(), home.into()),
            ("GIT_CONFIG_NOSYSTEM".into(), "1".into()),
        ])
    }

    /// The lineage of a path below home: its places from home inwards, and the project.
    fn lineage(&self, path: &str, naming: &Naming) -> String {
        let place: Place = format!("~/{path}").parse().unwrap();
        let lineage = self.environment().lineage(&place, naming).unwrap();
        let places: Vec<&str> = lineage.places().iter().map(Place::as_str).collect();
        let project = match (lineage.project(), lineage.unknown()) {
            (_, Some(_)) => "unknown",
            (Some(project), None) => project.as_str(),
            (None, None) => "none",
        };
        format!("{} | {project}", places.join(" "))
    }
}

#[test]
fn a_lineage_has_the_paths_and_the_names_of_their_repositories() {
    let world = World::new();
    world.checkout("home/shop", &[("origin", SHOP)]);
    world.worktree("home/shop/.git", "home/fix");
    world.git_folder(
        "home/shop/.git/modules/lib",
        &[("origin", "https://github.com/acme/lib")],
    );
    world.write("home/shop/lib/.git", "gitdir: ../.git/modules/lib\n");
    world.checkout("home/plain", &[]);
    world.worktree("home/plain/.git", "home/plain-fix");
    world.git_folder("home/bare.git", &[]);
    world.worktree("home/bare.git", "home/main");
    world.checkout("home/damaged", &[]);
    world.write("home/damaged/.git/config", "[");
    fs::create_dir_all(world.at("home/folder/deep")).unwrap();
    let plain = Naming::default();
    let of = |path: &str| world.lineage(path, &plain);
    assert_eq!(
        of("shop/src"),
        "~ ~/shop repo:github.com/acme/shop ~/shop/src repo:github.com/acme/shop//src | repo:github.com/acme/shop"
    );
    assert_eq!(
        of("fix/src"),
        "~ ~/shop ~/shop/src ~/fix repo:github.com/acme/shop ~/fix/src repo:github.com/acme/shop//src | \
         repo:github.com/acme/shop"
    );
    assert_eq!(
        of("shop/lib/x"),
        "~ ~/shop repo:github.com/acme/shop ~/shop/lib repo:github.com/acme/shop//lib repo:github.com/acme/lib \
         ~/shop/lib/x repo:github.com/acme/shop//lib/x repo:github.com/acme/lib//x | repo:github.com/acme/lib"
    );
    assert_eq!(of("plain/src"), "~ ~/plain ~/plain/src | ~/plain");
    assert_eq!(of("plain-fix"), "~ ~/plain ~/plain-fix | ~/plain");
    assert_eq!(
        of("main/src"),
        "~ ~/bare.git ~/bare.git/src ~/main ~/main/src | ~/bare.git"
    );
    // A temporary folder is no project, and these tests run in one.
    assert_eq!(of("folder/deep"), "~ ~/folder ~/folder/deep | none");
    assert_eq!(of("damaged/src"), "~ ~/damaged ~/damaged/src | unknown");
    let off = Naming {
        is_off: true,
        ..Naming::default()
    };
    assert_eq!(world.lineage("shop", &off), "~ ~/shop | ~/shop");
    assert_eq!(
        world.lineage("damaged/x", &off),
        "~ ~/damaged ~/damaged/x | ~/damaged"
    );
}

#[test]
fn a_persons_settings_join_names_and_divide_a_repository() {
    let world = World::new();
    world.checkout("home/old", &[("origin", "https://github.com/Acme/Old")]);
    world.checkout("home/mono", &[("origin", "https://github.com/acme/mono")]);
    let naming = Naming {
        same: [("github.com/acme/OLD".into(), "github.com/acme/shop".into())].into(),
        projects: vec!["github.com/acme/mono//packages/*".into()],
        ..Naming::default()
    };
    assert_eq!(
        world.lineage("old", &naming),
        "~ ~/old repo:github.com/acme/old repo:github.com/acme/shop | repo:github.com/acme/shop"
    );
    // So in a checkout that has the name which counts.
    world.checkout("home/shop", &[("origin", SHOP)]);
    assert_eq!(
        world.lineage("shop/x", &naming),
        "~ ~/shop repo:github.com/acme/old repo:github.com/acme/shop ~/shop/x repo:github.com/acme/old//x \
         repo:github.com/acme/shop//x | repo:github.com/acme/shop"
    );
    let project = |path: &str| {
        let lineage = world.lineage(path, &naming);
        lineage.split_once(" | ").unwrap().1.to_owned()
    };
    assert_eq!(project("mono/docs"), "repo:github.com/acme/mono");
    assert_eq!(project("mono/packages"), "repo:github.com/acme/mono");
    assert_eq!(
        project("mono/packages/web/src"),
        "repo:github.com/acme/mono//packages/web"
    );
}

#[test]
fn homes_and_temporary_folders_are_no_projects() {
    let world = World::new();
    let environment = world.environment();
    for (place, project) in [
        ("~", None),
        ("/", None),
        ("/tmp", None),
        ("/tmp/a/b", None),
        ("/srv/x", Some("/srv/x")),
    ] {
        let place: Place = place.parse().unwrap();
        let lineage = environment.lineage(&place, &Naming::default()).unwrap();
        assert_eq!(lineage.project().map(Place::as_str), project, "{place}");
    }
    let named: Place = "repo:a/b//c".parse().unwrap();
    let lineage = environment.lineage(&named, &Naming::default()).unwrap();
    assert_eq!(lineage.project().map(Place::as_str), Some("repo:a/b"));
}
