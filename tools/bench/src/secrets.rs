//! How often the rules for credentials refuse real documentation, and how fast they read it.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, ensure};
use waynote::secrets::{Secret, masked, position, scan};

use kit::measure::median;

/// Shorter ones say too little to count.
const PARAGRAPH: usize = 40;

/// A larger file is a listing.
const LARGEST: u64 = 4 << 20;

const ROUNDS: usize = 5;

/// Counts paragraphs of documentation that are refused, in these folders or where this machine keeps such files.
///
/// Hits are printed masked; with WAYNOTE_BENCH_SHOW set as they are, to judge them by.
///
/// The rules were made with one half of the paragraphs in sight, by their hash; the other half is what counts.
pub(crate) fn run(folders: &[&str]) -> Result<()> {
    let folders: Vec<PathBuf> = if folders.is_empty() {
        places()
    } else {
        folders.iter().map(PathBuf::from).collect()
    };
    let mut halves = [Half::default(), Half::default()];
    let mut seen = HashSet::new();
    let mut files = Vec::new();
    for folder in &folders {
        collect(folder, &mut files);
    }
    files.sort();
    for file in &files {
        let Ok(bytes) = std::fs::read(file) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let text = if is_html(file) {
            without_tags(&text)
        } else {
            text.replace("\r\n", "\n")
        };
        for paragraph in text.split("\n\n").map(str::trim) {
            let number = hash(paragraph);
            if paragraph.len() >= PARAGRAPH && seen.insert(number) {
                halves[usize::from(number % 2 == 1)].take(file, paragraph);
            }
        }
    }
    println!(
        "secrets: {} files below {} folders, {} paragraphs",
        files.len(),
        folders.len(),
        seen.len()
    );
    for (half, name) in halves
        .iter()
        .zip(["half that was in sight", "half that was not"])
    {
        half.print(name);
    }
    speed(&halves[1])
}

/// One half of the paragraphs.
#[derive(Default)]
struct Half {
    text: String,
    paragraphs: u64,
    refused: u64,
    by_rule: BTreeMap<&'static str, u64>,
    hits: Vec<String>,
}

impl Half {
    fn take(&mut self, file: &Path, paragraph: &str) {
        self.paragraphs += 1;
        self.text.push_str(paragraph);
        self.text.push_str("\n\n");
        let found = scan(paragraph);
        let Some(Secret { rule, range }) = found.first() else {
            return;
        };
        self.refused += 1;
        *self.by_rule.entry(rule).or_default() += 1;
        let (line, column) = position(paragraph, range.start);
        let shown = if std::env::var_os("WAYNOTE_BENCH_SHOW").is_some() {
            paragraph
                .lines()
                .nth(line - 1)
                .unwrap_or_default()
                .to_owned()
        } else {
            let masked = masked(paragraph);
            masked.lines().nth(line - 1).unwrap_or_default().to_owned()
        };
        let shown: String = shown.chars().take(200).collect();
        self.hits.push(format!(
            "{rule} {}:{line}:{column}: {shown}",
            file.display()
        ));
    }

    fn print(&self, name: &str) {
        println!(
            "  {name}: {} paragraphs, {} refused ({:.3} %; wanted: under 0.1 %) {:?}",
            self.paragraphs,
            self.refused,
            100.0 * self.refused as f64 / self.paragraphs.max(1) as f64,
            self.by_rule
        );
        self.hits.iter().for_each(|hit| println!("    {hit}"));
    }
}

fn hash(paragraph: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    paragraph.hash(&mut hasher);
    hasher.finish()
}

