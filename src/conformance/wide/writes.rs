//! Laws of writes by one caller at a time: values, refusals, counters, conditions.

use super::laws::{
    apart, done, equal, holds, is_unsupported, keys, mutate, past_counters, put, refused, row, row_is,
    rows as all_rows, values_are,
};
use super::model::passes;
use crate::conformance::store::laws::broken;
use crate::conformance::store::refusals::others_are_written;
use crate::store::Scan;
use crate::store::error::Error;
use crate::wide::{
    Column, Columns, Compare, Condition, EmptyValues, Mutation, RepeatedCounters, RowConditions, WideLimits, WideStore,
};

pub(super) fn values(store: &dyn WideStore) {
    let law = "empty-value";
    let empty = put(store, Mutation::new(), "a:empty", "");
    mutate(law, store, b"r", put(store, empty, "a:", ""));
    values_are(law, store, b"r", &Columns::all(), &["a:=", "a:empty="]);
    let law = "large-value";
    let large: Vec<u8> = (0..64 * 1024).map(|byte| (byte % 251) as u8).collect();
    mutate(law, store, b"large", Mutation::new().put("a:large", large.as_slice()).put(("a", vec![b'q'; 1000]), "long"));
    let got = done(law, store.get(b"large", &Columns::all()));
    holds(law, got.value("a:large") == Some(&large), "64 KiB come back changed");
    equal(law, "a column with a long name", got.value(("a", vec![b'q'; 1000])), Some(&b"long"[..]));
    mutate(law, store, &[b'k'; 1000], Mutation::new().put("a:q", "v"));
    equal(law, "rows", keys(law, store, &Scan::all(), &Columns::all()).len(), 3);

    let law = "mutate-many";
    let put = |value: &str| put(store, Mutation::new(), "b:q", value);
    let several = [(b"2".to_vec(), put("first")), (b"1".to_vec(), put("other")), (b"2".to_vec(), put("second"))];
    done(law, store.mutate_many(&several));
    done(law, store.mutate_many(&[]));
    mutate(law, store, b"1", Mutation::new());
    values_are(law, store, b"1", &Columns::all(), &["b:q=other"]);
    values_are(law, store, b"2", &Columns::all(), &["b:q=second"]);
}

fn is_timestamp_or_unsupported(error: &Error) -> bool {
    matches!(error, Error::Timestamp(-1) | Error::Unsupported(_))
}

/// Row keys, qualifiers and values of the declared maximum lengths, and a byte longer.
pub(super) fn limits(store: &dyn WideStore) {
    /// Longer ones are not tried.
    const LONGEST: usize = 16 << 20;
    let law = "limits";
    let WideLimits { row, qualifier, value } = store.guarantees().limits;
    let lengths =
        |most: Option<usize>| most.filter(|most| *most < LONGEST).into_iter().flat_map(|most| [most, most + 1]);
    let check = |what: &str, len: usize, most: Option<usize>, row: &[u8], column: Column, value: &[u8]| {
        let before = all_rows(law, store, &Scan::all(), &Columns::all());
        apart(store);
        match store.mutate(row, &Mutation::new().put(&column, value)) {
            Ok(()) => {
                let got = done(law, store.get(row, &Columns::of(&column)));
                let came = got.value(&column) == Some(value);
                holds(law, came, format_args!("{what} of {len} bytes does not come back"));
                mutate(law, store, row, Mutation::new().delete_column(&column));
            }
            Err(Error::TooLarge { .. }) if most.is_some_and(|most| len > most) => {}
            Err(error) => broken(law, format_args!("{what} of {len} bytes, where {most:?} are declared: {error:?}")),
        }
        let after = all_rows(law, store, &Scan::all(), &Columns::all());
        equal(law, format_args!("how many rows there are after {what} of {len} bytes"), after.len(), before.len());
    };
    for byte in [0, 1, b'x', 0xff] {
        for len in lengths(row) {
            check("a row key", len, row, &vec![byte; len], Column::from("a:q"), b"v");
        }
        for len in lengths(qualifier) {
            check("a qualifier", len, qualifier, b"r", Column::from(("ab", vec![byte; len])), b"v");
        }
        for len in lengths(value) {
            check("a value", len, value, b"r", Column::from("a:q"), &vec![byte; len]);
        }
    }
    if let (Some(longest), Some(other)) = (lengths(row).next(), lengths(qualifier).next()) {
        check("a row key", longest, row, &vec![0; longest], Column::from(("ab", vec![0; other])), b"v");
    }
}

