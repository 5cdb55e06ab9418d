//! Bytes of rows and of keys.

use super::check;

/// A write of some columns is as many bytes as these columns have, and the split is at the engine's own size.
#[test]
fn ten_minutes_of_writes_are_of_the_columns_that_are_written() {
    let bytes = |engine: &str, columns: &str| {
        let text = format!(
            "format = 1\n[cluster.c]\nengine = \"{engine}\"\n[table.t]\nkey = [\"id: u64\"]\nmeans.id = \"random\"\n\
             family.d = {{ columns = [\"body\", \"read\"], sizes = {{ body = \"100 kB\", read = \"8 B\" }} }}\n\
             [[table.t.write]]\nname = \"w\"\nrate = \"40k/s\"\norder = \"random\"\ncolumns = {columns}\n"
        );
        let found = check(&text, None).into_iter().find(|finding| finding.rule.id == "H10")?;
        let number = |name: &str| found.numbers.iter().find(|number| number.name == name).map(|number| number.value);
        number("bytes in ten minutes").zip(number("size of the first split"))
    };
    let mib = 1_048_576.0;
    let (puts, cell) = (40e3 * 600.0, 8.0 + 1.0 + 4.0 + 20.0);
    assert_eq!(bytes("hbase", "[\"read\"]"), Some((puts * (cell + 8.0), 256.0 * mib)));
    assert_eq!(bytes("hbase", "[]"), Some((puts * (2.0 * cell + 100_008.0), 256.0 * mib)));
    assert_eq!(bytes("tikv", "[\"d:read\"]"), Some((puts * (cell + 8.0), 256.0 * mib)));
    // Nothing says when it splits.
    assert_eq!(bytes("bigtable", "[]"), None);
}

/// The high zeros of a number are not left out by leaving a field out.
#[test]
fn zeros_of_a_number_are_no_field() {
    let text = "format = 1\n[table.t]\nkey = [\"user: u64\"]\n";
    let keys: String = (1..200u64).map(|user| format!("{:016x}\n", user * 7)).collect();
    let found = check(text, Some(&keys)).into_iter().find(|finding| finding.rule.id == "H20").unwrap();
    assert!(!found.remedy.unwrap().text.contains("leave it out"));
}

/// Increments put nothing: their rate is what one region does not take.
#[test]
fn a_region_that_is_asked_for_too_much_is_told_by_its_writes() {
    let text = "format = 1\n[cluster.c]\nengine = \"hbase\"\nservers = 4\nregion.writes = \"10k/s\"\n[table.t]\n\
                key = [\"id: u32\"]\nrows = 1000\n[[table.t.write]]\nname = \"w\"\nkind = \"increment\"\n\
                approximate = true\nrate = \"40k/s\"\norder = \"random\"\n";
    let found = check(text, None).into_iter().find(|finding| finding.rule.id == "H10").unwrap();
    let numbers: Vec<_> = found.numbers.iter().map(|number| (number.name, number.value)).collect();
    assert_eq!(numbers, [("writes at the peak", 40e3), ("writes that one server takes", 10e3)]);
}
