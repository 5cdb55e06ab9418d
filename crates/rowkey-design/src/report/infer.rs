//! Layouts that were inferred from keys, for people and for programs.

use serde_json::json;

use super::printed;
use crate::file::Count;
use crate::infer::{Candidate, Inferred, KeyText};
use crate::quote::terminal;

/// The candidates for people: each with its share, what speaks for it (+) and what against it (-), and a design file
/// with the first.
pub fn inferred_as_text(inferred: &Inferred, read: KeyText, table: &str) -> String {
    let mut text = format!(
        "{} keys, read as {}; {} different ones were kept\n",
        Count(inferred.keys as f64),
        read.word(),
        Count(inferred.kept as f64)
    );
    if let Some(reason) = &inferred.reason {
        text += &format!("no candidate: {}\n", terminal(reason));
    }
    for (i, candidate) in inferred.candidates.iter().enumerate() {
        let Candidate { layout, share, evidence, against, certainty, .. } = candidate;
        let shape = terminal(&layout.shape());
        text += &format!("\n{}. {shape}\n   {certainty}, {:.2} % decode\n", i + 1, share * 100.0);
        for (sign, all) in [('+', evidence), ('-', against)] {
            all.iter().for_each(|line| text += &format!("   {sign} {}\n", terminal(line)));
        }
    }
    if let Some(design) = inferred.candidates.first().and_then(|first| first.design(table).ok()) {
        text += &format!("\nA design file to start from:\n\n{design}");
    }
    text
}

/// The candidates for programs.
pub fn inferred_as_json(inferred: &Inferred, read: KeyText, table: &str) -> String {
    let candidate = |candidate: &Candidate| {
        let fields = candidate.layout.fields().iter().zip(&candidate.means);
        let fields = fields.map(|(field, means)| json!({ "name": field.name, "means": means }));
        json!({
            "shape": candidate.layout.shape(), "fields": fields.collect::<Vec<_>>(), "share": candidate.share,
            "certainty": candidate.certainty.word(), "bits": candidate.bits, "evidence": candidate.evidence,
            "against": candidate.against, "toml": candidate.design(table).ok(),
        })
    };
    printed(&json!({
        "version": 1, "keys": inferred.keys, "kept": inferred.kept, "read_as": read.word(),
        "reason": inferred.reason, "candidates": inferred.candidates.iter().map(candidate).collect::<Vec<_>>(),
    }))
}
