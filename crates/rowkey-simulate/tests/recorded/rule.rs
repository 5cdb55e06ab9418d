//! The rule alone: from a region's files, the point at which it was split.

use rowkey_simulate::run::{Key, Split, StoreFile};

use crate::goldens;

/// The first key of block ⌊n/2⌋ of the largest file, the oldest of equals.
fn split_point(files: &[StoreFile]) -> Option<&Key> {
    // Of equal ones the last is greatest.
    let largest = files.iter().rev().max_by_key(|file| file.bytes)?;
    largest.blocks.get(largest.blocks.len() / 2)
}

/// The point of a rule that was thought of first: the first key of the middle block of all files.
fn middle_of_all(files: &[StoreFile]) -> Option<&Key> {
    let mut blocks: Vec<&Key> = files.iter().flat_map(|file| &file.blocks).collect();
    blocks.sort_unstable();
    blocks.get(blocks.len() / 2).copied()
}

/// Those of all recordings.
fn splits() -> Vec<Split> {
    goldens::all().values().flatten().flat_map(|run| run.splits.clone()).collect()
}

#[test]
fn a_region_is_split_at_the_middle_block_of_its_largest_file() {
    let splits = splits();
    assert!(splits.len() > 300, "{} splits", splits.len());
    let known: Vec<&Split> = splits.iter().filter(|split| !split.files.is_empty()).collect();
    let count = |rule: fn(&[StoreFile]) -> Option<&Key>| {
        known.iter().filter(|split| rule(&split.files) == Some(&split.at)).count()
    };
    let (by_rule, by_middle) = (count(split_point), count(middle_of_all));
    let files = known.len();
    println!("{} splits, of {files} the files are known, {by_rule} by the rule, {by_middle} by another", splits.len());
    // The rest: where a compaction came between the policy's look at the files and the one that was written down.
    assert!(by_rule * 100 >= splits.len() * 97, "{by_rule} of {}, of {files} the files are known", splits.len());
    assert!(by_middle * 2 < known.len(), "{by_middle}: these recordings do not tell one rule from another");

    // A daughter with halves of its parent's files is not split.
    assert!(known.iter().all(|split| split.files.iter().all(|file| !file.is_reference)));
}

#[test]
fn a_file_of_equals_is_the_oldest() {
    // Files of the same size are there, so the rule's word for them is tested by the recordings too.
    let equals = splits().into_iter().filter(|split| {
        let largest = split.files.iter().map(|file| file.bytes).max();
        split.files.iter().filter(|file| Some(file.bytes) == largest).count() > 1
    });
    let equals: Vec<Split> = equals.collect();
    let wrong = equals.iter().filter(|split| split_point(&split.files) != Some(&split.at)).count();
    println!("{} splits with equal largest files", equals.len());
    assert!(!equals.is_empty());
    assert_eq!(wrong, 0);
}
