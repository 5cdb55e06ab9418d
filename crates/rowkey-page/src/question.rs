//! The questions of the page, as JSON.

use rowkey_design::{CheckOptions, Date, Design};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::{check, code, complete, infer, key, suggest};

/// A request of the page. Its `design` is the text of a design file; requests about keys alone have none.
#[derive(Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
enum Question {
    Check { design: String, today: String },
    Fix { design: String, today: String, finding: usize },
    Complete { design: String, at: usize },
    Key { design: String, table: String, values: Vec<(String, String)> },
    Explain { design: String, table: String, form: String, key: String },
    Infer { keys: String },
    Map { design: String, today: String },
    Suggest { design: String, table: String, today: String },
    Code { design: String, table: String, language: String },
}

/// Answers a question: a JSON object, with `fault` where there is no response.
pub fn answer(question: &str) -> String {
    let question = serde_json::from_str(question).map_err(|error| format!("not a question: {error}"));
    let answered = question.and_then(|question| respond(&question));
    answered.unwrap_or_else(|error| json!({ "fault": error })).to_string()
}

fn respond(question: &Question) -> Result<Json, String> {
    match question {
        Question::Check { design, today } => check::checked(design, &options(today)?),
        Question::Fix { design, today, finding } => check::fixed(&parsed(design)?, &options(today)?, *finding),
        Question::Complete { design, at } => Ok(complete::complete(design, *at)),
        Question::Key { design, table, values } => key::encoded(&parsed(design)?, table, values),
        Question::Explain { design, table, form, key } => key::explained(&parsed(design)?, table, form, key),
        Question::Infer { keys } => infer::inferred(keys),
        Question::Map { design, today } => {
            Ok(json!({ "html": rowkey_simulate::page::sketched(&parsed(design)?, &options(today)?) }))
        }
        Question::Suggest { design, table, today } => suggest::suggested(&parsed(design)?, table, &options(today)?),
        Question::Code { design, table, language } => code::generated(&parsed(design)?, table, language),
    }
}

fn parsed(design: &str) -> Result<Design, String> {
    Design::parse([check::file(design)]).map_err(|problems| {
        let first = problems.to_string();
        let more = problems.list.len().saturating_sub(1);
        let first = first.lines().next().unwrap_or_default().to_owned();
        if more == 0 { first } else { format!("{first}; and {more} more") }
    })
}

/// The options of a check on a day, as 2026-01-31.
fn options(today: &str) -> Result<CheckOptions, String> {
    let date = today.parse::<Date>().map_err(|error| format!("{today}: {error}"))?;
    Ok(CheckOptions::new(date))
}
