//! A team's store beside one's own: its notes of the repository, in time, and nothing of this machine in exchange.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, SystemTime};

use serde_json::json;
use waynote_test_postgres::{Does, Proxy};

use super::common::{Run, Scratch, fields, git, has, lacks};
use super::hook_session::added;
use super::mcp_client::Client;
use super::postgres::its_server;
use super::served::Served;

/// Whatever is sent to a port of this machine. It may put a lie into the answers.
struct Recorder {
    port: u16,
    sent: Arc<Mutex<Vec<u8>>>,
    /// What the answers have, and what they are to have in its place: as many bytes.
    lie: Arc<Mutex<(String, String)>>,
}

impl Recorder {
    fn before(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let own = listener.local_addr().unwrap().port();
        let sent = Arc::new(Mutex::new(Vec::new()));
        let lie = Arc::<Mutex<(String, String)>>::default();
        let (kept, told) = (Arc::clone(&sent), Arc::clone(&lie));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = TcpStream::connect(("127.0.0.1", port)).unwrap();
                let ways = [(&client, &server, true), (&server, &client, false)];
                for (from, to, is_client) in ways {
                    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let (kept, told) = (Arc::clone(&kept), Arc::clone(&told));
                    thread::spawn(move || {
                        let mut buffer = [0; 65_536];
                        while let Ok(read @ 1..) = from.read(&mut buffer) {
                            let bytes = &mut buffer[..read];
                            match is_client {
                                true => kept.lock().unwrap().extend(&*bytes),
                                false => replace(bytes, &told.lock().unwrap()),
                            }
                            if to.write_all(bytes).is_err() {
                                break;
                            }
                        }
                        let _ = to.shutdown(std::net::Shutdown::Both);
                    });
                }
            }
        });
        Self {
            port: own,
            sent,
            lie,
        }
    }

    /// Everything that was sent since the last look.
    fn sent(&self) -> String {
        let sent = std::mem::take(&mut *self.sent.lock().unwrap());
        String::from_utf8_lossy(&sent).into_owned()
    }
}

fn replace(bytes: &mut [u8], (truth, lie): &(String, String)) {
    assert_eq!(truth.len(), lie.len());
    for at in 0..bytes.len() {
        if !truth.is_empty() && bytes[at..].starts_with(truth.as_bytes()) {
            bytes[at..at + lie.len()].copy_from_slice(lie.as_bytes());
        }
    }
}

/// A team's server, with a proxy and a recorder before it.
pub(super) struct Team {
    pub(super) scratch: Scratch,
    server: RefCell<Served>,
    pub(super) proxy: Proxy,
    recorder: Recorder,
}

impl Team {
    fn new() -> Self {
        Self::with(&[])
    }

    /// With options of the server.
    pub(super) fn with(options: &[&str]) -> Self {
        let scratch = Scratch::new();
        let server = Served::start(&scratch, options);
        let (_, port) = server.url.rsplit_once(':').unwrap();
        let proxy = Proxy::start(port.parse().unwrap());
        let recorder = Recorder::before(proxy.port());
        Self {
            scratch,
            server: server.into(),
            proxy,
            recorder,
        }
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/s/default", self.recorder.port)
    }

    /// Ends the server as a loss of power does, and starts it again. `meanwhile` is done to its store.
    pub(super) fn restart(&self, meanwhile: impl FnOnce(&Scratch)) {
        self.server.borrow_mut().kill();
        meanwhile(&self.scratch);
        let server = Served::start(&self.scratch, [""; 0]);
        let (_, port) = server.url.rsplit_once(':').unwrap();
        self.proxy.replace(0, port.parse().unwrap());
        self.server.replace(server);
    }

    /// A token of a person of the team.
    pub(super) fn token(&self, name: &str) -> String {
        let made = format!("token create {name} --write --json");
        fields(&self.scratch.json(&made), "token")
    }

    fn write(&self, words: &str, token: &str) {
        let run = self.scratch.run(words).env("WAYNOTE_TOKEN", token);
        let url = format!("{}/s/default", self.server.borrow().url);
        run.env("WAYNOTE_STORE", url).ok();
    }
}

