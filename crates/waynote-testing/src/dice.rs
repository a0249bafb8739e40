//! Numbers that look random.

/// Numbers that look random, the same for the same seed.
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Those of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Those of the seed in `WAYNOTE_TEST_SEED`, else of this process. The seed is printed with the name of a test.
    pub fn thrown(test: &str) -> Self {
        let seed = crate::number("WAYNOTE_TEST_SEED", std::process::id());
        eprintln!("{test}: WAYNOTE_TEST_SEED={seed}");
        Self(seed.into())
    }

    /// The next number, which is below another one.
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}
