//! Keys that nobody meant: no panic, and a reason where there is no candidate.

use proptest::prelude::*;
use rowkey_design::infer::{Certainty, KeyText, Sample};

use crate::judge::infer;

#[test]
fn too_few_keys_have_a_reason() {
    for (keys, reason) in [
        (vec![], "there are no keys"),
        (vec![Vec::new(); 3], "there are no keys"),
        (vec![b"one".to_vec()], "all keys are the same: give keys that differ"),
        (vec![b"one".to_vec(); 500], "all keys are the same: give keys that differ"),
        ((0..5).map(|i| vec![i]).collect(), "fewer than 8 keys differ: every layout would fit"),
        (vec![vec![7; 1 << 20]; 3], "all keys have more than 65,536 bytes: no store takes them"),
    ] {
        let inferred = infer(&keys);
        assert!(inferred.candidates.is_empty());
        assert_eq!(inferred.reason.as_deref(), Some(reason));
    }
}

#[test]
fn long_keys_and_noise_are_searched_in_bounds() {
    let mut random = fastrand::Rng::with_seed(9);
    let noise: Vec<Vec<u8>> = (0..200).map(|_| (0..random.usize(..60)).map(|_| random.u8(..)).collect()).collect();
    let long: Vec<Vec<u8>> = (0..12).map(|i| vec![b'a' + i; 30_000 + usize::from(i)]).collect();
    for keys in [noise, long] {
        let inferred = infer(&keys);
        assert!(!inferred.candidates.is_empty() || inferred.reason.is_some());
        assert!(inferred.candidates.iter().all(|candidate| candidate.certainty != Certainty::Certain));
    }
}

/// Type codes of tuples before bytes that are random: no other program wrote such keys.
#[test]
fn random_bytes_are_no_certain_tuples() {
    let mut random = fastrand::Rng::with_seed(10);
    for codes in [&[0x15][..], &[0x16], &[0x15, 0x16, 0x17], &[0x14, 0x26, 0x27], &[0x02], &[0x30], &[0x21, 0x33]] {
        for width in [2, 3, 9, 17] {
            let mut key = || {
                let first = codes[random.usize(..codes.len())];
                [first].into_iter().chain((1..width).map(|_| random.u8(..))).collect::<Vec<u8>>()
            };
            let keys: Vec<Vec<u8>> = (0..400).map(|_| key()).collect();
            let first = infer(&keys).candidates.into_iter().next();
            let is_certain = first
                .is_some_and(|first| first.certainty == Certainty::Certain && first.layout.shape().contains("fdb["));
            assert!(!is_certain, "{codes:02x?}, {width} bytes");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_keys_have_candidates_that_decode_or_a_reason(
        keys in prop::collection::vec(prop::collection::vec(prop_oneof![any::<u8>(), Just(0), Just(b'#'), Just(b'7')], 0..14), 0..40),
    ) {
        let inferred = infer(&keys);
        prop_assert_eq!(inferred.candidates.is_empty(), inferred.reason.is_some());
        for candidate in &inferred.candidates {
            prop_assert!((0.0..=1.0).contains(&candidate.share));
            prop_assert!(candidate.design("t").is_ok(), "{}", candidate.layout);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut sample = Sample::new();
        _ = sample.read(&text[..], KeyText::of(&text), |_, _| {});
        _ = Sample::new().read(&text[..], KeyText::Rows, |_, _| {});
    }
}
