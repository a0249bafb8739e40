//! Prompt blocks: never over their budget and nearly full, how much of them a prompt cache keeps over a day of writes, and
//! what one costs on an open store.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use rusqlite::Connection;
use waynote::context::{Budget, Renderer, Request, Style, render};
use waynote::{
    Address, Change, Content, EntryType, Expect, Limits, Options, SqliteStore, Stamp, Store,
};

use kit::measure::median;
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
        let length = match self.random.below(10) {
            0 => self.random.below(4000),
            1..4 => self.random.below(800),
            _ => self.random.below(160),
        };
        let kind = self.random.below(12);
        let text = match kind {
            0..5 => {
                let file = self.random.below(self.real.len());
                let from = self.random.below(self.real[file].len());
                let file = &self.real[file];
                let from = file.ceil_char_boundary(from);
                file[from..].chars().take(length).collect()
            }
            5..8 => SCRIPTS[self.random.below(SCRIPTS.len())]
                .chars()
                .cycle()
                .skip(length % 50)
                .take(length / 2)
                .collect(),
            8 => (0..length)
                .map(|_| {
                    char::from(
                        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
                            [self.random.below(64)],
                    )
                })
                .collect(),
            9 => (0..length / 4)
                .filter_map(|_| {
                    char::from_u32(0x1F300 + u32::try_from(self.random.below(0x400)).unwrap_or(0))
                })
                .collect(),
            10 => {
                let mut log = String::new();
                while log.len() < length {
                    let number = self.random.number();
                    log.push_str(&format!("2026-11-{:02}T12:{:02}:00.{:06}Z WARN [worker-{}] 0x{number:x} retry in {} ms\n", number % 28 + 1, number % 60, number % 1_000_000, number % 16, number % 5000));
                }
                log
            }
            _ => (0..length / 2)
                .filter_map(|_| {
                    char::from_u32(u32::try_from(self.random.number() % 0x3000).unwrap_or(0))
                })
                .filter(|char| *char != '\0')
                .collect(),
        };
        if text.trim().is_empty() {
            "x".into()
        } else {
            text
        }
    }
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

fn stamp(second: u64) -> Result<Stamp> {
    let now = jiff::Timestamp::from_second(1_800_000_000 + i64::try_from(second)?)?;
    Ok(Stamp::new(now, "agent:bench".parse()?))
}

fn save(address: &str, text: String, pinned: bool) -> Result<Change> {
    Ok(Change::Save {
        address: address.parse::<Address>()?,
        content: Content::imported(text),
        pin: Some(pinned),
        limits: Limits::NONE,
        expect: Expect::Any,
        origin: None,
    })
}

fn append(kind: usize, iteration: u64, text: String) -> Result<Change> {
    Ok(Change::Append {
        resolves: None,
        session: "bench".parse()?,
        kind: EntryType::ALL[kind % 4].clone(),
        iteration: Some(i64::try_from(iteration)?),
        content: Content::imported(text),
        id: None,
        created_at: None,
    })
}

fn request(tokens: usize) -> Result<Request> {
    Ok(
        Request::new("bench".parse()?, "~/a/b".parse()?, stamp(0)?.now)
            .session(Some("bench".parse()?))
            .iteration(Some(1_000_000))
            .budget(Budget::of(tokens)),
    )
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
        for pinned in 0..texts.random.below(10) {
            changes.push(save(&format!("agent:bench#p{pinned}"), texts.text(), true)?);
        }
        for place in ["~", "~/a", "~/a/b"]
            .into_iter()
            .take(texts.random.below(4))
        {
            changes.push(save(&format!("place:{place}"), texts.text(), false)?);
        }
        for keyed in 0..texts.random.below(40) {
            changes.push(save(&format!("agent:bench#k{keyed}"), texts.text(), false)?);
        }
        for entry in 0..texts.random.below(40) as u64 {
            changes.push(append(texts.random.below(4), entry, texts.text())?);
        }
        store.apply(&changes, &stamp(number)?)?;
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
    fill.sort_by(f64::total_cmp);
    let tenth = fill[fill.len() / 10];
    println!("blocks: {BLOCKS} of real text and noise under budgets of 1 to 5,500 tokens");
    println!("  over their budget: {over} (wanted: 0)");
    println!(
        "  {squeezed} with more to show: median {:.0} % full, nine in ten at least {:.0} % (wanted: median at least 80 %)",
        100.0 * median(fill),
        100.0 * tenth
    );
    Ok(())
}

/// How an agent meets the notes of its own session while it writes them.
#[derive(Clone, Copy)]
enum NoteVisibility {
    /// Those of earlier iterations, as a run of a loop does; an iteration makes eight writes.
    EarlierIterations,
    /// Every entry at once.
    Everything,
}

