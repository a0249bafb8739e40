//! Memory that counting takes: a file of its own, so that nothing else runs in the process.

#[cfg(target_os = "linux")]
#[test]
fn a_run_of_three_megabytes_takes_up_a_small_multiple_of_itself() {
    const BYTES: usize = 3 * 1024 * 1024;
    let letters = b"thequickbrownfoxjumpsoverthelazydog";
    let letter = |at: usize| char::from(letters[at * at / 7 % letters.len()]);
    let text: String = (0..BYTES).map(letter).collect();
    let before = highest_resident();
    assert!(waynote_tokens::count(&text) > BYTES / 10);
    let more = highest_resident() - before;
    // The table of the vocabulary is 3 MB of it.
    assert!(more < 2 * BYTES, "{more} bytes more");
}

/// The most bytes that this process had in memory at once.
#[cfg(target_os = "linux")]
fn highest_resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kibibytes
        .and_then(|number| number.parse::<usize>().ok())
        .expect("a number")
        * 1024
}