pub(super) fn refusals(store: &dyn WideStore) {
    let guarantees = store.guarantees();
    mutate("empty-row", store, b"r", put(store, Mutation::new(), "a:q", "before"));
    let fine = Mutation::new().put("a:q", "v");
    let check = Condition::absent("a:other");
    let is_empty = |error: &Error| matches!(error, Error::EmptyKey);
    let is_empty_or_unsupported = |error: &Error| matches!(error, Error::EmptyKey | Error::Unsupported(_));
    let law = "empty-row";
    refused(law, "a mutation", store.mutate(b"", &fine), is_empty);
    refused(law, "one of several", store.mutate_many(&[(Vec::new(), fine.clone())]), is_empty);
    let counters = [(Column::from("a:n"), 1)];
    refused(law, "an increment", store.increment(b"", &counters), is_empty_or_unsupported);
    refused(law, "a condition", store.check_and_mutate(b"", &check, &fine), is_empty_or_unsupported);
    match store.get(b"", &Columns::all()) {
        Err(Error::EmptyKey) => {}
        Ok(row) if row.is_empty() => {}
        other => holds(law, false, format_args!("reading the empty row returns {other:?}")),
    }

    let law = "no-such-family";
    let is_unknown = |error: &Error| matches!(error, Error::NoSuchFamily { family, known } if family == "x" && known.iter().any(|known| known == "ab"));
    let is_unknown_or_unsupported = |error: &Error| matches!(error, Error::NoSuchFamily { .. } | Error::Unsupported(_));
    let unknown = [fine.clone().put("x:q", "v"), fine.clone().delete_column("x:q"), fine.clone().delete_family("x")];
    for mutation in unknown {
        refused(law, "a mutation", store.mutate(b"r", &mutation), is_unknown);
    }
    let on_row = guarantees.row_conditions == Some(RowConditions::OnRow);
    let condition = on_row.then(|| Columns::all().rows_where(Condition::absent("x:q")));
    for columns in [Columns::of("x:q"), Columns::of("a:q").family("x")].into_iter().chain(condition) {
        refused(law, "a read", store.get(b"r", &columns), is_unknown);
        refused(law, "a read of several", store.get_many(&[b"r"], &columns), is_unknown);
    }
    refused(law, "an increment", store.increment(b"r", &[("x:n".into(), 1)]), is_unknown_or_unsupported);
    let answer = store.check_and_mutate(b"r", &Condition::absent("x:q"), &fine);
    refused(law, "a condition", answer, is_unknown_or_unsupported);
    let answer = store.check_and_mutate(b"r", &check, &fine.clone().put("x:q", "v"));
    refused(law, "a mutation with a condition", answer, is_unknown_or_unsupported);

    let law = "negative-timestamp";
    let negative = [
        fine.clone().put_at("a:q", -1, "v"),
        fine.clone().delete_version("a:q", -1),
        fine.clone().delete_column_until("a:q", -1),
        fine.clone().delete_family_until("a", -1),
        fine.clone().delete_row_until(-1),
    ];
    for mutation in negative {
        refused(law, "a mutation", store.mutate(b"r", &mutation), is_timestamp_or_unsupported);
    }
    let is_negative = |error: &Error| matches!(error, Error::Timestamp(-1));
    if guarantees.timestamps.is_some() {
        let answer = store.mutate(b"r", &fine.clone().put_at("a:q", -1, "v"));
        refused(law, "a put", answer, is_negative);
        refused(law, "a delete", store.mutate(b"r", &fine.delete_version("a:q", -1)), is_negative);
        let unknown = store.mutate(b"r", &Mutation::new().put("a:q", "v").delete_version("x:q", 1));
        refused("no-such-family", "a delete", unknown, is_unknown);
    }
    values_are("whole-mutation", store, b"r", &Columns::all(), &["a:q=before"]);
    equal("whole-mutation", "rows", keys("whole-mutation", store, &Scan::all(), &Columns::all()).len(), 1);
}

