//! Commands of HBase's shell that make tables: `create` and `alter`, as a script or with the shell's prompts.

use super::super::draft::{Draft, Family, Splits};
use super::super::{Reading, cluster, lines, of_shell};
use super::family::Given;
use super::joined::Line;
use super::maps::{Fault, Maps, Pair, Parsed, Quoting, Value, Word};
use super::output::{binary, is_outside, prompted};
use super::{attributes, family};
use crate::quote;

/// A file that a text names: its lines, or why it cannot be read.
pub(in super::super) type Named<'f> = &'f dyn Fn(&str) -> Result<String, String>;

/// Commands that change no table's design.
const OTHERS: &[&str] = &[
    "create_namespace",
    "alter_namespace",
    "describe",
    "desc",
    "get_splits",
    "list",
    "exists",
    "disable",
    "enable",
    "is_enabled",
    "is_disabled",
    "put",
    "get",
    "scan",
    "count",
    "delete",
    "deleteall",
    "incr",
    "flush",
    "compact",
    "major_compact",
    "split",
    "balancer",
    "balance_switch",
    "grant",
    "revoke",
    "status",
    "version",
    "whoami",
    "exit",
    "quit",
    "list_regions",
    "locate_region",
    "snapshot",
    "truncate_preserve",
    "truncate",
    "alter_status",
    "help",
    "puts",
];

pub(in super::super) fn read(text: &str, named: Named<'_>, reading: &mut Reading) -> Vec<Draft> {
    let commands = commands(text);
    let mut shell = Shell { drafts: Vec::new(), named, reading };
    // Of what is no command, a blank stands for each byte, so that places are the same.
    let mut maps = Maps::new(&commands, Quoting::Ruby);
    while !maps.is_at_end() {
        let at = maps.at;
        if let Err(fault) = shell.command(&mut maps) {
            let found: String = maps.rest_at(fault.at).chars().take(24).collect();
            let found = if found.is_empty() { "the end".to_owned() } else { format!("`{}`", quote::terminal(&found)) };
            let message = format!("{} expected, found {found}", fault.expected);
            shell.reading.problem(fault.at..fault.at, message, "write it as HBase's shell takes it");
            maps.at = maps.at.max(at) + maps.rest().find('\n').unwrap_or(maps.rest().len());
        }
    }
    shell.drafts
}

/// The text with blanks in place of prompts and of what the shell prints.
fn commands(text: &str) -> String {
    const PRINTED: &[&str] =
        &["Created table ", "Updating all regions", "Done.", "All regions updated", "Hbase::Table"];
    let mut commands = String::with_capacity(text.len());
    for (at, line) in lines(text) {
        while commands.len() < at {
            commands.push('\n');
        }
        let is_printed = (of_shell(line) && prompted(line).is_none())
            || PRINTED.iter().any(|printed| line.starts_with(printed))
            || line.trim_end().ends_with(" regions updated.")
            || is_outside(&Line { at, text: line }) && line.contains(" row(s)");
        let kept = if is_printed { "" } else { prompted(line).unwrap_or(line) };
        commands.extend(std::iter::repeat_n(' ', line.len() - kept.len()));
        commands.push_str(kept);
    }
    commands
}

struct Shell<'f, 'r> {
    drafts: Vec<Draft>,
    named: Named<'f>,
    reading: &'r mut Reading,
}

/// An argument of a command.
enum Argument {
    Word(Word),
    Map(Vec<Pair>),
}

impl Shell<'_, '_> {
    fn command(&mut self, maps: &mut Maps<'_>) -> Parsed<()> {
        let mut name = maps.word()?;
        if maps.mark("=") {
            // A table may be kept under a name.
            name = maps.word()?;
        }
        let at = name.at.clone();
        match name.text().as_str() {
            "create" | "create!" => {
                let arguments = arguments(maps)?;
                self.create(at, &arguments)
            }
            "alter" | "alter_async" => {
                let arguments = arguments(maps)?;
                self.alter(at, &arguments)
            }
            "drop" => {
                let arguments = arguments(maps)?;
                let Some(Argument::Word(name)) = arguments.first() else {
                    return Err(Fault { at: at.end, expected: "a table" });
                };
                self.drafts.retain(|draft| draft.name != name.text());
                Ok(())
            }
            other if OTHERS.contains(&other) => {
                maps.at += maps.rest().find('\n').unwrap_or(maps.rest().len());
                Ok(())
            }
            _ => Err(Fault { at: at.start, expected: "create or alter" }),
        }
    }

