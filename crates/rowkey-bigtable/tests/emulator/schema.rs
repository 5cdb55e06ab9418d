//! Schemas: of tables that `cbt` created and that typed tables created, read back, compared, changed; split points.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread::spawn;
use std::time::Duration;

use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideTable};
use rowkey::store::NewTable;
use rowkey::wide::{FamilySchema, TableSchema};
use rowkey::{Error, RowKey};
use rowkey_bigtable::Bigtable;

use crate::{PROJECT, emulator, instance, options, options_of, runtime};

#[derive(RowKey, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[rowkey(salt(buckets = 16, by(user)))]
struct Visit {
    user: String,
    #[rowkey(desc)]
    at: i64,
}

/// The same shape with another field.
mod other {
    #[derive(rowkey::RowKey, Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
    #[rowkey(salt(buckets = 16, by(host)))]
    pub(crate) struct Visit {
        pub(crate) host: String,
        #[rowkey(desc)]
        pub(crate) at: i64,
    }
}

const DAY: Duration = Duration::from_secs(24 * 3600);

fn family() -> FamilySchema {
    FamilySchema::new()
}

/// The output of Google's `cbt`.
fn cbt(instance: &str, args: &[&str]) -> String {
    let mut command = Command::new(std::env::var("ROWKEY_CBT").as_deref().unwrap_or("cbt"));
    command.args(["-project", PROJECT, "-instance", instance]).args(args);
    let output = command.env("BIGTABLE_EMULATOR_HOST", emulator()).output().unwrap();
    assert!(output.status.success(), "cbt {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The families of `cbt ls`: each with its policy.
fn policies(instance: &str, table: &str) -> Vec<String> {
    let list = cbt(instance, &["ls", table]);
    let mut rows: Vec<_> = list.lines().skip_while(|line| !line.starts_with("---")).skip(1).collect();
    rows.sort_unstable();
    rows.iter()
        .map(|row| row.split('\t').filter(|text| !text.is_empty()).take(2).collect::<Vec<_>>().join(": "))
        .collect()
}

/// The differences for which a schema is refused.
fn differences<T>(opened: Result<T, Error>) -> String {
    match opened {
        Err(Error::Schema { differences, .. }) => differences,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it opened"),
    }
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn a_table_that_cbt_created_is_read_back_and_opens_only_as_it_is() {
    let (runtime, instance) = (runtime(), instance());
    cbt(&instance, &["createtable", "t", "families=a:maxversions=3,b:maxage=1d||maxversions=2,c"]);
    let schema = TableSchema::new()
        .family("a", family().max_versions(3))
        .family("b", family().max_versions(2).ttl(DAY))
        .family("c", family().max_versions(u32::MAX));
    runtime.block_on(async {
        let db = Bigtable::connect(options_of(&instance)).await.unwrap();
        assert_eq!(db.tables().await.unwrap(), ["t"]);
        assert_eq!(db.schema("t").await.unwrap(), Some(schema.clone()));
        assert_eq!(db.schema("u").await.unwrap(), None);

        let open = async |schema: TableSchema| AsyncWideTable::<Visit, _>::open(db.clone(), "t", &schema).await;
        let mut fewer = schema.clone();
        fewer.families.remove("c");
        assert_eq!(differences(open(fewer).await), "family c is missing, but its cells are stored (needs a new table)");
        let more = schema.clone().family("d", family()).family("a", family().max_versions(4));
        assert_eq!(
            differences(open(more).await),
            "family a: max versions 3 becomes 4 (can be altered); family d is new (can be altered)"
        );
        assert_eq!(db.schema("t").await.unwrap(), Some(schema.clone()), "what was refused changed nothing");

        // The first typed opening says what the keys are.
        open(schema.clone()).await.unwrap();
        assert_eq!(db.schema("t").await.unwrap(), Some(schema.clone().row_key::<Visit>()));
        let told = differences(AsyncWideTable::<(u64, u8), _>::open(db.clone(), "t", &schema).await);
        assert!(told.starts_with("the row key salt(16 xxh3 by 0) text, i64 desc becomes (u64, u8)"), "{told}");
        let told = differences(AsyncWideTable::<other::Visit, _>::open(db.clone(), "t", &schema).await);
        assert!(told.contains("field \"user\" of the table is called \"host\" in the program"), "{told}");

        // A rule that no schema can say is named.
        cbt(&instance, &["setgcpolicy", "t", "a", "maxage=1d || maxage=2d"]);
        let told = differences(db.schema("t").await);
        assert!(told.contains("family a") && told.contains("age() > 86400.000000000s"), "{told}");
    });
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn a_typed_table_is_read_back_and_altered() {
    let (runtime, instance) = (runtime(), instance());
    let schema = TableSchema::new()
        .family("a", family())
        .family("b", family().max_versions(5).min_versions(2).ttl(DAY))
        // Bigtable has no rule for versions that stay without a TTL: the record has it.
        .family("c", family().max_versions(3).min_versions(2));
    let typed = schema.clone().row_key::<Visit>();
    runtime.block_on(async {
        let db = Bigtable::connect(options_of(&instance)).await.unwrap();
        AsyncWideTable::<Visit, _>::open(db.clone(), "t", &schema).await.unwrap();
        assert_eq!(db.schema("t").await.unwrap(), Some(typed.clone()));
        assert_eq!(
            policies(&instance, "t"),
            ["a: versions() > 1", "b: (versions() > 5 || (age() > 1d && versions() > 2))", "c: versions() > 3"]
        );

        let altered = typed.clone().family("a", family().ttl(DAY)).family("d", family().max_versions(7));
        let told: Vec<_> = db.alter("t", &altered).await.unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(told, ["family a: ttl none becomes 86400000 ms", "family d is new"]);
        assert_eq!(db.schema("t").await.unwrap(), Some(altered.clone()));
        assert_eq!(
            policies(&instance, "t"),
            [
                "a: (versions() > 1 || age() > 1d)",
                "b: (versions() > 5 || (age() > 1d && versions() > 2))",
                "c: versions() > 3",
                "d: versions() > 7"
            ]
        );
        let told = differences(db.alter("t", &TableSchema::new().family("a", family()).row_key::<Visit>()).await);
        assert!(told.contains("family d is missing"), "{told}");

        // The table is as another program changed it.
        cbt(&instance, &["setgcpolicy", "t", "d", "maxversions=8"]);
        let changed = altered.clone().family("d", family().max_versions(8)).family("c", family().max_versions(3));
        assert_eq!(db.schema("t").await.unwrap(), Some(changed));
        let told = differences(AsyncWideTable::<Visit, _>::open(db.clone(), "t", &altered).await);
        assert!(told.contains("family d: max versions 8 becomes 7 (can be altered)"), "{told}");
    });
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn the_example_prints_a_schema_that_parses() {
    let (runtime, instance) = (runtime(), instance());
    let schema = TableSchema::new().family("a", family().max_versions(3));
    runtime.block_on(async {
        let db = Bigtable::connect(options_of(&instance)).await.unwrap();
        AsyncWideTable::<Visit, _>::open(db, "visits", &schema).await.unwrap();
    });
    // Cargo builds examples beside the tests, though not for `cargo test --test emulator` alone.
    let program = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join("examples/schema");
    let run = |table: &str| Command::new(&program).args([PROJECT, &instance, table]).output().unwrap();
    let printed = run("visits");
    assert!(printed.status.success(), "{printed:?}");
    let text = String::from_utf8(printed.stdout).unwrap();
    assert_eq!(text.parse(), Ok(schema.row_key::<Visit>()), "{text}");
    let missing = run("other");
    assert_eq!(missing.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("no table \"other\""), "{missing:?}");
}

/// A line to the emulator that keeps what goes there. Requests are not compressed.
fn recorded(emulator: String) -> (String, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, sent) = (listener.local_addr().unwrap().to_string(), Arc::new(Mutex::new(Vec::new())));
    let kept = Arc::clone(&sent);
    spawn(move || {
        for near in listener.incoming() {
            let (mut near, mut far) = (near.unwrap(), TcpStream::connect(&emulator).unwrap());
            let (mut from, mut to, kept) = (near.try_clone().unwrap(), far.try_clone().unwrap(), Arc::clone(&kept));
            spawn(move || std::io::copy(&mut far, &mut near));
            spawn(move || {
                let mut bytes = [0; 1 << 16];
                while let Ok(read @ 1..) = from.read(&mut bytes) {
                    kept.lock().unwrap().extend_from_slice(&bytes[..read]);
                    if to.write_all(&bytes[..read]).is_err() {
                        break;
                    }
                }
                let _ = to.shutdown(Shutdown::Write);
            });
        }
    });
    (address, sent)
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn split_points_are_sent() {
    let (runtime, options) = (runtime(), options());
    let (address, sent) = recorded(emulator());
    runtime.block_on(async {
        let db = Bigtable::connect(options.emulator(address)).await.unwrap();
        let schema = TableSchema::new().family("a", family());
        let new = NewTable::new().split_at([b"the first point".to_vec(), b"the second point".to_vec()]);
        db.create_table("t", &schema, &new).await.unwrap();
        let again = db.create_table("t", &schema, &new).await;
        assert!(matches!(again, Err(Error::TableExists(name)) if name == "t"));
    });
    let sent = sent.lock().unwrap().escape_ascii().to_string();
    for point in ["the first point", "the second point"] {
        assert_eq!(sent.matches(point).count(), 1, "{point}");
    }
}
