//! Laws of what a purge keeps, and what it removes.

use super::laws::{mutate, row_is, values_are};
use crate::wide::{Columns, Deletes, Mutation, WideStore};

pub(super) fn purge<S: WideStore>(store: &S, purge: &dyn Fn(&S)) {
    let law = "purge";
    let guarantees = store.guarantees();
    if guarantees.timestamps.is_none() {
        return;
    }
    let of_a = Columns::all().family("a").versions(9);
    for at in [5, 3, 9, 1, 7] {
        mutate(law, store, b"r", Mutation::new().put_at("a:q", at, "v").put_at("ab:q", at, "v"));
    }
    mutate(law, store, b"r", Mutation::new().put("b:now", "v").delete_column("b:absent"));
    purge(store);
    if guarantees.kept_on_read {
        row_is(law, store, b"r", &of_a, &["a:q@9=v", "a:q@7=v", "a:q@5=v"]);
    }
    values_are(law, store, b"r", &Columns::all(), &["a:q=v", "ab:q=v", "b:now=v"]);
    if guarantees.unkept_until_purge {
        mutate(law, store, b"r", Mutation::new().delete_version("ab:q", 9));
        row_is("unkept", store, b"r", &Columns::all().family("ab"), &[]);
    }

    let law = "deleted-for-good";
    if !guarantees.deleted_for_good {
        return;
    }
    let deletes = [Mutation::new().delete_column_until("b:q", 20), Mutation::new().delete_column("b:q")];
    for (row, delete) in [b"1", b"2"].into_iter().zip(deletes) {
        mutate(law, store, row, Mutation::new().put_at("b:q", 5, "before"));
        mutate(law, store, row, delete);
        if guarantees.deletes == Some(Deletes::Hide) {
            mutate(law, store, row, Mutation::new().put_at("b:q", 6, "after"));
        }
        row_is(law, store, row, &Columns::all(), &[]);
        purge(store);
        row_is(law, store, row, &Columns::all(), &[]);
    }
}
