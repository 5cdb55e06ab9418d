//! The text of a design file, from answers.

use std::collections::BTreeMap;

use rowkey::foreign::Foreign;
use rowkey::layout::Scalar;
use rowkey::untyped::TypeBuf;
use rowkey_design::internal::design::{Engine, KeyField};
use rowkey_design::internal::quote::{toml, toml_key};
use rowkey_design::{CheckOptions, Design, File};

/// A design file in the making.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// The engine.
    pub(super) engine: Option<Engine>,
    /// The number of servers, as a value of TOML; empty where it is not known.
    pub(super) servers: String,
    /// The sections of tables.
    pub(super) tables: String,
    /// Sections of writes and queries.
    pub(super) sections: Vec<String>,
}

/// True of an engine whose servers somebody counts: it is neither one process nor a service without any.
pub(super) fn has_servers(engine: Engine) -> bool {
    !matches!(engine, Engine::DynamoDb | Engine::Fjall | Engine::RocksDb)
}

/// The section of a table with its key: fields as `host: text, at: instant desc`, or an array of TOML.
pub(super) fn table(name: &str, key: &str) -> String {
    let fields = match key.starts_with('[') {
        true => key.to_owned(),
        false => format!("[{}]", fields(key).iter().map(|field| toml(field.trim())).collect::<Vec<_>>().join(", ")),
    };
    format!("\n[table.{}]\nkey = {fields}\n", toml_key(name))
}

/// A table of this name with all that an engine looks at before it takes the name.
pub(super) fn stand_in(name: &str) -> String {
    format!("{}\n[table.{}.family.d]\n", table(name, "id: u64"), toml_key(name))
}

/// The fields of a key: at commas that are in no brackets and in no quotes.
fn fields(key: &str) -> Vec<String> {
    let (mut fields, mut depth, mut is_quoted) = (vec![String::new()], 0i32, false);
    for c in key.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            '(' | '[' | '{' | '<' if !is_quoted => depth += 1,
            ')' | ']' | '}' | '>' if !is_quoted => depth -= 1,
            _ => {}
        }
        match (c, fields.last_mut()) {
            (',', _) if depth <= 0 && !is_quoted => fields.push(String::new()),
            (_, Some(field)) => field.push(c),
            _ => {}
        }
    }
    fields
}

/// The section of a write or a query, from `NAME: KEY VALUE, KEY VALUE`, with keys of the file.
pub(super) fn section(table: &str, kind: &str, text: &str) -> Result<String, String> {
    let Some((name, parts)) = text.split_once(':') else {
        return Err(format!("{text:?} has no name: write it as `NAME: {}`", example(kind, "FIELD")));
    };
    let mut others = Vec::new();
    let (mut lists, mut maps) = (BTreeMap::<&str, Vec<String>>::new(), BTreeMap::<&str, Vec<String>>::new());
    for part in parts.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (key, rest) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
        let rest = rest.trim();
        match key {
            "fix" | "where" | "columns" | "updates" => {
                lists.entry(key).or_default().extend(rest.split_whitespace().map(toml));
            }
            "range" | "among" | "starts_with" => {
                let (field, width) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                let item = format!("{} = {}", toml_key(field), value(width.trim()));
                maps.entry(key).or_default().push(item);
            }
            _ => others.push(format!("{} = {}", toml_key(key), value(rest))),
        }
    }
    let mut lines = vec![format!("name = {}", toml(name.trim()))];
    lines.extend(lists.into_iter().map(|(key, items)| format!("{key} = [{}]", items.join(", "))));
    lines.extend(maps.into_iter().map(|(key, items)| format!("{key} = {{ {} }}", items.join(", "))));
    lines.extend(others);
    Ok(format!("\n[[table.{}.{kind}]]\n{}\n", toml_key(table), lines.join("\n")))
}

/// An example of a write or a query, after its name.
pub(super) fn example(kind: &str, field: &str) -> String {
    if kind == "write" { "rate 50k/s".to_owned() } else { format!("fix {field}, limit 20") }
}

/// A value of TOML: a number, text, or, where there is none, `true`.
fn value(text: &str) -> String {
    match text {
        "" | "true" => "true".to_owned(),
        "false" => text.to_owned(),
        number if number.bytes().all(|byte| byte.is_ascii_digit()) => number.to_owned(),
        text => toml(text),
    }
}

impl Draft {
    /// The design; or what is wrong, a line for each fault.
    pub(super) fn design(&self) -> Result<Design, String> {
        let text = format!("format = 1\n{}{}{}", self.cluster(), self.tables, self.sections.concat());
        let design = Design::parse([File { name: String::new(), text }]);
        let faults = match &design {
            Ok(design) => design.check(&CheckOptions::new(crate::designs::today())).problems,
            Err(problems) => problems.list.clone(),
        };
        let said = faults.into_iter().map(|fault| match fault.help {
            Some(help) => format!("{}; {help}", fault.message),
            None => fault.message,
        });
        let said: Vec<String> = said.collect();
        design.ok().filter(|_| said.is_empty()).ok_or_else(|| said.join("\n"))
    }

    /// The same draft with something more, if that is valid.
    pub(super) fn with(&self, change: impl FnOnce(&mut Self)) -> Result<Self, String> {
        let mut draft = self.clone();
        change(&mut draft);
        draft.design().map(|_| draft)
    }

    fn cluster(&self) -> String {
        let Some(engine) = self.engine else { return String::new() };
        let servers = if self.servers.is_empty() { String::new() } else { format!("servers = {}\n", self.servers) };
        format!("\n[cluster.main]\nengine = \"{engine}\"\n{servers}")
    }

