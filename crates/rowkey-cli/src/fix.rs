//! Writes the edits of findings into the files of a design.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use rowkey_design::{Design, Edit, File, Finding, Place, Report};

use crate::designs;
use crate::failure::Failure;
use crate::output::counted;

/// Applies the edits of findings, a finding's all or none, and returns what was done, a line each.
///
/// Findings whose edits touch those of one before are left, and those that would make the design invalid.
pub(crate) fn apply(design: &Design, report: &Report, paths: &[PathBuf]) -> Result<Vec<String>, Failure> {
    let (apart, mut left) = apart(report);
    let taken = valid(design, Vec::new(), &apart);
    left += apart.len() - taken.len();
    let after = edited(design, &taken);
    let paths = designs::files(paths)?;
    let files: Vec<_> =
        design.files.iter().zip(&after).zip(&paths).filter(|((old, new), _)| old.text != new.text).collect();
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
    let mut said: Vec<String> = taken
        .iter()
        .map(|finding| {
            let name = design.files.file(finding.place).map_or("", |file| &file.name);
            let cure = finding.remedy.as_ref().map_or("", |remedy| &remedy.text);
            format!("fixed {}[{}] of {} in {name}: {cure}", finding.severity, finding.rule.id, finding.table)
        })
        .collect();
    if left > 0 {
        let reason = "edits touch those of another, or would not give a valid design";
        said.push(format!("left {} whose {reason}: run it again, or edit by hand", counted(left, "finding")));
    }
    if !said.is_empty() {
        said.push(String::new());
    }
    Ok(said)
}

/// The findings whose edits touch none of those before, and how many others have edits.
fn apart(report: &Report) -> (Vec<&Finding>, usize) {
    // The end of each by file and start.
    let mut places = BTreeMap::new();
    let (mut apart, mut left) = (Vec::new(), 0);
    for finding in &report.findings {
        let edits = edits(finding);
        if edits.is_empty() {
            continue;
        }
        // Two at one place touch too: the order of what they insert would be chance.
        let touches = |edit: &Edit| {
            let Place { file, start, end } = edit.place;
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
