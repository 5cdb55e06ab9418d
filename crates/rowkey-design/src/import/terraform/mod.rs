//! Resources of Terraform for Bigtable: `google_bigtable_table` and `google_bigtable_gc_policy`.

mod hcl;
mod policy;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use self::hcl::{Block, Body, Expression, Hcl, Located};
use super::Reading;
use super::draft::{Draft, Family, Splits};
use super::garbage::{HELP, Kept};
use crate::quote;
use crate::row_key_schema;

pub(super) fn read(text: &str, reading: &mut Reading) -> Vec<Draft> {
    let file = match Hcl::new(text).body(true) {
        Ok(file) => file,
        Err((at, expected)) => {
            let message = format!("this is not Terraform's language: {expected} expected");
            reading.problem(at..at, message, "paste the whole file");
            return Vec::new();
        }
    };
    let mut terraform = Terraform { values: values(&file), drafts: Vec::new(), labels: HashMap::new(), reading };
    let resources = |kind: &'static str| {
        file.blocks("resource").filter(move |block| block.labels.first().is_some_and(|label| label == kind))
    };
    for block in resources("google_bigtable_table") {
        terraform.table(block);
    }
    let mut seen = HashSet::new();
    for block in resources("google_bigtable_gc_policy") {
        terraform.policy(block, &mut seen);
    }
    terraform.drafts
}

/// The values of variables and locals that the file says, by their references.
fn values(file: &Body) -> HashMap<String, Expression> {
    let mut values = HashMap::new();
    for block in file.blocks("variable") {
        if let (Some(name), Some(default)) = (block.labels.first(), block.body.get("default")) {
            values.insert(format!("var.{name}"), default.value.clone());
        }
    }
    for (name, value) in file.blocks("locals").flat_map(|block| &block.body.attributes) {
        values.insert(format!("local.{name}"), value.value.clone());
    }
    values
}

struct Terraform<'r> {
    values: HashMap<String, Expression>,
    drafts: Vec<Draft>,
    /// The place of a table by the label of its resource.
    labels: HashMap<String, usize>,
    reading: &'r mut Reading,
}

/// Arguments that say nothing of a design.
const ELSEWHERE: &[&str] = &[
    "name",
    "instance_name",
    "project",
    "split_keys",
    "row_key_schema",
    "depends_on",
    "provider",
    "table",
    "column_family",
];

