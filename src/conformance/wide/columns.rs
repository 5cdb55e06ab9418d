//! Laws of what is read of a row.

use super::laws::{done, equal, holds, is_unsupported, mutate, put, refused, row, row_is, timeless, values_are};
use crate::keys::range::KeyRange;
use crate::store::{RowBatch, Scan};
use crate::wide::{Column, Columns, Compare, Condition, Mutation, PageVersions, RowConditions, WideStore};

const QUALIFIERS: [&[u8]; 10] = [b"", b"\0", b"\0\xff", b"\x01", b"q", b"q\0", b"q\0\0", b"q\x01", b"qq", b"\xff\xff"];

/// Difficult qualifiers, in families whose names are prefixes of each other.
pub(super) fn order(store: &dyn WideStore) {
    let law = "cells-sorted";
    let mut mutation = Mutation::new();
    for family in ["b", "ab", "a"] {
        for (index, qualifier) in QUALIFIERS.iter().enumerate().rev() {
            mutation = put(store, mutation, (family, *qualifier), &format!("{family}{index}"));
        }
    }
    mutate(law, store, b"row", mutation);
    let neighbours = put(store, Mutation::new(), "a:q", "neighbour");
    mutate(law, store, b"row\0", put(store, neighbours, "ab:zz", "neighbour"));
    let all: Vec<(&str, usize)> =
        ["a", "ab", "b"].iter().flat_map(|&family| (0..QUALIFIERS.len()).map(move |index| (family, index))).collect();
    let check = |law: &str, columns: &Columns, asked: &dyn Fn(&str, &[u8]) -> bool| {
        let should_be = all.iter().filter(|(family, index)| asked(family, QUALIFIERS[*index]));
        let named =
            |&(family, index): &(&str, usize)| format!("{}={family}{index}", Column::from((family, QUALIFIERS[index])));
        let is = timeless(&row(law, store, b"row", columns));
        equal(law, format_args!("{columns:?}"), is, should_be.map(named).collect());
    };
    check(law, &Columns::all(), &|_, _| true);
    for wanted in ["a", "ab", "b"] {
        check("family", &Columns::all().family(wanted), &|family, _| family == wanted);
        for exact in QUALIFIERS {
            let here = |family: &str| family == wanted;
            let of = Columns::of((wanted, exact));
            check("column", &of, &|family, qualifier| here(family) && qualifier == exact);
            let prefix = Columns::all().qualifier_prefix(wanted, exact);
            check("prefix", &prefix, &|family, qualifier| here(family) && qualifier.starts_with(exact));
            let from = Columns::all().qualifier_range(wanted, exact..);
            check("qualifier-range", &from, &|family, qualifier| here(family) && qualifier >= exact);
            let until = Columns::all().qualifier_range(wanted, ..exact);
            check("qualifier-range", &until, &|family, qualifier| here(family) && qualifier < exact);
            let within = Columns::all().qualifier_range(wanted, &b"\0"[..]..=exact);
            check("qualifier-range", &within, &|family, qualifier| {
                here(family) && (&b"\0"[..]..=exact).contains(&qualifier)
            });
        }
    }
    let absent = Columns::of("a:absent").column("b:Q");
    check("column", &absent, &|_, _| false);
    let none = Columns::all().qualifiers_in("a", [KeyRange::point("absent")]);
    check("column", &none, &|_, _| false);
    let several = Columns::of("b:qq").column("a:q").column("b:").family("ab");
    check("column", &several, &|family, qualifier| match family {
        "a" => qualifier == b"q",
        "b" => [&b""[..], b"qq"].contains(&qualifier),
        _ => true,
    });
    let ranges = [KeyRange::prefix("q\0"), KeyRange::point("\0"), KeyRange::prefix(b"\xff")];
    check("qualifier-range", &Columns::all().qualifiers_in("b", ranges.clone()), &|family, qualifier| {
        family == "b" && ranges.iter().any(|range| range.contains(qualifier))
    });

    for offset in [0, 1, 10, 29, 99] {
        for limit in [1, 11, 99] {
            let columns = Columns::all().offset(offset).limit(limit);
            let page = |family: &str, qualifier: &[u8]| {
                let at = all.iter().position(|(other, index)| *other == family && QUALIFIERS[*index] == qualifier);
                at.is_some_and(|at| (offset..offset + limit).contains(&(at as u64)))
            };
            check(if offset == 0 { "column-limit" } else { "column-offset" }, &columns, &page);
        }
    }
    for piece in [1, 7, 29, 30, 31] {
        check("piece", &Columns::all().piece(piece), &|_, _| true);
        check("piece", &Columns::all().family("ab").piece(piece), &|family, _| family == "ab");
    }
    check("first-only", &Columns::all().first_only(), &|family, qualifier| family == "a" && qualifier.is_empty());
    check("first-only", &Columns::all().family("b").first_only(), &|family, qualifier| {
        family == "b" && qualifier.is_empty()
    });
    let later = Columns::all().qualifier_range("ab", "q"..).column("b:q").first_only();
    check("first-only", &later, &|family, qualifier| family == "ab" && qualifier == b"q");
}

