//! The longest names and the deepest types whose lines are as the formatters have them: docs/codec.md states these bounds.

use rowkey::LayoutBuf;
use rowkey::lead::{Lead, Salt, SaltFormat, SaltHash};
use rowkey::untyped::FieldBuf;
use rowkey_codec::ir::Table;

/// The letters of a name.
const LONGEST: usize = 25;
/// The types within one another.
const DEEPEST: usize = 6;

const SHAPES: [&str; 8] = [
    "text",
    "i64 desc",
    "option<u8>",
    "list<text>",
    "(u8, (text, decimal) desc)",
    "enum{1: (), 7: (u32, text)}",
    "enum{1: (), 2: ()}",
    "tile",
];

/// Tables with names of each length, and with types of each depth.
pub(crate) fn tables() -> Vec<Table> {
    let mut tables: Vec<Table> = (1..=LONGEST).map(named).collect();
    for depth in 1..=DEEPEST {
        for (around, inner) in [("(u8, _)", "text"), ("enum{1: (_), 2: ()}", "u8"), ("list<_>", "u8")] {
            tables.push(nested(depth, around, inner));
        }
    }
    tables.extend((1..=DEEPEST / 2).map(|depth| nested(depth, "list<option<_>>", "text")));
    tables
}

/// A table whose name and fields have so many letters.
fn named(len: usize) -> Table {
    let name = |letter: &str| letter.repeat(len);
    let fields = SHAPES.iter().zip(["a", "b", "c", "d", "e", "f", "g", "h"]);
    let fields = fields.map(|(shape, letter)| FieldBuf::new(name(letter), shape).unwrap()).collect();
    let salt = Salt { buckets: 16, hash: SaltHash::named("xxh3"), format: SaltFormat::Binary };
    Table::new(LayoutBuf::of_fields(name("t"), Lead::Salt(salt), vec![0], fields).unwrap())
}

fn nested(depth: usize, around: &str, inner: &str) -> Table {
    let shape = (0..depth).fold(inner.to_owned(), |inner, _| around.replace('_', &inner));
    Table::new(shape.parse().unwrap())
}
