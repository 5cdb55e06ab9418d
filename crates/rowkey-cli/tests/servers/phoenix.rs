//! Phoenix, on HBase.

use rowkey::{LayoutBuf, Value};
use rowkey_design::internal::quote;

use super::hbase::scanned;
use super::{ddl_of_import, design, path, programs, rowkey};

/// A value as a literal of Phoenix.
fn literal(value: &Value) -> String {
    match value {
        Value::Signed(n) => n.to_string(),
        Value::Unsigned(n) => n.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Text(text) => quote::sql_text(text).expect("text without control characters"),
        Value::Decimal(number) => number.clone(),
        Value::Bytes(bytes) => format!("X'{}'", bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>()),
        other => panic!("{other:?} is no value of these tables"),
    }
}

fn rows(table: &str) -> Vec<Vec<Value>> {
    use Value::{Bool, Bytes, Decimal, Signed, Text, Unsigned};
    let text = |text: &str| Text(text.to_owned());
    let decimal = |number: &str| Decimal(number.to_owned());
    match table {
        "numbers" => [(-1, 0, false, b"\0\xff#"), (0, 7, true, b"abc"), (127, 127, true, b"\xff\0\0")]
            .into_iter()
            .map(|(n, u, truth, bytes)| {
                let mut values: Vec<_> = (0..4).map(|i| Signed(n * [1, 100, 9_999, 99_999_999][i])).collect();
                values.extend((0..4).map(|i| Unsigned(u * [1, 100, 9_999, 99_999_999][i])));
                values.extend([Bool(truth), Bytes(bytes.to_vec()), Bytes(bytes[..2].to_vec())]);
                values
            })
            .collect(),
        "schema.texts" => vec![
            vec![text("a"), decimal("-12.5"), text("it's \\"), text("#{exit}")],
            vec![text("é日"), decimal("0"), text("b"), text("c")],
        ],
        _ => vec![
            vec![decimal("100"), Signed(-5), Bytes(b"\x01\0\xff\x07".to_vec())],
            vec![decimal("-0.001"), Signed(1 << 40), Bytes(b"#{x}".to_vec())],
        ],
    }
}

fn encoded(layout: &LayoutBuf, rows: &[Vec<Value>]) -> std::collections::BTreeSet<Vec<u8>> {
    rows.iter().map(|row| layout.encode(row).expect("a key")).collect()
}

#[test]
#[ignore = "needs HBase: run servers/test-tools"]
fn phoenix_takes_its_tables_and_writes_and_finds_our_keys() {
    let path = path("phoenix.rowkey.toml");
    let ddl = rowkey(&["ddl", "--for", "phoenix", &path.display().to_string()]);
    assert_eq!(ddl_of_import(&ddl, "phoenix", &[]), ddl);

    let design = design(&path);
    let name =
        |name: &str| name.split('.').map(|part| quote::sql_name(part).expect("a name")).collect::<Vec<_>>().join(".");
    let mut sql: String =
        design.tables.keys().map(|table| format!("DROP TABLE IF EXISTS {};\n", name(table))).collect();
    sql += &ddl;
    for (table, of) in &design.tables {
        let columns: usize = of
            .table
            .family
            .values()
            .map(|family| match family.columns.as_ref().map(|c| &c.value) {
                Some(rowkey_design::internal::design::Columns::Names(names)) => names.len(),
                _ => 0,
            })
            .sum();
        // One row by Phoenix, the others by HBase's shell.
        let row = &rows(table)[0];
        let values = row.iter().map(literal).chain((0..columns).map(|i| format!("X'0{i}'"))).collect::<Vec<_>>();
        sql += &format!("UPSERT INTO {} VALUES ({});\n", name(table), values.join(", "));
    }
    programs().phoenix(&sql);

    let (mut select, mut script) = (String::new(), String::new());
    for (table, of) in &design.tables {
        let rows = rows(table);
        let quoted = quote::jruby(table.as_bytes());
        // Phoenix's row has the very bytes of our key.
        assert_eq!(scanned(&programs().shell(&format!("scan {quoted}\n"))), encoded(&of.layout, &rows[..1]), "{table}");
        let (family, _) = of.table.family.first().expect("a family");
        let column = match &of.table.family[0].columns.as_ref().expect("columns").value {
            rowkey_design::internal::design::Columns::Names(names) => names[0].to_string(),
            rowkey_design::internal::design::Columns::OfRow(_) => unreachable!("columns have names"),
        };
        let column = quote::jruby(format!("{family}:{column}").as_bytes());
        let puts = rows[1..].iter().map(|row| {
            let key = of.layout.encode(row).expect("a key");
            format!("put {quoted}, {}, {column}, \"ours\"\n", quote::jruby(&key))
        });
        script.extend(puts);
        for row in &rows {
            let fields = of.layout.fields().iter().zip(row);
            let fields = fields.map(|(field, value)| format!("\"{}\" = {}", field.name, literal(value)));
            select += &format!("SELECT * FROM {} WHERE {};\n", name(table), fields.collect::<Vec<_>>().join(" AND "));
        }
    }
    programs().shell(&script);
    let selected = programs().phoenix(&select);
    let selected: Vec<_> = selected.lines().collect();
    let rows: Vec<_> = design.tables.keys().flat_map(|table| rows(table)).collect();
    assert_eq!(selected.len(), rows.len(), "{selected:#?}");
    for (line, row) in selected.iter().zip(&rows) {
        for (cell, value) in line.split('\t').zip(row) {
            let expected = match value {
                Value::Text(text) => text.clone(),
                Value::Bytes(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
                other => literal(other),
            };
            assert_eq!(cell, expected, "{line}");
        }
    }
}
