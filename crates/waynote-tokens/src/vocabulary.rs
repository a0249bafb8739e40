//! The table: from a token's bytes to its rank.

include!("layout.rs");

static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k.table"));

const STARTS: usize = SLOTS * 4;
const BYTES: usize = STARTS + (TOKENS + 1) * 4;

/// The rank of a token; none when those bytes are no token.
pub(crate) fn rank(bytes: &[u8]) -> Option<u32> {
    let mut slot = hash(bytes) & (SLOTS - 1);
    loop {
        let rank = word(slot * 4);
        if rank == EMPTY {
            return None;
        }
        let at = STARTS + rank as usize * 4;
        let (start, end) = (word(at) as usize, word(at + 4) as usize);
        if &TABLE[BYTES + start..BYTES + end] == bytes {
            return Some(rank);
        }
        slot = (slot + 1) & (SLOTS - 1);
    }
}

fn word(at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&TABLE[at..at + 4]);
    u32::from_le_bytes(bytes)
}
