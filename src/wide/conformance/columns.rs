//! Laws of what is read of a row.

use super::laws::{equal, holds};
use super::laws::{mutate, row, row_is, timeless, values_are};
use crate::range::KeyRange;
use crate::wide::{Check, Column, Columns, Compare, Mutation, WideStore};

const QUALIFIERS: [&[u8]; 10] = [b"", b"\0", b"\0\xff", b"\x01", b"q", b"q\0", b"q\0\0", b"q\x01", b"qq", b"\xff\xff"];

/// Qualifiers that lie as badly as they can, in families whose names begin one another.
pub(super) fn order(store: &dyn WideStore) {
    let law = "cells-sorted";
    let mut mutation = Mutation::new();
    for family in ["b", "ab", "a"] {
        for (index, qualifier) in QUALIFIERS.iter().enumerate().rev() {
            mutation = mutation.put_at((family, *qualifier), 7, format!("{family}{index}"));
        }
    }
    mutate(law, store, b"row", mutation);
    mutate(law, store, b"row\0", Mutation::new().put_at("a:q", 7, "neighbour").put_at("ab:zz", 7, "neighbour"));
    let all: Vec<(&str, usize)> =
        ["a", "ab", "b"].iter().flat_map(|&family| (0..QUALIFIERS.len()).map(move |index| (family, index))).collect();
    let check = |law: &str, columns: &Columns, asked: &dyn Fn(&str, &[u8]) -> bool| {
        let should_be = all.iter().filter(|(family, index)| asked(family, QUALIFIERS[*index]));
        let named = |&(family, index): &(&str, usize)| {
            format!("{}@7={family}{index}", Column::from((family, QUALIFIERS[index])))
        };
        let is = row(law, store, b"row", columns);
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
        for limit in [0, 1, 11, 99] {
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

/// How many versions, of which time, with what value; what is counted when.
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
    row_is(law, store, b"r", &of(0), &[]);
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
    // Before the versions asked for are counted, and before columns are.
    row_is(law, store, b"r", &of(1).value(Compare::Less, "v30"), &["b:q@20=v20"]);
    let second = Columns::all().value(Compare::Equal, "same").limit(1);
    row_is(law, store, b"r", &second, &["b:r@50=same"]);
    row_is(law, store, b"r", &second.clone().offset(1), &[]);
    row_is(law, store, b"r", &Columns::all().value(Compare::Equal, "same").first_only(), &["b:r@50=same"]);

    // After the family's own number is: what it does not keep is not looked at.
    for at in [1, 2, 3, 4] {
        mutate(law, store, b"few", Mutation::new().put_at("a:q", at, format!("v{at}")));
    }
    row_is(law, store, b"few", &Columns::all().versions(9).value(Compare::Equal, "v1"), &[]);
    row_is("max-versions", store, b"few", &Columns::all().versions(9), &["a:q@4=v4", "a:q@3=v3", "a:q@2=v2"]);

    let pages = Columns::all().versions(9).offset(1).limit(1);
    let of_r = ["b:r@50=same", "b:r@40=same", "b:r@30=same", "b:r@20=same", "b:r@10=same"];
    row_is("column-limit", store, b"r", &Columns::all().versions(9).limit(1), &five);
    row_is("column-offset", store, b"r", &pages, &of_r);
    row_is("first-only", store, b"r", &Columns::all().versions(9).first_only(), &five[..1]);
    row_is("piece", store, b"r", &pages.piece(2), &of_r);
}

/// Rows for which a condition holds, whatever is read of them.
pub(super) fn rows_where(store: &dyn WideStore) {
    let law = "rows-where";
    mutate(law, store, b"1", Mutation::new().put("a:kind", "cat").put("b:name", "Tom"));
    mutate(law, store, b"2", Mutation::new().put("a:kind", "dog").put("b:name", "Rex"));
    mutate(law, store, b"3", Mutation::new().put("b:name", "nobody"));
    mutate(law, store, b"4", Mutation::new().put("a:kind", "").put("b:name", "empty"));
    mutate(
        law,
        store,
        b"5",
        Mutation::new().put_at("a:kind", 5, "dog").put_at("a:kind", 6, "cat").put("b:name", "was"),
    );
    let compared = |compare, given: &str| Check::value("a:kind", compare, given);
    let cases: [(Check, &[&[u8]]); 8] = [
        (Check::equal("a:kind", "cat"), &[b"1", b"5"]),
        (Check::equal("a:kind", ""), &[b"4"]),
        (Check::absent("a:kind"), &[b"3"]),
        (compared(Compare::NotEqual, "cat"), &[b"2", b"4"]),
        (compared(Compare::Greater, "cat"), &[b"2"]),
        (compared(Compare::GreaterOrEqual, "cat"), &[b"1", b"2", b"5"]),
        (compared(Compare::Less, "cat"), &[b"4"]),
        (compared(Compare::LessOrEqual, "cat"), &[b"1", b"4", b"5"]),
    ];
    for (check, should_be) in cases {
        for columns in
            [Columns::all(), Columns::of("b:name"), Columns::all().family("b"), Columns::of("b:name").piece(1)]
        {
            let columns = columns.rows_where(check.clone());
            for key in [b"1", b"2", b"3", b"4", b"5"] {
                let found = !row(law, store, key, &columns).is_empty();
                let what = format_args!("whether row {} is there for {columns:?}", key.escape_ascii()).to_string();
                equal(law, what, found, should_be.contains(&&key[..]));
            }
        }
    }
    values_are(law, store, b"1", &Columns::of("b:name").rows_where(Check::equal("a:kind", "cat")), &["b:name=Tom"]);
    let whole = Columns::all().rows_where(Check::equal("b:name", "Rex")).first_only();
    let first = timeless(&row(law, store, b"2", &whole));
    holds(law, first == ["a:kind=dog"], format_args!("the first cell of a row found by its last is {first:?}"));
}