/// Selections of versions: by number, by time and by value, and the order in which they are counted.
pub(super) fn versions(store: &dyn WideStore) {
    let law = "versions";
    for at in [30, 10, 50, 20, 40] {
        mutate(law, store, b"r", Mutation::new().put_at("b:q", at, format!("v{at}")).put_at("b:r", at, "same"));
    }
    let of = |versions| Columns::of("b:q").versions(versions);
    row_is(law, store, b"r", &of(1), &["b:q@50=v50"]);
    row_is(law, store, b"r", &of(2), &["b:q@50=v50", "b:q@40=v40"]);
    let five = ["b:q@50=v50", "b:q@40=v40", "b:q@30=v30", "b:q@20=v20", "b:q@10=v10"];
    row_is(law, store, b"r", &of(5), &five);
    row_is(law, store, b"r", &of(u32::MAX), &five);
    row_is(law, store, b"r", &Columns::all(), &["b:q@50=v50", "b:r@50=same"]);

    let law = "time-range";
    row_is(law, store, b"r", &of(9).time(20..40), &["b:q@30=v30", "b:q@20=v20"]);
    row_is(law, store, b"r", &of(1).time(20..40), &["b:q@30=v30"]);
    row_is(law, store, b"r", &of(9).time(50..51), &["b:q@50=v50"]);
    row_is(law, store, b"r", &of(9).time(0..10), &[]);
    row_is(law, store, b"r", &of(9).time(51..i64::MAX), &[]);
    row_is(law, store, b"r", &of(9).time(0..i64::MAX), &five);

    let law = "value";
    row_is(law, store, b"r", &of(9).value(Compare::Less, "v30"), &five[3..]);
    row_is(law, store, b"r", &of(9).value(Compare::LessOrEqual, "v30"), &five[2..]);
    row_is(law, store, b"r", &of(9).value(Compare::Equal, "v30"), &five[2..3]);
    row_is(law, store, b"r", &of(9).value(Compare::Greater, "v30"), &five[..2]);
    row_is(law, store, b"r", &of(9).value(Compare::GreaterOrEqual, "v30"), &five[..3]);
    let others = ["b:q@50=v50", "b:q@40=v40", "b:q@20=v20", "b:q@10=v10"];
    row_is(law, store, b"r", &of(9).value(Compare::NotEqual, "v30"), &others);
    // Applied before the versions asked for are counted, and before columns are.
    row_is(law, store, b"r", &of(1).value(Compare::Less, "v30"), &["b:q@20=v20"]);
    let second = Columns::all().value(Compare::Equal, "same").limit(1);
    row_is(law, store, b"r", &second, &["b:r@50=same"]);
    row_is(law, store, b"r", &second.clone().offset(1), &[]);
    row_is(law, store, b"r", &Columns::all().value(Compare::Equal, "same").first_only(), &["b:r@50=same"]);

    row_is("first-only", store, b"r", &Columns::all().versions(9).first_only(), &five[..1]);

    let law = "page-versions";
    let of_r = ["b:r@50=same", "b:r@40=same", "b:r@30=same", "b:r@20=same", "b:r@10=same"];
    let of_each = match store.guarantees().page_versions {
        Some(PageVersions::AsAsked) => 5,
        Some(PageVersions::Newest) => 1,
        None => return,
    };
    let page = Columns::all().versions(9).limit(1);
    row_is(law, store, b"r", &page, &five[..of_each]);
    row_is(law, store, b"r", &page.clone().offset(1), &of_r[..of_each]);
    row_is(law, store, b"r", &page.clone().limit(2), &[&five[..of_each], &of_r[..of_each]].concat());
    row_is(law, store, b"r", &page.clone().value(Compare::LessOrEqual, "v30"), &five[2..][..of_each.min(3)]);
    row_is("piece", store, b"r", &page.offset(1).piece(2), &of_r[..of_each]);
}

/// A page in which the column with the empty qualifier has several versions.
pub(super) fn empty_qualifier(store: &dyn WideStore) {
    let law = "page-empty-qualifier";
    if !store.guarantees().page_empty_qualifier {
        return;
    }
    for at in [1, 2, 3] {
        mutate(law, store, b"r", Mutation::new().put_at("b:", at, format!("v{at}")).put_at("b:q", 1, "v"));
    }
    row_is(law, store, b"r", &Columns::all().limit(1), &["b:@3=v3"]);
    row_is(law, store, b"r", &Columns::all().limit(2), &["b:@3=v3", "b:q@1=v"]);
    row_is(law, store, b"r", &Columns::all().offset(1), &["b:q@1=v"]);
    row_is(law, store, b"r", &Columns::all().offset(2).limit(9), &[]);
}

