//! Prompt blocks: never over their budget and nearly full, how much of them a prompt cache keeps over a day of writes, and
//! what one costs on an open store.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use rusqlite::Connection;
use waynote::context::{Budget, Renderer, Request, Style, render};
use waynote::{Change, Options, SqliteStore, Stamp, Store};
use waynote_testing::values::{by_agent, entry_of, save, save_pinned};

use crate::contexts::{filled, kind};
use kit::measure::{below, median};
use kit::random::Random;

const BLOCKS: u64 = 10_000;

/// Prose in ten scripts.
const SCRIPTS: [&str; 10] = [
    "The build breaks when two jobs write the same cache; give each its own folder, and clear the old one by hand. ",
    "Сборка падает, когда две задачи пишут в один кеш; дайте каждой свою папку, а старую очистите вручную. ",
    "两个任务同时写入同一个缓存时构建会失败；请给每个任务单独的目录，并手动清理旧目录。测试需要冻结时钟。",
    "二つのジョブが同じキャッシュに書き込むとビルドが壊れます。それぞれに専用のフォルダーを与えてください。",
    "두 작업이 같은 캐시에 쓰면 빌드가 깨집니다. 각각 별도의 폴더를 주고 오래된 것은 직접 지우세요. ",
    "يتعطل البناء عندما تكتب مهمتان في ذاكرة التخزين نفسها؛ امنح كل واحدة مجلدها الخاص وامسح القديم يدويا. ",
    "הבנייה נשברת כששתי משימות כותבות לאותו מטמון; תנו לכל אחת תיקייה משלה ונקו את הישנה ידנית. ",
    "जब दो कार्य एक ही कैश में लिखते हैं तो निर्माण टूट जाता है; प्रत्येक को अपना फ़ोल्डर दें और पुराना हाथ से साफ़ करें। ",
    "การสร้างล้มเหลวเมื่อสองงานเขียนแคชเดียวกัน ให้แต่ละงานมีโฟลเดอร์ของตัวเองและล้างของเก่าด้วยมือ ",
    "Η μεταγλώττιση αποτυγχάνει όταν δύο εργασίες γράφουν στην ίδια κρυφή μνήμη· δώστε στην καθεμιά δικό της φάκελο. ",
];

/// Real text of the machine and generated noise, cut anywhere.
struct Texts {
    real: Vec<String>,
    random: Random,
}

impl Texts {
    /// Documentation and code of the crates that are built here.
    fn read() -> Result<Self> {
        let home = std::env::var_os("CARGO_HOME").map_or_else(
            || std::env::home_dir().unwrap_or_default().join(".cargo"),
            PathBuf::from,
        );
        let mut real = Vec::new();
        collect(&home.join("registry/src"), 0, &mut real)?;
        ensure!(
            real.len() > 200,
            "too little text was found in {}",
            home.display()
        );
        Ok(Self {
            real,
            random: Random(7),
        })
    }

    fn text(&mut self) -> String {
        let random = &mut self.random;
        let length = match random.below(10) {
            0 => random.below(4000),
            1..4 => random.below(800),
            _ => random.below(160),
        };
        let text: String = match random.below(12) {
            0..5 => {
                let file = random.pick(&self.real);
                let from = file.ceil_char_boundary(random.below(file.len()));
                file[from..].chars().take(length).collect()
            }
            5..8 => {
                let text = random.pick(&SCRIPTS).chars().cycle();
                text.skip(length % 50).take(length / 2).collect()
            }
            8 => {
                const BASE64: &[u8] =
                    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
                (0..length)
                    .map(|_| char::from(*random.pick(BASE64)))
                    .collect()
            }
            9 => of_chars(length / 4, || 0x1F300 + random.number() % 0x400),
            10 => {
                let line = |number: u64| {
                    format!(
                        "2026-11-{:02}T12:{:02}:00.{:06}Z WARN [worker-{}] 0x{number:x} retry\n",
                        number % 28 + 1,
                        number % 60,
                        number % 1_000_000,
                        number % 16
                    )
                };
                (0..length / 60).map(|_| line(random.number())).collect()
            }
            _ => of_chars(length / 2, || 1 + random.number() % 0x2fff),
        };
        if text.trim().is_empty() {
            "x".into()
        } else {
            text
        }
    }
}

/// Characters by their numbers.
fn of_chars(count: usize, mut number: impl FnMut() -> u64) -> String {
    let numbers = (0..count).filter_map(|_| u32::try_from(number()).ok());
    numbers.filter_map(char::from_u32).collect()
}

