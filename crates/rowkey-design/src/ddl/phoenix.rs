//! SQL for Apache Phoenix, where its rows have the very bytes of the design's keys.

use std::fmt::Write;

use rowkey::foreign::Foreign;
use rowkey::layout::Scalar;
use rowkey::lead::{Lead, SaltFormat};
use rowkey::untyped::{FieldBuf, TypeBuf};

use super::region::Value;
use super::{NewTable, Said, hbase, shown, versions, whole_seconds};
use crate::design::{BlockEncoding, Bloom, Columns, Family, KeyField, Splits};
use crate::problem::{Located, Span};
use crate::quote;

/// `CREATE TABLE` for each table.
pub(super) fn ddl(tables: &[NewTable<'_>], regions: &[(&'static str, Value)], said: &mut Said) -> Vec<Vec<String>> {
    let mut created = Vec::new();
    for table in tables {
        let mut text = String::new();
        let mut columns = Vec::new();
        let mut key = Vec::new();
        for (i, field) in table.key.iter().enumerate() {
            let column = name(&field.name, "field", field.place, said);
            let ty = field_type(field, i + 1 == table.key.len(), said);
            columns.push(format!("{column} {ty} NOT NULL"));
            let desc = field.field.as_ref().is_some_and(|field| field.desc);
            key.push(column + if desc { " DESC" } else { "" });
        }
        for (family, options) in table.families {
            columns_of(family, options, &mut columns, said);
        }
        columns.push(format!("CONSTRAINT \"pk\" PRIMARY KEY ({})", key.join(", ")));
        let mut options = options(table, said);
        options.extend(regions.iter().map(|(attribute, value)| match value {
            Value::Bytes(bytes) => format!("{attribute}={bytes}"),
            Value::Class(class) => format!("{attribute}='{class}'"),
        }));
        let options = options.join(",\n  ");
        let table_name = table_name(table.name, said);
        _ = write!(text, "CREATE TABLE {table_name} (\n  {}\n)\n  {options}", columns.join(",\n  "));
        if let Some((points, place)) = table.points().filter(|_| !between_buckets(table)) {
            let hex = |point: &[u8]| point.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
            let points: Vec<_> = points.iter().map(|point| format!("X'{}'", hex(point))).collect();
            _ = write!(text, "\n  SPLIT ON ({})", points.join(", "));
            said.note(place, "Phoenix adds zero bytes to a split point that is shorter than the shortest key");
        }
        text.push(';');
        said.note(
            table.name.place,
            format!(
                "table {}: Phoenix marks each of its rows with a cell `_0` in the first family; a SELECT of key columns \
                 alone may not see rows that others wrote without it",
                shown(table.name)
            ),
        );
        created.push(vec![text]);
    }
    created
}

fn name(name: &str, what: &str, place: Span, said: &mut Said) -> String {
    quote::sql_name(name).unwrap_or_else(|| {
        let message = format!("Phoenix takes no {what} named {}", shown(name));
        said.problem(place, message, "write at least one character, and none that is `\"` or not visible");
        String::new()
    })
}

/// A dot in Phoenix's names is between schema and table; HBase's table has both in its name.
fn table_name(located: &Located<String>, said: &mut Said) -> String {
    hbase::table_name(located, said);
    let parts: Vec<_> = located.split('.').collect();
    if parts.len() > 2 || located.contains(':') {
        let message = format!("Phoenix takes no table named {}", shown(located));
        said.problem(located.place, message, "write no `:`, and at most one `.`, between a schema and a table");
    }
    let parts = parts.into_iter().map(|part| name(part, "table", located.place, said));
    parts.collect::<Vec<_>>().join(".")
}

/// Returns the type of a key column with the bytes of a field. Where Phoenix has no such type, it notes that and
/// returns an empty one.
fn field_type(located: &Located<KeyField>, last: bool, said: &mut Said) -> String {
    let Some(field) = &located.field else { return String::new() };
    let of_field = format!("field {}", shown(&located.name));
    match column_type(field, last) {
        Ok(ty) => {
            if let Some(differs) = differs(field) {
                said.note(located.place, format!("{of_field}: {differs}"));
            }
            ty
        }
        Err((reason, help)) => {
            said.problem(located.place, format!("the layout is not Phoenix's: {of_field} {reason}"), help);
            String::new()
        }
    }
}

type Prevented = (&'static str, &'static str);