impl Terraform<'_> {
    /// The text of an expression, through variables and locals that the file has.
    fn text(&mut self, value: &Located, what: &str) -> Option<String> {
        let mut expression = value.value.clone();
        for _ in 0..8 {
            match &expression {
                Expression::Text(text) => return Some(text.clone()),
                Expression::Reference(parts) => match self.values.get(&parts.join(".")) {
                    Some(known) => expression = known.clone(),
                    None => break,
                },
                _ => break,
            }
        }
        self.computed(value.at.clone(), what);
        None
    }

    fn computed(&mut self, at: Range<usize>, what: &str) {
        let message = format!("{what} is not said here: Terraform computes it, or a variable has no default");
        self.reading.problem(at, message, "write its value in its place");
    }

    /// Notes what repeats a resource or a block: then there is not one.
    fn repeated(&mut self, block: &Block) -> bool {
        let count = ["count", "for_each"].into_iter().find_map(|name| block.body.get(name));
        let dynamic = block.body.blocks("dynamic").next();
        let at = count.map(|count| count.at.clone()).or(dynamic.map(|block| block.at.clone()));
        if let Some(at) = at.clone() {
            self.computed(at, "how many of these there are");
        }
        at.is_some()
    }

    fn table(&mut self, block: &Block) {
        if self.repeated(block) {
            return;
        }
        let Some(name) = block.body.get("name") else {
            self.reading.problem(block.at.clone(), "this table has no name", "write name = \"…\"");
            return;
        };
        let Some(name) = self.text(name, "the table's name") else { return };
        let mut draft = Draft { name, ..Draft::default() };
        if let Some(keys) = block.body.get("split_keys") {
            let Expression::List(keys) = &keys.value else {
                return self.computed(keys.at.clone(), "the list of split points");
            };
            let points: Option<Vec<Vec<u8>>> =
                keys.iter().map(|key| Some(self.text(key, "a split point")?.into_bytes())).collect();
            let Some(points) = points else { return };
            if !points.is_empty() {
                draft.splits = Splits::Keys(points);
            }
        }
        if let Some(schema) = block.body.get("row_key_schema") {
            let key =
                policy::encoded(schema, &self.values, "its parts").and_then(|schema| row_key_schema::key(&schema));
            match key {
                Ok(key) => draft.key = key,
                Err(reason) => draft.comments.push(format!("The row_key_schema is not the key here: {reason}")),
            }
        }
        for inner in &block.body.blocks {
            match (inner.kind.as_str(), inner.body.get("family")) {
                ("column_family", Some(family)) => {
                    let Some(name) = self.text(family, "the family's name") else { return };
                    if draft.families.iter().any(|known| known.name == name) {
                        self.reading.problem(family.at.clone(), "this family is there twice", "remove one of them");
                        return;
                    }
                    let mut family = Family::new(name);
                    Kept::default().say(&mut family);
                    let others = inner.body.attributes.iter().filter(|(name, _)| name != "family");
                    family.comments.extend(others.map(|(name, value)| comment(name, value)));
                    draft.families.push(family);
                }
                ("column_family", None) => {
                    self.reading.problem(inner.at.clone(), "this family has no name", "write family = \"…\"");
                }
                ("lifecycle" | "timeouts", _) => {}
                (other, _) => draft.comments.push(format!("A design has no key for {other}")),
            }
        }
        let others = block.body.attributes.iter().filter(|(name, _)| !ELSEWHERE.contains(&name.as_str()));
        draft.comments.extend(others.map(|(name, value)| comment(name, value)));
        if self.drafts.iter().any(|known| known.name == draft.name) {
            let message = format!("the table {} is there twice", quote::terminal(&draft.name));
            self.reading.problem(block.at.clone(), message, "import the tables of one instance");
            return;
        }
        if let Some(label) = block.labels.get(1) {
            self.labels.insert(label.clone(), self.drafts.len());
        }
        self.drafts.push(draft);
    }

    /// The table that a policy is for.
    fn table_of(&mut self, block: &Block) -> Option<usize> {
        let Some(table) = block.body.get("table") else {
            self.reading.problem(block.at.clone(), "this policy has no table", "write table = …");
            return None;
        };
        let labelled = match &table.value {
            Expression::Reference(parts) => match parts.as_slice() {
                [kind, label, field] if kind == "google_bigtable_table" && ["name", "id"].contains(&field.as_str()) => {
                    Some(self.labels.get(label).copied())
                }
                _ => None,
            },
            _ => None,
        };
        let found = match labelled {
            Some(found) => found,
            None => {
                let name = self.text(table, "the policy's table")?;
                self.drafts.iter().position(|draft| draft.name == name)
            }
        };
        if found.is_none() {
            let help = "paste its google_bigtable_table too, or remove the policy";
            self.reading.problem(table.at.clone(), "the table of this policy is not in this text", help);
        }
        found
    }

    fn policy(&mut self, block: &Block, seen: &mut HashSet<(usize, String)>) {
        if self.repeated(block) {
            return;
        }
        let Some(table) = self.table_of(block) else { return };
        let Some(family) = block.body.get("column_family") else {
            self.reading.problem(block.at.clone(), "this policy has no family", "write column_family = \"…\"");
            return;
        };
        let at = family.at.clone();
        let Some(name) = self.text(family, "the family's name") else { return };
        let kept = policy::of(&block.body, &self.values).and_then(|policy| match policy {
            Some(policy) => Kept::of(&policy),
            None => Ok(Kept::default()),
        });
        let kept = match kept {
            Ok(kept) => kept,
            Err(reason) => {
                let message = format!("a design cannot say this policy: {reason}");
                return self.reading.problem(block.at.clone(), message, HELP);
            }
        };
        if !seen.insert((table, name.clone())) {
            return self.reading.problem(
                at,
                "this family has two policies",
                "write one of them, with mode = \"UNION\"",
            );
        }
        match self.drafts[table].families.iter_mut().find(|known| known.name == name) {
            Some(family) => kept.say(family),
            None => self.reading.problem(at, "the table has no such family", "write it in its google_bigtable_table"),
        }
    }
}

fn comment(name: &str, value: &Located) -> String {
    let value = match &value.value {
        Expression::Text(text) | Expression::Number(text) => text.clone(),
        Expression::Reference(parts) => parts.join("."),
        _ => "what Terraform computes".to_owned(),
    };
    format!("A design has no key for {name} = {value}")
}
