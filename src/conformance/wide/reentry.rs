//! Laws of writes inside a closure that is part of a write to the database. No method of a wide store takes a closure,
//! but plain tables over a wide store do.

use super::laws::{done, equal, mutate, refused, values_are};
use crate::store::NewTable;
use crate::store::error::Error;
use crate::wide::{Column, Columns, Condition, FamilySchema, Mutation, TableSchema, WideDatabase, WideStore};

const LAW: &str = "reentrant-write";

fn is_reentrant(error: &Error) -> bool {
    matches!(error, Error::Reentrant { .. })
}

pub(super) fn writes(store: &dyn WideStore) {
    let guarantees = store.guarantees();
    mutate(LAW, store, b"r", Mutation::new().put("a:q", "before"));
    let (more, counters) = (Mutation::new().put("a:q", "v"), [(Column::from("a:n"), 1)]);
    {
        let _inside = store.id().database().enter();
        refused(LAW, "a mutation inside a closure of a write", store.mutate(b"r", &more), is_reentrant);
        let many = [(b"r".to_vec(), more.clone()), (b"s".to_vec(), more.clone())];
        refused(LAW, "mutations inside a closure of a write", store.mutate_many(&many), is_reentrant);
        if guarantees.increment {
            refused(LAW, "an increment inside a closure of a write", store.increment(b"r", &counters), is_reentrant);
        }
        if guarantees.check_and_mutate {
            let answer = store.check_and_mutate(b"r", &Condition::absent("a:n"), &more);
            refused(LAW, "a condition inside a closure of a write", answer, is_reentrant);
        }
        values_are(LAW, store, b"r", &Columns::all(), &["a:q=before"]);
    }
    mutate(LAW, store, b"r", more);
    values_are(LAW, store, b"r", &Columns::all(), &["a:q=v"]);
}

pub(super) fn tables(database: &dyn WideDatabase) {
    let schema = TableSchema::new().family("f", FamilySchema::new());
    let more = schema.clone().family("f", FamilySchema::new().max_versions(2));
    let id = database.id();
    equal("same-id", "the id of a database, asked for again", database.id(), id);
    let table = done(LAW, database.table("a", &schema));
    equal("same-id", "the id of a table", table.id().clone(), id.table("a"));
    {
        let _inside = id.enter();
        let answer = database.table("b", &schema).map(drop);
        refused(LAW, "an opening that creates a table inside a closure of a write", answer, is_reentrant);
        let answer = database.create_table("b", &schema, &NewTable::new()).map(drop);
        refused(LAW, "a creation of a table inside a closure of a write", answer, is_reentrant);
        refused(LAW, "an alteration inside a closure of a write", database.alter("a", &more), is_reentrant);
        refused(LAW, "a drop of a table inside a closure of a write", database.drop_table("a"), is_reentrant);
        refused(LAW, "a drop of no table inside a closure of a write", database.drop_table("b"), is_reentrant);
        done(LAW, database.table("a", &schema));
        done(LAW, database.open_table("a", &schema));
    }
    equal(LAW, "the list of tables", done(LAW, database.tables()), vec!["a".to_owned()]);
    equal(LAW, "the schema of a table", done(LAW, database.schema("a")), Some(schema.clone()));
    done(LAW, database.table("b", &schema));
    mutate(LAW, &*table, b"r", Mutation::new().put("f:q", "v"));
}
