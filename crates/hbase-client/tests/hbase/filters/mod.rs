//! Filters: each and in lists, forwards and in reverse, give what their documentation says. Nothing here moves, splits
//! or merges a region: HBase 2.6.4 by itself shows deleted cells after that, in reads of one version.

mod cases;
mod model;

use fastrand::Rng;
use futures_util::TryStreamExt;
use hbase_client::{
    Admin, Compare, Condition, Delete, ErrorKind, Family, Get, Mutation, Put, Row, Scan, Table, TableSchema,
};

use self::model::{Cell, FAMILIES, Read, Tree, Written};
use crate::{client, create};

const ROWS: [&[u8]; 13] =
    [b"a", b"a\0", b"a\x01f", b"ab", b"abc", b"abd", b"b", b"b\xff", b"b\xff\xff", b"ba", b"c", b"\0", b"\xff\xff"];
const QUALIFIERS: [&[u8]; 9] = [b"", b"\0", b"a", b"ab", b"ac", b"b", b"ba", b"c", b"\xff"];
const VALUES: [&[u8]; 5] = [b"", b"0", b"1", b"12", b"2"];

fn one<T: Clone>(random: &mut Rng, of: &[T]) -> T {
    of[random.usize(..of.len())].clone()
}

fn family(random: &mut Rng) -> &'static str {
    one(random, &FAMILIES).0
}

fn qualifier(random: &mut Rng) -> Vec<u8> {
    one(random, &QUALIFIERS).to_vec()
}

fn compare(random: &mut Rng) -> Compare {
    use Compare::*;
    one(random, &[Less, LessOrEqual, Equal, NotEqual, GreaterOrEqual, Greater])
}

/// A mutation, in the model and at the server.
fn mutation(random: &mut Rng, key: &[u8], row: &mut Written) -> Mutation {
    let (family, qualifier, at) = (family(random), qualifier(random), random.u64(1..9));
    match random.u8(..20) {
        0 => {
            row.families.push((family, at));
            Delete::new(key).family_until(family, at).into()
        }
        1 => {
            row.columns.push((family, qualifier.clone(), at));
            Delete::new(key).column_until(family, qualifier, at).into()
        }
        2 => {
            row.versions.push((family, qualifier.clone(), at));
            Delete::new(key).version(family, qualifier, at).into()
        }
        _ => {
            let value = one(random, &VALUES);
            row.puts.insert((family, qualifier.clone(), at), value.to_vec());
            Put::new(key).value_at(family, qualifier, at, value).into()
        }
    }
}

async fn write(table: &Table, random: &mut Rng) -> Vec<(Vec<u8>, Written)> {
    let mut rows: Vec<_> = ROWS.iter().map(|key| (key.to_vec(), Written::default())).collect();
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    for (key, row) in &mut rows {
        for _ in 0..random.usize(..50) {
            let mutation = mutation(random, key, row);
            table.mutate_row([mutation]).await.expect("written");
        }
    }
    rows
}

/// Makes the regions write what they have in memory to a file.
async fn flush(admin: &Admin, table: &Table) {
    admin.disable(table.name().clone()).await.expect("disabled");
    admin.enable(table.name().clone()).await.expect("enabled");
}

fn qualifier_range(random: &mut Rng) -> Tree {
    let end = |random: &mut Rng| (random.u8(..3) > 0).then(|| (qualifier(random), random.bool()));
    Tree::QualifierRange(end(random), end(random))
}