    fn create(&mut self, at: std::ops::Range<usize>, arguments: &[Argument]) -> Parsed<()> {
        let Some((Argument::Word(name), rest)) = arguments.split_first() else {
            return Err(Fault { at: at.end, expected: "a table's name" });
        };
        let mut draft = Draft { name: utf8(name)?, ..Draft::default() };
        for argument in rest {
            self.argument(&mut draft, argument, false)?;
        }
        if draft.families.is_empty() {
            self.reading.problem(at, "this table has no family", "HBase wants one: 'f', or {NAME => 'f'}");
            return Ok(());
        }
        if self.drafts.iter().any(|known| known.name == draft.name) {
            let message = format!("{} is created twice", quote::terminal(&draft.name));
            self.reading.problem(at, message, "remove one of them");
            return Ok(());
        }
        self.drafts.push(draft);
        Ok(())
    }

    fn alter(&mut self, at: std::ops::Range<usize>, arguments: &[Argument]) -> Parsed<()> {
        let Some((Argument::Word(name), rest)) = arguments.split_first() else {
            return Err(Fault { at: at.end, expected: "a table's name" });
        };
        let name = utf8(name)?;
        let Some(place) = self.drafts.iter().position(|draft| draft.name == name) else {
            let message = format!("{} is altered, and not created in this text", quote::terminal(&name));
            self.reading.problem(at, message, "write its create before it");
            return Ok(());
        };
        let mut draft = self.drafts.remove(place);
        let altered = rest.iter().try_for_each(|argument| self.argument(&mut draft, argument, true));
        self.drafts.insert(place, draft);
        altered
    }

    /// An argument after the table's name: a family, or settings of the table.
    fn argument(&mut self, draft: &mut Draft, argument: &Argument, alters: bool) -> Parsed<()> {
        let pairs = match argument {
            Argument::Word(name) => {
                draft.family(&utf8(name)?);
                return Ok(());
            }
            Argument::Map(pairs) => pairs,
        };
        let given = |key: &[u8]| pairs.iter().find(|pair| pair.key.bytes == key);
        let method = given(b"METHOD").map(|pair| word(&pair.value, pair)).transpose()?;
        if let (Some(pair), true) = (given(b"delete"), alters) {
            let name = utf8(&word(&pair.value, pair)?)?;
            return draft
                .without(&name)
                .ok_or(Fault { at: pair.key.at.start, expected: "a family that the table has" });
        }
        match method.as_ref().map(|method| method.text()).as_deref() {
            None if given(b"NAME").is_some() => self.family(draft, pairs),
            None | Some("table_att") => self.settings(draft, pairs),
            Some("delete") if alters => {
                let missing = Fault { at: pairs[0].key.at.start, expected: "the NAME of a family that the table has" };
                let pair = given(b"NAME").ok_or(missing.clone())?;
                draft.without(&utf8(&word(&pair.value, pair)?)?).ok_or(missing)
            }
            Some("table_att_unset" | "table_conf_unset" | "table_remove_coprocessor") if alters => {
                let names: Vec<String> = given(b"NAME").map(|pair| texts(&pair.value)).unwrap_or_default();
                for name in names {
                    cluster::forget(draft, &name);
                    let ends = [format!("for {name} => "), format!(": {name} => ")];
                    draft.comments.retain(|comment| !ends.iter().any(|end| comment.contains(end)));
                }
                Ok(())
            }
            Some(_) => Err(Fault { at: method.map_or(0, |method| method.at.start), expected: "a method of alter" }),
        }
    }

