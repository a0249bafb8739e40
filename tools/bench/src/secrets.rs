//! How often the rules for credentials refuse real documentation, and how fast they read it.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, ensure};
use waynote::secrets::{Secret, masked, position, scan};

use kit::measure::{median, percent};

/// Shorter ones say too little to count.
const PARAGRAPH: usize = 40;

/// A larger file is a listing.
const LARGEST: u64 = 4 << 20;

const ROUNDS: usize = 5;

/// Counts paragraphs of documentation that are refused, in these folders or where this machine keeps such files. Hits
/// are printed masked.
///
/// The rules were made with the paragraphs of even hashes in sight; only the others count.
pub(crate) fn run(folders: &[&str]) -> Result<()> {
    let folders: Vec<PathBuf> = if folders.is_empty() {
        places()
    } else {
        folders.iter().map(PathBuf::from).collect()
    };
    let mut files = Vec::new();
    for folder in &folders {
        collect(folder, &mut files);
    }
    files.sort();
    let (mut text, mut seen, mut hits) = (String::new(), HashSet::new(), Vec::new());
    let mut by_rule: BTreeMap<&str, u64> = BTreeMap::new();
    for file in &files {
        let bytes = std::fs::read(file).unwrap_or_default();
        let whole = String::from_utf8_lossy(&bytes).replace("\r\n", "\n");
        for paragraph in whole.split("\n\n").map(str::trim) {
            let number = hash(paragraph);
            if paragraph.len() < PARAGRAPH || number.is_multiple_of(2) || !seen.insert(number) {
                continue;
            }
            text.push_str(paragraph);
            text.push_str("\n\n");
            if let Some(Secret { rule, range }) = scan(paragraph).first() {
                *by_rule.entry(rule).or_default() += 1;
                let (line, column) = position(paragraph, range.start);
                let masked = masked(paragraph);
                let shown = masked.lines().nth(line - 1).unwrap_or_default();
                let file = file.display();
                hits.push(format!("{rule} {file}:{line}:{column}: {shown:.200}"));
            }
        }
    }
    println!(
        "secrets: {} files below {} folders; {} of {} paragraphs refused ({:.3} %; wanted: under 0.02 %) {by_rule:?}",
        files.len(),
        folders.len(),
        hits.len(),
        seen.len(),
        percent(hits.len(), seen.len())
    );
    hits.iter().for_each(|hit| println!("    {hit}"));
    speed(&text)
}

fn hash(paragraph: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    paragraph.hash(&mut hasher);
    hasher.finish()
}

/// How fast: all of it, prose without any word that a rule looks for, one note, and the worst that we know.
fn speed(text: &str) -> Result<()> {
    ensure!(!text.is_empty(), "no documentation was found");
    let per_second = |text: &str| {
        let rounds = (0..ROUNDS).map(|_| {
            let begin = Instant::now();
            std::hint::black_box(scan(std::hint::black_box(text)));
            begin.elapsed().as_secs_f64()
        });
        text.len() as f64 / median(rounds) / 1e6
    };
    let some = |length: usize| &text[..text.floor_char_boundary(length)];
    let words = [
        "pass", "pwd", "psk", "secret", "token", "key", "cred", "://", "bearer", "basic",
    ];
    let is_prose = |paragraph: &&str| {
        let lower = paragraph.to_lowercase();
        !words.iter().any(|word| lower.contains(word))
    };
    let prose: Vec<&str> = some(32 << 20).split("\n\n").filter(is_prose).collect();
    println!(
        "  all of it: {:.0} MB/s (wanted: 150); prose without triggers: {:.0} MB/s",
        per_second(some(32 << 20)),
        per_second(&prose.join("\n\n"))
    );
    let note = some(4096);
    println!(
        "  a note of 4 KB: {:.1} µs (wanted: well under 50)",
        note.len() as f64 / per_second(note)
    );
    for made in ["key=", "token: ", "://a:", "=\"", "eyJabcdefghijklmnopq."] {
        let rate = per_second(&made.repeat((1 << 20) / made.len()));
        println!("  only {made:?}: {rate:.0} MB/s");
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
    ];
    places.extend(["/usr/share/doc", "/usr/lib", "/usr/local/lib"].map(PathBuf::from));
    places
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
        let is_text = ["md", "markdown", "rst", "txt", "adoc"].contains(&&*end);
        if kind.is_file() && is_text && entry.metadata().is_ok_and(|file| file.len() <= LARGEST) {
            files.push(path);
        }
    }
}
