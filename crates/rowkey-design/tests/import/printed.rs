//! Descriptions as shells of all versions print them at widths from 40 to 200, and as people copy them.

use proptest::prelude::*;
use rowkey_design::internal::ddl::Target;
use rowkey_design::internal::import::Source;

use super::model::{Table, Version, table};
use super::{created, imported};

/// Rows of one column, as the shell's formatter prints them.
fn one_column(row: &str, width: usize) -> Vec<String> {
    let characters: Vec<char> = row.chars().collect();
    let lines = characters.chunks(width).map(|line| line.iter().collect::<String>());
    lines.map(|line| format!("{line:width$}")).collect()
}

/// The table of two columns of HBase 0.9.
fn two_columns(row: &str, state: &str, width: usize) -> Vec<String> {
    let first = width * 64 / 100;
    let second = width - first - 2;
    let mut lines = vec![format!("{:first$}  {:second$}", "DESCRIPTION", "ENABLED")];
    for (i, line) in one_column(row, first).into_iter().enumerate() {
        let state = if i == 0 { state } else { "" };
        lines.push(format!(" {line} {state:second$}"));
    }
    lines
}

/// What the shell prints of a table.
fn shell(table: &Table, version: Version, width: usize) -> Vec<String> {
    let row = |text: &str| one_column(text, width);
    let mut lines = vec![format!("hbase(main):001:0> describe '{}'", table.name)];
    match version {
        Version::V090 | Version::V096 => lines.extend(two_columns(&table.in_one_row(version, true), "true", width)),
        Version::V1 | Version::V2 | Version::V3 => {
            lines.extend(row(&format!("Table {} is ENABLED", table.name)));
            lines.extend(row(&format!("{}{}", table.name, table.attributes(version))));
            lines.extend(row("COLUMN FAMILIES DESCRIPTION"));
            for family in &table.families {
                lines.extend(row(&family.printed(version, true)));
                if version != Version::V1 {
                    lines.push(String::new());
                }
            }
        }
    }
    lines.push(format!("{} row(s) in 0.0230 seconds", table.families.len()));
    lines.push("hbase(main):002:0> exit".to_owned());
    lines
}

#[derive(Clone, Copy, Debug)]
enum Copied {
    AsPrinted,
    EndsTrimmed,
    Trimmed,
    Indented,
}

fn copied(lines: &[String], how: Copied) -> String {
    let line = |line: &String| match how {
        Copied::AsPrinted => line.clone(),
        Copied::EndsTrimmed => line.trim_end().to_owned(),
        Copied::Trimmed => line.trim().to_owned(),
        Copied::Indented => format!("    {}", line.trim_end()),
    };
    lines.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Reads a text: the right design, or a refusal that says of the break in a name.
fn read(table: &Table, text: &str, may_refuse: bool) -> Result<(), TestCaseError> {
    match imported(text, Source::Describe, None) {
        Ok(read) => {
            prop_assert_eq!(created(&read, Target::HBase), created(&table.toml(), Target::HBase), "{}", text);
            // A text that may have lost a blank shows where its lines broke.
            let told = read.replace("\\n", "");
            // Those of regions are of the cluster, which the commands are made of.
            let others = table.attributes.iter().filter(|(key, _)| !["MAX_FILESIZE", "SPLIT_POLICY"].contains(&&**key));
            for (key, value) in others {
                let comment = format!("for {key} => {value}\n");
                prop_assert!(told.contains(&comment), "{} in {}", comment, read);
            }
            if let Some(value) = &table.metadata {
                let exact = read.contains(&format!("METADATA: about => {value}\n"));
                let without = |text: &str| text.replace(' ', "");
                let parts = without(&told).contains(&without(&format!("METADATA: about => {value}\n")));
                prop_assert!(exact || may_refuse && parts && read.contains("\\n"), "{} in {}", value, text);
            }
        }
        Err(problems) => {
            prop_assert!(may_refuse, "{}\n{}", problems, text);
            let doubt = problems.list.iter().all(|problem| problem.message.contains("may have lost a blank"));
            prop_assert!(doubt, "{}\n{}", problems, text);
        }
    }
    Ok(())
}

/// The width of no terminal: no row is broken.
const WIDE: usize = 60_000;

const VERSIONS: [Version; 5] = [Version::V090, Version::V096, Version::V1, Version::V2, Version::V3];
const WAYS: [Copied; 4] = [Copied::AsPrinted, Copied::EndsTrimmed, Copied::Trimmed, Copied::Indented];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn each_version_is_read_at_each_width(
        table in table("[a-zé]([a-z0-9_ é]{0,20}[a-z0-9])?"),
        version in prop::sample::select(&VERSIONS[..]),
        how in prop::sample::select(&WAYS[..]),
        width in 40..=200usize,
    ) {
        let text = copied(&shell(&table, version, width), how);
        read(&table, &text, !matches!(how, Copied::AsPrinted))?;
    }

    /// A name without blanks in a row of its own is broken by no terminal of 40 characters.
    #[test]
    fn usual_tables_are_never_refused(
        table in table("[a-z][a-z0-9_]{0,20}"),
        version in prop::sample::select(&VERSIONS[2..]),
        how in prop::sample::select(&WAYS[..]),
        width in 40..=200usize,
    ) {
        let table = Table { metadata: None, ..table };
        read(&table, &copied(&shell(&table, version, width), how), false)?;
    }

    /// A run may be longer than a line, and what follows it may begin as a command does.
    #[test]
    fn runs_of_blanks_are_kept(
        table in table("[a-zé]{1,4}(( {1,4}[a-zé]{1,6}){0,2}| {20,80}[a-zé]{1,6})"),
        value in "[a-z]{1,12}(( {1,4}| {20,400})([a-z]{1,12}|put|create)){1,20}",
        version in prop::sample::select(&VERSIONS[..]),
        how in prop::sample::select(&WAYS[..]),
        width in 40..=200usize,
    ) {
        let table = Table { metadata: Some(value), ..table };
        read(&table, &copied(&shell(&table, version, width), how), !matches!(how, Copied::AsPrinted))?;
    }

    #[test]
    fn the_web_interface_is_read_and_so_are_lines_without_width(
        table in table("[a-z]([a-z0-9_ ]{0,20}[a-z0-9])?"),
        version in prop::sample::select(&VERSIONS[..]),
        tight: bool,
    ) {
        let row = table.in_one_row(version, false);
        let row = if tight { row.replace(" => ", "=>").replace("FAMILIES=>", "FAMILIES => ") } else { row };
        let text = format!("User Tables\n{row}\n");
        read(&table, &text, false)?;
        let wide = shell(&table, version, WIDE);
        read(&table, &copied(&wide, Copied::EndsTrimmed), false)?;
    }

    /// As a mail program or a person breaks long lines: at blanks, which are lost.
    #[test]
    fn lines_that_are_broken_between_words_are_read_or_refused(
        table in table("[a-z]([a-z0-9_ ]{0,20}[a-z0-9])?"),
        width in 60..=120usize,
        indent in 0..4usize,
    ) {
        let mut lines = Vec::new();
        for row in shell(&table, Version::V2, WIDE) {
            let mut line = String::new();
            for word in row.trim_end().split(' ') {
                if !line.is_empty() && line.len() + word.len() > width {
                    lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
                } else if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            lines.push(line);
        }
        read(&table, &lines.join("\n"), true)?;
    }
}
