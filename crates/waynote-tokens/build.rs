//! Lays the vocabulary out as a table that is searched where it lies: slots of a hash table with ranks, then
//! where each token begins, then the tokens.

use std::path::Path;

include!("src/layout.rs");

fn main() {
    println!("cargo::rerun-if-changed=data/o200k.vocab");
    println!("cargo::rerun-if-changed=src/layout.rs");
    let vocabulary =
        std::fs::read("data/o200k.vocab").expect("data/o200k.vocab is part of the crate");
    let mut tokens: Vec<&[u8]> = Vec::new();
    let mut rest = &vocabulary[..];
    while let Some((length, after)) = rest.split_first() {
        let (token, after) = after.split_at(usize::from(*length));
        tokens.push(token);
        rest = after;
    }
    assert_eq!(
        tokens.len(),
        TOKENS,
        "the vocabulary has another size than the layout says"
    );
    let mut slots = vec![EMPTY; SLOTS];
    for (rank, token) in tokens
        .iter()
        .enumerate()
        .filter(|(_, token)| !token.is_empty())
    {
        let mut slot = hash(token) & (SLOTS - 1);
        while slots[slot] != EMPTY {
            slot = (slot + 1) & (SLOTS - 1);
        }
        slots[slot] = u32::try_from(rank).expect("ranks fit");
    }
    let mut table: Vec<u8> = slots.iter().flat_map(|slot| slot.to_le_bytes()).collect();
    let mut start = 0;
    for token in &tokens {
        table.extend(u32::try_from(start).expect("offsets fit").to_le_bytes());
        start += token.len();
    }
    table.extend(u32::try_from(start).expect("offsets fit").to_le_bytes());
    tokens.iter().for_each(|token| table.extend(*token));
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&folder).join("o200k.table"), table)
        .expect("the output folder can be written");
}