/// Reads that ask for nothing.
pub(super) fn nothing(store: &dyn WideStore) {
    let law = "empty-read";
    if !store.guarantees().empty_reads {
        return;
    }
    let values = put(store, Mutation::new(), "a:q", "v");
    mutate(law, store, b"r", put(store, values, "b:q", "v"));
    let time = |start, end| Columns::all().time(start..end);
    for columns in [
        Columns::all().versions(0),
        time(7, 7),
        time(9, 5),
        time(-9, 0),
        time(i64::MAX, i64::MIN),
        Columns::all().limit(0),
        Columns::all().offset(1).limit(0),
        Columns::of("a:q").versions(0).piece(1),
    ] {
        row_is(law, store, b"r", &columns, &[]);
    }
}

/// Rows for which a condition holds, whatever is read of them.
pub(super) fn rows_where(store: &dyn WideStore) {
    let law = "rows-where";
    let guarantees = store.guarantees();
    mutate(law, store, b"1", Mutation::new().put("a:kind", "cat").put("b:name", "Tom"));
    mutate(law, store, b"2", Mutation::new().put("a:kind", "dog").put("b:name", "Rex"));
    mutate(law, store, b"3", Mutation::new().put("b:name", "nobody"));
    mutate(law, store, b"4", Mutation::new().put("a:kind", "").put("b:name", "empty"));
    let cat = match guarantees.timestamps {
        Some(_) => Mutation::new().put_at("a:kind", 5, "dog").put_at("a:kind", 6, "cat"),
        None => Mutation::new().put("a:kind", "cat"),
    };
    mutate(law, store, b"5", cat.put("b:name", "was"));
    let compared = |compare, given: &str| Condition::value("a:kind", compare, given);
    let cases: [(Condition, &[&[u8]]); 8] = [
        (Condition::equal("a:kind", "cat"), &[b"1", b"5"]),
        (Condition::equal("a:kind", ""), &[b"4"]),
        (Condition::absent("a:kind"), &[b"3"]),
        (compared(Compare::NotEqual, "cat"), &[b"2", b"4"]),
        (compared(Compare::Greater, "cat"), &[b"2"]),
        (compared(Compare::GreaterOrEqual, "cat"), &[b"1", b"2", b"5"]),
        (compared(Compare::Less, "cat"), &[b"4"]),
        (compared(Compare::LessOrEqual, "cat"), &[b"1", b"4", b"5"]),
    ];
    let found = |columns: &Columns| {
        let all = [b"1", b"2", b"3", b"4", b"5"];
        all.map(|key| !row(law, store, key, columns).is_empty())
    };
    for (check, should_be) in cases {
        let should_be = [b"1", b"2", b"3", b"4", b"5"].map(|key| should_be.contains(&&key[..]));
        let look = |law: &str, columns: Columns, should_be: [bool; 5]| {
            let columns = columns.rows_where(check.clone());
            equal(law, format_args!("which of five rows are returned for {columns:?}"), found(&columns), should_be);
        };
        for columns in [Columns::all(), Columns::of("b:name").column("a:kind"), Columns::all().first_only()] {
            look(law, columns, should_be);
        }
        let in_pieces = Columns::all().rows_where(check.clone()).piece(1);
        let opened = store.scan(&Scan::all(), &in_pieces).next_batch(&mut RowBatch::new());
        if guarantees.pieces_under_conditions {
            done("piece-condition", opened);
            look("piece-condition", Columns::all().piece(1), should_be);
        } else {
            refused("unsupported", "a scan in pieces under a condition", opened, is_unsupported);
        }
        let others = [Columns::of("b:name"), Columns::all().family("b"), Columns::of("a:other").column("b:name")];
        for columns in others {
            match guarantees.row_conditions {
                Some(RowConditions::OnRow) => look("row-condition", columns, should_be),
                Some(RowConditions::OnRead) => look("row-condition", columns, [check.value.is_none(); 5]),
                None => {}
            }
        }
    }
    let whole = Columns::all().rows_where(Condition::equal("b:name", "Rex")).first_only();
    let first = timeless(&row(law, store, b"2", &whole));
    holds(law, first == ["a:kind=dog"], format_args!("the first cell of a row found by its last is {first:?}"));

    let law = "row-condition";
    if guarantees.timestamps.is_some() {
        let was = Columns::all().family("a").time(5..6).rows_where(Condition::equal("a:kind", "dog"));
        let is = Columns::all().family("a").time(5..6).rows_where(Condition::equal("a:kind", "cat"));
        let read = &["a:kind=dog"][..];
        let (of_was, of_is) = match guarantees.row_conditions {
            Some(RowConditions::OnRow) => (&[][..], read),
            Some(RowConditions::OnRead) => (read, &[][..]),
            None => return,
        };
        values_are(law, store, b"5", &was, of_was);
        values_are(law, store, b"5", &is, of_is);
    }
}