    /// The fields of the tables whose type does not tell a number from a time or an id.
    pub(super) fn plain_numbers(&self) -> Vec<(String, String)> {
        let Ok(design) = self.design() else { return Vec::new() };
        let fields = design.tables.values().flat_map(|table| {
            let key = table.table.key.iter().filter(|field| !table.table.means.contains_key(&field.name));
            key.filter_map(|field| match &field.field.as_ref()?.ty {
                TypeBuf::Scalar(scalar) => Some((field.name.clone(), scalar.to_string())),
                _ => None,
            })
        });
        let is_plain = |shape: &str| matches!(shape, "u32" | "u64" | "u128" | "i32" | "i64" | "i128" | "bytes[16]");
        fields.filter(|(_, shape)| is_plain(shape)).collect()
    }

    /// Adds the meaning of a field, to a draft of one table that ends with its section.
    pub(super) fn mean(&mut self, field: &str, meaning: &str) {
        self.tables += &format!("means.{} = {}\n", toml_key(field), toml(meaning));
    }

    /// The text of the file, with what can be added as comments.
    pub(super) fn text(&self, file: &str) -> String {
        let mut text = format!(
            "# A design: `rowkey check {file}` judges it.\n# Take the `#` from lines such as `#rows = …`, and say \
             what yours are. `rowkey schema --markdown` has every key.\nformat = 1\n{}",
            self.cluster()
        );
        if self.engine.is_some_and(has_servers) {
            if self.servers.is_empty() {
                text += "# The servers or nodes, among which writes have to be spread:\n#servers = 10\n";
            }
            text += "# The writes that one server takes, where yours are measured:\n#region.writes = \"20k/s\"\n";
        }
        text += &self.tables;
        let Ok(design) = self.design() else { return text };
        if let Some(name) = design.tables.keys().next().filter(|_| design.tables.len() == 1) {
            text += &self.table_comments(&design, name);
            text += &self.sections.concat();
            text += &self.section_comments(&design, name);
        } else {
            text += &self.sections.concat();
        }
        text
    }

    /// Keys of a table that are not there, if its section is the last.
    fn table_comments(&self, design: &Design, name: &str) -> String {
        let table = &design.tables[name].table;
        if self.tables.lines().filter(|line| line.starts_with('[')).count() > 1 {
            return String::new();
        }
        let mut text = String::new();
        if table.rows.is_none() {
            text += "# The number of rows when it is full grown:\n#rows = \"2G\"\n";
        }
        let stats = |field: &str| format!("stats.{} = {{ distinct = 100, skew = \"zipf 0.9\" }}\n", toml_key(field));
        let fits = |field: &&str| self.with(|draft| draft.tables += &stats(field)).is_ok();
        // Of a time, a constant, or what has a meaning, that is known.
        let is_known = |field: &KeyField| {
            let ty = field.field.as_ref().map(|field| &field.ty);
            table.means.contains_key(&field.name)
                || matches!(ty, Some(TypeBuf::Scalar(Scalar::Instant | Scalar::Foreign(Foreign::Constant(_)))))
        };
        let fields = table.key.iter().filter(|field| !is_known(field));
        if let Some(field) = fields.map(|field| field.name.as_str()).find(fits) {
            text += "# Of each field, how many different values it has and how uneven they are, so that hot spots and\n\
                     # the rows of a query are known:\n";
            text += &format!("#{}", stats(field));
        }
        text
    }

    /// Sections of a table that are not there.
    fn section_comments(&self, design: &Design, name: &str) -> String {
        let table = &design.tables[name].table;
        let (key, first) = (toml_key(name), table.key.first().map_or("", |field| &field.name));
        let mut text = String::new();
        if table.write.is_empty() {
            text += &format!(
                "\n# What is written, and how much at most:\n#[[table.{key}.write]]\n#name = \"a row\"\n\
                 #rate = \"5k/s\"\n#peak = \"20k/s\"\n"
            );
        }
        if table.query.is_empty() {
            text += &format!(
                "\n# What is read; without a query nobody knows whether the key fits:\n#[[table.{key}.query]]\n\
                 #name = \"one of them\"\n#fix = [{}]\n#limit = 20\n",
                toml(first)
            );
        }
        if table.family.is_empty() {
            let (what, ttl) = match self.engine {
                Some(Engine::HBase | Engine::Bigtable) => {
                    ("A column family: what `rowkey ddl` creates, and how long rows are kept", "ttl = \"90 days\"\n")
                }
                _ => ("The values of a row: their sizes", ""),
            };
            let of_queries = table.query.iter().flat_map(|query| &query.columns);
            let said = table.write.iter().flat_map(|write| &write.columns).chain(of_queries);
            let mut columns: Vec<&str> = said.map(|column| column.as_str()).collect();
            columns.sort_unstable();
            columns.dedup();
            let columns = if columns.is_empty() { vec!["value"] } else { columns };
            let sizes = columns.iter().map(|column| format!("sizes.{} = \"200 B\"\n", toml_key(column)));
            let family = format!("[table.{key}.family.d]\n{ttl}{}", sizes.collect::<String>());
            // Of columns that are named with their families, somebody knows more.
            if self.with(|draft| draft.sections.push(family.clone())).is_ok() {
                text += &format!("\n# {what}:\n");
                family.lines().for_each(|line| text += &format!("#{line}\n"));
            }
        }
        text
    }
}
