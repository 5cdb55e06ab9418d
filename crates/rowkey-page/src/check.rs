//! The findings of a check of the design, with the tables that it has.

use rowkey_design::internal::report::{Format, Styles, invalid, report};
use rowkey_design::internal::sketch::Sketch;
use rowkey_design::{CheckOptions, Design, Edit, File, Problem, Report, Severity};
use serde_json::{Value as Json, json};

use crate::units::Units;

/// The findings and problems that are given: no page shows more.
const SHOWN: usize = 200;

/// The design as a file, by its name in messages.
pub(crate) fn file(design: &str) -> File {
    File { name: "design".to_owned(), text: design.to_owned() }
}

/// The report of `rowkey check --json`, its places as browsers count them, and the tables with their fields.
pub(crate) fn checked(text: &str, options: &CheckOptions) -> Result<Json, String> {
    let (printed, counts, tables) = match Design::parse([file(text)]) {
        Err(mut problems) => {
            let counts = vec![("problems", problems.list.len())];
            problems.list.truncate(SHOWN);
            (invalid(Format::Json, &problems, Styles::Plain), counts, None)
        }
        Ok(design) => {
            let mut found = design.check(options);
            found.notes.extend(unread(&design));
            let counts = counts(&found);
            shorten(&mut found);
            let tables: Vec<Json> = design.sketches(options).iter().map(table).collect();
            (report(Format::Json, &design, options, &found, Styles::Plain), counts, Some(tables))
        }
    };
    let mut json: Json = serde_json::from_str(&printed).map_err(|error| error.to_string())?;
    places(&mut json, &Units::of(text));
    for (name, count) in counts {
        json["summary"][name] = count.into();
    }
    json["tables"] = tables.into();
    Ok(json)
}

/// The numbers of what was found, by their names in the summary: that of a whole report, however much of it is given.
fn counts(report: &Report) -> Vec<(&'static str, usize)> {
    let [errors, warnings, notes] = [Severity::Error, Severity::Warning, Severity::Note].map(|of| report.count(of));
    let (problems, remarks) = (report.problems.len(), report.notes.len());
    vec![("errors", errors), ("warnings", warnings), ("notes", notes), ("problems", problems), ("remarks", remarks)]
}

/// Leaves as much of a report as is shown: problems of `allow` first, findings, then notes about what they are made of.
fn shorten(report: &mut Report) {
    report.problems.truncate(SHOWN);
    report.findings.truncate(SHOWN - report.problems.len());
    report.notes.truncate(SHOWN - report.problems.len() - report.findings.len());
}

/// A note for each file of keys that the design names: a page reads none.
fn unread(design: &Design) -> impl Iterator<Item = Problem> {
    design.sample_paths().into_iter().map(|sample| Problem {
        place: sample.place,
        message: format!(
            "{} is not read, as a page has no files: what it would say is not known",
            sample.path.display()
        ),
        help: Some("`rowkey check` in a terminal reads it".to_owned()),
    })
}

/// A table's fields, each with an example of its values.
fn table(sketch: &Sketch<'_>) -> Json {
    let values = sketch.keys.last().and_then(|key| sketch.layout.decode(key).ok()).unwrap_or_default();
    let fields = sketch.layout.fields().iter().zip(&values).map(|(field, value)| {
        let json = value.to_json();
        let text = sketch.times.date(&field.name, value).or_else(|| json.as_str().map(str::to_owned));
        json!({ "name": field.name, "shape": field.to_string(), "example": text.unwrap_or_else(|| json.to_string()) })
    });
    json!({ "name": sketch.name, "shape": sketch.layout.shape(), "fields": fields.collect::<Vec<_>>() })
}

/// Turns all places, which are bytes, into those of browsers.
fn places(json: &mut Json, units: &Units) {
    match json {
        Json::Array(all) => all.iter_mut().for_each(|one| places(one, units)),
        Json::Object(object) => {
            for (key, value) in object {
                match value.as_u64().filter(|_| key == "start" || key == "end") {
                    Some(byte) => *value = units.at(byte as usize).into(),
                    None => places(value, units),
                }
            }
        }
        _ => {}
    }
}

/// The edits of a finding, from the last to the first, if the design is valid with them.
pub(crate) fn fixed(design: &Design, options: &CheckOptions, finding: usize) -> Result<Json, String> {
    let report = design.check(options);
    let remedy = report.findings.get(finding).and_then(|finding| finding.remedy.as_ref());
    let mut edits: Vec<Edit> = remedy.map_or(Vec::new(), |remedy| remedy.edits.clone());
    edits.sort_by_key(|edit| edit.place);
    let after = design.files.edited(&edits);
    if edits.is_empty() || Design::parse(after).is_err() {
        return Err("its edits would not give a valid design: edit by hand".to_owned());
    }
    let units = Units::of(design.files.iter().next().map_or("", |file| &file.text));
    let edit = |edit: &Edit| {
        let (start, end) = (units.at(edit.place.start), units.at(edit.place.end));
        json!({ "start": start, "end": end, "text": edit.text })
    };
    Ok(json!({ "edits": edits.iter().rev().map(edit).collect::<Vec<_>>() }))
}

#[cfg(test)]
mod tests;