    /// A family of its own map. Options that are not there stay as they are.
    fn family(&mut self, draft: &mut Draft, pairs: &[Pair]) -> Parsed<()> {
        let (mut given, mut places, mut comments) = (Vec::new(), Vec::new(), Vec::new());
        let mut name = None;
        for pair in pairs {
            let key = pair.key.text();
            match &pair.value {
                Value::Word(value) if key == "NAME" => name = Some(utf8(value)?),
                Value::Word(value) if family::is_of_words(&key) => {
                    places.push(pair.key.at.clone());
                    given.push(Given { key, value: value.text() });
                }
                value => comments.extend(entries(&key, value)),
            }
        }
        let name = name.ok_or(Fault { at: pairs[0].key.at.start, expected: "NAME and a family's name" })?;
        let known = draft.family(&name);
        for (key, value) in comments {
            known.comments.retain(|comment| !comment.starts_with(&format!("A design has no key for {key} => ")));
            known.comments.push(format!("A design has no key for {key} => {value}"));
        }
        for given in &given {
            known.reset(&given.key);
        }
        for i in family::options(known, &given) {
            let message = format!("a design has no {} => '{}'", given[i].key, quote::terminal(&given[i].value));
            let help = "change it in the text to one that a design has, or remove it there";
            self.reading.problem(places[i].clone(), message, help);
        }
        Ok(())
    }

    fn settings(&mut self, draft: &mut Draft, pairs: &[Pair]) -> Parsed<()> {
        let number = |pair: &Pair| {
            let regions = word(&pair.value, pair)?.text().parse::<u32>().ok().filter(|regions| *regions > 1);
            regions.ok_or(Fault { at: pair.arrow.end, expected: "a number from 2" })
        };
        let (mut regions, mut algorithm) = (None, None);
        for pair in pairs {
            let key = pair.key.text();
            match key.as_str() {
                "METHOD" => {}
                "SPLITS" => draft.splits = points(pair)?,
                "SPLITS_FILE" => {
                    let file = word(&pair.value, pair)?;
                    match (self.named)(&file.text()) {
                        Ok(text) => {
                            let lines = text.lines().map(|line| point(line, pair));
                            draft.splits = Splits::Keys(lines.collect::<Parsed<_>>()?);
                        }
                        Err(reason) => {
                            let message =
                                format!("the file of split points cannot be read: {}", quote::terminal(&reason));
                            self.reading.problem(file.at, message, "put it beside the text, or write SPLITS => […]");
                        }
                    }
                }
                "NUMREGIONS" => regions = Some(number(pair)?),
                "SPLITALGO" => algorithm = Some((word(&pair.value, pair)?, pair)),
                _ => {
                    for (key, value) in entries(&key, &pair.value) {
                        draft
                            .comments
                            .retain(|comment| !comment.starts_with(&format!("A design has no key for {key} => ")));
                        attributes::note(draft, &key, &value);
                    }
                }
            }
        }
        let Some(regions) = regions else { return Ok(()) };
        let missing = Fault { at: pairs[0].key.at.start, expected: "SPLITALGO beside NUMREGIONS" };
        let (name, pair) = algorithm.ok_or(missing)?;
        let name = name.text();
        let rule = match name.rsplit(['.', '$']).next() {
            Some("HexStringSplit") => "hex",
            Some("DecimalStringSplit") => "decimal",
            Some("UniformSplit") => "uniform",
            _ => {
                return Err(Fault {
                    at: pair.arrow.end,
                    expected: "HexStringSplit, DecimalStringSplit or UniformSplit",
                });
            }
        };
        draft.splits = Splits::Equal(rule, regions);
        Ok(())
    }
}

impl Draft {
    /// Removes a family, if it is there.
    fn without(&mut self, name: &str) -> Option<()> {
        let place = self.families.iter().position(|family| family.name == name)?;
        self.families.remove(place);
        self.places.clear();
        self.places.extend(self.families.iter().enumerate().map(|(i, family)| (family.name.clone(), i)));
        Some(())
    }
}

