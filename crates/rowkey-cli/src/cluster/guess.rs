//! The layout that the keys of a table seem to have, from its regions' start keys or from a sample.

use rowkey_design::infer::{Candidate, Inferred, Sample};
use rowkey_design::internal::import::LiveKey;

/// A layout that is a guess.
#[derive(Debug)]
pub(crate) struct Guess {
    /// The layout, which of start keys may be that of the beginnings of keys; none if none was found.
    pub(crate) key: Option<LiveKey>,
    /// The words on it.
    pub(crate) words: String,
}

impl Guess {
    /// That of a sample, if keys were asked for and have a layout; else that of start keys.
    pub(crate) fn of(table: &str, sample: Option<&[Vec<u8>]>, starts: &[Vec<u8>]) -> Self {
        let mut reasons = Vec::new();
        if let Some(sample) = sample {
            let of = counted(sample.len(), "sampled key");
            match found(table, sample) {
                Ok(candidate) => return Self::new(candidate, false, &of),
                Err(reason) => reasons.push(format!("in {of} ({reason})")),
            }
        }
        let of = counted(starts.len(), "start key") + " of regions";
        match found(table, starts) {
            Ok(candidate) => Self::new(candidate, true, &of),
            Err(reason) => {
                reasons.push(format!("in {of} ({reason})"));
                let words = format!("no layout of the keys was found: {}", reasons.join(", "));
                let more = if sample.is_none() { "; --sample reads keys" } else { "" };
                Self { key: None, words: words + more }
            }
        }
    }

    fn new(candidate: Candidate, is_beginning: bool, of: &str) -> Self {
        let Candidate { layout, means, certainty, share, .. } = candidate;
        let shape = layout.shape();
        let mut words = format!("the layout `{shape}` is a guess from {of}: {certainty}, {share:.4} of them decode");
        if is_beginning {
            words += "; they may be only the beginnings of keys";
        }
        Self { key: Some(LiveKey { layout, means, is_beginning }), words }
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The best layout of the keys that a design file can state; or the reason for which there is none.
fn found(table: &str, keys: &[Vec<u8>]) -> Result<Candidate, String> {
    let mut sample = Sample::new();
    keys.iter().for_each(|key| sample.add(key));
    let Inferred { candidates, reason, .. } = sample.infer();
    let said = candidates.into_iter().find(|candidate| candidate.design(table).is_ok());
    said.ok_or_else(|| reason.unwrap_or_else(|| "no design can say the one that was found".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::Guess;

    fn keys(count: u32) -> Vec<Vec<u8>> {
        (0..count).map(|row| format!("host{}#{}", row % 3, 1_600_000_000 + row * 937).into_bytes()).collect()
    }

    #[test]
    fn a_sample_comes_before_start_keys() {
        let starts: Vec<Vec<u8>> = (1..32).map(|byte| vec![byte * 8]).collect();
        let of_sample = Guess::of("t", Some(&keys(300)), &starts);
        let key = of_sample.key.unwrap();
        assert_eq!((&*key.layout.shape(), key.is_beginning), ("text['#'], dec[10]", false));
        let due = "the layout `text['#'], dec[10]` is a guess from 300 sampled keys: likely, 1.0000 of them decode";
        assert_eq!(of_sample.words, due);
        let of_starts = Guess::of("t", None, &starts);
        assert!(
            of_starts.key.as_ref().unwrap().is_beginning && of_starts.words.contains("31 start keys of regions: "),
            "{of_starts:?}"
        );
        assert!(of_starts.words.ends_with("; they may be only the beginnings of keys"), "{of_starts:?}");
        // A table that is nearly empty.
        let few = Guess::of("t", Some(&keys(3)), &starts);
        assert_eq!((few.key.unwrap().is_beginning, few.words), (true, of_starts.words));
    }

    #[test]
    fn the_reason_is_said_where_there_is_no_layout() {
        let none = Guess::of("t", None, &[vec![0x80]]);
        assert!(none.key.is_none());
        let due = "no layout of the keys was found: in 1 start key of regions (all keys are the same: give keys that differ); --sample reads keys";
        assert_eq!(none.words, due);
        let none = Guess::of("t", Some(&keys(2)), &[]);
        let due = "no layout of the keys was found: in 2 sampled keys (fewer than 8 keys differ: every layout would fit), \
                   in 0 start keys of regions (there are no keys)";
        assert_eq!(none.words, due);
    }
}