/// A person with a checkout of the shop.
pub(super) struct Person {
    scratch: Scratch,
    shop: PathBuf,
    token: String,
    pub(super) store: String,
    /// True if that store is the only one.
    pub(super) is_alone: bool,
}

impl Person {
    fn new(store: &str, token: String) -> Self {
        Self::at("shop", Scratch::new(), store, token)
    }

    /// With the checkout in that folder.
    pub(super) fn at(name: &str, scratch: Scratch, store: &str, token: String) -> Self {
        scratch.ok(&format!("config set team.store {store}"));
        scratch.ok("config set team.repositories github.com/ACME/*");
        let shop = checkout(&scratch, name, "git@github.com:acme/shop.git");
        Self {
            scratch,
            shop,
            token,
            store: store.to_owned(),
            is_alone: false,
        }
    }

    pub(super) fn run(&self, words: &str) -> Run {
        let run = self.scratch.run(words).cwd(&self.shop);
        let run = run.env("WAYNOTE_TOKEN", &self.token);
        match self.is_alone {
            true => run.env("WAYNOTE_STORE", &self.store),
            false => run,
        }
    }

    pub(super) fn ok(&self, words: &str) -> String {
        self.run(words).ok()
    }

    pub(super) fn hook(&self, event: &str, session: &str) -> Run {
        let mut input = json!({
            "session_id": session, "cwd": self.shop, "source": "startup", "prompt": "a-private-prompt",
            "tool_name": "Read", "tool_input": { "file_path": self.shop.join("src/x.rs") },
        });
        if event == "PostToolUseFailure" {
            input["tool_name"] = "Bash".into();
            input["tool_input"] = json!({ "command": "a-private-command" });
            input["error"] = "Exit code 1: a-private-output".into();
        }
        let run = self.run(&format!("hook claude-code {event}"));
        run.stdin(input.to_string()).patient()
    }

    /// The block at the start of a session, however busy the machine is.
    pub(super) fn start(&self, session: &str) -> String {
        added(
            self.hook("SessionStart", session)
                .env("WAYNOTE_HOOK_WAIT", "60"),
        )
    }

    /// The files that are kept of the team's notes.
    fn kept(&self) -> Vec<PathBuf> {
        let team = self.scratch.home().join(".local/state/waynote/team");
        let folders = fs::read_dir(team).into_iter().flatten().flatten();
        let files = folders.flat_map(|folder| fs::read_dir(folder.path()).unwrap());
        let files = files.map(|file| file.unwrap().path());
        files
            .filter(|file| !file.to_str().unwrap().contains("/alone-"))
            .collect()
    }

    /// Makes all that is kept older.
    pub(super) fn wait(&self, time: Duration) {
        let team = self.scratch.home().join(".local/state/waynote/team");
        for folder in fs::read_dir(team).unwrap().flatten() {
            for file in fs::read_dir(folder.path()).unwrap().flatten() {
                let file = File::options().write(true).open(file.path()).unwrap();
                let at = file.metadata().unwrap().modified().unwrap();
                file.set_modified(at - time).unwrap();
            }
        }
    }
}

fn checkout(scratch: &Scratch, name: &str, origin: &str) -> PathBuf {
    let folder = scratch.home().join("projects").join(name);
    fs::create_dir_all(folder.join("src")).unwrap();
    git(&folder, "init -q");
    git(&folder, &format!("remote add origin {origin}"));
    folder
}

pub(super) const MINUTE: Duration = Duration::from_secs(61);
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600 + 1);
pub(super) const AWAY: &str = "waynote: the team's store does not answer; its notes are";

