//! Calls without a token: each says so, and nothing about tables.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::TryStreamExt;
use rowkey::KeyRange;
use rowkey::nonblocking::{AsyncDatabase, AsyncStore, AsyncWideDatabase, AsyncWideStore};
use rowkey::store::{Batch, NewTable, Scan};
use rowkey::wide::{Columns, Condition, FamilySchema, Mutation, OneColumn, TableSchema};
use rowkey_bigtable::{Bigtable, BigtableError, Token, TokenError};
use rowkey_bigtable_testkit::answers::status;
use rowkey_bigtable_testkit::instance::Instance;

use super::*;

/// Asserts that a call failed as there is no token.
#[track_caller]
fn has_no_token<T>(doing: &str, result: Result<T, Error>) {
    let Err(error) = result else { panic!("{doing} succeeded without a token") };
    let error = match &error {
        Error::Rows(rows) => rows.iter().next().unwrap().error(),
        error => error,
    };
    assert_eq!(error.kind(), ErrorKind::PermissionDenied, "{doing}: {error}");
    assert!(error.to_string().contains("no access token"), "{doing}: {error}");
    assert!(error.engine_error::<BigtableError>().is_some(), "{doing}: {error}");
}

fn schema() -> TableSchema {
    TableSchema::new().family("f", FamilySchema::new().max_versions(2))
}

async fn admin_calls(db: &Bigtable) {
    let (wide, new) = (db as &dyn AsyncWideDatabase, NewTable::default());
    has_no_token("table", wide.table("t", &schema()).await);
    has_no_token("open_table", wide.open_table("t", &schema()).await);
    has_no_token("create_table", wide.create_table("t", &schema(), &new).await);
    has_no_token("schema", wide.schema("t").await);
    has_no_token("alter", wide.alter("t", &schema().family("g", FamilySchema::new())).await);
    has_no_token("tables", wide.tables().await);
    has_no_token("drop_table", wide.drop_table("t").await);
    has_no_token("drop_rows", db.drop_rows("t", b"a").await);
    let plain = OneColumn::database(db.clone());
    let plain: &dyn AsyncDatabase = &plain;
    has_no_token("table", plain.table("t").await);
    has_no_token("open_table", plain.open_table("t").await);
    has_no_token("create_table", plain.create_table("t", &new).await);
    has_no_token("tables", plain.tables().await);
    has_no_token("drop_table", plain.drop_table("t").await);
    has_no_token("write", plain.write(&[("t", Batch::new().put("key", "value"))]).await);
}

async fn data_calls(wide: &dyn AsyncWideStore, plain: &dyn AsyncStore) {
    let (all, put) = (Columns::all(), Mutation::new().put("f:a", "1"));
    has_no_token("get", wide.get(b"a", &all).await);
    has_no_token("get_many", wide.get_many(&[b"a", b"b"], &all).await);
    let scan = Scan::new(vec![KeyRange::from_start("")]);
    has_no_token("scan", wide.scan(&scan, &all).try_next().await);
    has_no_token("mutate", wide.mutate(b"a", &put).await);
    has_no_token("mutate_many", wide.mutate_many(&[(b"a".to_vec(), put.clone()), (b"b".to_vec(), put.clone())]).await);
    has_no_token("increment", wide.increment(b"a", &[("f:n".into(), 1)]).await);
    has_no_token("check_and_mutate", wide.check_and_mutate(b"a", &Condition::absent("f:a"), &put).await);
    has_no_token("split_points", wide.split_points().await);
    has_no_token("get", plain.get(b"a").await);
    has_no_token("get_many", plain.get_many(&[b"a"]).await);
    has_no_token("scan", plain.scan(&scan).try_next().await);
    has_no_token("write", plain.write(Batch::new().put("key", "value")).await);
    has_no_token("increment", plain.increment(b"a", 1).await);
    has_no_token("compare_and_write", plain.compare_and_write(b"a", None, Some(b"b")).await);
    has_no_token("delete_ranges", plain.delete_ranges(&[KeyRange::from_start("")]).await);
    has_no_token("split_points", plain.split_points().await);
}

#[tokio::test]
async fn without_the_file_every_call_says_so() {
    let place = Place::new(|_| give(200, &token("t"))).await;
    for credentials in [
        Credentials::file("/no/such/file"),
        Credentials::provider(|| async { Err(TokenError::new(ErrorKind::NotFound, "there is none")) }),
    ] {
        admin_calls(&Bigtable::connect(place.options.clone().credentials(credentials)).await.unwrap()).await;
    }
    assert!(place.mock.asked().is_empty());
}

/// The tables were opened before. Then the service refuses the token, and there is no other one.
#[tokio::test]
async fn tables_that_are_open_say_so_too() {
    let (instance, is_over) = (Instance::default(), Arc::new(AtomicBool::new(false)));
    let authority = Authority::new();
    let ends = Arc::clone(&is_over);
    let (_mock, endpoint) = Mock::start_tls(&authority, move |asked| match ends.load(Ordering::Acquire) {
        true => status(Code::Unauthenticated, "the token was revoked"),
        false => instance.answer(asked),
    })
    .await;
    let options = BigtableOptions::new("p", "i").without_emulator().endpoint(&endpoint).admin_endpoint(&endpoint);
    let ends = Arc::clone(&is_over);
    let provider = move || {
        let is_over = ends.load(Ordering::Acquire);
        async move { if is_over { Err(TokenError::new(ErrorKind::NotFound, "no such file")) } else { Ok(Token::new("t")) } }
    };
    let options = options.ca_certificate(authority.pem()).credentials(Credentials::provider(provider));
    let db = Bigtable::connect(options).await.unwrap();
    let wide = db.table("wide", &schema()).await.unwrap();
    let plain = AsyncDatabase::table(&OneColumn::database(db.clone()), "plain").await.unwrap();
    is_over.store(true, Ordering::Release);
    // The first call's token is refused; all of them are without one.
    data_calls(&*wide, &*plain).await;
    admin_calls(&db).await;
}
