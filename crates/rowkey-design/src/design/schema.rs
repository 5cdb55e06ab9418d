//! The keys of a design file: as a JSON Schema, and as a page of Markdown.

use std::fmt::Write as _;

use serde_json::{Map, Value as Json};

use super::DesignFile;
use crate::file::node::FromToml;

const BEFORE: &str = "# The design file

Every key of a `*.rowkey.toml`. `rowkey schema --markdown` prints this page, `rowkey schema` the same as a JSON Schema
for editors. `rowkey fmt`, `import`, `infer` and `init` write `#:schema ./rowkey.schema.json` as the first line, which
Taplo and the editors that use it follow; `rowkey schema > rowkey.schema.json` makes that file. `rowkey check` notes
every mistake at once, each with its line and what to write. [studies/designs](../studies/designs) has examples.

A whole one, of a cluster, and of a table with its key, its statistics, its columns, a write and a query:

```toml
format = 1

[cluster.prod]
engine = \"hbase\"
servers = 10
region.writes = \"20k/s\"
region.reads = \"20k/s\"

[table.visits]
key = [\"site: u32\", \"at: i64 desc\", \"visitor: u64\"]
means = { at = \"milliseconds\", visitor = \"random\" }
stats.site = { distinct = 20_000, skew = \"zipf 0.8\" }

[table.visits.family.v]
columns = [\"page\", \"referrer\"]
sizes = { page = \"40 B\", referrer = \"60 B\" }
ttl = \"90 days\"

[[table.visits.write]]
name = \"visit\"
rate = \"6k/s\"
peak = \"15k/s\"
shape = \"by day\"

[[table.visits.query]]
name = \"newest of a site\"
fix = [\"site\"]
order = \"newest\"
limit = 100
rate = \"500/s\"
```

A family is HBase's or Bigtable's column family, and on other engines a group of columns. The bytes of `page` are those
of its values, without keys.

Several files are one design: `rowkey check a.rowkey.toml b.rowkey.toml`, or a folder of them. A cluster of one file is
that of the tables of all. A name that stands twice is an error, but for a cluster that is the same. A field of a key is
`\"name: shape\"` in the grammar of [FORMAT.md](../FORMAT.md), with `desc`, `raw` or `nulls_first` after it.

Of sizes, `kB` (or `KB`), `MB`, `GB`, `TB` and `PB` are powers of 1000; `KiB`, `MiB`, `GiB` and `TiB` are powers of
1024. What HBase's books call 64 KB is `\"64 KiB\"`. Counts have `k`, `M`, `G` and `T`, powers of 1000, as in `\"2M\"` and
`\"50k/s\"`; a rate is for each `s`, `min`, `h` or `day`. Lengths of time have `ms`, `s`, `min`, `h`, `days`, `weeks`,
`months` and `years`, also as whole words and in the singular: a month is 30 days, a year 365.

Of `means`, `sequence` is a number that grows with each new row of this table. The id of something else is none, such as
that of a user with many rows, even if it was given in sequence: say how many there are, as in
`stats.user = { distinct = \"50M\" }`.

The `rate` of a write or query is its average, `peak` the highest. `shape = \"by day\"` has one maximum a day, in the
middle of it; `shape = \"bursts of 10 min every 1 h\"` has `peak` in each burst, and between bursts what is left of `rate`.
Where one of the two is not said, the other tells it, and the program says what it assumes: twice the average by day,
nothing between bursts. Without a shape the rate is the same at all times, also in a
simulation, which says that it leaves such a peak out. `check` judges each write and query at its `peak`.

Where a query's reads land is told by its `rate`, and by what it asks for most: `recent = \"1 h\"` for rows of the last
hour, `skew.user = \"zipf 1.1\"` for users of whom some are asked for more than others, and `skew.name = \"one value\"` for
a row that everybody reads. H26 holds them against `region.reads` of the cluster.
";

/// The JSON Schema of design files, for editors.
pub fn json_schema() -> Json {
    let mut schema = DesignFile::schema();
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        schema.insert("title".to_owned(), "A design of tables in a sorted store".into());
    }
    schema
}

/// Every key of a design file, what it takes and what it says, as Markdown.
///
/// ```
/// assert!(rowkey_design::internal::design::reference().contains("\n## `[table.NAME]`\n"));
/// ```
pub fn reference() -> String {
    let mut page = BEFORE.to_owned();
    let schema = json_schema();
    object(&mut page, &schema, "");
    page
}

/// An object's keys, and after them the objects in it.
fn object(page: &mut String, schema: &Json, path: &str) {
    let empty = Map::new();
    let keys = schema["properties"].as_object().unwrap_or(&empty);
    let required =
        |key: &str| schema["required"].as_array().into_iter().flatten().any(|required| required.as_str() == Some(key));
    page.push_str("\n| key | value | |\n|---|---|---|\n");
    for (key, value) in keys {
        let needed = if required(key) { " (needed)" } else { "" };
        let said = value["description"].as_str().unwrap_or_default().replace('|', "\\|").replace('\n', " ");
        let _ = writeln!(page, "| `{key}`{needed} | {} | {said} |", kind(value));
    }
    for (key, value) in keys {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        objects(page, value, &path, false);
    }
}

/// The objects in a value, each with its heading.
fn objects(page: &mut String, value: &Json, path: &str, listed: bool) {
    for choice in value["anyOf"].as_array().into_iter().flatten() {
        objects(page, choice, path, listed);
    }
    if value["properties"].is_object() {
        let heading = if listed { format!("[[{path}]]") } else { format!("[{path}]") };
        let _ = write!(page, "\n## `{heading}`\n");
        return object(page, value, path);
    }
    if value["additionalProperties"].is_object() {
        objects(page, &value["additionalProperties"], &format!("{path}.NAME"), false);
    }
    if value["items"].is_object() {
        objects(page, &value["items"], path, true);
    }
}

/// The kind of a value.
fn kind(value: &Json) -> String {
    let code = |json: &Json| format!("`{json}`");
    let list = |json: &Json| json.as_array().map(|all| all.iter().map(code).collect::<Vec<_>>().join(", "));
    if let Some(choices) = value["anyOf"].as_array() {
        return choices.iter().map(kind).collect::<Vec<_>>().join(", or ");
    }
    if value.get("const").is_some() {
        return code(&value["const"]);
    }
    if let Some(words) = list(&value["enum"]) {
        return words;
    }
    if let Some(examples) = list(&value["examples"]) {
        return format!("such as {examples}");
    }
    match value["type"].as_str() {
        Some("integer") => match (value["minimum"].as_u64(), value["maximum"].as_u64()) {
            (Some(least), Some(most)) if most < u32::MAX.into() => format!("a whole number, {least} to {most}"),
            (Some(least), _) => format!("a whole number from {least}"),
            _ => "a whole number".to_owned(),
        },
        Some("number") => "a number".to_owned(),
        Some("boolean") => "`true` or `false`".to_owned(),
        Some("string") if value["format"] == "date" => "a day".to_owned(),
        Some("string") => "text".to_owned(),
        Some("array") if value["items"]["properties"].is_object() => "tables, see below".to_owned(),
        Some("array") => format!("a list: {}", kind(&value["items"])),
        Some("object") if value["additionalProperties"].is_object() => {
            format!("by name: {}", kind(&value["additionalProperties"]))
        }
        _ => "a table, see below".to_owned(),
    }
}
