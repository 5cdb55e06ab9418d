//! The rates of right layouts among random ones.

use std::collections::BTreeSet;

use crate::drawn::{self, Drawn};
use crate::foreign::{self, KINDS};
use crate::judge::{Case, Rates};
use crate::written;

fn case(Drawn { layout, units, keys }: Drawn) -> Case {
    Case { layout, units, keys }
}

/// With `ROWKEY_LONG` all of those that the rates are told of.
fn cases() -> usize {
    if std::env::var_os("ROWKEY_LONG").is_some() { 200 } else { 24 }
}

#[track_caller]
fn hold(rates: &Rates) {
    rates.told.iter().for_each(|told| println!("{told}"));
    let Rates { all, first, third, certain, certain_and_wrong, .. } = rates;
    println!("{first} of {all} first, {third} among three, {certain} certain, {certain_and_wrong} of them wrong");
    assert!(first * 100 >= all * 80, "{first} of {all} are first");
    assert!(third * 100 >= all * 95, "{third} of {all} are among the first three");
    assert_eq!(*certain_and_wrong, 0, "certain and wrong");
}

#[test]
fn random_layouts_are_inferred() {
    // Of the second seed are keys whose fields need many places in the search.
    let seeds = if cases() == 200 { &[1, 201][..] } else { &[1] };
    for seed in seeds {
        hold(&Rates::of(drawn::layouts(*seed).take(cases()).map(case)));
    }
}

#[test]
fn schemas_of_a_second_judge_are_inferred() {
    hold(&Rates::of(written::cases(2).take(cases())));
}

#[test]
fn keys_of_other_programs_are_inferred() {
    hold(&Rates::of(foreign::cases(3).take(cases()).map(|(_, case)| case)));
}

/// The cases are of all kinds, and of all words that a kind has.
#[test]
fn keys_of_other_programs_are_of_all_kinds() {
    let mut words = BTreeSet::new();
    let mut kinds = [0; KINDS.len()];
    for (kind, case) in foreign::cases(3).take(200) {
        let shape = case.layout.shape();
        assert!((100..=3120).contains(&case.keys.len()), "{shape}: {} keys", case.keys.len());
        assert!((2..=4).contains(&case.layout.fields().len()), "{shape}");
        kinds[KINDS.iter().position(|of| *of == kind).expect("a kind")] += 1;
        let types = case.layout.fields().iter().map(|field| field.ty.to_string());
        words.extend(types.filter(|ty| ty.starts_with("fdb") || ty.starts_with("ordered")));
        words.extend(shape.contains("const['").then(|| "const".to_owned()));
        words.extend(shape.contains("'::']").then(|| "'::'".to_owned()));
    }
    let expected = [
        "'::'",
        "const",
        "fdb[bool]",
        "fdb[bytes]",
        "fdb[f64]",
        "fdb[int]",
        "fdb[text]",
        "fdb[uuid]",
        "fdb[versionstamp]",
        "ordered[be i64]",
        "ordered[be micros]",
        "ordered[bytes]",
        "ordered[i64]",
        "ordered[micros]",
        "ordered[text]",
    ];
    assert_eq!(words.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    assert_eq!(kinds, [50; 4]);
}

/// The generator is judged by itself first: its layouts are of many kinds, and read their keys.
#[test]
fn drawn_layouts_read_their_keys() {
    let mut words = BTreeSet::new();
    let mut prefixed = 0;
    for drawn in drawn::layouts(1).take(200) {
        let shape = drawn.layout.shape();
        assert!((100..=5100).contains(&drawn.keys.len()), "{shape}: {} keys", drawn.keys.len());
        assert!((2..=4).contains(&drawn.layout.fields().len()) && drawn.units.len() == drawn.layout.fields().len());
        for key in &drawn.keys {
            assert!(drawn.layout.decode(key).is_ok(), "{shape}: {key:02x?}");
        }
        prefixed += u32::from(drawn.layout.lead().width() > 0);
        for field in drawn.layout.fields() {
            let field = field.ty.to_string();
            words.insert(field.split(['[', ' ']).next().unwrap_or_default().to_owned());
        }
    }
    let expected = ["bytes", "date", "dec", "hexbytes", "i64", "minus", "text", "u32", "u64", "u8", "uuid"];
    assert_eq!(words.iter().collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
    assert!((40..110).contains(&prefixed), "{prefixed}");
}
