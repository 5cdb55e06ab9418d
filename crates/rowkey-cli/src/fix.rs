//! Writes the edits of findings into the files of a design.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::PathBuf;

use rowkey_design::{Design, Edit, File, Finding, RuleKind, Span, UnusedAllow};

use crate::designs;
use crate::failure::Failure;

/// The name of a finding from one check to the next.
pub(crate) type Name = (&'static str, String, Option<String>);

pub(crate) fn name(finding: &Finding) -> Name {
    (finding.rule.id, finding.table.clone(), finding.of.clone())
}

/// The findings to apply at once: one of each table, as another of the same table may be cured with it. Those of
/// queries come first: another order of the key costs less than a salt.
pub(crate) fn one_a_table<'r>(findings: impl Iterator<Item = &'r Finding>, tried: &HashSet<Name>) -> Vec<&'r Finding> {
    let mut all: Vec<_> =
        findings.filter(|finding| !edits(finding).is_empty() && !tried.contains(&name(finding))).collect();
    all.sort_by_key(|finding| (finding.rule.kind != RuleKind::Query, Reverse(finding.severity), finding.place));
    let mut tables = HashSet::new();
    all.retain(|finding| tables.insert(finding.table.as_str()));
    all
}

/// The result of edits.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// A line for each finding.
    pub(crate) said: Vec<String>,
    /// The number of findings that were left.
    pub(crate) left: usize,
}

/// Applies the edits of findings, a finding's all or none.
///
/// Findings whose edits touch those of one before are left, and those that would make the design invalid.
pub(crate) fn apply<'r>(
    design: &Design,
    findings: impl Iterator<Item = &'r Finding>,
    paths: &[PathBuf],
) -> Result<Applied, Failure> {
    let (apart, mut left) = apart(findings);
    let taken = valid(design, Vec::new(), &apart);
    left += apart.len() - taken.len();
    write(design, &edited(design, &taken), paths)?;
    let said = taken
        .iter()
        .map(|finding| {
            let name = design.files.file(finding.place).map_or("", |file| &file.name);
            let cure = finding.remedy.as_ref().map_or("", |remedy| &remedy.text);
            format!("fixed {}[{}] of {} in {name}: {cure}", finding.severity, finding.rule.id, finding.table)
        })
        .collect();
    Ok(Applied { said, left })
}

/// Takes an `allow` away whose finding is mended, and says so; none if the design would not be valid without it.
pub(crate) fn take_away(design: &Design, unused: &UnusedAllow, paths: &[PathBuf]) -> Result<Option<String>, Failure> {
    let after = design.files.edited(std::slice::from_ref(&unused.edit));
    if Design::parse(after.clone()).is_err() {
        return Ok(None);
    }
    write(design, &after, paths)?;
    let UnusedAllow { table, allow, edit, .. } = unused;
    let name = design.files.file(edit.place).map_or("", |file| &file.name);
    let of = allow.of.as_ref().map_or_else(|| table.clone(), |of| format!("{:?} of {table}", of.as_str()));
    let (rule, why) = (allow.rule.as_str(), allow.why.as_str());
    Ok(Some(format!("removed the allow of {rule} for {of} in {name}, which is found no more; it said: {why}")))
}

/// Writes the files that are others now.
fn write(design: &Design, after: &[File], paths: &[PathBuf]) -> Result<(), Failure> {
    let paths = designs::files(paths)?;
    let files: Vec<_> =
        design.files.iter().zip(after).zip(&paths).filter(|((old, new), _)| old.text != new.text).collect();
    // All are looked at before one is written.
    for ((old, _), path) in &files {
        let now = fs::read(path).map_err(|error| Failure::new(format!("cannot read {}: {error}", old.name)))?;
        if now != old.text.as_bytes() || !path.is_file() {
            return Err(Failure::new(format!("{} has changed since it was read: nothing is written", old.name)));
        }
    }
    for ((_, new), path) in &files {
        designs::write(path, &new.text)?;
    }
    Ok(())
}

/// The findings whose edits touch none of those before, and how many others have edits.
fn apart<'r>(findings: impl Iterator<Item = &'r Finding>) -> (Vec<&'r Finding>, usize) {
    // The end of each by file and start.
    let mut places = BTreeMap::new();
    let (mut apart, mut left) = (Vec::new(), 0);
    for finding in findings {
        let edits = edits(finding);
        if edits.is_empty() {
            continue;
        }
        // Two at one place touch too: the order of what they insert would be chance.
        let touches = |edit: &Edit| {
            let Span { file, start, end } = edit.place;
            places.range((file, 0)..=(file, end)).next_back().is_some_and(|(_, &before)| before >= start)
        };
        if edits.iter().any(touches) {
            left += 1;
        } else {
            places.extend(edits.iter().map(|edit| ((edit.place.file, edit.place.start), edit.place.end)));
            apart.push(finding);
        }
    }
    (apart, left)
}

