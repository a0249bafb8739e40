// How the table is laid out: shared by the build script, which makes it, and the library, which reads it.

/// Tokens in the vocabulary; a few ranks are not used.
const TOKENS: usize = 199_998;

/// Slots of the hash table: a power of two, three quarters full.
const SLOTS: usize = 1 << 18;

/// A slot without a token.
const EMPTY: u32 = u32::MAX;

/// A multiplicative hash over chunks of eight bytes.
fn hash(bytes: &[u8]) -> usize {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = (state.rotate_left(29) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    }
    ((state ^ (state >> 32)).wrapping_mul(FACTOR) >> 40) as usize
}
