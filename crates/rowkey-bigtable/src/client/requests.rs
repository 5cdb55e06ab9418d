//! Requests of Google's API: the path of each, its response, its table and route, and whether it can be repeated.

use prost::Message;
use rowkey_retry::Idempotency;

use super::attempts::Operation;
use super::headers::Route;
use super::proto::admin::{
    CreateTableRequest, DeleteTableRequest, DropRowRangeRequest, GetTableRequest, ListTablesRequest,
    ListTablesResponse, ModifyColumnFamiliesRequest, Table,
};
use super::proto::{
    CheckAndMutateRowRequest, CheckAndMutateRowResponse, MutateRowRequest, MutateRowResponse, MutateRowsRequest,
    MutateRowsResponse, Mutation, ReadModifyWriteRowRequest, ReadModifyWriteRowResponse, ReadRowsRequest,
    ReadRowsResponse, SampleRowKeysRequest, SampleRowKeysResponse,
};

/// A request of the API of rows, or of the API of tables.
pub(crate) trait ApiRequest: Message + 'static {
    const PATH: &'static str;
    /// True for a request of the API of tables.
    const IS_ADMIN: bool;
    type Response: Message + Default + 'static;

    fn operation(&self) -> Operation;
}

/// Requests of rows: of a table or a view, with an app profile.
macro_rules! of_rows {
    ($($request:ty, $method:literal, $response:ty, $idempotency:expr;)*) => {$(
        impl ApiRequest for $request {
            const PATH: &'static str = concat!("/google.bigtable.v2.Bigtable/", $method);
            const IS_ADMIN: bool = false;
            type Response = $response;

            fn operation(&self) -> Operation {
                // Requests of a view are routed by its table.
                let view = &self.authorized_view_name;
                let of_view = view.split_once("/authorizedViews/").map_or(view.as_str(), |(table, _)| table);
                let name = if self.table_name.is_empty() { of_view } else { &self.table_name };
                let route = Route::new("table_name", name, Some(&self.app_profile_id));
                let idempotency: fn(&Self) -> Idempotency = $idempotency;
                Operation { doing: $method, table: last(name).to_owned(), route, idempotency: idempotency(self) }
            }
        }
    )*};
}

of_rows! {
    ReadRowsRequest, "ReadRows", ReadRowsResponse, |_| Idempotency::ReadOnly;
    SampleRowKeysRequest, "SampleRowKeys", SampleRowKeysResponse, |_| Idempotency::ReadOnly;
    MutateRowRequest, "MutateRow", MutateRowResponse, |request| of_mutations(&request.mutations);
    // Each entry has its own.
    MutateRowsRequest, "MutateRows", MutateRowsResponse, |_| Idempotency::Idempotent;
    CheckAndMutateRowRequest, "CheckAndMutateRow", CheckAndMutateRowResponse, |_| Idempotency::NonIdempotent;
    ReadModifyWriteRowRequest, "ReadModifyWriteRow", ReadModifyWriteRowResponse, |_| Idempotency::NonIdempotent;
}

/// Requests of tables, routed by the field of the instance or the table.
macro_rules! of_tables {
    ($($request:ty, $method:literal, $response:ty, $field:ident, $table:expr, $idempotency:ident;)*) => {$(
        impl ApiRequest for $request {
            const PATH: &'static str = concat!("/google.bigtable.admin.v2.BigtableTableAdmin/", $method);
            const IS_ADMIN: bool = true;
            type Response = $response;

            fn operation(&self) -> Operation {
                let table: fn(&Self) -> &str = $table;
                let route = Route::new(stringify!($field), &self.$field, None);
                let idempotency = Idempotency::$idempotency;
                Operation { doing: $method, table: table(self).to_owned(), route, idempotency }
            }
        }
    )*};
}

of_tables! {
    GetTableRequest, "GetTable", Table, name, |request| last(&request.name), ReadOnly;
    ListTablesRequest, "ListTables", ListTablesResponse, parent, |_| "", ReadOnly;
    CreateTableRequest, "CreateTable", Table, parent, |request| &request.table_id, NonIdempotent;
    ModifyColumnFamiliesRequest, "ModifyColumnFamilies", Table, name, |request| last(&request.name), NonIdempotent;
    // Sent twice, it could drop a table that another program has created meanwhile.
    DeleteTableRequest, "DeleteTable", (), name, |request| last(&request.name), NonIdempotent;
    // Sent twice, it could drop what others have written meanwhile.
    DropRowRangeRequest, "DropRowRange", (), name, |request| last(&request.name), NonIdempotent;
}

/// The last part of a resource name.
pub(crate) fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The idempotency of the mutations of a row. A cell with the time -1 has the server's.
pub(super) fn of_mutations(mutations: &[Mutation]) -> Idempotency {
    use super::proto::mutation::Mutation as Kind;
    Idempotency::of_all(mutations.iter().map(|mutation| match &mutation.mutation {
        Some(Kind::SetCell(cell)) if cell.timestamp_micros == -1 => Idempotency::ServerTimestamped,
        Some(Kind::AddToCell(_) | Kind::MergeToCell(_)) => Idempotency::NonIdempotent,
        _ => Idempotency::Idempotent,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_its_table_and_its_route() {
        let route = |route: Route| format!("{route:?}");
        let table = "projects/p/instances/i/tables/t";
        let read = ReadRowsRequest { table_name: table.to_owned(), ..Default::default() };
        let view = ReadRowsRequest { authorized_view_name: format!("{table}/authorizedViews/v"), ..Default::default() };
        for request in [read, view] {
            let operation = request.operation();
            assert_eq!((operation.doing, &*operation.table), ("ReadRows", "t"));
            assert_eq!(route(operation.route), route(Route::new("table_name", table, Some(""))));
        }
        let parent = "projects/p/instances/i".to_owned();
        let create = CreateTableRequest { parent: parent.clone(), table_id: "t".to_owned(), ..Default::default() };
        assert_eq!(create.operation().table, "t");
        assert_eq!(route(create.operation().route), route(Route::new("parent", &parent, None)));
        assert_eq!(ListTablesRequest { parent, ..Default::default() }.operation().table, "");
        assert_eq!(GetTableRequest { name: table.to_owned(), ..Default::default() }.operation().table, "t");
        assert_eq!(MutateRowRequest::PATH, "/google.bigtable.v2.Bigtable/MutateRow");
    }
}