fn leaf(random: &mut Rng) -> Tree {
    let range = |random: &mut Rng| {
        let (mut a, mut b) = (one(random, &ROWS).to_vec(), one(random, &ROWS).to_vec());
        if b < a {
            (a, b) = (b, a);
        }
        if random.u8(..5) == 0 { (a, Vec::new()) } else { (a, b) }
    };
    let pattern = |random: &mut Rng| {
        let mut key = one(random, &ROWS).to_vec();
        key.extend((0..random.usize(..2)).map(|_| b'x'));
        let mask = key.iter().map(|_| random.u8(..2)).collect();
        (key, mask)
    };
    match random.u8(..20) {
        0 => Tree::RowPrefix(one(random, &ROWS)[..1].to_vec()),
        1 => Tree::RowPrefix(one(random, &ROWS).to_vec()),
        2 => Tree::Row(compare(random), one(random, &ROWS).to_vec()),
        3 => Tree::RowRanges((0..random.usize(1..4)).map(|_| range(random)).collect()),
        4 => Tree::FuzzyRow((0..random.usize(1..4)).map(|_| pattern(random)).collect()),
        5 | 6 => Tree::Family(compare(random), family(random)),
        7 => Tree::Qualifier(compare(random), qualifier(random)),
        8 | 9 => Tree::QualifierPrefix(qualifier(random)),
        10 | 11 => qualifier_range(random),
        12 => Tree::Columns(random.u32(..4), random.u32(..3)),
        13 | 14 => Tree::Value(compare(random), one(random, &VALUES).to_vec()),
        15..18 => Tree::ColumnValue {
            family: family(random),
            qualifier: qualifier(random),
            compare: compare(random),
            value: one(random, &VALUES).to_vec(),
            if_missing: random.bool(),
        },
        18 => Tree::FirstCell,
        _ => Tree::NoValues,
    }
}

fn tree(random: &mut Rng, depth: usize) -> Tree {
    let nodes = |random: &mut Rng| (0..random.usize(..4)).map(|_| tree(random, depth - 1)).collect();
    match random.u8(..13) {
        0..4 if depth > 0 => Tree::All(nodes(random)),
        4..8 if depth > 0 => Tree::Any(nodes(random)),
        8 => Tree::Any((0..random.usize(2..4)).map(|_| qualifier_range(random)).collect()),
        _ => leaf(random),
    }
}

/// The part of a read beside the filter.
fn read(random: &mut Rng) -> Read {
    let mut read = Read { versions: random.usize(1..4), ..Read::default() };
    match random.u8(..6) {
        0 => read.families.push(family(random)),
        1 => read.columns.extend((0..random.usize(1..6)).map(|_| (family(random), qualifier(random)))),
        _ => {}
    }
    if random.u8(..6) == 0 {
        let from = random.u64(..8);
        read.times = Some((from, from + random.u64(..6)));
    }
    read.limit = (random.u8(..6) == 0).then(|| random.usize(1..4));
    read.skip = (random.u8(..6) == 0).then(|| random.usize(..3));
    read
}

/// The same of a `Get` and of a `Scan`.
macro_rules! asked {
    ($request:expr, $read:expr, $tree:expr) => {{
        let read: &Read = $read;
        let mut request = $request.versions(read.versions as u32).filter(&$tree.filter());
        for family in &read.families {
            request = request.family(family);
        }
        for (family, qualifier) in &read.columns {
            request = request.column(family, qualifier);
        }
        if let Some((from, to)) = read.times {
            request = request.time_range(from..to);
        }
        if let Some(limit) = read.limit {
            request = request.cells_per_family(limit as u32);
        }
        if let Some(skip) = read.skip {
            request = request.skip_cells_per_family(skip as u32);
        }
        request
    }};
}

fn cells(row: &Row) -> Vec<Cell> {
    let cell = |cell: hbase_client::Cell<'_>| Cell {
        family: FAMILIES.iter().find(|(family, _)| family.as_bytes() == cell.family()).expect("a family").0,
        qualifier: cell.qualifier().to_vec(),
        timestamp: cell.timestamp(),
        value: cell.value().to_vec(),
    };
    row.cells().map(cell).collect()
}

/// Rows of which pieces may have come.
fn together(pieces: &[Row]) -> Vec<(Vec<u8>, Vec<Cell>)> {
    let mut rows: Vec<(Vec<u8>, Vec<Cell>)> = Vec::new();
    for piece in pieces {
        match rows.last_mut() {
            Some((key, row)) if key == piece.key() => row.extend(cells(piece)),
            _ => rows.push((piece.key().to_vec(), cells(piece))),
        }
    }
    rows
}

