//! `rowkey init`.

mod draft;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rowkey_design::internal::design::Engine;
use rowkey_design::internal::import::Source;
use rowkey_design::internal::quote::{terminal, toml};
use rowkey_design::internal::report::{self, Format};
use rowkey_design::{CheckOptions, Design, File, Report, format};

use self::draft::Draft;
use crate::args::{Color, Form, described, form};
use crate::ask::{Asker, Question};
use crate::designs;
use crate::failure::Failure;

/// Writes a design file from your answers: engine, key, writes, queries. Then checks it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  rowkey init
  rowkey init visits --engine hbase --key 'host: text, at: instant desc' \\
    --write 'a visit: rate 50k/s' --query 'a host: fix host, order newest, limit 20' --yes
  rowkey init visits --from-keys keys.txt
  rowkey init --from describe --from-schema described.txt

What no option answers is asked, on standard error, and answered on standard input, a line each. Where that is no
terminal and empty, each question has its default, but for that of the key, which has none: give --key.
A write or a query is a name and, after a colon, keys of the file with their values: rate 50k/s, order time; fix FIELD,
range FIELD 1 day, among FIELD 3, starts_with FIELD 4, where COLUMN, order newest, limit 20.
Exit status: 0 the file is written, whatever is found in it; 2 it is not.")]
pub(crate) struct Args {
    /// The table. The file is TABLE.rowkey.toml.
    table: Option<String>,
    /// The engine: hbase, bigtable, tikv, cockroachdb, dynamodb, cassandra, foundationdb, fjall or rocksdb.
    #[arg(long)]
    engine: Option<String>,
    /// The number of servers or nodes.
    #[arg(long, value_name = "NUMBER")]
    servers: Option<String>,
    /// The fields of the key in their order, as 'host: text, at: instant desc'.
    #[arg(long, value_name = "FIELDS", conflicts_with_all = ["from_keys", "from_schema"])]
    key: Option<String>,
    /// The meaning of a number of the key, as at=milliseconds.
    #[arg(long, value_name = "FIELD=MEANING")]
    means: Vec<String>,
    /// A write, as 'a visit: rate 50k/s, order time'.
    #[arg(long, value_name = "WRITE")]
    write: Vec<String>,
    /// A query, as 'a host: fix host, order newest, limit 20'.
    #[arg(long, value_name = "QUERY")]
    query: Vec<String>,
    /// Takes the key from a sample of keys, one a line, as `rowkey infer` does.
    #[arg(long, value_name = "FILE", conflicts_with = "from_schema")]
    from_keys: Option<PathBuf>,
    /// The form of these keys. Default: what the first lines look like.
    #[arg(long, value_parser = form(), requires = "from_keys")]
    form: Option<Form>,
    /// Takes the tables from a text, as `rowkey import` does.
    #[arg(long, value_name = "FILE", requires = "from")]
    from_schema: Option<PathBuf>,
    /// The kind of this text.
    #[arg(long, value_parser = described::<Source>(), value_name = "SOURCE", requires = "from_schema")]
    from: Option<Source>,
    /// Replaces a file that is there.
    #[arg(long)]
    force: bool,
    /// Asks nothing: what no option answers has its default.
    #[arg(long, short)]
    yes: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let reads_stdin = [&args.from_keys, &args.from_schema].into_iter().flatten().any(|path| designs::is_stdin(path));
    let mut asker = if args.yes || reads_stdin { Asker::silent() } else { Asker::new()? };
    let (path, draft) = draft(args, &mut asker)?;
    let text = draft.text(&path.display().to_string());
    let text = format(&File { name: path.display().to_string(), text })?;
    match args.force {
        true => designs::write(&path, &text)?,
        false => designs::create(&path, &text)?,
    }
    let design = designs::read(std::slice::from_ref(&path))?;
    let options = CheckOptions::new(designs::today());
    let report = design.check(&options);
    let mut out = io::stdout().lock();
    writeln!(out, "wrote {}\n", terminal(&path.display().to_string()))?;
    let shown = report::report(Format::Text, &design, &options, &report, Color::Auto.styles(&io::stdout()));
    out.write_all(shown.as_bytes())?;
    out.write_all(next(&path, &design, &report).as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The file, and what it will say.
fn draft(args: &Args, asker: &mut Asker) -> Result<(PathBuf, Draft), Failure> {
    if let Some(table) = &args.table {
        free(table, args.force).map_err(Failure::new)?;
    }
    asker.tell("An empty line takes what is in brackets. All can be changed in the file afterwards.\n");
    let engines: Vec<&str> = Engine::ALL.iter().map(|engine| engine.word()).collect();
    let text = format!("Engine ({})", engines.join(", "));
    let question = Question { text: &text, default: Some(("hbase", "hbase")), option: "--engine" };
    let engine = asker.answer(args.engine.as_deref(), &question, |answer| {
        let engine = answer.to_lowercase().parse::<Engine>();
        engine.map_err(|_| format!("{answer:?} is none of the engines: {}", engines.join(", ")))
    })?;
    let mut draft = Draft { engine: Some(engine), ..Draft::default() };
    if draft::has_servers(engine) || args.servers.is_some() {
        let question =
            Question { text: "Servers or nodes, such as 10", default: Some(("", "not known")), option: "--servers" };
        draft = asker.answer(args.servers.as_deref(), &question, |answer| {
            let is_number = answer.bytes().all(|byte| byte.is_ascii_digit());
            let servers = if is_number { answer.to_owned() } else { toml(answer) };
            draft.with(|draft| draft.servers = servers)
        })?;
    }
    let name = tables(args, asker, &mut draft)?;
    let design = draft.design().map_err(Failure::new)?;
    let names: Vec<&String> = design.tables.keys().collect();
    if names.len() > 1 && !(args.write.is_empty() && args.query.is_empty()) {
        return Err(Failure::new("--write and --query are of one table, and the text has more: add them to the file"));
    }
    for (index, table) in names.iter().enumerate() {
        let is_last = index + 1 == names.len();
        of_table(args, asker, &mut draft, table, is_last)?;
    }
    Ok((free(&name, args.force).map_err(Failure::new)?, draft))
}

/// Asks for the tables and their keys, or takes them from what exists. Returns the name of the file.
fn tables(args: &Args, asker: &mut Asker, draft: &mut Draft) -> Result<String, Failure> {
    if let Some((path, from)) = args.from_schema.as_ref().zip(args.from) {
        draft.tables = sections(&super::import::text(Some(path), from, args.table.as_deref())?);
        let first = draft.design().map_err(Failure::new)?.tables.keys().next().cloned();
        return Ok(args.table.clone().or(first).unwrap_or_else(|| "imported".to_owned()));
    }
    let question =
        Question { text: "Table, such as visits", default: Some(("table", "table")), option: "a name as TABLE" };
    let name = asker.answer(args.table.as_deref(), &question, |answer| {
        free(answer, args.force)?;
        draft.with(|draft| draft.tables = draft::stand_in(answer)).map(|_| answer.to_owned())
    })?;
    if let Some(path) = &args.from_keys {
        let (sample, _) = super::infer::sample(Some(path), args.form)?;
        let inferred = sample.infer();
        let Some(first) = inferred.candidates.first() else {
            let path = path.display();
            return Err(Failure::new(format!("{path} has no keys of a layout that is found: see rowkey infer {path}")));
        };
        draft.tables = sections(&first.design(&name)?);
    } else {
        asker.tell(
            "\nThe key: its fields in their order, each `name: shape`. Shapes are text, bytes, bool, u8 to u64,\n\
             i8 to i64, instant (a time), bytes[16] (a UUID); `desc` after one puts the greatest first.",
        );
        let question = Question { text: "Key, such as `host: text, at: instant desc`", default: None, option: "--key" };
        *draft = asker
            .answer(args.key.as_deref(), &question, |key| draft.with(|it| it.tables = draft::table(&name, key)))?;
        means(args, asker, draft)?;
    }
    Ok(name)
}

/// Asks what the numbers of the key are.
fn means(args: &Args, asker: &mut Asker, draft: &mut Draft) -> Result<(), Failure> {
    for text in &args.means {
        let pair = text.split_once('=').map(|(field, meaning)| (field.trim(), meaning.trim()));
        let (field, meaning) = pair.ok_or_else(|| Failure::new(format!("--means: {text:?} is not FIELD=MEANING")))?;
        *draft =
            draft.with(|draft| draft.mean(field, meaning)).map_err(|why| Failure::new(format!("--means: {why}")))?;
    }
    for (field, shape) in draft.plain_numbers() {
        let examples = match shape.as_str() {
            "bytes[16]" => "uuid4 (random), uuid7 (begins with a time), digest (a hash)",
            _ => "milliseconds (since 1970), sequence (grows with each row), random",
        };
        let text = format!("What is `{field}`, {shape}? Such as {examples}");
        let question = Question { text: &text, default: Some(("", "none of these")), option: "--means" };
        *draft = asker.answer(None, &question, |answer| match answer {
            "" => Ok(draft.clone()),
            answer => draft.with(|draft| draft.mean(&field, answer)),
        })?;
    }
    Ok(())
}

/// Asks for the writes and queries of a table.
fn of_table(args: &Args, asker: &mut Asker, draft: &mut Draft, table: &str, is_last: bool) -> Result<(), Failure> {
    asker.tell(&format!(
        "\nThe writes and queries of {}: a name, and what is known of it.\n\
         A write: rate 5k/s, peak 50k/s, order time.\n\
         A query: fix FIELD, range FIELD 1 day, among FIELD 3, starts_with FIELD 4, where COLUMN,\n\
         order newest, limit 20.",
        terminal(table)
    ));
    let design = draft.design().map_err(Failure::new)?;
    let first = design.tables.get(table).and_then(|table| table.table.key.first());
    let first = first.map_or("FIELD", |field| &field.name).to_owned();
    for (kind, option, given) in [("write", "--write", &args.write), ("query", "--query", &args.query)] {
        let name = if kind == "write" { "new rows".to_owned() } else { format!("by {first}") };
        let text = format!("A {kind}, such as `{name}: {}`", draft::example(kind, &first));
        let question = Question { text: &text, default: Some(("", "no more")), option };
        asker.answers(given, &question, is_last && kind == "query", |answer| {
            let section = draft::section(table, kind, answer)?;
            *draft = draft.with(|draft| draft.sections.push(section))?;
            Ok(())
        })?;
    }
    Ok(())
}

/// The sections of tables of a design file.
fn sections(text: &str) -> String {
    text.split_once("format = 1\n").map_or(text, |(_, sections)| sections).to_owned()
}

/// The file of a table, which must not be there.
fn free(table: &str, force: bool) -> Result<PathBuf, String> {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let name: String = table.chars().map(plain).collect();
    // No command takes it for an option.
    let name = if name.starts_with('-') { format!("_{name}") } else { name };
    let path = PathBuf::from(format!("{name}.rowkey.toml"));
    match path.symlink_metadata() {
        Ok(_) if !force => Err(format!("{} is there: take another name, or --force", path.display())),
        _ => Ok(path),
    }
}

/// The commands that come next.
fn next(path: &Path, design: &Design, report: &Report) -> String {
    let file = terminal(&path.display().to_string());
    let mut lines = Vec::new();
    if let Some(worst) = report.findings.iter().rev().max_by_key(|finding| finding.severity) {
        lines.push((format!("rowkey rule {}", worst.rule.id), "why that is found, and the cure"));
        // What a shell takes as it is.
        if worst.table.chars().all(|c| c.is_ascii_alphanumeric() || "_.:".contains(c)) {
            let table = if design.tables.len() == 1 { String::new() } else { format!(" {}", worst.table) };
            lines.push((format!("rowkey suggest {file}{table}"), "better keys"));
        }
    }
    lines.push((format!("rowkey check {file}"), "again, after a change: its comments say what to add"));
    let has_families = design.tables.values().all(|table| !table.table.family.is_empty());
    let target = match design.clusters.values().next().map(|cluster| cluster.engine) {
        Some(Engine::HBase) if has_families => Some("hbase"),
        Some(Engine::Bigtable) if has_families => Some("cbt"),
        _ => None,
    };
    lines.extend(target.map(|target| (format!("rowkey ddl {file} --for {target}"), "what creates the table")));
    let queries = design.tables.values().map(|table| table.table.query.len()).sum::<usize>();
    let wanted =
        if queries == 0 { "\nWithout a query nobody knows whether the key fits: add one to the file.\n" } else { "" };
    let width = lines.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let lines = lines.iter().map(|(command, what)| format!("  {command:width$}  {what}\n"));
    format!("{wanted}\nNext:\n{}", lines.collect::<String>())
}
