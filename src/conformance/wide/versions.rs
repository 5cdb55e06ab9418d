//! Laws of versions: which are kept, which are hidden.

use super::laws::{
    DAY, apart, equal, holds, is_unsupported, mutate, now, put, readings, refused, row, row_is, timeless, values_are,
};
use crate::wide::{Columns, Compare, DeleteLatest, Deletes, EditOrder, Mutation, WideStore};

fn all() -> Columns {
    Columns::all().versions(u32::MAX)
}

fn put_at(column: &str, at: i64) -> Mutation {
    Mutation::new().put_at(column, at, format!("v{at}"))
}

pub(super) fn kept(store: &dyn WideStore) {
    let law = "older-write";
    mutate(law, store, b"r", put_at("b:q", 20));
    mutate(law, store, b"r", put_at("b:q", 10));
    row_is(law, store, b"r", &Columns::all(), &["b:q@20=v20"]);
    row_is("versions", store, b"r", &all(), &["b:q@20=v20", "b:q@10=v10"]);
    let law = "same-timestamp";
    mutate(law, store, b"r", Mutation::new().put_at("b:q", 10, "again"));
    row_is(law, store, b"r", &all(), &["b:q@20=v20", "b:q@10=again"]);
    mutate(law, store, b"r", Mutation::new().put_at("b:q", 10, "twice").put_at("b:q", 10, "in one"));
    row_is(law, store, b"r", &all(), &["b:q@20=v20", "b:q@10=in one"]);
}

/// Checks the versions that the family keeps of a row: all that are read, or the first of them if a read may return
/// more.
#[track_caller]
fn kept_are(law: &str, store: &dyn WideStore, key: &[u8], columns: &Columns, kept: &[&str]) {
    if store.guarantees().kept_on_read {
        return values_are(law, store, key, columns, kept);
    }
    // Versions that are not kept may go between two reads, and do not come back.
    let mut before: Option<Vec<String>> = None;
    for (way, cells) in readings(law, store, key, columns) {
        let is = timeless(&cells);
        let first = is.iter().take(kept.len()).map(String::as_str).collect::<Vec<_>>();
        equal(law, format_args!("the first of {columns:?}, {way},"), first, kept.to_vec());
        let came_back = before.as_ref().is_some_and(|before| cells.iter().any(|cell| !before.contains(cell)));
        holds(law, !came_back, format_args!("{columns:?}, {way}: {cells:?} after {before:?}"));
        before = Some(cells);
    }
}

/// Families of few versions.
pub(super) fn limits(store: &dyn WideStore) {
    let law = "max-versions";
    for at in [5, 3, 9, 1, 7, 8] {
        mutate(law, store, b"few", put_at("a:q", at).put_at("a:other", at, "v").put_at("ab:q", at, format!("v{at}")));
    }
    kept_are(law, store, b"few", &all().column("a:q"), &["a:q=v9", "a:q=v8", "a:q=v7"]);
    kept_are(law, store, b"few", &all().family("ab"), &["ab:q=v9"]);
    mutate(law, store, b"few", put_at("a:q", 2).put_at("a:q", 8, "again"));
    kept_are(law, store, b"few", &all().column("a:q"), &["a:q=v9", "a:q=again", "a:q=v7"]);
    if store.guarantees().kept_on_read {
        // Versions that the family does not keep are not compared.
        row_is("value", store, b"few", &all().column("a:q").value(Compare::Equal, "v1"), &[]);
        row_is("value", store, b"few", &Columns::of("a:q").value(Compare::Equal, "v7"), &["a:q@7=v7"]);
    }

    let law = "unkept";
    if store.guarantees().unkept_until_purge {
        mutate(law, store, b"one", put_at("ab:q", 3));
        mutate(law, store, b"one", put_at("ab:q", 2));
        mutate(law, store, b"one", put_at("ab:q", 4));
        for (at, left) in [(4, &["ab:q@3=v3"][..]), (3, &["ab:q@2=v2"]), (2, &[])] {
            mutate(law, store, b"one", Mutation::new().delete_version("ab:q", at));
            row_is(law, store, b"one", &Columns::all(), left);
        }
    }
}