/// Text files up to a number of them, a few of each folder.
fn collect(folder: &Path, depth: usize, texts: &mut Vec<String>) -> Result<()> {
    const MOST: usize = 1500;
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for entry in entries {
        if texts.len() >= MOST {
            break;
        }
        let is_text = entry.extension().is_some_and(|end| {
            ["md", "rs", "toml", "txt", "c"]
                .iter()
                .any(|known| end == *known)
        });
        if entry.is_dir() && depth < 3 {
            collect(&entry, depth + 1, texts)?;
        } else if is_text
            && let Ok(text) = std::fs::read_to_string(&entry)
            && text.len() > 400
        {
            let mut short = text;
            short.truncate(short.floor_char_boundary(200_000));
            texts.push(short);
        }
    }
    Ok(())
}

fn stamp(second: u64) -> Stamp {
    by_agent(second.cast_signed())
}

fn request(tokens: usize) -> Result<Request> {
    Ok(Request::new(
        "bench".parse()?,
        "~/a/b".parse::<waynote::Place>()?,
        stamp(0).now,
    )
    .session(Some("bench".parse()?))
    .iteration(Some(1_000_000))
    .budget(Budget::of(tokens)))
}

/// All three.
pub(crate) fn run() -> Result<()> {
    budgets()?;
    day()?;
    cost()
}

/// Ten thousand blocks of random notes, under random budgets.
fn budgets() -> Result<()> {
    let mut texts = Texts::read()?;
    let (mut over, mut fill, mut squeezed) = (0, Vec::new(), 0);
    for number in 0..BLOCKS {
        let connection = Connection::open_in_memory()?;
        let store = waynote::AttachedStore::attach(&connection)?;
        let mut changes = Vec::new();
        let (pinned, keyed) = (texts.random.below(10), texts.random.below(40));
        for key in 0..pinned + keyed {
            let address = format!("agent:bench#k{key}").parse()?;
            changes.push(save_pinned(address, &texts.text(), key < pinned));
        }
        for place in &PLACES[..texts.random.below(4)] {
            changes.push(save(format!("place:{place}").parse()?, &texts.text()));
        }
        for iteration in 0..texts.random.below(40) as i64 {
            let kind = kind(texts.random.below(4) as i64);
            changes.push(entry_of("bench", kind, iteration, &texts.text()));
        }
        store.apply(&changes, &stamp(number))?;
        let tokens = match texts.random.below(4) {
            0 => 2000,
            1 => 1 + texts.random.below(500),
            _ => 500 + texts.random.below(5000),
        };
        let block = render(&store, &request(tokens)?)?;
        let counted = waynote_tokens::count(&block.text);
        ensure!(
            counted == block.receipt.tokens,
            "the receipt says {} and the text has {counted}",
            block.receipt.tokens
        );
        over += u32::from(counted > tokens);
        if block.receipt.lines + block.receipt.left_out > 0 {
            squeezed += 1;
            fill.push(counted as f64 / tokens as f64);
        }
    }
    let full = |share| 100.0 * below(fill.iter().copied(), share);
    println!("blocks: {BLOCKS} of real text and noise under budgets of 1 to 5,500 tokens");
    println!("  over their budget: {over} (wanted: 0)");
    println!(
        "  {squeezed} with more to show: median {:.0} % full, nine in ten at least {:.0} % (wanted: median at least 80 %)",
        full(0.5),
        full(0.1)
    );
    Ok(())
}

/// A day of 200 writes with a block after each: what part of it begins as the block before it did.
fn day() -> Result<()> {
    println!(
        "a day of 200 writes, a block after each: the share of its tokens that a prompt cache keeps"
    );
    // As a run of a loop does; an iteration makes eight writes.
    for (label, earlier) in [
        ("a run sees earlier iterations", true),
        ("every entry at once", false),
    ] {
        for (age, history) in [("young", 0), ("full", 400)] {
            let share =
                |style| Ok::<_, anyhow::Error>(100.0 * kept_share(style, earlier, history)?);
            println!(
                "  {label}, {age} store: stable {:.1} %, faithful {:.1} % (aim: 95 %)",
                share(Style::Stable)?,
                share(Style::Faithful)?
            );
        }
    }
    Ok(())
}

/// The directories of the notes that apply.
const PLACES: [&str; 3] = ["~", "~/a", "~/a/b"];

const ORDER: &str = "releases are tagged on the main branch after the gate is green; the changelog says what a user notices, \
     and nothing is published on a Friday without somebody who can take it back.";

