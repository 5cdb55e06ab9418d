//! Findings and faults as rustc prints them.

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};

use crate::check::{AllowedBy, AllowedFinding, Report};
use crate::file::{Bytes, Count};
use crate::finding::{Edit, Finding, Measure};
use crate::problem::{Files, Problem, Span};
use crate::quote::terminal;
use crate::resolve::Design;
use crate::rule::Severity;
use crate::rules::context::CheckOptions;

use super::{counted, reads, sampled, short};

/// The colours of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Styles {
    /// Without colours.
    Plain,
    /// With colours, by escape sequences of terminals.
    Coloured,
}

impl Styles {
    fn renderer(self) -> Renderer {
        match self {
            Self::Plain => Renderer::plain(),
            Self::Coloured => Renderer::styled(),
        }
    }
}

/// A line longer than this, in bytes, is not printed.
const LONGEST_LINE: usize = 1000;

/// The part of a file that is shown for a place: its lines, the number of the first, and the place in them.
struct Excerpt {
    text: String,
    line: usize,
    start: usize,
    end: usize,
}

/// The part of a place over many lines that is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    /// Of a table or an array, where it begins is enough.
    First,
    /// Of what an edit replaces, all.
    All,
}

impl Excerpt {
    fn of(files: &Files, place: Span, lines: Lines) -> Option<Self> {
        let text = &files.file(place)?.text;
        text.get(place.range())?;
        let byte_order_mark = text.len() - text.trim_start_matches('\u{feff}').len();
        let start = text[..place.start].rfind('\n').map_or(byte_order_mark, |newline| newline + 1);
        let last = if lines == Lines::All { place.end } else { place.start };
        let line_end = text[last..].find('\n').map_or(text.len(), |newline| last + newline);
        let shown = text.get(start..line_end)?;
        let shown = shown.strip_suffix('\r').unwrap_or(shown);
        if shown.len() > LONGEST_LINE {
            return None;
        }
        let [first, last] = [place.start, place.end].map(|at| at.saturating_sub(start).min(shown.len()));
        let (before, marked, after) = (visible(&shown[..first]), visible(&shown[first..last]), visible(&shown[last..]));
        Some(Self {
            line: files.line_and_column(place).0,
            start: before.len(),
            end: before.len() + marked.len(),
            text: before + &marked + &after,
        })
    }
}

