//! The table: from a token's bytes to its rank.

include!("layout.rs");

static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.table"));

const STARTS: usize = SLOTS * 4;
const TEXTS: usize = STARTS + TOKENS.div_ceil(GROUP) * 4;

/// The rank of a token; none when those bytes are no token.
pub(crate) fn rank(bytes: &[u8]) -> Option<u32> {
    let (mut at, other_bits) = hash(bytes);
    loop {
        let slot = word(at * 4);
        if slot == EMPTY {
            return None;
        }
        let rank = slot & RANK;
        if slot & !RANK == other_bits && token(rank as usize) == bytes {
            return Some(rank);
        }
        at = (at + 1) & (SLOTS - 1);
    }
}

fn token(rank: usize) -> &'static [u8] {
    let group = &TABLE[TEXTS + word(STARTS + rank / GROUP * 4) as usize..];
    let (lengths, texts) = group.split_at(GROUP);
    let place = rank % GROUP;
    let before = lengths[..place].iter().map(|length| usize::from(*length));
    &texts[before.sum()..][..usize::from(lengths[place])]
}

fn word(at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&TABLE[at..at + 4]);
    u32::from_le_bytes(bytes)
}