#[test]
fn a_session_has_the_teams_notes_and_the_team_learns_nothing_of_this_machine() {
    let team = Team::new();
    let (alice, bob) = (team.token("alice"), team.token("bob"));
    for words in [
        "place write --at repo:github.com/acme/shop 'Prices are integer cents.'",
        "note --at repo:github.com/acme/shop//src --key pay 'Fees are rounded down.'",
        "place write --at repo:github.com/acme/other 'Of another repository.'",
        "place write --at ~ 'Always answer in French.'",
        "key save --notebook taste 'I like tabs.'",
    ] {
        team.write(words, &alice);
    }
    let bob = Person::new(&team.url(), bob);
    bob.run("note --key own 'My own note.'").ok();
    assert_eq!(team.recorder.sent(), "");
    let block = bob.start("one");
    for part in ["Prices are integer cents.", "My own note."] {
        has(&block, part);
    }
    for part in ["French", "tabs", "another repository", "store"] {
        lacks(&block, part);
    }
    let [kept] = bob.kept().try_into().unwrap();
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(kept).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    let requests = |sent: String| sent.matches("POST /s/default/api/v1/read").count();
    let first = team.recorder.sent();
    has(&first, "repo:github.com/acme/shop");
    assert_eq!(requests(first.clone()), 3);
    bob.start("again");
    assert_eq!(requests(team.recorder.sent()), 1);
    // At a prompt and a tool no network is asked.
    bob.hook("UserPromptSubmit", "one").ok();
    let late = bob.hook("UserPromptSubmit", "a-session-without-a-start");
    let block = added(late.env("WAYNOTE_HOOK_WAIT", "60"));
    has(&block, "Prices are integer cents.");
    has(
        added(bob.hook("PreToolUse", "one")),
        "Fees are rounded down.",
    );
    bob.hook("PostToolUseFailure", "one").ok();
    assert_eq!(team.recorder.sent(), "");
    has(bob.run("search rounded").ok(), "Fees are");
    for words in [
        "status",
        "context --query a-private-query",
        "ls",
        "search a-private-query",
    ] {
        bob.run(words).said();
    }
    let private = checkout(&bob.scratch, "private", "git@github.com:bob/private.git");
    bob.run("status").cwd(&private).ok();
    let sent = first + &team.recorder.sent();
    let home = bob.scratch.home();
    for part in ["private", "rounded", "French", home.to_str().unwrap()] {
        lacks(&sent, part);
    }
    // A store that is named by its address is alone.
    team.proxy.does(Does::Nothing);
    let alone = format!("--store {}/s/default context", team.server.borrow().url);
    has(bob.run(&alone).ok(), "French");
    team.proxy.does(Does::Forward);
}

#[test]
fn a_start_waits_little_for_a_store_that_is_away_and_leaves_it_alone() {
    let team = Team::new();
    let (alice, bob) = (team.token("alice"), team.token("bob"));
    let note = "place write --at repo:github.com/acme/shop";
    team.write(&format!("{note} 'The first text.'"), &alice);
    let bob = Person::new(&team.url(), bob);
    has(bob.start("one"), "The first text.");
    team.write(&format!("{note} 'The second text.'"), &alice);
    team.proxy.does(Does::Nothing);
    let begun = SystemTime::now();
    let block = added(bob.hook("SessionStart", "two"));
    // The promise is one second; a busy machine takes longer.
    assert!(begun.elapsed().unwrap() < Duration::from_secs(20));
    has(&block, "The first text.");
    has(&block, AWAY);
    // It is left alone for a minute.
    team.proxy.does(Does::Forward);
    team.recorder.sent();
    has(bob.start("three"), "the team's store did not answer at 20");
    assert_eq!(team.recorder.sent(), "");
    bob.wait(MINUTE);
    let block = bob.start("four");
    has(&block, "The second text.");
    lacks(block, "store");
    // A note that is deleted there goes here.
    team.write("place delete --at repo:github.com/acme/shop", &alice);
    lacks(bob.start("five"), "second text");
    team.write(&format!("{note} 'The third text.'"), &alice);
    has(bob.start("six"), "The third text.");
    // Seven days without an answer.
    team.server.borrow_mut().kill();
    has(bob.start("seven"), "The third text.");
    bob.wait(WEEK);
    let block = bob.start("eight");
    has(&block, format!("{AWAY} left out"));
    lacks(block, "third text");
    assert_eq!(bob.kept(), Vec::<PathBuf>::new());
}

