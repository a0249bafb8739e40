//! A server that is none, or that a network garbles: the client ends in time, and gives away neither password nor memory.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use waynote::{Content, Places, Reader as _, Store as _};
use waynote_postgres::{Options, open, stores};
use waynote_test_postgres::{Cluster, Does, Proxy, has_postgres, skipped, store_at, with_store};
use waynote_testing::{Dice, values::at};

use super::stores::new_store;
use super::writers::{rounds, until};

const PASSWORD: &str = "hunter2";

/// The limit of each call of a client: of its connection, its wait and each of its answers.
const LIMIT: Duration = Duration::from_millis(400);

/// The longest time of a call, with all of its limits and attempts, on a busy machine.
const LONGEST: Duration = Duration::from_secs(10);

/// The most memory of a client beyond what it begins with, in KiB.
const MOST: u64 = 64 * 1024;

/// Says something once, and then the same for ever; nothing: it is silent.
struct Rogue {
    name: &'static str,
    once: Vec<u8>,
    endless: Vec<u8>,
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = 4 + body.len() as u32;
    [&[kind][..], &length.to_be_bytes(), body].concat()
}

fn rogues(dice: &mut Dice) -> Vec<Rogue> {
    let noise: Vec<u8> = (0..4096).map(|_| dice.below(256) as u8).collect();
    let says = |code: u32, rest: &[u8]| message(b'R', &[&code.to_be_bytes()[..], rest].concat());
    let ready = [
        says(0, b""),
        message(b'S', b"server_encoding\0UTF8\0"),
        message(b'Z', b"I"),
    ];
    let ready = ready.concat();
    let huge = |kind: u8| vec![kind, 0x7f, 0xff, 0xff, 0xff];
    let notices = message(b'N', b"SNOTICE\0C00000\0Mlook\0\0").repeat(500);
    // Another name each time that it comes by.
    let parameters =
        (0..500).map(|_| message(b'S', format!("p{}\0x\0", dice.below(1 << 40)).as_bytes()));
    let parameters: Vec<u8> = parameters.flatten().collect();
    let mut all = Vec::new();
    let mut add = |name, once: &[u8], endless: &[u8]| {
        let (once, endless) = (once.to_vec(), endless.to_vec());
        all.push(Rogue {
            name,
            once,
            endless,
        });
    };
    add("silence", b"", b"");
    add("noise", b"", &noise);
    add("HTTP", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"");
    add("no length", b"R\0\0\0\0", b"");
    add("a negative length", b"R\xff\xff\xff\xff", b"");
    add("a huge question", &huge(b'R'), &noise);
    add("a huge error", &huge(b'E'), &noise);
    add("a question for the password", &says(3, b""), b"");
    add("a question for its hash", &says(5, b"salt"), b"");
    add("a question for Kerberos", &says(7, b""), b"");
    add("SCRAM without a method", &says(10, b"\0"), b"");
    add(
        "SCRAM for ever",
        &says(10, b"SCRAM-SHA-256\0\0"),
        &says(11, b"r=x,s=c2FsdA==,i=4294967295"),
    );
    add("notices before the log-in", b"", &notices);
    add("notices in the log-in", &says(0, b""), &notices);
    add("parameters in the log-in", &says(0, b""), &parameters);
    add("silence after the log-in", &ready, b"");
    add("noise after the log-in", &ready, &noise);
    add("notices after the log-in", &ready, &notices);
    add("parameters after the log-in", &ready, &parameters);
    add("a huge row", &[&ready[..], &huge(b'D')].concat(), &noise);
    add("a huge notice", &[&ready[..], &huge(b'N')].concat(), &noise);
    all
}

impl Rogue {
    /// Talks to a client until that one is gone. Keeps what it heard.
    fn talk(&self, mut client: TcpStream, heard: &Mutex<Vec<u8>>) {
        let mut says = client.try_clone().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut sent = says.write_all(&self.once);
                while sent.is_ok() && !self.endless.is_empty() {
                    sent = says.write_all(&self.endless);
                }
            });
            let mut buffer = [0; 4096];
            while let Ok(read @ 1..) = client.read(&mut buffer) {
                heard.lock().unwrap().extend_from_slice(&buffer[..read]);
            }
            let _ = client.shutdown(Shutdown::Both);
        });
    }

    /// Listens, and returns its port.
    fn listen(self, heard: Arc<Mutex<Vec<u8>>>) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let rogue = Arc::new(self);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (rogue, heard) = (Arc::clone(&rogue), Arc::clone(&heard));
                std::thread::spawn(move || rogue.talk(client, &heard));
            }
        });
        port
    }
}

const JOB: &str = "WAYNOTE_TEST_ROGUE";

/// What a client tells of its calls.
struct Told {
    calls: u64,
    /// The calls that succeeded.
    served: u64,
    longest: Duration,
    /// KiB.
    memory: u64,
}

