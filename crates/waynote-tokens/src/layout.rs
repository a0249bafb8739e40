// How the table is laid out: shared by the build script, which makes it, and the library, which reads it.
//
// Slots of a hash table, each a rank and some bits of the hash; then where each group of tokens begins; then the groups
// in the order of ranks: the tokens' lengths, a byte each, and the tokens. Few slots that are looked at lead to a token
// that is another one, so that of the tokens only those are touched that a text has; and those that texts have most lie
// side by side.

/// Tokens in the vocabulary; a few ranks are not used.
const TOKENS: usize = 199_998;

/// Slots of the hash table: a power of two, three quarters full.
const SLOTS: usize = 1 << 18;

/// The bits of a slot that hold the rank.
const RANK: u32 = (1 << 18) - 1;

/// A slot without a token.
const EMPTY: u32 = u32::MAX;

/// Tokens of a group.
const GROUP: usize = 16;

/// The first slot to look at, and what the other bits of the right slot are.
fn hash(bytes: &[u8]) -> (usize, u32) {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = (state.rotate_left(29) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    }
    let mixed = (state ^ (state >> 32)).wrapping_mul(FACTOR);
    ((mixed >> 40) as usize & (SLOTS - 1), (mixed >> 8) as u32 & !RANK)
}
