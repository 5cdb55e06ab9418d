//! Texts for `import`, as programs print them and people paste them, and texts that are made up.

mod described;
mod hostile;
mod indexes;
mod live;
mod model;
mod printed;
mod round_trip;
mod scripts;
mod terraform;

use rowkey_design::internal::ddl::{Options, Target, ddl};
use rowkey_design::internal::import::{Source, import};
use rowkey_design::{Design, File, Problems};

/// The first line of each design that is written.
const SCHEMA: &str = "#:schema ./rowkey.schema.json\n";

/// The imported design after the line of its schema.
fn imported(text: &str, source: Source, name: Option<&str>) -> Result<String, Problems> {
    let design = import(File { name: "pasted".to_owned(), text: text.to_owned() }, source, name)?;
    Ok(design.strip_prefix(SCHEMA).expect("the line of the schema").to_owned())
}

fn design(text: &str) -> Design {
    let file = File { name: "design".to_owned(), text: text.to_owned() };
    Design::parse([file]).unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

/// The commands that create the tables of a design: all that the target has of it.
fn created(text: &str, target: Target) -> String {
    ddl(&design(text), &Options::new(target)).unwrap_or_else(|problems| panic!("{problems}\n{text}")).text
}