/// Lets a process make calls. It has a limit of memory of its own, so that the machine goes on if the test fails.
fn calls(url: &str, times: u32) -> Told {
    let program = std::env::current_exe().unwrap();
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 6000000; exec timeout 60 \"$0\" \"$@\""])
        .arg(program)
        .args(["--exact", "suite::rogue::client", "--nocapture"])
        .env(JOB, format!("{times}\n{url}"))
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let (said, error) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        output.status.success(),
        "{url}: {}\n{said}{error}",
        output.status
    );
    let told = said.lines().find_map(|line| line.strip_prefix("told: "));
    let numbers: Vec<u64> = told
        .unwrap()
        .split(' ')
        .map(|word| word.parse().unwrap())
        .collect();
    let [calls, served, longest, memory] = numbers[..] else {
        panic!("{said}");
    };
    let longest = Duration::from_millis(longest);
    assert!(longest < LONGEST, "{url}: {longest:?}");
    Told {
        calls,
        served,
        longest,
        memory,
    }
}

/// The most memory that this process has had, in KiB; 0 where the system does not tell.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or(0, |line| {
        line.trim_end_matches("kB").trim().parse().unwrap()
    })
}

/// The body of a process; without a job there is nothing to do.
#[test]
fn client() {
    let Ok(job) = std::env::var(JOB) else {
        return;
    };
    let (times, url) = job.split_once('\n').unwrap();
    let (before, mut calls, mut served, mut longest) = (peak(), 0, 0, Duration::ZERO);
    for time in 0..times.parse().unwrap() {
        let options = Options::of_url(url).unwrap().password(PASSWORD.to_owned());
        let options = options.connect(LIMIT).wait(LIMIT).answer(LIMIT);
        let write = || {
            let store = waynote_postgres::at(options.clone());
            let text = Content::text(format!("said {time}"))?;
            Places::new(&store)
                .write(&"~/p".parse()?, text, &at(1))
                .map(drop)
        };
        let calls_of_one: [&dyn Fn() -> waynote::Result<()>; 4] = [
            &|| open(options.clone()).map(drop),
            &|| stores::list(options.clone()).map(drop),
            &write,
            &|| {
                waynote_postgres::at(options.clone())
                    .journal(None, 100)
                    .map(drop)
            },
        ];
        for call in calls_of_one {
            let begin = Instant::now();
            let outcome = call();
            longest = longest.max(begin.elapsed());
            calls += 1;
            match outcome {
                Ok(()) => served += 1,
                Err(error) => {
                    let said = format!("{error} {error:?} {:?}", error.advice());
                    assert!(!said.contains(PASSWORD), "{said}");
                }
            }
        }
    }
    println!(
        "told: {calls} {served} {} {}",
        longest.as_millis(),
        peak() - before
    );
}

#[test]
fn a_server_that_is_none_gets_nothing_and_stops_nobody() {
    let mut dice = Dice::thrown("rogue");
    let (mut all, mut longest, mut most) = (0, Duration::ZERO, 0);
    for _ in 0..rounds() {
        for mut rogue in rogues(&mut dice) {
            let heard = Arc::new(Mutex::new(Vec::new()));
            let name = rogue.name;
            // With TLS refused, or with what it says in the place of TLS.
            let modes = [("disable", ""), ("prefer", "N"), ("require", "S")];
            let (mode, first) = modes[dice.below(5) as usize % 3];
            rogue.once.splice(0..0, first.bytes());
            let port = rogue.listen(Arc::clone(&heard));
            let url = format!(
                "postgres://team@127.0.0.1:{port}/notes?store=s&sslmode={mode}&require_auth=!password,!md5"
            );
            let told = calls(&url, 1);
            eprintln!("{name} ({mode}): {:.1?}, {} KiB", told.longest, told.memory);
            assert_eq!(told.served, 0, "{name}");
            until(name, || !heard.lock().unwrap().is_empty());
            let heard = heard.lock().unwrap();
            let word = PASSWORD.as_bytes();
            assert!(!heard.windows(word.len()).any(|of| of == word), "{name}");
            (all, longest, most) = (
                all + told.calls,
                longest.max(told.longest),
                most.max(told.memory),
            );
        }
    }
    assert!(most < MOST, "{most} KiB");
    eprintln!(
        "{all} calls to rogue servers; the longest {longest:.1?}, the most memory {most} KiB, no password"
    );
}

#[test]
fn answers_that_are_garbled_stop_nobody() {
    if !has_postgres() {
        return skipped("answers_that_are_garbled_stop_nobody");
    }
    let mut dice = Dice::thrown("garbled");
    let cluster = Cluster::tcp();
    let neighbour = new_store(&with_store(&cluster.url(), "neighbour"));
    let text = Content::text("ours").unwrap();
    Places::new(&neighbour)
        .write(&"~/p".parse().unwrap(), text, &at(1))
        .unwrap();
    let proxy = Proxy::start(cluster.port());
    let url = store_at("waynote", proxy.port());
    let (mut all, mut served, mut longest, mut most) = (0, 0, Duration::ZERO, 0);
    for round in 0..rounds() {
        let store = format!("s{round}");
        new_store(&with_store(&cluster.url(), &store));
        proxy.does(Does::Garble(dice.below(1 << 31)));
        let told = calls(&url.replace("store=s", &format!("store={store}")), 5);
        (all, served) = (all + told.calls, served + told.served);
        (longest, most) = (longest.max(told.longest), most.max(told.memory));
    }
    assert!(most < MOST, "{most} KiB");
    assert!(neighbour.verify().unwrap().is_clean());
    assert_eq!(Places::new(&neighbour).list().unwrap().len(), 1);
    eprintln!(
        "{all} calls with garbled answers, {served} of them served; the longest {longest:.1?}, the most memory {most} KiB"
    );
}