/// Of mutations with an invalid one nothing is written, or only that one is named and the others are written.
pub(super) fn failed_rows(store: &dyn WideStore) {
    let law = "failed-rows";
    let row = |index: usize| vec![b'r', (index / 2) as u8];
    let value = |case: i64, index: usize| format!("{case} {index}");
    let good = |case: i64, index: usize| Mutation::new().put_at("b:q", case, value(case, index));
    let invalid = [
        ("a mutation of the empty row", Vec::new(), good(1, 1)),
        ("a mutation of no such family", b"new".to_vec(), good(1, 1).put("x:q", "v")),
        ("a delete in no such family", b"new".to_vec(), good(1, 1).delete_family("x")),
        ("a mutation with a negative timestamp", b"new".to_vec(), good(1, 1).put_at("a:q", -1, "v")),
    ];
    let mut there: std::collections::BTreeMap<Vec<u8>, Vec<String>> = std::collections::BTreeMap::new();
    let mut case = 0;
    for (what, key, mutation) in invalid {
        for (of, place) in [(2, 0), (2, 1), (3, 1), (5, 2), (5, 4)] {
            case += 1;
            let (mut rows, mut written) = (Vec::new(), there.clone());
            for index in 0..of {
                if index == place {
                    rows.push((key.clone(), mutation.clone()));
                    continue;
                }
                rows.push((row(index), good(case, index)));
                let cells = written.entry(row(index)).or_default();
                // Two of one row have one timestamp: the later wins.
                let newest = format!("b:q@{case}=");
                cells.retain(|cell| !cell.starts_with(&newest));
                cells.insert(0, format!("{newest}{}", value(case, index)));
            }
            if others_are_written(law, what, store.mutate_many(&rows), place, of) {
                there = written;
            }
            let found = all_rows(law, store, &Scan::all(), &Columns::all().versions(1000));
            equal(
                law,
                format_args!("the rows after {what} at {place} of {of}"),
                found,
                there.clone().into_iter().collect(),
            );
        }
    }
}