fn edits(finding: &Finding) -> &[Edit] {
    finding.remedy.as_ref().map_or(&[], |remedy| &remedy.edits)
}

/// Those of some findings with whose edits the design stays valid, beside some that are taken.
fn valid<'r>(design: &Design, mut taken: Vec<&'r Finding>, more: &[&'r Finding]) -> Vec<&'r Finding> {
    let before = taken.len();
    taken.extend(more);
    if more.is_empty() || Design::parse(edited(design, &taken)).is_ok() {
        return taken;
    }
    taken.truncate(before);
    match more {
        [] | [_] => taken,
        _ => {
            let (some, rest) = more.split_at(more.len() / 2);
            let taken = valid(design, taken, some);
            valid(design, taken, rest)
        }
    }
}

/// The files after the edits of findings, with the line ends that each file has.
fn edited(design: &Design, findings: &[&Finding]) -> Vec<File> {
    let crlf: Vec<bool> = design.files.iter().map(|file| file.text.contains("\r\n")).collect();
    let edits = findings.iter().flat_map(|finding| edits(finding)).map(|edit| match crlf.get(edit.place.file) {
        Some(true) => Edit { text: edit.text.replace("\r\n", "\n").replace('\n', "\r\n"), ..edit.clone() },
        _ => edit.clone(),
    });
    design.files.edited(&edits.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use rowkey_design::{CheckOptions, Report};

    use super::*;

    const TEXT: &str = "format = 1\n[table.t]\nkey = [\"at: instant\", \"a: u64\"]\n[[table.t.query]]\nname = \"q\"\nfix = [\"a\"]\n[table.u]\nkey = [\"at: instant\", \"b: u64\"]\n[[table.u.query]]\nname = \"q\"\nfix = [\"b\"]\n";

    fn checked(path: &std::path::Path, text: &str) -> (Design, Report) {
        fs::write(path, text).unwrap();
        let design = designs::read(&[path.to_owned()]).unwrap();
        let report = design.check(&CheckOptions::new(designs::today()));
        (design, report)
    }

    fn with_edit(finding: &Finding, at: usize, text: &str) -> Finding {
        let mut finding = finding.clone();
        let place = Span { file: 0, start: at, end: at };
        finding.remedy.as_mut().unwrap().edits = vec![Edit { place, text: text.to_owned() }];
        finding
    }

    #[test]
    fn a_file_that_has_changed_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.rowkey.toml");
        let (design, report) = checked(&path, TEXT);
        let changed = format!("{TEXT}# more\n");
        fs::write(&path, &changed).unwrap();
        let failed = apply(&design, report.findings.iter(), std::slice::from_ref(&path)).unwrap_err();
        assert!(matches!(&failed, Failure::Other(why) if why.contains("has changed")), "{failed:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), changed);
    }

    #[test]
    fn edits_that_touch_or_do_harm_are_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.rowkey.toml");
        let (design, report) = checked(&path, TEXT);
        let found = report.findings.iter().find(|finding| finding.rule.id == "Q01").unwrap();
        let end = TEXT.len();
        let edits =
            [(end, "# one\n"), (end, "# touches\n"), (0, "harm = 1\n"), (10, " # two"), (30, "\0"), (21, "# three\n")];
        let findings: Vec<Finding> = edits.iter().map(|(at, text)| with_edit(found, *at, text)).collect();
        let applied = apply(&design, findings.iter(), std::slice::from_ref(&path)).unwrap();
        let expected = format!("{} # two{}# three\n{}# one\n", &TEXT[..10], &TEXT[10..21], &TEXT[21..]);
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        assert_eq!((applied.said.len(), applied.left), (3, 3), "{applied:?}");
    }

    #[test]
    fn lines_end_as_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.rowkey.toml");
        let (design, report) = checked(&path, &TEXT.replace('\n', "\r\n"));
        apply(&design, report.findings.iter(), std::slice::from_ref(&path)).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("key = [\"a: u64\", \"at: instant\"]\r\n"), "{text}");
        assert!(!text.replace("\r\n", "").contains(['\r', '\n']), "{text:?}");
    }
}