/// Each kind of delete, and what it does not delete.
pub(super) fn deletes(store: &dyn WideStore) {
    let law = "delete";
    let fill = |row: &[u8]| {
        for at in [10, 20, 30] {
            let both = put_at("b:q", at).put_at("b:qq", at, "v").put_at("ab:q", 5, "v").put_at("a:q", at, "v");
            mutate(law, store, row, both);
        }
    };
    let deleted = |row: &[u8], mutation: Mutation, of: &Columns, left: &[&str]| {
        fill(row);
        fill(&[row, b"\0"].concat());
        mutate(law, store, row, mutation);
        row_is(law, store, row, of, left);
        let cells = self::row(law, store, &[row, b"\0"].concat(), &all()).len();
        holds(law, cells == 10, format_args!("the row after one with a delete has {cells} cells, not 10"));
    };
    let q = Columns::of("b:q").versions(9);
    deleted(b"version", Mutation::new().delete_version("b:q", 20), &q, &["b:q@30=v30", "b:q@10=v10"]);
    deleted(b"no version", Mutation::new().delete_version("b:q", 21), &q, &["b:q@30=v30", "b:q@20=v20", "b:q@10=v10"]);
    deleted(b"newest", Mutation::new().delete_version("b:q", 30), &Columns::of("b:q"), &["b:q@20=v20"]);
    deleted(b"until", Mutation::new().delete_column_until("b:q", 20), &q, &["b:q@30=v30"]);
    deleted(b"before", Mutation::new().delete_column_until("b:q", 9), &q, &["b:q@30=v30", "b:q@20=v20", "b:q@10=v10"]);
    let others = ["a:q@30=v", "a:q@20=v", "a:q@10=v", "ab:q@5=v", "b:qq@30=v", "b:qq@20=v", "b:qq@10=v"];
    deleted(b"column", Mutation::new().delete_column("b:q"), &all(), &others);
    deleted(b"absent", Mutation::new().delete_column("b:q").delete_column("b:x").delete_column("b:"), &all(), &others);
    let of_b = ["b:q@30=v30", "b:q@20=v20", "b:q@10=v10", "b:qq@30=v", "b:qq@20=v", "b:qq@10=v"];
    let not_a = [&["ab:q@5=v"][..], &of_b].concat();
    deleted(b"family", Mutation::new().delete_family("a"), &all(), &not_a);
    deleted(b"row", Mutation::new().delete_row(), &all(), &[]);
    mutate(law, store, b"never there", Mutation::new().delete_row().delete_family("a").delete_version("b:q", 5));
    row_is(law, store, b"never there", &all(), &[]);
    // Versions that an older delete hides are hidden in a time range, too.
    row_is(law, store, b"until", &q.clone().time(5..21), &[]);
    if store.guarantees().delete_family_until {
        let some_a = [&["a:q@30=v", "ab:q@5=v"][..], &of_b].concat();
        deleted(b"family until", Mutation::new().delete_family_until("a", 20), &all(), &some_a);
        deleted(b"row until", Mutation::new().delete_row_until(20), &all(), &["a:q@30=v", "b:q@30=v30", "b:qq@30=v"]);
        row_is(law, store, b"family until", &Columns::of("a:q").versions(9).time(5..31), &["a:q@30=v"]);
    } else {
        fill(b"refused");
        for delete in [Mutation::new().delete_family_until("b", 20), Mutation::new().delete_row_until(20)] {
            let answer = store.mutate(b"refused", &delete);
            refused("unsupported", "a delete of a family or a row up to a timestamp", answer, is_unsupported);
        }
        row_is("unsupported", store, b"refused", &q, &["b:q@30=v30", "b:q@20=v20", "b:q@10=v10"]);
    }
}