pub(super) fn counters(store: &dyn WideStore) {
    let law = "increment";
    let add = |row: &[u8], counters: &[(&str, i64)]| {
        let counters: Vec<(Column, i64)> = counters.iter().map(|&(column, by)| (column.into(), by)).collect();
        store.increment(row, &counters)
    };
    if !store.guarantees().increment {
        refused("unsupported", "an increment", add(b"r", &[("a:n", 1)]), is_unsupported);
        return row_is("unsupported", store, b"r", &Columns::all(), &[]);
    }
    let bytes = |column: &str, sum: i64| format!("{column}={}", sum.to_be_bytes().escape_ascii());
    let mut sum = 0_i64;
    for by in [5, 0, -7, i64::MAX, 1, i64::MAX, i64::MIN, i64::MIN, -1] {
        sum = sum.wrapping_add(by);
        equal(law, format_args!("the sum after {by} more"), done(law, add(b"r", &[("ab:n", by)])), vec![sum]);
        values_are(law, store, b"r", &Columns::all(), &[&bytes("ab:n", sum)]);
    }
    let law = "counters-together";
    let several = [("b:y", 2), ("a:x", 1), ("ab:z", 3)];
    equal(law, "sums in their order", done(law, add(b"s", &several)), vec![2, 1, 3]);
    equal(law, "sums in their order", done(law, add(b"s", &several)), vec![4, 2, 6]);
    values_are(law, store, b"s", &Columns::all(), &[&bytes("a:x", 2), &bytes("ab:z", 6), &bytes("b:y", 4)]);
    equal(law, "no counter at all", done(law, add(b"s", &[])), vec![]);
    let law = "counters-twice";
    let twice = [("b:y", 2), ("a:x", 1), ("b:y", 3)];
    let sums = match store.guarantees().repeated_counters {
        Some(RepeatedCounters::Cumulative) => Some(([2, 1, 5], [7, 2, 10])),
        Some(RepeatedCounters::Independent) => Some(([2, 1, 3], [5, 2, 6])),
        None => None,
    };
    if let Some((first, second)) = sums {
        equal(law, "sums in their order", done(law, add(b"twice", &twice)), first.to_vec());
        equal(law, "sums in their order", done(law, add(b"twice", &twice)), second.to_vec());
        values_are(law, store, b"twice", &Columns::all(), &[&bytes("a:x", 2), &bytes("b:y", second[2])]);
    }

    let law = "increment";
    past_counters(store);
    mutate(law, store, b"s", Mutation::new().put("b:y", 41_i64.to_be_bytes()));
    equal(law, "a counter that was put", done(law, add(b"s", &[("b:y", 1)])), vec![42]);
    for delete in
        [Mutation::new().delete_column("b:y"), Mutation::new().delete_family("b"), Mutation::new().delete_row()]
    {
        past_counters(store);
        mutate(law, store, b"s", delete);
        apart(store);
        equal(law, "a counter that was deleted", done(law, add(b"s", &[("b:y", 3)])), vec![3]);
        values_are(law, store, b"s", &Columns::of("b:y"), &[&bytes("b:y", 3)]);
    }
    // With a timestamp in the distant past, and in the distant future.
    let last = store.guarantees().timestamps.map(|timestamps| [(b"past", 5), (b"time", timestamps.last - 5)]);
    for (row, at) in last.into_iter().flatten() {
        mutate(law, store, row, Mutation::new().put_at("ab:n", at, 7_i64.to_be_bytes()));
        equal(law, format_args!("a counter put at {at}"), done(law, add(row, &[("ab:n", 1)])), vec![8]);
        equal(law, format_args!("a counter put at {at}"), done(law, add(row, &[("ab:n", 1)])), vec![9]);
        values_are(law, store, row, &Columns::all(), &[&bytes("ab:n", 9)]);
    }

    let law = "not-a-counter";
    for len in [0, 1, 7, 9, 16] {
        let text = put(store, Mutation::new(), "a:text", &"1".repeat(len));
        mutate(law, store, b"text", put(store, text, "b:n", "\0\0\0\0\0\0\0\0"));
        let before = row(law, store, b"text", &Columns::all());
        match add(b"text", &[("b:n", 1), ("a:text", 1), ("b:new", 1)]) {
            Err(Error::NotACounterCell { row, column, len: said }) => {
                let named = (row, column, said);
                equal(law, "what the error names", named, (b"text".to_vec(), "a:text".to_owned(), len));
            }
            other => holds(law, false, format_args!("a cell of {len} bytes plus one is {other:?}")),
        }
        equal(law, "the row after a refusal", row(law, store, b"text", &Columns::all()), before);
    }
}

