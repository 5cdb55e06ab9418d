//! Candidate layouts of keys that are there, from a sample of them: fields, salt, units of times, each with its
//! evidence.
//!
//! ```
//! use rowkey_design::infer::{Certainty, Sample};
//!
//! let mut sample = Sample::new();
//! for row in 0..500_u64 {
//!     let user = ["ada", "bob", "cyd"][row as usize % 3];
//!     sample.add(format!("{user}#{}", 1_600_000_000 + row * 937).as_bytes());
//! }
//! let inferred = sample.infer();
//! let first = &inferred.candidates[0];
//! assert_eq!(first.layout.shape(), "text['#'], dec[10]");
//! assert_eq!((first.share, first.means[1]), (1.0, Some("seconds")));
//! assert!(first.evidence[1].contains("seconds from 2020-09-13"), "{:?}", first.evidence);
//! assert!(first.design("visits").unwrap().contains("text['#']"));
//! # Ok::<(), rowkey_design::Problems>(())
//! ```
//!
//! Keys of other programs are among them: tuples of FoundationDB, OrderedCode, constants, delimiters of several
//! characters.
//!
//! A candidate's bits are the length of the shortest description of the keys by it: of each field the different
//! values, as its type has them, and which key has which. The shortest comes first.

mod binary;
mod bits;
mod candidate;
mod characters;
mod constant;
mod delimiters;
mod ended;
mod joined;
mod lead;
mod list;
mod read;
mod search;
mod span;
mod textual;
mod times;
mod told;
mod told_of_others;

use rowkey::LayoutBuf;

pub use self::read::KeyText;
use crate::choice::choices;
use crate::problem::Problems;
use crate::sample::kept::Chosen;

choices! {
    /// The certainty of a candidate.
    pub enum Certainty {
        /// All keys decode, no other layout that was found describes them nearly as well, and no field is a constant.
        Certain = "certain",
        /// Nearly all keys decode, and others describe them worse.
        Likely = "likely",
        /// Another layout describes them nearly as well, or some keys do not decode.
        Possible = "possible",
    }
}

/// A layout that keys may have.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Candidate {
    /// The layout, its fields named by what they hold.
    pub layout: LayoutBuf,
    /// By field, the word that a design file has for what its values mean: `milliseconds`, `uuid4`.
    pub means: Vec<Option<&'static str>>,
    /// The share of the kept keys that decode.
    pub share: f64,
    /// The evidence for it: for each field, and for the bytes before the fields.
    pub evidence: Vec<String>,
    /// The evidence against it.
    pub against: Vec<String>,
    /// The certainty of it.
    pub certainty: Certainty,
    /// The length of the description of the searched keys by it, in bits.
    pub bits: f64,
}

impl Candidate {
    /// The text of a design file with a table of this layout.
    ///
    /// # Errors
    /// If no design file can say it: a table's name that is not valid.
    pub fn design(&self, table: &str) -> Result<String, Problems> {
        let fields = self.layout.fields().iter().zip(&self.means);
        let means: Vec<_> = fields.filter_map(|(field, means)| Some((field.name.as_str(), (*means)?))).collect();
        let comments = vec![format!("Inferred from keys: {}, {:.4} of them decode.", self.certainty, self.share)];
        let whole = crate::import::of_layout(&self.layout, table, &means, comments.clone());
        // A meaning that a design does not take of the field's type is left out.
        whole.or_else(|_| crate::import::of_layout(&self.layout, table, &[], comments))
    }
}

/// The candidates of a sample, the best first.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Inferred {
    /// The number of keys that were read.
    pub keys: u64,
    /// The number of different keys that were kept, and that candidates were tried on.
    pub kept: usize,
    /// The candidates, the best first.
    pub candidates: Vec<Candidate>,
    /// The reason why there are none.
    pub reason: Option<String>,
}

/// Keys of one table, of which some thousands are kept.
pub struct Sample {
    keys: u64,
    long: u64,
    chosen: Chosen,
    random: fastrand::Rng,
}

/// No store takes a longer key.
const LONGEST: usize = 65_536;

impl Default for Sample {
    fn default() -> Self {
        Self::new()
    }
}

impl Sample {
    /// A sample without keys.
    pub fn new() -> Self {
        Self { keys: 0, long: 0, chosen: Chosen::new(), random: fastrand::Rng::with_seed(0) }
    }

    /// Adds a key.
    pub fn add(&mut self, key: &[u8]) {
        self.keys += 1;
        if key.len() > LONGEST {
            self.long += 1;
        } else if !key.is_empty() {
            self.chosen.add(self.random.u64(..), key, None);
        }
    }

    /// The number of keys that were added.
    pub fn keys(&self) -> u64 {
        self.keys
    }

    /// Searches for layouts of the keys.
    pub fn infer(self) -> Inferred {
        let (mut kept, _) = self.chosen.sorted();
        kept.dedup();
        let reason = |text: &str| Inferred {
            keys: self.keys,
            kept: kept.len(),
            candidates: Vec::new(),
            reason: Some(text.to_owned()),
        };
        match kept.len() {
            0 if self.long > 0 => return reason("all keys have more than 65,536 bytes: no store takes them"),
            0 => return reason("there are no keys"),
            1 => return reason("all keys are the same: give keys that differ"),
            2..8 => return reason("fewer than 8 keys differ: every layout would fit"),
            _ => {}
        }
        let candidates = candidate::of(&kept);
        if candidates.is_empty() {
            return reason("no layout was found that all searched keys have");
        }
        Inferred { keys: self.keys, kept: kept.len(), candidates, reason: None }
    }
}