/// How fast: all of it, prose without any word that a rule looks for, one note, and the worst that we know.
fn speed(half: &Half) -> Result<()> {
    ensure!(!half.text.is_empty(), "no documentation was found");
    let per_second = |text: &str| {
        let rounds = (0..ROUNDS).map(|_| {
            let begin = Instant::now();
            std::hint::black_box(scan(std::hint::black_box(text)));
            begin.elapsed().as_secs_f64()
        });
        text.len() as f64 / median(rounds) / 1e6
    };
    let some = |length: usize| &half.text[..half.text.floor_char_boundary(length)];
    let words = [
        "pass", "pwd", "psk", "secret", "token", "key", "cred", "://", "bearer", "basic",
    ];
    let prose: Vec<&str> = some(32 << 20)
        .split("\n\n")
        .filter(|paragraph| {
            let lower = paragraph.to_lowercase();
            !words.iter().any(|word| lower.contains(word))
        })
        .collect();
    println!("  all of it: {:.0} MB/s", per_second(some(32 << 20)));
    println!(
        "  prose without triggers: {:.0} MB/s (wanted: 150)",
        per_second(&prose.join("\n\n"))
    );
    let note = some(4096);
    println!(
        "  a note of 4 KB: {:.1} µs (wanted: well under 50)",
        note.len() as f64 / per_second(note)
    );
    let begin = Instant::now();
    for round in 0..1000 {
        std::hint::black_box(scan(some(40 + round % 2)));
    }
    println!(
        "  a note of 40 bytes: {:.2} µs",
        begin.elapsed().as_secs_f64() * 1e3
    );
    for made in [
        "key=",
        "token: ",
        "eyJ",
        "://a:",
        "-----BEGIN PRIVATE KEY-----",
        "glpat-",
        "pass",
        "=\"",
        "Private-Lines: 1\n",
        "ya29.",
        "bearer a",
        "eyJabcdefghijklmnopq.",
    ] {
        println!(
            "  only {made:?}: {:.0} MB/s",
            per_second(&made.repeat((1 << 20) / made.len()))
        );
    }
    Ok(())
}

/// Folders with this machine's documentation.
fn places() -> Vec<PathBuf> {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let named = |variable: &str, default: &str| {
        std::env::var_os(variable).map_or_else(|| home.join(default), PathBuf::from)
    };
    let mut places = vec![
        named("CARGO_HOME", ".cargo").join("registry/src"),
        named("RUSTUP_HOME", ".rustup").join("toolchains"),
        "/usr/share/doc".into(),
        "/usr/lib/node_modules".into(),
        "/usr/local/lib/node_modules".into(),
        named("PYENV_ROOT", ".pyenv").join("versions"),
    ];
    for folder in ["/usr/lib", "/usr/local/lib"] {
        let Ok(below) = std::fs::read_dir(folder) else {
            continue;
        };
        let pythons = below.flatten().map(|entry| entry.path());
        places.extend(pythons.filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("python") || name.ends_with("-sdk")
        }));
    }
    places.retain(|place| place.is_dir());
    places
}

fn is_html(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == "html")
}

/// The documentation below a folder; links are not followed.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(below) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in below.flatten() {
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let path = entry.path();
        if kind.is_dir() {
            collect(&path, files);
            continue;
        }
        let end = path.extension().unwrap_or_default().to_string_lossy();
        let is_text = ["md", "markdown", "rst", "txt", "adoc", "html"].contains(&&*end);
        if kind.is_file() && is_text && entry.metadata().is_ok_and(|file| file.len() <= LARGEST) {
            files.push(path);
        }
    }
}

/// The text of a page: what stands outside tags; the end of a paragraph, a heading or a block ends one.
fn without_tags(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once('<') {
        text.push_str(before);
        let (tag, after) = after.split_once('>').unwrap_or((after, ""));
        let name = tag.split_whitespace().next().unwrap_or_default();
        rest = after;
        if ["script", "style"].contains(&name) {
            let end = rest.find(&format!("</{name}")).unwrap_or(rest.len());
            rest = &rest[end..];
        } else if [
            "/p", "/pre", "/li", "/div", "/dd", "/td", "/section", "/h1", "/h2", "/h3", "/h4",
            "summary", "details",
        ]
        .contains(&name)
        {
            text.push_str("\n\n");
        }
    }
    text.push_str(rest);
    [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&nbsp;", " "),
        ("&amp;", "&"),
    ]
    .into_iter()
    .fold(text, |text, (code, char)| text.replace(code, char))
}