/// Lines of a file with one character for each of its own, so that columns stay: those that a terminal would obey or
/// not show are replaced. The renderer knows ASCII's own signs for control characters, and widens tabs.
fn visible(line: &str) -> String {
    let hidden = |c: char| !c.is_ascii() && terminal(c.encode_utf8(&mut [0; 4])).starts_with('\\');
    let line: String = line.chars().map(|c| if hidden(c) { char::REPLACEMENT_CHARACTER } else { c }).collect();
    line.replace("\r\n", "\n")
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// Everything that is wrong in design files.
pub(super) fn problems(files: &Files, problems: &[Problem], styles: Styles) -> String {
    let renderer = styles.renderer();
    problems.iter().map(|problem| shown(&renderer, Level::ERROR, files, problem) + "\n").collect()
}

fn shown(renderer: &Renderer, level: Level<'static>, files: &Files, problem: &Problem) -> String {
    let title = level.primary_title(short(&problem.message));
    let help = problem.help.as_ref().map(|help| Level::HELP.message(short(help)));
    let group = with_place(Group::with_title(title), files, problem.place, String::new());
    renderer.render(&[group.elements(help)]) + "\n"
}

/// A group with the lines of a place; its name, line and column alone where they are too long.
fn with_place<'f>(group: Group<'f>, files: &'f Files, place: Span, label: String) -> Group<'f> {
    let Some(file) = files.file(place) else { return group };
    let name = short(&file.name);
    match Excerpt::of(files, place, Lines::First) {
        Some(excerpt) => {
            let annotation = AnnotationKind::Primary.span(excerpt.start..excerpt.end).label(label);
            group.element(Snippet::source(excerpt.text).line_start(excerpt.line).path(name).annotation(annotation))
        }
        None => {
            let (line, column) = files.line_and_column(place);
            group.element(Level::NOTE.message(format!("{name}:{line}:{column}")))
        }
    }
}

/// A report: the findings, what is allowed, what each query reads, and a line that counts all.
pub(super) fn report(design: &Design, options: &CheckOptions, report: &Report, styles: Styles) -> String {
    let renderer = styles.renderer();
    let mut text = String::new();
    for (table, profile) in &options.profiles {
        text += &sampled::text(table, profile);
        text.push('\n');
    }
    for finding in &report.findings {
        text += &found(&renderer, &design.files, finding);
        text.push('\n');
    }
    for note in &report.notes {
        text += &(shown(&renderer, Level::NOTE, &design.files, note) + "\n");
    }
    text += &problems(&design.files, &report.problems, styles);
    let known = report.allowed.iter().filter(|allowed| allowed.by == AllowedBy::Baseline).count();
    if known > 0 {
        text += &format!("allowed {} that the baseline knows\n", counted(known, "finding"));
    }
    for AllowedFinding { finding, by } in &report.allowed {
        let of = finding.of.as_ref().map_or(String::new(), |of| format!(" {of:?}"));
        let (until, why) = match by {
            AllowedBy::Allow(allow) => (allow.until.as_ref(), allow.why.value.clone()),
            AllowedBy::Level(Some(place)) => (None, format!("`rules`, at {}", design.files.position(*place))),
            AllowedBy::Level(None) => (None, "an option of this check".to_owned()),
            AllowedBy::Baseline => continue,
        };
        let until = until.map_or(String::new(), |until| format!(" until {}", until.value));
        text += &short(&format!("allowed {} {}{of}{until}: {why}", finding.rule.id, finding.table));
        text.push('\n');
    }
    if !report.allowed.is_empty() {
        text.push('\n');
    }
    for unjudged in &report.unjudged {
        text += &format!("not judged: {}\n\n", terminal(&unjudged.question));
    }
    for assumed in &report.assumed {
        text += &format!("assumed: {assumed}\n\n");
    }
    text + &reads::text(report, design, options) + &summary(report)
}

/// A line for each finding and each fault, and one that counts all.
pub(super) fn lines(design: &Design, report: &Report) -> String {
    let files = &design.files;
    let line = |finding: &Finding| {
        let said = format!("{}[{}]: {}", finding.severity, finding.rule.id, finding.message);
        short(&format!("{}: {said}", at(files, finding.place))) + "\n"
    };
    report.findings.iter().map(line).collect::<String>() + &problem_lines(files, &report.problems) + &summary(report)
}

/// A line for each fault.
pub(super) fn problem_lines(files: &Files, problems: &[Problem]) -> String {
    let line = |problem: &Problem| {
        let help = problem.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
        short(&format!("{}: error: {}{help}", at(files, problem.place), problem.message)) + "\n"
    };
    problems.iter().map(line).collect()
}

fn at(files: &Files, place: Span) -> String {
    let (line, column) = files.line_and_column(place);
    format!("{}:{line}:{column}", files.file(place).map_or("", |file| &file.name))
}

fn summary(report: &Report) -> String {
    let count = |severity| report.count(severity);
    let errors = count(Severity::Error) + report.problems.len();
    format!(
        "{}, {}: {}, {}, {}, {}\n",
        counted(report.tables, "table"),
        counted(report.queries, "query"),
        counted(errors, "error"),
        counted(count(Severity::Warning), "warning"),
        counted(count(Severity::Note), "note"),
        counted(report.allowed.len(), "allowed"),
    )
}

fn found(renderer: &Renderer, files: &Files, finding: &Finding) -> String {
    let title = level(finding.severity).primary_title(short(&finding.message)).id(finding.rule.id);
    let group = with_place(Group::with_title(title), files, finding.place, String::new());
    let numbers = finding.numbers.iter().map(number).collect::<Vec<_>>().join(", ");
    let numbers = (!numbers.is_empty()).then(|| Level::NOTE.message(short(&numbers)));
    let witness = finding.witness.iter().map(|line| Level::NOTE.message(short(line)));
    let mut groups = vec![group.elements(numbers).elements(witness)];
    if let Some(remedy) = &finding.remedy {
        let mut help = Group::with_title(Level::HELP.secondary_title(short(&remedy.text)));
        for edit in &by_line(files, &remedy.edits) {
            let Some(file) = files.file(edit.place) else { continue };
            if let Some(excerpt) = Excerpt::of(files, edit.place, Lines::All) {
                let patch = Patch::new(excerpt.start..excerpt.end, shown_edit(&edit.text));
                help = help.element(
                    Snippet::source(excerpt.text).line_start(excerpt.line).path(short(&file.name)).patch(patch),
                );
            }
        }
        groups.push(help);
    }
    renderer.render(&groups) + "\n"
}

/// Edits in the order of their places, those of one line as one: each is shown with the lines that it changes.
fn by_line(files: &Files, edits: &[Edit]) -> Vec<Edit> {
    let mut sorted = edits.to_vec();
    sorted.sort_by_key(|edit| edit.place);
    let mut joined: Vec<Edit> = Vec::new();
    for edit in sorted {
        if let Some(last) = joined.last_mut().filter(|last| last.place.file == edit.place.file)
            && let Some(file) = files.file(edit.place)
            && let Some(between) = file.text.get(last.place.end..edit.place.start)
            && !between.contains('\n')
        {
            last.text += between;
            last.text += &edit.text;
            last.place.end = edit.place.end;
        } else {
            joined.push(edit);
        }
    }
    joined
}

/// The text of an edit, line by line.
fn shown_edit(text: &str) -> String {
    text.split('\n').map(terminal).collect::<Vec<_>>().join("\n")
}

fn number(number: &Measure) -> String {
    let value = match number.unit {
        "B" => Bytes(number.value).to_string(),
        "" => Count(number.value).to_string(),
        unit if unit.starts_with('/') => format!("{}{unit}", Count(number.value)),
        unit => format!("{} {unit}", Count(number.value)),
    };
    format!("{}: {value}", number.name)
}

#[cfg(test)]
mod tests {
    use crate::problem::File;

    use super::*;

    #[test]
    fn an_edit_over_many_lines_is_shown_whole_and_a_finding_by_its_first() {
        let text = "format = 1\r\n[table.t] # \u{9b}\r\nkey = [\r\n  \"a: u8\",\r\n] # \u{202e}é\r\n";
        let file = File { name: "t.rowkey.toml".to_owned(), text: text.to_owned() };
        let design = Design::parse([file]).unwrap();
        let start = text.find('[').unwrap();
        let place = Span { file: 0, start: start + 1, end: text.rfind(']').unwrap() + 1 };
        let shown = |lines| {
            let excerpt = Excerpt::of(&design.files, place, lines).unwrap();
            (excerpt.line, excerpt.text[excerpt.start..excerpt.end].to_owned(), excerpt.text)
        };
        let first = "[table.t] # \u{fffd}";
        assert_eq!(shown(Lines::First), (2, first[1..].to_owned(), first.to_owned()));
        let all = format!("{first}\nkey = [\n  \"a: u8\",\n]");
        assert_eq!(shown(Lines::All), (2, all[1..].to_owned(), format!("{all} # \u{fffd}é")));
    }
}