/// Edits of one mutation, and puts after a delete.
pub(super) fn in_order(store: &dyn WideStore) {
    let law = "edit-order";
    let guarantees = store.guarantees();
    let column = || Columns::of("b:q").versions(9);
    let older = || put(store, Mutation::new(), "b:q", "older");
    let put = |value: &str| Mutation::new().put("b:q", value);
    mutate(law, store, b"put twice", put("1").put("b:q", "2"));
    values_are(law, store, b"put twice", &Columns::of("b:q"), &["b:q=2"]);
    let cases: [(&str, Mutation, &[&str]); 6] = [
        ("column and put", Mutation::new().delete_column("b:q").put("b:q", "new"), &["b:q=new"]),
        ("put and column", put("new").delete_column("b:q"), &[]),
        ("family and put", put("1").delete_family("b").put("b:q", "2"), &["b:q=2"]),
        ("put and family", Mutation::new().delete_row().put("b:q", "1").delete_family("b"), &[]),
        ("row and put", put("1").delete_row().put("b:q", "2"), &["b:q=2"]),
        ("put and row", put("1").delete_row(), &[]),
    ];
    for (row, mutation, left) in cases {
        let row = row.as_bytes();
        mutate(law, store, row, older());
        match guarantees.edit_order {
            Some(EditOrder::AsGiven) => {
                mutate(law, store, row, mutation);
                values_are(law, store, row, &column(), left);
            }
            Some(EditOrder::DeletesLast) => {
                mutate(law, store, row, mutation);
                values_are(law, store, row, &column(), &[]);
            }
            None => {}
        }
        // The same from one mutation to the next.
        for round in 0..20 {
            let value = format!("round {round}");
            let delete = match round % 3 {
                0 => Mutation::new().delete_column("b:q"),
                1 => Mutation::new().delete_family("b"),
                _ => Mutation::new().delete_row(),
            };
            mutate("read-your-writes", store, row, delete);
            values_are("read-your-writes", store, row, &column(), &[]);
            apart(store);
            mutate("read-your-writes", store, row, put(&value));
            let law = if guarantees.put_after_delete { "put-after-delete" } else { "read-your-writes" };
            values_are(law, store, row, &column(), &[&format!("b:q={value}")]);
        }
    }
    let law = "read-your-writes";
    for value in ["first", "second", "third"] {
        mutate(law, store, b"now", Mutation::new().put("ab:q", value));
        values_are(law, store, b"now", &Columns::all(), &[&format!("ab:q={value}")]);
    }
}

/// Deletes of the newest version, among other edits.
pub(super) fn latest(store: &dyn WideStore) {
    let guarantees = store.guarantees();
    let column = Columns::of("b:q").versions(9);
    let law = "delete-latest";
    mutate(law, store, b"one by one", put_at("b:q", 10).put_at("b:q", 20, "v20").put_at("b:qq", 30, "v"));
    let Some(of_nothing) = guarantees.delete_latest else {
        let answer = store.mutate(b"one by one", &Mutation::new().put("b:q", "v").delete_latest("b:q"));
        refused("unsupported", "a delete of the newest version", answer, is_unsupported);
        return row_is("unsupported", store, b"one by one", &column, &["b:q@20=v20", "b:q@10=v10"]);
    };
    for left in [&["b:q@10=v10", "b:qq@30=v"][..], &["b:qq@30=v"], &["b:qq@30=v"]] {
        mutate(law, store, b"one by one", Mutation::new().delete_latest("b:q").delete_latest("b:absent"));
        row_is(law, store, b"one by one", &all(), left);
    }
    mutate(
        law,
        store,
        b"latest",
        put_at("b:q", 5).put_at("b:q", 6, "v6").put_at("b:q", 7, "v7").put_at("b:q", 8, "v8"),
    );
    mutate(law, store, b"latest", Mutation::new().delete_latest("b:q").delete_latest("b:q"));
    row_is(law, store, b"latest", &column, &["b:q@6=v6", "b:q@5=v5"]);
    mutate(law, store, b"latest", Mutation::new().put("b:q", "new").delete_latest("b:q"));
    match guarantees.edit_order {
        Some(EditOrder::AsGiven) => row_is("edit-order", store, b"latest", &column, &["b:q@6=v6", "b:q@5=v5"]),
        Some(EditOrder::DeletesLast) => values_are("edit-order", store, b"latest", &column, &["b:q=new", "b:q=v5"]),
        None => {}
    }
    let law = "delete-latest-of-nothing";
    mutate(law, store, b"nothing", Mutation::new().delete_latest("b:q").put("b:q", "new"));
    let left = match of_nothing {
        DeleteLatest::OfWhatIsThere => &["b:q=new"][..],
        DeleteLatest::MarksNothing => &[],
    };
    values_are(law, store, b"nothing", &column, left);
}