fn column_type(field: &FieldBuf, last: bool) -> Result<String, Prevented> {
    const ANOTHER: &str = "use another type, for example `i64` or `text`, or create the table with HBase's shell";
    let TypeBuf::Scalar(scalar) = &field.ty else {
        return Err(match field.ty {
            TypeBuf::Option(_) => ("may be none, and Phoenix writes NULL otherwise", ANOTHER),
            _ => ("has parts, or an encoding of its own, and Phoenix's columns have none", ANOTHER),
        });
    };
    let ty = match scalar {
        Scalar::I8 => "TINYINT",
        Scalar::I16 => "SMALLINT",
        Scalar::I32 => "INTEGER",
        Scalar::I64 => "BIGINT",
        Scalar::U8 => "UNSIGNED_TINYINT",
        Scalar::U16 => "UNSIGNED_SMALLINT",
        Scalar::U32 => "UNSIGNED_INT",
        Scalar::U64 => "UNSIGNED_LONG",
        Scalar::Bool => "BOOLEAN",
        Scalar::Foreign(Foreign::Char(len)) => return Ok(format!("CHAR({len})")),
        Scalar::ByteArray(len @ 1..) => return Ok(format!("BINARY({len})")),
        Scalar::Text => "VARCHAR",
        Scalar::Decimal => "DECIMAL",
        Scalar::Bytes if field.desc => {
            return Err((
                "is `bytes desc`, and Phoenix has no descending VARBINARY",
                "remove `desc`, or write `bytes[N]`",
            ));
        }
        Scalar::Bytes if !last => {
            return Err((
                "is `bytes` before the end of the key, where Phoenix has no VARBINARY",
                "write `bytes[N]`, or put it at the end as `bytes raw`",
            ));
        }
        Scalar::Bytes => "VARBINARY",
        Scalar::F32 | Scalar::F64 => {
            return Err(("is a float: Phoenix's FLOAT and DOUBLE are one more in the last bit", ANOTHER));
        }
        _ => return Err(("has a type whose bytes no type of Phoenix has", ANOTHER)),
    };
    let ended = scalar.width().is_none();
    if ended && last && !field.desc && !field.raw {
        return Err((
            "ends with a terminator, which Phoenix leaves out at the end of a key",
            "write `raw` after its type",
        ));
    }
    if ended && field.desc && field.raw {
        return Err(("is `raw`, and Phoenix ends a descending field with `ff`", "remove `raw`"));
    }
    Ok(ty.to_owned())
}

/// The values that Phoenix writes otherwise, or does not take.
fn differs(field: &FieldBuf) -> Option<&'static str> {
    match field.ty {
        TypeBuf::Scalar(Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64) => {
            Some("Phoenix takes no number above the greatest of the signed type")
        }
        TypeBuf::Scalar(Scalar::Text) => {
            Some("to Phoenix empty text is NULL, and it does not escape the characters U+0000 and U+0001")
        }
        TypeBuf::Scalar(Scalar::Bytes) => {
            Some("Phoenix 5.2 leaves out an `ff` at the end of a VARBINARY that it reads from the end of a key")
        }
        TypeBuf::Scalar(Scalar::Decimal) => Some("Phoenix rounds a decimal to 38 digits"),
        _ => None,
    }
}

fn columns_of(family: &str, options: &Located<Family>, columns: &mut Vec<String>, said: &mut Said) {
    hbase::family_name(family, options.place, said);
    let before = columns.len();
    let quoted = name(family, "family", options.place, said);
    let mut add = |column: &str, place| {
        columns.push(format!("{quoted}.{} VARBINARY", name(column, "column", place, said)));
    };
    match options.columns.as_ref().map(|columns| (&columns.value, columns.place)) {
        Some((Columns::Names(names), _)) => names.iter().for_each(|name| add(name, name.place)),
        Some((Columns::OfRow(_), place)) => {
            let message = format!("family {} has columns whose names are data: Phoenix has none", shown(family));
            said.problem(place, message, "name the columns, or create the table with HBase's shell");
            return;
        }
        None => options.sizes.iter().for_each(|(name, size)| add(name, size.place)),
    }
    if columns.len() == before {
        let message = format!("family {} has no column, and Phoenix makes families of columns", shown(family));
        said.problem(options.place, message, "name one: columns = [\"v\"]");
    }
}