impl Family {
    /// Takes back an option, which is set anew.
    fn reset(&mut self, key: &str) {
        const KEYS: &[(&str, &str)] = &[
            ("VERSIONS", "versions"),
            ("MIN_VERSIONS", "min_versions"),
            ("TTL", "ttl"),
            ("COMPRESSION", "compression"),
            ("DATA_BLOCK_ENCODING", "encoding"),
            ("BLOOMFILTER", "bloom"),
            ("BLOCKSIZE", "block"),
            ("IN_MEMORY", "in_memory"),
            ("IS_MOB", "mob"),
        ];
        let own = KEYS.iter().find(|(hbase, _)| *hbase == key).map(|(_, own)| *own);
        self.options.retain(|(known, _)| Some(*known) != own);
        self.comments.retain(|comment| !comment.starts_with(&format!("A design has no key for {key} => ")));
    }
}

/// Reads the arguments of a command, in parentheses or not; pairs without braces are one map.
fn arguments(maps: &mut Maps<'_>) -> Parsed<Vec<Argument>> {
    let in_parentheses = maps.mark("(");
    let mut arguments = Vec::new();
    loop {
        if maps.is_at_pair() {
            let mut pairs = vec![maps.pair()?];
            while maps.same_line().starts_with(',') && maps.mark(",") {
                if !maps.is_at_pair() {
                    return maps.fault("a pair KEY => value");
                }
                pairs.push(maps.pair()?);
            }
            arguments.push(Argument::Map(pairs));
            break;
        }
        match maps.value()? {
            Value::Word(word) => arguments.push(Argument::Word(word)),
            Value::Map(pairs) if pairs.is_empty() => {}
            Value::Map(pairs) => arguments.push(Argument::Map(pairs)),
            // A list of families.
            Value::List(values) => {
                for value in values {
                    match value {
                        Value::Word(word) => arguments.push(Argument::Word(word)),
                        Value::Map(pairs) if !pairs.is_empty() => arguments.push(Argument::Map(pairs)),
                        _ => return maps.fault("a list of families"),
                    }
                }
            }
        }
        if !(maps.same_line().starts_with(',') && maps.mark(",")) {
            break;
        }
    }
    if in_parentheses {
        maps.expect(")")?;
    }
    if maps.same_line().is_empty() || maps.same_line().starts_with([';', '#']) {
        _ = maps.same_line().starts_with(';') && maps.mark(";");
        return Ok(arguments);
    }
    maps.fault("a comma or the end of the command")
}

fn word(value: &Value, pair: &Pair) -> Parsed<Word> {
    match value {
        Value::Word(word) => Ok(word.clone()),
        _ => Err(Fault { at: pair.arrow.end, expected: "one value" }),
    }
}

fn utf8(word: &Word) -> Parsed<String> {
    let fault = Fault { at: word.at.start, expected: "a name in UTF-8, in quotes" };
    if word.quoted { String::from_utf8(word.bytes.clone()).map_err(|_| fault) } else { Err(fault) }
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Word(word) => vec![word.text()],
        Value::List(values) => values.iter().flat_map(texts).collect(),
        Value::Map(_) => Vec::new(),
    }
}

/// The keys and values of a setting: of a map, each with the map's name before it.
fn entries(key: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Map(pairs) => {
            pairs.iter().map(|pair| (format!("{key}: {}", pair.key.text()), texts(&pair.value).join(", "))).collect()
        }
        value => vec![(key.to_owned(), texts(value).join(", "))],
    }
}

fn points(pair: &Pair) -> Parsed<Splits> {
    let Value::List(values) = &pair.value else {
        return Err(Fault { at: pair.arrow.end, expected: "a list of split points" });
    };
    let point = |value: &Value| match value {
        Value::Word(word) => match std::str::from_utf8(&word.bytes) {
            Ok(text) => point(text, pair),
            Err(_) => Err(Fault { at: word.at.start, expected: "a split point with bytes as \\x0A in single quotes" }),
        },
        _ => Err(Fault { at: pair.arrow.end, expected: "a list of split points" }),
    };
    Ok(Splits::Keys(values.iter().map(point).collect::<Parsed<_>>()?))
}

/// A split point: the shell reads `\x0A` in it, and takes a byte of each other character.
fn point(text: &str, pair: &Pair) -> Parsed<Vec<u8>> {
    let wrong = Fault { at: pair.arrow.end, expected: "split points of ASCII, with other bytes as \\x0A" };
    binary(text).filter(|point| !point.is_empty()).ok_or(wrong)
}