/// The effect of a delete on later writes with a timestamp that it covers.
pub(super) fn covered(store: &dyn WideStore) {
    let guarantees = store.guarantees();
    let Some(deletes) = guarantees.deletes else { return };
    let law = match deletes {
        Deletes::Hide => "delete-marker",
        Deletes::Erase => "delete-once",
    };
    let cases: [(&str, Mutation, &[&str]); 4] = [
        ("column", Mutation::new().delete_column_until("b:q", 20), &["b:q@21=v21"]),
        ("version", Mutation::new().delete_version("b:q", 20), &["b:q@21=v21", "b:q@19=v19"]),
        ("family", Mutation::new().delete_family_until("b", 20), &["b:q@21=v21"]),
        ("row", Mutation::new().delete_row_until(20), &["b:q@21=v21"]),
    ];
    let there = if guarantees.delete_family_until { 4 } else { 2 };
    for (row, delete, hidden) in cases.into_iter().take(there) {
        let row = row.as_bytes();
        // A column that exists, and one that does not.
        mutate(law, store, row, put_at("b:q", 20));
        mutate(law, store, row, delete);
        for at in [19, 20, 21] {
            mutate(law, store, row, put_at("b:q", at));
        }
        match deletes {
            Deletes::Hide => row_is(law, store, row, &all(), hidden),
            Deletes::Erase => row_is(law, store, row, &all(), &["b:q@21=v21", "b:q@20=v20", "b:q@19=v19"]),
        }
    }
    let untimed =
        [Mutation::new().delete_column("b:q"), Mutation::new().delete_family("b"), Mutation::new().delete_row()];
    for (row, delete) in [b"1", b"2", b"3"].into_iter().zip(untimed) {
        mutate(law, store, row, delete);
        mutate(law, store, row, put_at("b:q", 1000));
        match deletes {
            Deletes::Hide => row_is(law, store, row, &all(), &[]),
            Deletes::Erase => row_is(law, store, row, &all(), &["b:q@1000=v1000"]),
        }
    }
}

/// Versions that are a day or an hour old, by the system's clock.
pub(super) fn expiry(store: &dyn WideStore) {
    let law = "ttl";
    let now = now();
    let (hour, old, older, oldest) = (now - DAY / 24, now - 2 * DAY, now - 3 * DAY, now - 4 * DAY);
    for family in ["t", "tm", "b"] {
        let column = format!("{family}:q");
        for (at, value) in [(oldest, "oldest"), (old, "old"), (older, "older")] {
            mutate(law, store, b"old", Mutation::new().put_at(column.as_str(), at, value));
            mutate(law, store, b"mixed", Mutation::new().put_at(column.as_str(), at, value));
        }
        mutate(law, store, b"mixed", Mutation::new().put_at(column.as_str(), hour, "hour"));
    }
    let of = |family: &str| Columns::all().family(family).versions(9);
    kept_are(law, store, b"old", &of("t"), &[]);
    kept_are(law, store, b"mixed", &of("t"), &["t:q=hour"]);
    values_are(law, store, b"old", &of("b"), &["b:q=old", "b:q=older", "b:q=oldest"]);
    mutate(law, store, b"old", Mutation::new().put("t:q", "now"));
    kept_are(law, store, b"old", &of("t"), &["t:q=now"]);
    let law = "min-versions";
    kept_are(law, store, b"old", &of("tm"), &["tm:q=old", "tm:q=older"]);
    kept_are(law, store, b"mixed", &of("tm"), &["tm:q=hour", "tm:q=old"]);
    if store.guarantees().kept_on_read {
        mutate("ttl", store, b"expired", Mutation::new().put_at("t:q", old, "v"));
        holds("ttl", row("ttl", store, b"expired", &all()).is_empty(), "a row in which all has expired is returned");
    }
}