/// The options of a table and of its families. Options whose defaults differ between Phoenix and HBase are always set.
fn options(table: &NewTable<'_>, said: &mut Said) -> Vec<String> {
    let mut text = vec!["COLUMN_ENCODED_BYTES=0".to_owned()];
    text.extend(salt(table, said).map(|buckets| format!("SALT_BUCKETS={buckets}")));
    let mut ttls = table.families.iter().map(|(name, family)| (name, family, family.ttl.as_ref()));
    if let Some((first, _, ttl)) = ttls.next() {
        if let Some(seconds) = ttl.and_then(|ttl| whole_seconds(ttl, i32::MAX as u64 - 1, said)) {
            text.push(format!("TTL={seconds}"));
        }
        for (name, family, other) in ttls {
            if other.map(|ttl| ttl.value) != ttl.map(|ttl| ttl.value) {
                let place = other.map_or(family.place, |ttl| ttl.place);
                let message =
                    format!("families {} and {} have other TTLs: Phoenix has one a table", shown(first), shown(name));
                said.problem(place, message, "write the same `ttl` in each family");
            }
        }
    }
    for (name, family) in table.families {
        // A name that has no form in SQL is noted with its columns.
        let Some(name) = quote::sql_name(name) else { continue };
        let (most, fewest) = versions(family, i32::MAX as u32, said);
        let mut option = |option: &str, value: String| text.push(format!("{name}.{option}={value}"));
        option("VERSIONS", most.to_string());
        if fewest > 0 {
            option("MIN_VERSIONS", fewest.to_string());
        }
        let encoding = family.encoding.as_ref().map_or(BlockEncoding::None, |encoding| encoding.value);
        option("DATA_BLOCK_ENCODING", format!("'{}'", encoding.word().to_ascii_uppercase()));
        let bloom = family.bloom.as_ref().map_or(Bloom::Row, |bloom| bloom.value);
        option("BLOOMFILTER", format!("'{}'", bloom.word().to_ascii_uppercase()));
        hbase::codec(family, said);
        for (word, value) in hbase::words(family).into_iter().filter(|(word, _)| *word == "COMPRESSION") {
            option(word, format!("'{value}'"));
        }
        hbase::block(family, said).into_iter().for_each(|bytes| option("BLOCKSIZE", bytes.to_string()));
        if family.in_memory == Some(true) {
            option("IN_MEMORY", "true".to_owned());
        }
        if let Some(bytes) = hbase::mob(family, said) {
            option("IS_MOB", "true".to_owned());
            option("MOB_THRESHOLD", bytes.to_string());
        }
    }
    text
}

/// True if Phoenix splits the table as the design says without being told.
fn between_buckets(table: &NewTable<'_>) -> bool {
    table.declared.is_some_and(|splits| splits.value == Splits::Buckets)
}

/// The number of buckets, where the salt is Phoenix's.
fn salt(table: &NewTable<'_>, said: &mut Said) -> Option<u32> {
    const HELP: &str = "write salt = { buckets = N, hash = \"java\" }, with N up to 256, or create the table with HBase's \
                        shell";
    let place = table.lead;
    let salt = match table.layout.lead() {
        Lead::Salt(salt) => salt,
        Lead::Digest(_) | Lead::Hash(_) => {
            said.problem(place, "the layout is not Phoenix's: it begins with a digest, and Phoenix has none", HELP);
            return None;
        }
        Lead::None => return None,
    };
    let prevents = if salt.hash.name != "java" {
        format!("its salt is taken by {}, and Phoenix's SALT_BUCKETS by the hash that is `java` here", salt.hash.name)
    } else if salt.format != SaltFormat::Binary {
        "its salt is written in hex digits, and Phoenix's is a byte".to_owned()
    } else if !(1..=256).contains(&salt.buckets) {
        format!("its salt has {} buckets, and Phoenix's 256 at most", salt.buckets)
    } else if !(table.layout.by().is_empty() || table.layout.by().len() == table.key.len()) {
        "its salt is taken from some of its fields, and Phoenix's from all".to_owned()
    } else {
        if table.points.is_none() {
            said.note(place, "Phoenix splits a salted table between its buckets where nothing else is said");
        }
        return Some(salt.buckets);
    };
    let place = table.salt.map_or(place, |salt| salt.place);
    said.problem(place, format!("the layout is not Phoenix's: {prevents}"), HELP);
    None
}