fn kept_share(style: Style, earlier: bool, history: u64) -> Result<f64> {
    const WRITES_OF_AN_ITERATION: u64 = 8;
    let connection = Connection::open_in_memory()?;
    let store = waynote::AttachedStore::attach(&connection)?;
    let mut random = Random(11);
    let mut renderer = Renderer::default();
    let mut before: Vec<u8> = Vec::new();
    let (mut kept, mut all) = (0.0, 0.0);
    let mut changes = Vec::new();
    for key in 0..14 {
        let text = format!("Standing order {key}: {ORDER}");
        let address = format!("agent:bench#order-{key}").parse()?;
        changes.push(save_pinned(address, &text, key < 6));
    }
    for place in PLACES {
        let text =
            format!("What holds in {place}: {ORDER}\nPrices are integers, in cents. {ORDER}");
        changes.push(save(format!("place:{place}").parse()?, &text));
    }
    store.apply(&changes, &stamp(0))?;
    for write in 0..history + 200 {
        let iteration = (write / WRITES_OF_AN_ITERATION).cast_signed();
        let stamp = stamp(write * 430);
        store.apply(&[one_write(write, iteration, &mut random)?], &stamp)?;
        if write < history {
            continue;
        }
        let tokens = if style == Style::Stable { 2000 } else { 0 };
        let request = request(tokens)?
            .style(style)
            .iteration(earlier.then_some(iteration))
            .now(stamp.now)
            .explain(style == Style::Faithful);
        let block = renderer.render(&store, &request)?;
        let text = block.text.as_bytes();
        let same = text
            .iter()
            .zip(&before)
            .take_while(|(one, other)| one == other)
            .count();
        let same = block.text.floor_char_boundary(same);
        if !before.is_empty() {
            kept += waynote_tokens::count(&block.text[..same]) as f64;
            all += block.receipt.counted as f64;
        }
        before = text.to_vec();
    }
    Ok(kept / all)
}

/// Of twenty writes sixteen are entries of the log, three are keys, one in forty a place, as many something pinned.
fn one_write(write: u64, iteration: i64, random: &mut Random) -> Result<Change> {
    let about = random.pick(&[
        "the import",
        "a flaky test",
        "the cache",
        "the schema",
        "the release",
    ]);
    let text = format!(
        "Step {write}: {about} needs {} more care than planned; see run {}.",
        random.below(90),
        random.number() % 10_000
    );
    let key = |key: String| format!("agent:bench#{key}").parse();
    Ok(match random.below(40) {
        0..5 => save(key(format!("fact-{}", random.below(12)))?, &text),
        5 => save(key(format!("topic-{write}"))?, &text),
        6 => save("place:~/a/b".parse()?, &format!("{text} {ORDER}")),
        7 => {
            let order = key(format!("order-{}", random.below(6)))?;
            save_pinned(order, &format!("{text} {ORDER}"), true)
        }
        _ => {
            let kind = kind(*random.pick(&[0, 1, 1, 1, 2, 2, 3]));
            entry_of("bench", kind, iteration, &text)
        }
    })
}

/// A block on an open store of 100,000 notes, of which few apply, and of which all do: after a write, and when nothing
/// has changed.
fn cost() -> Result<()> {
    println!(
        "a block of 2,000 tokens on an open store of 100,000 notes (wanted: under 1,000 µs, unchanged under 20)"
    );
    let folder = tempfile::tempdir_in("target")?;
    let (few, all) = (folder.path().join("few.db"), folder.path().join("all.db"));
    crate::contexts::fill(&few, 100_000)?;
    fill_with_what_applies(&all)?;
    cost_of("few apply", &few)?;
    cost_of("all apply", &all)
}

/// Fifty thousand keys and as many entries, all of the one who reads.
fn fill_with_what_applies(path: &Path) -> Result<()> {
    let changes = (0..100_000).map(|change| {
        let number = change / 2;
        if change % 2 == 0 {
            let text = format!("Fact {number} of those that hold: see run {}.", number * 31);
            let address = format!("agent:bench#fact-{number}").parse()?;
            return Ok(save_pinned(address, &text, number < 10));
        }
        let text = format!("What run {number} found out about the build.");
        Ok(entry_of("bench", kind(number), number, &text))
    });
    filled(path, changes).map(drop)
}

fn cost_of(label: &str, path: &Path) -> Result<()> {
    let store = SqliteStore::open(path, &Options::default())?;
    let mut request = request(2000)?;
    request.lineage = "~/a/b/c/d/e".parse::<waynote::Place>()?.into();
    let mut renderer = Renderer::default();
    let mut random = Random(3);
    let (mut changed, mut fresh, mut same) = (Vec::new(), Vec::new(), Vec::new());
    for write in 0..200 {
        let change = one_write(write, (write / 8).cast_signed(), &mut random)?;
        store.apply(&[change], &stamp(write))?;
        let begin = Instant::now();
        let block = renderer.render(&store, &request)?;
        changed.push(begin.elapsed().as_secs_f64());
        ensure!(block.receipt.tokens > 1000, "the block is too short");
        let begin = Instant::now();
        render(&store, &request)?;
        fresh.push(begin.elapsed().as_secs_f64());
        request.now += jiff::SignedDuration::from_secs(60);
        let begin = Instant::now();
        renderer.render(&store, &request)?;
        same.push(begin.elapsed().as_secs_f64());
    }
    println!(
        "  {label}: after a write {:.0} µs (with nothing kept from the last one {:.0} µs), unchanged {:.1} µs",
        median(changed) * 1e6,
        median(fresh) * 1e6,
        median(same) * 1e6
    );
    Ok(())
}
