//! The answer about all tables of a cluster together.

use super::text::percent;
use crate::run::AllTables;

/// The answer about all tables, which ask for at most these parts of the writes, and of the reads, that all servers take.
pub fn all_tables((writes, reads): (f64, f64)) -> AllTables {
    let parts = [(writes, "writes"), (reads, "reads")];
    let told = |parts: &[&(f64, &str)]| {
        parts.iter().map(|(part, what)| format!("{} of the {what}", percent(*part))).collect::<Vec<_>>().join(" and ")
    };
    let over: Vec<_> = parts.iter().filter(|(part, _)| *part > 1.0).collect();
    let some: Vec<_> = parts.iter().filter(|(part, _)| *part > 0.0).collect();
    let sentence = match over.is_empty() {
        true => format!("All tables together ask for up to {} that the servers take.", told(&some)),
        false => format!(
            "All tables together saturate the servers: they ask for up to {} that the servers take. Add servers.",
            told(&over)
        ),
    };
    AllTables { sentence, saturates: !over.is_empty(), writes, reads }
}