pub(super) fn checks(store: &dyn WideStore) {
    let law = "check-and-mutate";
    let guarantees = store.guarantees();
    let new = Mutation::new().put("b:done", "yes");
    if !guarantees.check_and_mutate {
        let answer = store.check_and_mutate(b"r", &Condition::absent("a:q"), &new);
        refused("unsupported", "a condition", answer, is_unsupported);
        return row_is("unsupported", store, b"r", &Columns::all(), &[]);
    }
    use Compare::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    for (number, stored) in [None, Some(""), Some("m"), Some("mm")].into_iter().enumerate() {
        let case = |check: Condition| {
            let row = [b'r', number as u8];
            mutate(law, store, &row, Mutation::new().delete_row());
            apart(store);
            if let Some(value) = stored {
                mutate(law, store, &row, Mutation::new().put("a:q", value));
            }
            let empty = stored == Some("") || check.value.as_ref().is_some_and(|(_, given)| given.is_empty());
            let law = if empty { "empty-check" } else { law };
            let Some(holds) = expected(&check, stored, guarantees.empty_values) else { return };
            let what = format!("{check:?} where the value is {stored:?}");
            let answer = done(law, store.check_and_mutate(&row, &check, &new));
            equal(law, format_args!("{what}, whether it holds"), answer, holds);
            let written = !done(law, store.get(&row, &Columns::of("b:done"))).is_empty();
            equal(law, format_args!("{what}, whether it wrote"), written, holds);
            let is = done(law, store.get(&row, &Columns::of("a:q")));
            equal(law, format_args!("{what}, the value after"), is.value("a:q"), stored.map(str::as_bytes));
        };
        case(Condition::absent("a:q"));
        for given in ["", "l", "m", "n"] {
            for compare in [Less, LessOrEqual, Equal, NotEqual, GreaterOrEqual, Greater] {
                case(Condition::value("a:q", compare, given));
            }
        }
        for absent in ["a:", "a:qq"] {
            let answer = done(law, store.check_and_mutate(b"others", &Condition::absent(absent), &new));
            equal(law, format_args!("a check that {absent} is absent"), answer, true);
        }
    }
    // Only the newest version counts.
    if guarantees.timestamps.is_none() {
        return;
    }
    mutate(law, store, b"v", Mutation::new().put_at("a:q", 2, "new").put_at("a:q", 1, "old"));
    let answer =
        |check: Condition| done(law, store.check_and_mutate(b"v", &check, &Mutation::new().delete_column("a:q")));
    equal(law, "an older version's value", answer(Condition::equal("a:q", "old")), false);
    equal(law, "the newest version's value", answer(Condition::equal("a:q", "new")), true);
    row_is(law, store, b"v", &Columns::all(), &[]);
    equal(law, "a column that was deleted", answer(Condition::absent("a:q")), true);
}

/// An invalid mutation is refused whatever its check says.
pub(super) fn validated(store: &dyn WideStore) {
    let law = "validated-first";
    if !store.guarantees().validated_first {
        return;
    }
    mutate(law, store, b"r", Mutation::new().put("a:q", "before"));
    let fine = Mutation::new().put("a:q", "v");
    for check in [Condition::absent("a:q"), Condition::equal("a:q", "another value"), Condition::equal("b:absent", "v")]
    {
        let answer = store.check_and_mutate(b"r", &check, &fine.clone().put("x:q", "v"));
        refused(law, "a put to an unknown family, under a check that fails,", answer, |error| {
            matches!(error, Error::NoSuchFamily { .. })
        });
        let answer = store.check_and_mutate(b"r", &check, &fine.clone().put_at("a:q", -1, "v"));
        refused(law, "a put at -1, under a check that fails,", answer, is_timestamp_or_unsupported);
    }
    values_are(law, store, b"r", &Columns::all(), &["a:q=before"]);
}

/// Returns whether a check holds; `None` if no promise covers it.
fn expected(check: &Condition, stored: Option<&str>, empty_values: Option<EmptyValues>) -> Option<bool> {
    let given_empty = check.value.as_ref().is_some_and(|(_, given)| given.is_empty());
    let covered = stored != Some("") && !given_empty || empty_values.is_some();
    covered.then(|| passes(check, stored.map(str::as_bytes), empty_values))
}
