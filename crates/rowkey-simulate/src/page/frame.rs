//! The frame of a page: its head, with all styles and the script, and the texts that every page has.

use data_encoding::BASE64;
use maud::{Markup, PreEscaped, html};
use rowkey_design::internal::quote::{json_text, terminal};
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::{PageText, Remark};

/// The styles of a page.
pub const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The first line of each page, by which it is known.
pub const FIRST_LINE: &str = "<!DOCTYPE html><!-- a page of rowkey -->";

/// A page of HTML that loads nothing and runs its own script alone.
pub(super) fn page(text: &PageText, data: Option<&Json>, body: &Markup) -> String {
    let script = data.map(|_| format!("script-src 'sha256-{}'; ", BASE64.encode(&Sha256::digest(SCRIPT))));
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; {}base-uri 'none'; form-action 'none'",
        script.unwrap_or_default()
    );
    let page = html! {
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (terminal(&text.title)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    header {
                        h1 { (terminal(&text.title)) }
                        @for sentence in &text.sentences { p class="lead" { (terminal(sentence)) } }
                    }
                    (body)
                    (remarks(&text.remarks))
                    (lines("Assumed", &text.assumed))
                    (lines("Not judged", &text.unjudged))
                }
                @if let Some(data) = data {
                    script type="application/json" id="cells" { (PreEscaped(safe(data))) }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        }
    };
    format!("{FIRST_LINE}\n{}", page.into_string())
}

/// JSON in which nothing begins or ends an element.
fn safe(json: &Json) -> String {
    json_text(json, false).replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
}

/// Facts, with a column for each design.
pub(super) fn facts(facts: &[(String, Vec<String>)], designs: &[String]) -> Markup {
    html! {
        @if !facts.is_empty() {
            div class="scroll" tabindex="0" role="region" aria-label="Facts" {
                table class="facts" aria-label="Facts" {
                    @if designs.len() > 1 {
                        thead { tr { td {} @for design in designs { th scope="col" { (terminal(design)) } } } }
                    }
                    tbody {
                        @for (name, values) in facts {
                            tr {
                                th scope="row" { (terminal(name)) }
                                @for value in values { td { (terminal(value)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn remarks(remarks: &[Remark]) -> Markup {
    html! {
        @if !remarks.is_empty() {
            section {
                h2 { "Findings" }
                ul class="remarks" {
                    @for remark in remarks {
                        li {
                            p {
                                strong class={ "severity " (severity(remark)) } { (terminal(&remark.severity)) }
                                " " span class="muted" { (terminal(&remark.rule)) } " " (terminal(&remark.message))
                            }
                            @if !remark.witness.is_empty() {
                                ul class="witness" { @for line in &remark.witness { li { (terminal(line)) } } }
                            }
                            @if !remark.remedy.is_empty() { p class="muted" { (terminal(&remark.remedy)) } }
                        }
                    }
                }
            }
        }
    }
}

fn severity(remark: &Remark) -> &'static str {
    ["error", "warning"].into_iter().find(|word| *word == remark.severity).unwrap_or("note")
}

fn lines(title: &str, lines: &[String]) -> Markup {
    html! {
        @if !lines.is_empty() {
            section {
                h2 { (title) }
                ul { @for line in lines { li { (terminal(line)) } } }
            }
        }
    }
}