/// A day of 200 writes with a block after each: what part of it begins as the block before it did.
fn day() -> Result<()> {
    println!(
        "a day of 200 writes, a block after each: the share of its tokens that a prompt cache keeps"
    );
    for (label, sees) in [
        (
            "a run sees earlier iterations",
            NoteVisibility::EarlierIterations,
        ),
        ("every entry at once", NoteVisibility::Everything),
    ] {
        for (age, history) in [("young", 0), ("full", 400)] {
            let stable = kept_share(Style::Stable, sees, history)?;
            let faithful = kept_share(Style::Faithful, sees, history)?;
            println!(
                "  {label}, {age} store: stable {:.1} %, faithful {:.1} % (aim: 95 %)",
                100.0 * stable,
                100.0 * faithful
            );
        }
    }
    Ok(())
}

const ORDER: &str = "releases are tagged on the main branch after the gate is green; the changelog says what a user notices, \
     and nothing is published on a Friday without somebody who can take it back.";

fn kept_share(style: Style, sees: NoteVisibility, history: u64) -> Result<f64> {
    const WRITES_OF_AN_ITERATION: u64 = 8;
    let connection = Connection::open_in_memory()?;
    let store = waynote::AttachedStore::attach(&connection)?;
    let mut random = Random(11);
    let mut renderer = Renderer::default();
    let mut before: Vec<u8> = Vec::new();
    let (mut kept, mut all) = (0.0, 0.0);
    for key in 0..14 {
        let text = format!("Standing order {key}: {ORDER}");
        store.apply(
            &[save(&format!("agent:bench#order-{key}"), text, key < 6)?],
            &stamp(0)?,
        )?;
    }
    for place in ["~", "~/a", "~/a/b"] {
        let text =
            format!("What holds in {place}: {ORDER}\nPrices are integers, in cents. {ORDER}");
        store.apply(&[save(&format!("place:{place}"), text, false)?], &stamp(0)?)?;
    }
    for write in 0..history + 200 {
        let iteration = write / WRITES_OF_AN_ITERATION;
        store.apply(
            &[one_write(write, iteration, &mut random)?],
            &stamp(write * 430)?,
        )?;
        if write < history {
            continue;
        }
        let tokens = if style == Style::Stable { 2000 } else { 0 };
        let request = request(tokens)?
            .style(style)
            .iteration(match sees {
                NoteVisibility::EarlierIterations => Some(i64::try_from(iteration)?),
                NoteVisibility::Everything => None,
            })
            .now(stamp(write * 430)?.now)
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
fn one_write(write: u64, iteration: u64, random: &mut Random) -> Result<Change> {
    let about = [
        "the import",
        "a flaky test",
        "the cache",
        "the schema",
        "the release",
    ][random.below(5)];
    let text = format!(
        "Step {write}: {about} needs {} more care than planned; see run {}.",
        random.below(90),
        random.number() % 10_000
    );
    match random.below(40) {
        0..5 => save(
            &format!("agent:bench#fact-{}", random.below(12)),
            text,
            false,
        ),
        5 => save(&format!("agent:bench#topic-{write}"), text, false),
        6 => save("place:~/a/b", format!("{text} {ORDER}"), false),
        7 => save(
            &format!("agent:bench#order-{}", random.below(6)),
            format!("{text} {ORDER}"),
            true,
        ),
        _ => append([0, 1, 1, 1, 2, 2, 3][random.below(7)], iteration, text),
    }
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
    let store = SqliteStore::open(path, &Options::default())?;
    let mut random = Random(5);
    let mut changes = Vec::new();
    for number in 0..50_000 {
        let text = format!(
            "Fact {number} of those that hold: see run {}.",
            random.below(10_000)
        );
        changes.push(save(
            &format!("agent:bench#fact-{number}"),
            text,
            number < 10,
        )?);
        changes.push(append(
            random.below(4),
            number,
            format!("What run {number} found out about the build."),
        )?);
    }
    store.apply(&changes, &stamp(0)?)?;
    Ok(())
}

fn cost_of(label: &str, path: &Path) -> Result<()> {
    let store = SqliteStore::open(path, &Options::default())?;
    let mut request = request(2000)?.place("~/a/b/c/d/e".parse()?);
    let mut renderer = Renderer::default();
    let mut random = Random(3);
    let (mut changed, mut fresh, mut same) = (Vec::new(), Vec::new(), Vec::new());
    for write in 0..200 {
        store.apply(&[one_write(write, write / 8, &mut random)?], &stamp(write)?)?;
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
