//! The record of a wide table: its schema, as it is stored besides the table's families.

use crate::wide::{Condition, FamilySchema, Mutation, Row, TableSchema};

/// The table of records, where they are rows: one row for each table, its name the key.
pub const RECORDS: &str = "rowkey.schemas";

/// The schema as it was given, in the form of [`TableSchema`]'s text.
const SCHEMA: &str = "s:schema";
/// Another one after each change of the record. Every change is made on the condition that the token is the one that
/// was read.
const TOKEN: &str = "s:token";
/// Present while the schema is that of a program that is about to create the table.
const CLAIM: &str = "s:claim";

/// The record of a table: the text of its schema, and whether a program claims to create it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The schema's text.
    pub(super) text: Option<String>,
    /// True if it is a claim: it becomes the table's schema when the table exists.
    pub(super) is_claim: bool,
    token: Option<Vec<u8>>,
}

/// A change of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'t> {
    /// Stores the schema of a table that is about to be created.
    Claim(&'t str),
    /// Stores the schema of a table that exists.
    Schema(&'t str),
    /// Removes the record.
    Forget,
}

impl Record {
    /// The record in an attribute of the table: the text of its schema, if the attribute is set.
    pub fn of_attribute(text: Option<String>) -> Self {
        Self { text, is_claim: false, token: None }
    }

    /// The record in a row of [`RECORDS`].
    pub fn of_row(row: &Row) -> Self {
        let text = row.value(SCHEMA).map(|text| String::from_utf8_lossy(text).into_owned());
        Self { text, is_claim: row.value(CLAIM).is_some(), token: row.value(TOKEN).map(<[u8]>::to_vec) }
    }

    /// The schema of the table [`RECORDS`].
    pub fn schema_of_records() -> TableSchema {
        TableSchema::new().family("s", FamilySchema::new())
    }

    /// The conditional write to the record's row that makes a change if it is still this one. `token` is random.
    pub fn change(&self, change: Change<'_>, token: [u8; 16]) -> (Condition, Mutation) {
        let is_before = match &self.token {
            Some(token) => Condition::equal(TOKEN, token.as_slice()),
            None => Condition::absent(TOKEN),
        };
        // Without the old versions, which a clock that stepped back would leave in front.
        let mut write = Mutation::new().delete_row();
        if let Change::Claim(text) | Change::Schema(text) = change {
            write = write.put(SCHEMA, text).put(TOKEN, token);
        }
        if let Change::Claim(_) = change {
            write = write.put(CLAIM, []);
        }
        (is_before, write)
    }

    /// Returns whether no record is stored.
    pub(super) fn is_none(&self) -> bool {
        self.token.is_none() && self.text.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wide::{Cell, push_cell};

    fn row(cells: &[(&str, &[u8])]) -> Row {
        let mut bytes = Vec::new();
        for &(qualifier, value) in cells {
            let cell = Cell { family: "s", qualifier: qualifier.as_bytes(), timestamp: 1, value };
            push_cell(&mut bytes, &cell).unwrap();
        }
        Row::from_cells(bytes)
    }

    /// The columns of a record are a format: a database that was written before is read.
    #[test]
    fn the_columns_of_a_record_stay_as_they_are() {
        assert_eq!(RECORDS, "rowkey.schemas");
        let (none, some) =
            (Record::of_row(&Row::default()), Record::of_row(&row(&[("schema", b"x"), ("token", b"t")])));
        assert!(none == Record::default() && none.is_none());
        assert_eq!(some, Record { text: Some("x".to_owned()), is_claim: false, token: Some(b"t".to_vec()) });
        assert!(Record::of_row(&row(&[("claim", b""), ("schema", b"x"), ("token", b"t")])).is_claim);

        let write = Mutation::new().delete_row();
        let schema = write.clone().put("s:schema", "y").put("s:token", [7; 16]);
        let claim = schema.clone().put("s:claim", []);
        for (record, is_before) in [(none, Condition::absent("s:token")), (some, Condition::equal("s:token", "t"))] {
            for (change, write) in
                [(Change::Schema("y"), &schema), (Change::Claim("y"), &claim), (Change::Forget, &write)]
            {
                assert_eq!(record.change(change, [7; 16]), (is_before.clone(), write.clone()));
            }
        }
    }
}
