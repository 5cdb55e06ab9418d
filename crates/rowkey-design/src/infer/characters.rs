//! The bits of text: each character after the two before it, learned from the texts themselves.

/// More texts are taken to cost as much as the last of these.
const LEARNED: usize = 300;

/// The end of a text of no fixed width.
const END: u16 = 256;

/// Counts of characters after contexts, by hashes: two that fall together do little harm.
struct Counts {
    of: Vec<f32>,
    all: Vec<f32>,
}

const PLACES: usize = 1 << 13;

impl Counts {
    fn new() -> Self {
        Self { of: vec![0.0; PLACES], all: vec![0.0; PLACES] }
    }

    fn places(context: u32, character: u16) -> (usize, usize) {
        let mixed = context.wrapping_mul(0x9e37_79b1);
        let both = (mixed ^ u32::from(character)).wrapping_mul(0x85eb_ca6b);
        (both as usize >> 19, mixed as usize >> 19)
    }

    /// The probability of a character if `below` is what a shorter context says. Then it is counted.
    fn probability(&mut self, context: u32, character: u16, below: f32, trust: f32) -> f32 {
        let (of, all) = Self::places(context, character);
        let probability = (self.of[of] + trust * below) / (self.all[all] + trust);
        self.of[of] += 1.0;
        self.all[all] += 1.0;
        probability
    }
}

/// The frequency of a character where nothing is known.
fn before(character: u16) -> f32 {
    match u8::try_from(character) {
        Err(_) => 0.08,
        Ok(b'a'..=b'z') => 0.5 / 26.0,
        Ok(b'0'..=b'9') => 0.18 / 10.0,
        Ok(b'A'..=b'Z') => 0.1 / 26.0,
        Ok(b' '..=b'~') => 0.08 / 33.0,
        Ok(128..) => 0.055 / 128.0,
        Ok(_) => 0.005 / 33.0,
    }
}

/// The bits of different texts; `has_end` if their length is not known before.
pub(super) fn bits<'t>(texts: impl Iterator<Item = &'t [u8]>, has_end: bool) -> f64 {
    let mut counts = Counts::new();
    let (mut bits, mut late, mut learned, mut rest) = (0.0, 0.0, 0_usize, 0_usize);
    for text in texts {
        if learned == LEARNED {
            rest += 1;
            continue;
        }
        let (mut last, mut last_but_one) = (END, END);
        let mut of_text = 0.0;
        // Of what is very long the beginning is enough.
        let read = text.len().min(256);
        for character in text[..read].iter().map(|byte| u16::from(*byte)).chain(has_end.then_some(END)) {
            let p = counts.probability(0, character, before(character), 8.0);
            let p = counts.probability(1 + u32::from(last), character, p, 4.0);
            let p = counts.probability(1000 + (u32::from(last_but_one) << 9 | u32::from(last)), character, p, 2.0);
            of_text -= f64::from(p.min(1.0).log2());
            (last_but_one, last) = (last, character);
        }
        of_text *= text.len().max(1) as f64 / read.max(1) as f64;
        bits += of_text;
        if learned >= LEARNED / 2 {
            late += of_text;
        }
        learned += 1;
    }
    bits + rest as f64 * late / (LEARNED / 2) as f64
}
