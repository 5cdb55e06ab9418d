//! The design file, as TOML.

pub(crate) mod node;
mod number;
mod reference;
mod units;

pub use self::node::Named;
pub use self::reference::reference;
pub(crate) use self::units::Bounds;
pub use self::units::{Bytes, Count, Period, Rate};

use self::node::FromToml;
use crate::design::DesignFile;

/// The JSON Schema of design files, for editors.
pub fn json_schema() -> serde_json::Value {
    let mut schema = DesignFile::schema();
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        schema.insert("title".to_owned(), "A design of tables in a sorted store".into());
    }
    schema
}