#[test]
fn a_store_that_lies_brings_nothing_else_into_a_block() {
    let team = Team::new();
    let (alice, bob) = (team.token("alice"), team.token("bob"));
    let note = "note --at repo:github.com/acme/shop --key pay 'Fees are rounded.'";
    team.write(note, &alice);
    let bob = Person::new(&team.url(), bob);
    bob.run("note --key own 'My own note.'").ok();
    has(bob.start("truth"), "(team, by alice): `Fees are rounded.`");
    const LEFT_OUT: &str = "left out of the team's store: 1 note";
    for (truth, lie, line) in [
        ("shop#pay", "shup#pay", LEFT_OUT),
        ("/shop#pay", "/../x#pay", AWAY),
        ("shop#pay", "shop#P/y", AWAY),
        ("shop#pay", r"sh\u000a", LEFT_OUT),
        ("\"alice\"", r#""a\nce""#, AWAY),
        ("Fees are rounded", r"Fees\u0000ounded", LEFT_OUT),
    ] {
        // Nothing is kept any more.
        bob.wait(WEEK);
        *team.recorder.lie.lock().unwrap() = (truth.into(), lie.into());
        let block = bob.start(lie);
        has(&block, "My own note.");
        has(&block, line);
        lacks(&block, "ounded");
    }
}

#[test]
fn a_token_that_is_refused_takes_the_teams_notes_along() {
    let team = Team::new();
    let (alice, bob) = (team.token("alice"), team.token("bob"));
    let note = "place write --at repo:github.com/acme/shop 'A text of the team.'";
    team.write(note, &alice);
    let bob = Person::new(&team.url(), bob);
    has(bob.start("one"), "A text of the team.");
    team.scratch.ok("token revoke bob");
    let block = bob.start("two");
    has(
        &block,
        "the team's store refuses your token or password; its notes are left out",
    );
    lacks(block, "A text");
    assert_eq!(bob.kept(), Vec::<PathBuf>::new());
    let found = bob.run("doctor").said();
    has(found, "WRONG team: ");
    // With another token it is asked at once, and a doctor to whom it answers ends the pause.
    let mut bob = bob;
    bob.token = team.token("bob");
    has(bob.start("three"), "A text of the team.");
    let without = |person: &Person| person.run("context").env("WAYNOTE_TOKEN", "").said();
    bob.scratch.ok("config set token_file none");
    let name =
        "the token or password of the team's store cannot be read; `waynote doctor` says why; its";
    has(without(&bob), name);
    bob.scratch.ok("config unset token_file");
    has(
        without(&bob),
        "the team's store needs a token; its notes are",
    );
    team.proxy.does(Does::Nothing);
    has(bob.start("four"), AWAY);
    team.proxy.does(Does::Forward);
    has(bob.start("five"), "the team's store did not answer at 20");
    has(bob.run("doctor").said(), "answers");
    lacks(bob.start("six"), AWAY);
    // What is kept goes with the setting alone.
    bob.scratch.ok("config set trust ~/none");
    let other = bob.scratch.home().join("other.toml");
    for (text, said) in [
        (String::new(), "store"),
        (
            format!("team.store = '{}'", team.url()),
            "/s/default answers, and serves no repository",
        ),
    ] {
        fs::write(&other, text).unwrap();
        has(bob.run("doctor").env("WAYNOTE_CONFIG", &other).said(), said);
    }
    assert_eq!(bob.kept().len(), 1);
    bob.scratch.ok("config unset team.store");
    assert_eq!(bob.kept(), Vec::<PathBuf>::new());
    has(
        bob.run("doctor").said(),
        "`team.repositories` is set, and no `team.store`",
    );
}

#[test]
fn a_silent_store_is_waited_for_three_seconds() {
    let team = Team::new();
    let bob = Person::new(&team.url(), team.token("bob"));
    bob.run("note --key own mine").ok();
    team.proxy.does(Does::Nothing);
    let begun = SystemTime::now();
    for words in ["doctor", "share --to team own"] {
        has(bob.run(words).said(), "does not answer: no answer within 3");
    }
    // Of a minute each it was; a busy machine takes longer than six seconds.
    assert!(begun.elapsed().unwrap() < Duration::from_secs(45));
    team.proxy.does(Does::Forward);
    let private = checkout(&bob.scratch, "private", "git@github.com:bob/private.git");
    has(
        bob.run("doctor").cwd(&private).said(),
        "team: this repository fits no pattern of `team.repositories`",
    );
}

#[test]
fn a_tool_finds_the_teams_notes_and_its_query_stays_here() {
    let team = Team::new();
    let (alice, bob) = (team.token("alice"), team.token("bob"));
    let note = "note --at repo:github.com/acme/shop --key pay";
    team.write(&format!("{note} 'Fees are rounded down.'"), &alice);
    let bob = Person::new(&team.url(), bob);
    bob.run("status").ok();
    let mut server = bob.scratch.command("mcp");
    server
        .current_dir(&bob.shop)
        .env("WAYNOTE_TOKEN", &bob.token);
    let mut server = Client::spawn(server);
    server.initialize(json!({}));
    has(
        server.call("note_search", json!({ "query": "rounded" })),
        "Fees are",
    );
    server.call("note_search", json!({ "query": "secretly" }));
    let asked = team.recorder.sent();
    has(&asked, "repo:github.com/acme/shop");
    for word in ["rounded", "secretly"] {
        lacks(&asked, word);
    }
    // It works in two repositories by turns, and asks for each once.
    let other = checkout(&bob.scratch, "other", "git@github.com:acme/other.git");
    let turns = |server: &mut Client| {
        for place in [&bob.shop, &other] {
            server.call("note_save", json!({ "place": place, "content": "v" }));
        }
    };
    turns(&mut server);
    team.recorder.sent();
    turns(&mut server);
    assert_eq!(team.recorder.sent(), "");
    // It has asked, and what is written there meanwhile does not matter to a call.
    team.proxy.does(Does::Nothing);
    let save = json!({ "key": "pay", "content": "Fees are rounded up." });
    let refused = server.call("note_save", save);
    has(&refused, "error: ");
    has(&refused, "Fees are rounded down.");
    let save = json!({ "key": "pay", "content": "Fees are rounded up.", "if_revision": 0 });
    has(server.call("note_save", save), "saved");
    has(
        server.call("note_show", json!({ "key": "pay" })),
        "rounded up",
    );
    assert_eq!(team.recorder.sent(), "");
}

#[test]
fn a_note_is_shared_with_the_team_by_its_holder_and_no_text_is_replaced_unread() {
    let team = Team::new();
    let [ann, bob] = ["ann", "bob"].map(|name| Person::new(&team.url(), team.token(name)));
    ann.run("note --key pay 'Integer cents.'").ok();
    ann.run("note --key build 'make all'").ok();
    let plays = |person: &Person, words: &str| person.run(words).said();
    insta::assert_snapshot!(plays(&ann, "share --to team pay"), @"
    shared with the team: repo:github.com/acme/shop#pay
    yours stays, and stands before later ones of the team; `waynote key delete repo:github.com/acme/shop#pay` drops it
    ");
    // What this machine keeps has it at once.
    has(plays(&ann, "key delete pay"), "; the team's applies now");
    ann.ok("undo pay");
    insta::assert_snapshot!(plays(&ann, "share --to team --all"), @"
    shared with the team: repo:github.com/acme/shop#build
    yours stays, and stands before later ones of the team; `waynote key delete repo:github.com/acme/shop#build` drops it
    ");
    insta::assert_snapshot!(plays(&ann, "share --to team pay"), @"there is nothing new to share with the team");
    bob.run("note --key pay 'Cents, as integers.'").ok();
    let would = plays(&bob, "share --to team pay --dry-run");
    assert_eq!(would, plays(&bob, "share --to team pay"));
    insta::assert_snapshot!(would, @"
    exit 1
    error: repo:github.com/acme/shop#pay has text by ann (revision 1)
      give your text a key of its own; or read this one, and the same command with `--if-revision 1` replaces or deletes it
    the current text of repo:github.com/acme/shop#pay@1:
    Integer cents.
    ");
    insta::assert_snapshot!(plays(&bob, "share --to team pay --if-revision 1"), @"
    shared with the team: repo:github.com/acme/shop#pay
    yours stays, and stands before later ones of the team; `waynote key delete repo:github.com/acme/shop#pay` drops it
    ");
    has(
        plays(&ann, "share --to team --all"),
        "(revision 2); `waynote share repo:github.com/acme/shop#pay --to team` shows it",
    );
    let alone = format!("--store {} share", team.url());
    for words in ["--prune", "--all", "pay --to team"] {
        let said = plays(&ann, &format!("{alone} {words}"));
        has(
            said,
            "gives notes of your own store, not of one of several people",
        );
    }
    let history = "history repo:github.com/acme/shop#pay --json";
    let of_team = team.scratch.run(history).env("WAYNOTE_TOKEN", &ann.token);
    let authors = of_team.json();
    let authors: Vec<&str> = authors
        .as_array()
        .unwrap()
        .iter()
        .map(|of| of["author"].as_str().unwrap())
        .collect();
    assert_eq!(authors, ["bob", "ann"]);
    // Her own note is another one now, and no longer silent.
    has(
        ann.start("one"),
        "`repo:/#pay` (yours; the team's differs): `Integer cents.`",
    );
    insta::assert_snapshot!(plays(&ann, "show pay"), @"
    Integer cents.repo:github.com/acme/shop#pay (yours; the team's differs)

    the text of others (team, by bob):
    Cents, as integers.

    `waynote key delete repo:github.com/acme/shop#pay` drops yours
    `waynote share repo:github.com/acme/shop#pay --to team` gives them yours
    ");
    has(
        plays(&ann, "note --key pay 'Cents.'"),
        "; it stands before the team's here",
    );
    ann.run("undo pay").ok();
    // What only the team has is changed there.
    bob.run("note --key only 'of bob'").ok();
    plays(&bob, "share --to team only");
    ann.run("status").ok();
    for words in [
        "key delete only",
        "key pin only",
        "mv only x",
        "history only",
        "undo only",
        "restore only@1",
    ] {
        has(plays(&ann, words), "the same command with `--store URL`");
    }
    let secret = format!(
        "note --key leak ghp_{} --allow-secret",
        "a1B2c3D4e5F6".repeat(3)
    );
    ann.run(&secret).ok();
    team.recorder.sent();
    for words in ["leak", "leak --dry-run", "--all --dry-run"] {
        let said = plays(&ann, &format!("share --to team {words}"));
        has(&said, "the text holds a credential");
        lacks(said, "--allow-secret");
    }
    lacks(team.recorder.sent(), "ghp_");
    let private = checkout(&ann.scratch, "private", "git@github.com:ann/private.git");
    ann.run("note --key own mine").cwd(&private).ok();
    insta::assert_snapshot!(ann.run("share --to team own").cwd(&private).said(), @"
    exit 1
    error: repo:github.com/ann/private#own is in no repository of the team
      name its repository: `waynote config set team.repositories 'github.com/acme/*'`
    ");
    // What is forgotten here is not forgotten there.
    let forgot = plays(&ann, "forget build --yes");
    has(forgot, "the team's store has a note of this name");
    ann.scratch.ok("config unset team.store");
    insta::assert_snapshot!(plays(&ann, "share --to team pay"), @"
    exit 2
    error: no team's store is set
      set one: `waynote config set team.store https://HOST/s/NAME`; and the repositories that it serves: `waynote config set team.repositories 'github.com/acme/*'`
    ");
}

#[test]
fn a_store_in_postgres_can_be_the_teams() {
    let Some(server) = its_server() else { return };
    let url = server.store_url();
    let admin = Scratch::new();
    admin.ok(&format!("stores create {url}"));
    let note = "place write --at repo:github.com/acme/shop 'A text of the team.'";
    admin.run(note).env("WAYNOTE_STORE", &url).ok();
    let bob = Person::new(&url, String::new());
    has(bob.start("one"), "A text of the team.");
    has(
        bob.run("doctor").said(),
        format!("ok    team: {url} answers"),
    );
}
