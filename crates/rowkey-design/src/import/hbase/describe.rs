//! Output of HBase's shell and web interface on tables: `describe 'TABLE'` of all versions, the table's line of the web
//! interface, `get_splits 'TABLE'`, and names of regions.

use std::collections::HashSet;

use super::super::draft::{Draft, Splits};
use super::super::{Reading, lines, of_shell};
use super::columns::{Heading, without_state};
use super::joined::{Line, Row, Width};
use super::maps::{Fault, Pair};
use super::output::{COUNTED, begins_family, binary, command, heads_families, is_outside, short, state_line};
use super::region::RegionName;
use super::table::{Table, Told, family_row, fault_at, words};
use crate::quote;

pub(in super::super) fn read(text: &str, name: Option<&str>, reading: &mut Reading) -> Vec<Draft> {
    let lines = lines(text).map(|(at, text)| Line { at, text }).collect();
    let mut describe = Describe { lines, next: 0, name, drafts: Vec::new(), heading: None, reading };
    while let Some(line) = describe.lines.get(describe.next).copied() {
        describe.line(line);
    }
    for draft in &mut describe.drafts {
        if let Splits::Keys(points) = &mut draft.splits {
            // A region may be named more than once, as its copies are.
            let mut seen = HashSet::new();
            points.retain(|point| seen.insert(point.clone()));
        }
    }
    describe.drafts
}

struct Describe<'t, 'r> {
    lines: Vec<Line<'t>>,
    next: usize,
    name: Option<&'t str>,
    drafts: Vec<Draft>,
    heading: Option<Heading>,
    reading: &'r mut Reading,
}

type Described<'t> = (Row<'t>, Vec<Pair>);

/// The most lines of one description, at the narrowest terminal.
const MOST_LINES: usize = 2000;

/// The most ends of lines at which a description is tried to be whole.
const MOST_TRIES: usize = 200;