/// The number of filters that are tried.
fn rounds() -> usize {
    let number = |name| std::env::var(name).ok().and_then(|text: String| text.parse::<usize>().ok());
    let long = if std::env::var_os("ROWKEY_LONG").is_some() { 20 } else { 1 };
    400 * number("HBASE_CLIENT_ROUNDS").unwrap_or(1).max(long)
}

#[tokio::test]
#[ignore = "needs a server"]
async fn filters_give_what_they_say() {
    let client = client();
    let schema = FAMILIES.iter().fold(TableSchema::new("filters_model"), |schema, (family, versions)| {
        schema.family(Family::new(*family).max_versions(*versions as u32))
    });
    let (mut random, mut rows) = (Rng::with_seed(31), Vec::new());
    let (mut refused, mut nothing) = (0, 0);
    for round in 0..rounds() {
        let table = client.table("filters_model");
        if round % 200 == 0 {
            create(&client.admin(), &schema, &["ab", "b\u{7f}"]).await;
            rows = write(&table, &mut random).await;
            if round % 400 == 200 {
                flush(&client.admin(), &table).await;
                rows.iter_mut().for_each(|(_, row)| row.flush());
            }
        }
        let (tree, mut read) = (tree(&mut random, 3), read(&mut random));
        if tree.needs_whole_rows() {
            read.limit = None;
        }
        let expected: Vec<_> = rows
            .iter()
            .map(|(key, row)| (key.clone(), read.row(key, row, &tree)))
            .filter(|(_, cells)| !cells.is_empty())
            .collect();
        nothing += usize::from(expected.is_empty());
        for reverse in [false, true] {
            let scan = asked!(Scan::new(), &read, &tree);
            let scan = if reverse { scan.reverse() } else { scan };
            let scan = if random.bool() { scan.bytes_per_call(random.u64(1..500)) } else { scan };
            let scan = if random.bool() { scan.allow_partial_rows() } else { scan };
            let got = table.scan(scan).try_collect::<Vec<Row>>().await;
            match got {
                Err(error) if error.kind() == ErrorKind::Invalid && tree.is_mixed() => refused += 1,
                got => {
                    let what = format!("round {round}, reverse: {reverse}, {read:?}, {tree:?}\n{:?}", tree.filter());
                    let got = got.unwrap_or_else(|error| panic!("{error}: {what}"));
                    let mut got = together(&got);
                    if reverse {
                        got.reverse();
                    }
                    for (key, row) in &rows {
                        let of = |rows: &[(Vec<u8>, Vec<Cell>)]| rows.iter().find(|(k, _)| k == key).cloned();
                        assert_eq!(of(&got), of(&expected), "{:?}: {what}\n{row:?}", String::from_utf8_lossy(key));
                    }
                    assert_eq!(got, expected, "{what}");
                }
            }
        }
        let key = one(&mut random, &ROWS);
        match table.get(asked!(Get::new(key), &read, &tree)).await {
            Err(error) if error.kind() == ErrorKind::Invalid && tree.is_mixed() => {}
            got => {
                let expected = expected.iter().find(|(other, _)| other == key).map(|(_, cells)| cells.clone());
                assert_eq!(cells(&got.expect("a row")), expected.unwrap_or_default(), "get {key:?} {read:?} {tree:?}");
                // It changes nothing that is read: no cell is so young.
                let change = Delete::new(key).version("f", "condition", 99);
                let holds = table.check_and_mutate(&Condition::filter(&tree.filter()), change).await.expect("checked");
                let row = &rows.iter().find(|(other, _)| other == key).expect("a row").1;
                let whole = Read::default().row(key, row, &tree);
                assert_eq!(holds.applied, !whole.is_empty(), "a condition on {key:?}: {tree:?}");
            }
        }
    }
    println!("{} filters: {} refused, {nothing} that nothing passes", rounds(), refused / 2);
    assert!(nothing < rounds() * 2 / 3 && refused < rounds() / 2, "too few of them show something");
}
