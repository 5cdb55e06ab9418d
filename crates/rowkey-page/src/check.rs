//! The findings of a check of the design, with the tables that it has.

use rowkey_design::internal::report::{Format, Styles, invalid, report};
use rowkey_design::internal::sketch::Sketch;
use rowkey_design::{CheckOptions, Design, Edit, File};
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
    let units = Units::of(text);
    let (printed, tables) = match Design::parse([file(text)]) {
        Err(mut problems) => {
            let count = problems.list.len();
            problems.list.truncate(SHOWN);
            (invalid(Format::Json, &problems, Styles::Plain), json!({ "problems": count }))
        }
        Ok(design) => {
            let mut found = design.check(options);
            found.findings.truncate(SHOWN);
            let tables: Vec<Json> = design.sketches(options).iter().map(table).collect();
            (report(Format::Json, &design, options, &found, Styles::Plain), json!({ "tables": tables }))
        }
    };
    let mut json: Json = serde_json::from_str(&printed).map_err(|error| error.to_string())?;
    places(&mut json, &units);
    json["design"] = tables;
    Ok(json)
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