impl<'t> Describe<'t, '_> {
    fn line(&mut self, line: Line<'t>) {
        let text = line.text.trim();
        if let Some((name, taken)) = state_line(&self.lines[self.next..]) {
            let heads: Vec<Line<'t>> = self.lines[self.next..self.next + taken].to_vec();
            self.next += taken;
            self.described(name, &heads);
        } else if let Some(heading) = Heading::of(line.text) {
            self.heading = Some(heading);
            self.next += 1;
        } else if text.starts_with(COUNTED) {
            self.next += 1;
            self.split_points(line);
        } else if let Some(region) = RegionName::find(line.text) {
            self.next += 1;
            self.region(&line, &region);
        } else if let Some(command) = command(line.text) {
            self.next += 1;
            self.skip_command(command);
        } else if self.begins_table(text) {
            self.one_table();
        } else if begins_family(text) {
            self.families_alone(line);
        } else {
            self.next += 1;
            let looks = text.contains("=> '") || text.contains("=>'") || text.contains("{NAME");
            if looks && !of_shell(line.text) {
                let message = format!("this part of a description has no beginning: {}", quote::terminal(&short(text)));
                self.reading.problem(line.place(), message, "paste the whole output, each line as it is");
            }
        }
    }

    fn begins_table(&self, text: &str) -> bool {
        let quoted = text.starts_with('\'') && (self.heading.is_some() || text.contains("', {"));
        let mapped = begins_family(text) && (self.heading.is_some() || text.contains("FAMILIES => ["));
        quoted || mapped
    }

    /// Reads the attributes and families after `Table t is ENABLED`.
    fn described(&mut self, name: String, heads: &[Line<'t>]) {
        self.heading = None;
        let Some(at) = heads.first().map(Line::place) else { return };
        let faults = self.reading.problems.len();
        let filled = self.filled(heads);
        let attributes = self.attributes(&name, filled);
        let families = self.families(filled);
        if families.is_empty() && self.reading.problems.len() == faults {
            let help = "paste the lines {NAME => …} after it too";
            self.reading.problem(at.clone(), format!("the description of {name} has no family"), help);
        }
        let mut draft = Draft { name, ..Draft::default() };
        let heads = Row::of(heads, false, filled);
        let of_families = families.iter().map(|(row, _)| row);
        let rows: Vec<&Row<'_>> =
            [&heads].into_iter().chain(attributes.iter().map(|(row, _)| row)).chain(of_families).collect();
        let mut told = Told { width: Width::of(&rows), reading: self.reading };
        if let Some((row, pairs)) = &attributes {
            told.attributes(row, pairs, &mut draft);
        }
        for (row, pairs) in &families {
            draft.families.extend(told.family(row, pairs));
        }
        self.quotas(&mut draft);
        self.add(draft, at);
    }

    /// The characters of lines that the shell has filled: a blank at the end of a heading shows that it has.
    fn filled(&self, heads: &[Line<'t>]) -> Option<usize> {
        let is_before = |line: &&Line<'t>| !begins_family(line.text.trim()) && !is_outside(line);
        let rest = self.lines[self.next..].iter().take_while(is_before);
        let headings = heads.last().into_iter().chain(rest.filter(|line| heads_families(line)));
        headings.filter(|line| line.text.ends_with(' ')).map(Line::len).next()
    }

    fn add(&mut self, draft: Draft, at: std::ops::Range<usize>) {
        if self.drafts.iter().any(|known| known.name == draft.name) {
            let message = format!("{} is described twice", quote::terminal(&draft.name));
            self.reading.problem(at, message, "remove one of its descriptions; names of regions go after it");
        } else {
            self.drafts.push(draft);
        }
    }

    /// Reads the lines up to the families: the table's name again, and its attributes.
    fn attributes(&mut self, name: &str, filled: Option<usize>) -> Option<Described<'t>> {
        let mut used = Vec::new();
        while let Some(line) = self.lines.get(self.next).copied() {
            let text = line.text.trim();
            if heads_families(&line) {
                self.next += 1;
                break;
            }
            if begins_family(text) || is_outside(&line) {
                break;
            }
            self.next += 1;
            used.push(line);
        }
        if used.iter().all(Line::is_blank) {
            return None;
        }
        let mut row = Row::of(&used, false, filled);
        match Table::of(&row.text) {
            Ok(table) if row.word(&table.name.at) == name && table.families.is_empty() => {
                row.is_word(&table.name.at);
                words(&mut row, &table.attributes);
                return Some((row, table.attributes));
            }
            Ok(table) => {
                let fault = Fault { at: table.name.at.start, expected: "the table's name and attributes" };
                fault_at(&row, &fault, self.reading);
            }
            Err(fault) => fault_at(&row, &fault, self.reading),
        }
        None
    }

    /// Reads the rows of families that follow.
    fn families(&mut self, filled: Option<usize>) -> Vec<Described<'t>> {
        let mut families = Vec::new();
        while let Some(line) = self.lines.get(self.next).copied() {
            let text = line.text.trim();
            if text.is_empty() {
                self.next += 1;
            } else if begins_family(text) {
                if let Some((mut row, pairs)) = self.whole(|row| family_row(&row.text), false, filled) {
                    words(&mut row, &pairs);
                    families.push((row, pairs));
                }
            } else if is_outside(&line) {
                break;
            } else {
                let message = format!("this is no family: {}", quote::terminal(&short(text)));
                self.reading.problem(line.place(), message, "paste the whole output, each line as it is");
                self.next += 1;
            }
        }
        families
    }

    /// Families before which no table is named.
    fn families_alone(&mut self, line: Line<'t>) {
        let families = self.families(None);
        if self.drafts.is_empty() {
            let Some(name) = self.name else {
                let help = "paste the line `Table … is ENABLED` too, or give the name";
                self.reading.problem(line.place(), "the name of the table is not there", help);
                return;
            };
            self.drafts.push(Draft { name: name.to_owned(), ..Draft::default() });
        }
        let rows: Vec<&Row<'_>> = families.iter().map(|(row, _)| row).collect();
        let mut told = Told { width: Width::of(&rows), reading: self.reading };
        let families: Vec<_> = families.iter().filter_map(|(row, pairs)| told.family(row, pairs)).collect();
        if let Some(draft) = self.drafts.last_mut() {
            draft.families.extend(families);
        }
    }

    /// Reads a table that is described in one row.
    fn one_table(&mut self) {
        let read = self.whole(|row| Table::of(&row.text), true, self.heading.map(Heading::first));
        self.heading = None;
        let Some((mut row, table)) = read else { return };
        row.is_word(&table.name.at);
        words(&mut row, &table.attributes);
        table.families.iter().for_each(|family| words(&mut row, family));
        let at = row.place(table.name.at.clone());
        if table.families.is_empty() {
            self.reading.problem(at, "this table has no family", "paste the whole line");
            return;
        }
        let mut draft = Draft { name: row.word(&table.name.at), ..Draft::default() };
        let mut told = Told { width: Width::of(&[&row]), reading: self.reading };
        told.attributes(&row, &table.attributes, &mut draft);
        for family in &table.families {
            draft.families.extend(told.family(&row, family));
        }
        self.add(draft, at);
    }

    /// Reads lines from here until they are whole. Notes a fault if they never are.
    fn whole<T: PartialEq>(
        &mut self,
        read: impl Fn(&Row<'t>) -> Result<T, Fault>,
        is_table: bool,
        filled: Option<usize>,
    ) -> Option<(Row<'t>, T)> {
        let from = self.next;
        let (mut used, mut tries): (Vec<Line<'t>>, usize) = (Vec::new(), 0);
        let mut end = from;
        for (i, line) in self.lines.iter().enumerate().skip(from).take(MOST_LINES) {
            let text = line.text.trim();
            if (!used.is_empty() && (!is_table && begins_family(text) || is_outside(line))) || tries == MOST_TRIES {
                break;
            }
            end = i + 1;
            used.push(*line);
            let ends = text.ends_with(['}', ']']) || is_table && (text.ends_with("true") || text.ends_with("false"));
            let follows = self.lines.get(i + 1).map_or("", |next| next.text.trim());
            if !ends || follows.starts_with([',', '}', ']']) {
                continue;
            }
            tries += 1;
            let ways = self.ways(&used, is_table, filled).into_iter();
            let mut ways = ways.filter_map(|row| read(&row).ok().map(|read| (row, read)));
            if let Some((row, table)) = ways.next() {
                self.next = end;
                if ways.all(|(other, _)| other.text == row.text) {
                    return Some((row, table));
                }
                let help = "remove the word of the column ENABLED in the text";
                self.reading.problem(row.place(0..1), "the column ENABLED can be read in two ways", help);
                return None;
            }
        }
        self.next = end;
        let ways = self.ways(&used, is_table, filled).into_iter();
        let faults = ways.filter_map(|row| read(&row).err().map(|fault| (row, fault)));
        // The way that is understood furthest says most.
        match faults.max_by_key(|(_, fault)| fault.at) {
            Some((row, fault)) => fault_at(&row, &fault, self.reading),
            None => {
                let place = used.first().map_or(0..0, Line::place);
                let help = "paste the column ENABLED too, or the line without its heading";
                self.reading.problem(place, "the column ENABLED has neither true nor false", help);
            }
        }
        None
    }

    fn ways(&self, lines: &[Line<'t>], is_table: bool, filled: Option<usize>) -> Vec<Row<'t>> {
        if !is_table {
            return vec![Row::of(lines, false, filled)];
        }
        without_state(lines, self.heading).iter().map(|lines| Row::of(lines, true, filled)).collect()
    }

    /// Notes the quotas that follow.
    fn quotas(&mut self, draft: &mut Draft) {
        let skipped = self.lines[self.next..].iter().take_while(|line| line.text.trim().is_empty()).count();
        if self.lines.get(self.next + skipped).is_none_or(|line| line.text.trim() != "QUOTAS") {
            return;
        }
        self.next += skipped + 1;
        while let Some(line) = self.lines.get(self.next).filter(|line| !is_outside(line)) {
            if !line.text.trim().is_empty() {
                draft.comments.push(format!("A design has no key for this quota: {}", line.text.trim()));
            }
            self.next += 1;
        }
    }

    /// Skips the lines of a command that the shell repeats.
    fn skip_command(&mut self, command: &str) {
        let mut line = command;
        while line.trim_end().ends_with([',', '\\', '{', '[', '(']) {
            let Some(next) = self.lines.get(self.next) else { return };
            self.next += 1;
            line = next.text;
        }
    }

    fn split_points(&mut self, heading: Line<'t>) {
        let number: usize = heading.text.trim().trim_start_matches(COUNTED).trim().parse().unwrap_or(1);
        // The first region begins at no split point.
        for missing in (1..number).rev() {
            let line = self.lines.get(self.next).copied();
            let ends = |line: &Line<'_>| {
                of_shell(line.text) || line.text.starts_with(COUNTED) || state_line(&[*line]).is_some()
            };
            let Some(line) = line.filter(|line| !ends(line)) else {
                let lines = if missing == 1 { "the last line is".to_owned() } else { format!("{missing} lines are") };
                let message =
                    format!("{lines} missing after this: a line for each split point, one fewer than are counted here");
                self.reading.problem(heading.place(), message, "paste all that get_splits printed");
                return;
            };
            self.next += 1;
            let point = binary(line.text).filter(|point| !point.is_empty());
            match (point, self.drafts.last_mut()) {
                (_, None) => {}
                (Some(point), Some(draft)) => draft.split_at(point),
                (None, _) => self.reading.problem(line.place(), "this is not a split point", BINARY),
            }
        }
    }

    fn region(&mut self, line: &Line<'t>, region: &RegionName<'t>) {
        let Some(start) = binary(region.start) else {
            let place = line.at + region.start_at.start..line.at + region.start_at.end;
            self.reading.problem(place, "this is not the start key of a region", BINARY);
            return;
        };
        let known = self.drafts.iter().position(|draft| draft.name == region.table).unwrap_or_else(|| {
            let comments = vec!["Names of regions say no family".to_owned()];
            self.drafts.push(Draft { name: region.table.to_owned(), comments, ..Draft::default() });
            self.drafts.len() - 1
        });
        if !start.is_empty() {
            self.drafts[known].split_at(start);
        }
    }
}

const BINARY: &str = "write printable ASCII, and other bytes as \\x0A";

impl Draft {
    fn split_at(&mut self, point: Vec<u8>) {
        match &mut self.splits {
            Splits::Keys(points) => points.push(point),
            splits => *splits = Splits::Keys(vec![point]),
        }
    }
}
