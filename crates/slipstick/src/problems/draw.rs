//! Numbers drawn from a seed, the same on every machine: `SplitMix64` (Steele, Lea, Flood 2014).

/// A sequence of numbers.
pub(in crate::problems) struct Draw(u64);

impl Draw {
    /// The sequence of a name and a number: adding a mechanism to the family changes no other.
    pub(in crate::problems) fn of(kind: &str, number: usize) -> Self {
        let mix = |seed: u64, byte: u8| seed.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte);
        let seed = kind.bytes().fold(0xcbf2_9ce4_8422_2325, mix);
        Self(seed.wrapping_add(number as u64))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from the interval.
    pub(in crate::problems) fn between(&mut self, low: f64, high: f64) -> f64 {
        let unit = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }

    /// A number within a distance of zero.
    pub(in crate::problems) fn within(&mut self, distance: f64) -> f64 {
        self.between(-distance, distance)
    }

    /// A whole number below the bound.
    pub(in crate::problems) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap_or(0)
    }

    /// A point near another.
    pub(in crate::problems) fn near(&mut self, [x, y]: [f64; 2], distance: f64) -> [f64; 2] {
        [x + self.within(distance), y + self.within(distance)]
    }
}
