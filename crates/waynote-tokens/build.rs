//! Lays the vocabulary out as a table that is searched where it lies: see `src/layout.rs`.

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
        let (mut at, other_bits) = hash(token);
        while slots[at] != EMPTY {
            at = (at + 1) & (SLOTS - 1);
        }
        let rank = u32::try_from(rank).expect("ranks fit");
        assert!(rank < RANK, "a rank needs more bits than the layout has");
        slots[at] = rank | other_bits;
    }
    let mut table: Vec<u8> = slots.iter().flat_map(|slot| slot.to_le_bytes()).collect();
    let mut groups: Vec<u8> = Vec::new();
    for group in tokens.chunks(GROUP) {
        let start = u32::try_from(groups.len()).expect("offsets fit");
        table.extend(start.to_le_bytes());
        let length = |token: &&[u8]| u8::try_from(token.len()).expect("a length is a byte");
        let lengths = group.iter().map(length);
        groups.extend(lengths.chain(std::iter::repeat(0)).take(GROUP));
        group.iter().for_each(|token| groups.extend(*token));
    }
    table.extend(groups);
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&folder).join("o200k.table"), table)
        .expect("the output folder can be written");
}
