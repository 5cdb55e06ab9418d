//! Several programs open, create, change and drop one table at once, or end in the middle.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use rowkey::nonblocking::{AsyncWideDatabase, AsyncWideTable};
use rowkey::store::{CallOptions, NewTable};
use rowkey::wide::{Columns, FamilySchema, Mutation, TableSchema};
use rowkey::{Error, RowKey};
use rowkey_bigtable::client::proto;
use rowkey_bigtable::client::proto::MutateRowRequest;
use rowkey_bigtable::client::proto::admin::DeleteTableRequest;
use rowkey_bigtable::client::proto::admin::bigtable_table_admin_client::BigtableTableAdminClient;
use rowkey_bigtable::client::proto::mutation::{DeleteFromRow, SetCell};
use rowkey_bigtable::{Bigtable, BigtableOptions};
use rowkey_testkit::{cases, every};
use tokio::sync::Barrier;

use super::load::{assert_typed, within};
use super::proxy::{AtRequest, Proxy};
use crate::{emulator, instance, options, options_of, runtime};

/// Schemas of which a table has one at most.
fn schema(n: usize) -> TableSchema {
    let schema = TableSchema::new().family("a", FamilySchema::new().max_versions(3));
    match n {
        0 => schema,
        1 => schema.family("b", FamilySchema::new()),
        2 => TableSchema::new().family("a", FamilySchema::new().max_versions(4)),
        // Of which Bigtable knows no difference.
        3 => TableSchema::new().family("a", FamilySchema::new().max_versions(3).min_versions(1)),
        _ => panic!("{n}"),
    }
}
const SCHEMAS: usize = 4;

async fn client(options: &BigtableOptions) -> Bigtable {
    Bigtable::connect(options.clone().connections(1)).await.unwrap()
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn one_schema_wins() {
    runtime().block_on(async {
        let options = options();
        let clients = join_all((0..SCHEMAS * 4).map(|_| client(&options))).await;
        for round in 0..cases(25, 250) {
            let (name, barrier) = (format!("t{round}"), Arc::new(Barrier::new(clients.len())));
            let open = |(n, db): (usize, &Bigtable)| {
                let (db, name, barrier) = (db.clone(), name.clone(), Arc::clone(&barrier));
                tokio::spawn(async move {
                    barrier.wait().await;
                    // Some create it, most do not mind that it is there.
                    let schema = schema(n % SCHEMAS);
                    let opened = match n {
                        0..SCHEMAS => db.create_table(&name, &schema, &NewTable::new()).await,
                        _ => db.table(&name, &schema).await,
                    };
                    (n, opened.map(drop))
                })
            };
            let opened: Vec<_> = join_all(clients.iter().enumerate().map(open)).await;
            let opened: Vec<_> = opened.into_iter().map(Result::unwrap).collect();
            let stored = clients[0].schema(&name).await.unwrap().unwrap();
            let winner = (0..SCHEMAS).find(|n| stored == schema(*n)).unwrap();
            let mut created = 0;
            for (n, result) in opened {
                match result {
                    Ok(()) => {
                        assert_eq!(n % SCHEMAS, winner, "{n} was accepted, {winner} is stored");
                        created += usize::from(n < SCHEMAS);
                    }
                    Err(Error::Schema { table, .. }) => assert!(table == name && n % SCHEMAS != winner, "{n}"),
                    Err(Error::TableExists(table)) => assert!(table == name && n < SCHEMAS, "{n}"),
                    Err(error) => panic!("{n}: {error}"),
                }
            }
            assert!(created <= 1, "{created} have created it");
        }
    });
}

/// The deed of a second program while the first one waits, or after it.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Open(usize),
    OpenExisting(usize),
    Create(usize),
    Drop,
    Alter(usize),
}

async fn run(db: &Bigtable, deed: Deed) -> Result<(), Error> {
    match deed {
        Deed::Open(n) => db.table("t", &schema(n)).await.map(drop),
        Deed::OpenExisting(n) => db.open_table("t", &schema(n)).await.map(drop),
        Deed::Create(n) => db.create_table("t", &schema(n), &NewTable::new()).await.map(drop),
        Deed::Drop => db.drop_table("t").await,
        Deed::Alter(n) => db.alter("t", &schema(n)).await.map(drop),
    }
}

/// The table that a program finds that comes later: none, or one with a schema of these; and it opens with that alone.
async fn found(db: &Bigtable) -> Option<usize> {
    let stored = db.schema("t").await.unwrap();
    let number = stored.as_ref().map(|stored| {
        (0..SCHEMAS).find(|n| *stored == schema(*n)).unwrap_or_else(|| panic!("a schema of nobody: {stored}"))
    });
    for n in 0..SCHEMAS {
        match (db.open_table("t", &schema(n)).await, number) {
            (Ok(table), Some(stored)) => {
                assert_eq!(stored, n, "opened with {n}");
                table.mutate(b"r", &Mutation::new().put("a:q", "v")).await.unwrap();
                assert_eq!(table.get(b"r", &Columns::all()).await.unwrap().value("a:q"), Some(&b"v"[..]));
            }
            (Err(Error::Schema { .. }), Some(stored)) => assert_ne!(stored, n),
            (Err(Error::NoSuchTable(_)), None) => {}
            (Ok(_), None) => panic!("opened with {n}, and there is no schema"),
            (Err(error), _) => panic!("{n}: {error}"),
        }
    }
    number
}

const FIRST: [Deed; 5] = [Deed::Open(0), Deed::Create(0), Deed::OpenExisting(0), Deed::Drop, Deed::Alter(1)];

/// The state that programs have left that ended in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    Table(usize),
    /// A claim of a table that was not created.
    Claim(usize),
    /// A claim of the table.
    ClaimAndTable(usize),
    /// A record of a table that was dropped.
    Record(usize),
    /// A table of another program.
    NoRecord(usize),
}
const BEFORE: [Before; 6] = [
    Before::Nothing,
    Before::Table(0),
    Before::Claim(0),
    Before::ClaimAndTable(0),
    Before::Record(0),
    Before::NoRecord(0),
];

/// Writes a record as src/records.rs does; none at all if there is no text.
async fn write_record(db: &Bigtable, text: Option<String>, is_claim: bool) {
    let put = |qualifier: &str, value: Vec<u8>| {
        proto::mutation::Mutation::SetCell(SetCell {
            family_name: "s".into(),
            column_qualifier: qualifier.into(),
            timestamp_micros: 1000,
            value,
        })
    };
    let mut edits = vec![proto::mutation::Mutation::DeleteFromRow(DeleteFromRow {})];
    if let Some(text) = text {
        edits.extend([put("schema", text.into_bytes()), put("token", b"of another".to_vec())]);
        edits.extend(is_claim.then(|| put("claim", Vec::new())));
    }
    let request = MutateRowRequest {
        table_name: db.client().table_name("rowkey.schemas"),
        row_key: b"t".to_vec(),
        mutations: edits.into_iter().map(|edit| proto::Mutation { mutation: Some(edit) }).collect(),
        ..MutateRowRequest::default()
    };
    db.client().mutate_row(request, &CallOptions::new().begin("preparation", "t").unwrap()).await.unwrap();
}

/// Deletes the table alone.
async fn delete_table(db: &Bigtable) {
    let address = format!("http://{}", emulator());
    let channel = tonic::transport::Endpoint::from_shared(address).unwrap().connect_lazy();
    let request = DeleteTableRequest { name: db.client().table_name("t") };
    BigtableTableAdminClient::new(channel).delete_table(request).await.unwrap();
}

async fn prepared(before: Before) -> (BigtableOptions, Bigtable) {
    let options = options();
    let direct = client(&options).await;
    let (Before::Table(n) | Before::Claim(n) | Before::ClaimAndTable(n) | Before::Record(n) | Before::NoRecord(n)) =
        before
    else {
        return (options, direct);
    };
    run(&direct, Deed::Open(n)).await.unwrap();
    let text = schema(n).to_string();
    match before {
        Before::Claim(_) | Before::ClaimAndTable(_) => write_record(&direct, Some(text), true).await,
        Before::NoRecord(_) => write_record(&direct, None, false).await,
        _ => {}
    }
    if matches!(before, Before::Claim(_) | Before::Record(_)) {
        delete_table(&direct).await;
    }
    (options, direct)
}

/// A program ends before or after each of its requests; the next one goes on from there.
#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn what_ends_in_the_middle_is_finished_by_the_next() {
    runtime().block_on(async {
        let mut steps = 0;
        let all: Vec<_> = BEFORE.into_iter().flat_map(|before| FIRST.map(|deed| (before, deed))).collect();
        for (before, deed) in all.into_iter().step_by(every(3)) {
            for (request, what) in
                (0..).flat_map(|request| [(request, AtRequest::Lost), (request, AtRequest::AnswerLost)])
            {
                let (to_emulator, direct) = prepared(before).await;
                let proxy = Proxy::start(&emulator()).await;
                let through = to_emulator.emulator(proxy.host()).retry_for(Duration::from_millis(20));
                let db = client(&through).await;
                proxy.at_request(request, what);
                let result = run(&db, deed).await;
                let place = format!("{before:?}, {deed:?}, request {request}, {what:?}");
                if proxy.requests() <= request {
                    // Nothing was cut.
                    break;
                }
                steps += 1;
                if let Err(error) = &result {
                    assert_typed(error);
                }
                // A reader sees one thing or the other, and never half of it.
                let number = found(&direct).await;
                if result.is_ok() {
                    assert!(!matches!((deed, number), (Deed::Drop, Some(_)) | (Deed::Open(_), None)), "{place}");
                }
                // The next program does as if nothing had been, with the schema that is there, or any if there is none.
                let wanted = number.unwrap_or(2);
                run(&direct, Deed::Open(wanted)).await.unwrap_or_else(|error| panic!("{place}: {error}"));
                assert_eq!(found(&direct).await, Some(wanted), "{place}");
                run(&direct, Deed::Drop).await.unwrap();
                assert_eq!(found(&direct).await, None, "{place}");
                run(&direct, Deed::Create(1)).await.unwrap_or_else(|error| panic!("{place}: {error}"));
                assert_eq!(found(&direct).await, Some(1), "{place}");
            }
        }
        assert!(steps > 60, "{steps}");
        println!("{steps} interruptions");
    });
}

/// Before each request of a program another one does something from its beginning to its end.
#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn another_program_comes_between_any_two_requests() {
    runtime().block_on(async {
        let between = [Deed::Open(3), Deed::Open(0), Deed::Open(1), Deed::Create(2), Deed::Drop, Deed::Alter(1)];
        let mut steps = 0;
        let all = BEFORE.into_iter().flat_map(|before| FIRST.map(|first| (before, first)));
        let all = all.flat_map(|(before, first)| between.map(|second| (before, first, second))).collect::<Vec<_>>();
        for (before, first, second) in all.into_iter().step_by(every(4)) {
            for request in 0.. {
                let (to_emulator, direct) = prepared(before).await;
                let proxy = Proxy::start(&emulator()).await;
                let db = client(&to_emulator.emulator(proxy.host())).await;
                proxy.at_request(request, AtRequest::Held);
                let place = format!("{before:?}, {first:?}, request {request}, {second:?}");
                let of_first = run(&db, first);
                tokio::pin!(of_first);
                let ended = tokio::select! {
                    biased;
                    result = &mut of_first => Some(result),
                    () = proxy.held() => None,
                };
                if ended.is_some() {
                    break;
                }
                steps += 1;
                let of_second = run(&direct, second).await;
                let are_drops = matches!(first, Deed::Drop) || matches!(second, Deed::Drop);
                let row = Mutation::new().put("a:of second", "v");
                let written = match (second, &of_second) {
                    (Deed::Open(n) | Deed::Create(n), Ok(())) if !are_drops => {
                        let table = direct.open_table("t", &schema(n)).await.unwrap();
                        table.mutate(b"s", &row).await.unwrap();
                        Some(table)
                    }
                    _ => None,
                };
                proxy.release();
                let of_first = of_first.await;
                for (deed, result) in [(first, &of_first), (second, &of_second)] {
                    match result {
                        Ok(()) | Err(Error::Schema { .. } | Error::NoSuchTable(_) | Error::TableExists(_)) => {}
                        // Its families were changed, and its record was another one by then.
                        Err(Error::OutcomeUnknown { .. }) if matches!(deed, Deed::Alter(_)) => {}
                        Err(error) => panic!("{place}: {deed:?}: {error}"),
                    }
                }
                if let Some(table) = written {
                    let row = table.get(b"s", &Columns::all()).await.unwrap();
                    assert!(!row.is_empty(), "{place}: what was written is gone");
                }
                let number = found(&direct).await;
                // Without a drop or a change, what was opened is what is there.
                if !matches!(first, Deed::Drop | Deed::Alter(_)) && !matches!(second, Deed::Drop | Deed::Alter(_)) {
                    for (deed, result) in [(first, &of_first), (second, &of_second)] {
                        if let (Deed::Open(n) | Deed::OpenExisting(n) | Deed::Create(n), Ok(())) = (deed, result) {
                            assert_eq!(number, Some(n), "{place}: {deed:?} succeeded");
                        }
                    }
                }
                if let (Deed::Open(_) | Deed::Create(_), Ok(()), Deed::Open(_) | Deed::Create(_), Ok(())) =
                    (first, &of_first, second, &of_second)
                {
                    assert!(number.is_some(), "{place}");
                }
                // The next program can go on.
                run(&direct, Deed::Drop).await.unwrap();
                run(&direct, Deed::Create(1)).await.unwrap_or_else(|error| panic!("{place}: {error}"));
                assert_eq!(found(&direct).await, Some(1), "{place}");
            }
        }
        println!("{steps} places");
    });
}

#[derive(RowKey, Debug, Clone, PartialEq)]
struct ByNumber {
    number: u64,
}

#[derive(RowKey, Debug, Clone, PartialEq)]
struct ByName {
    name: String,
}

/// Opens typed tables in a process of its own: its instance, its rounds, and the kind of its keys.
const OF_PROCESS: &str = "ROWKEY_OPENS";

async fn open_typed<K: RowKey>(db: &Bigtable, name: &str) -> Result<(), Error> {
    AsyncWideTable::<K, _>::open(db.clone(), name, &schema(0)).await.map(drop)
}

#[test]
#[ignore = "is a process of the next test"]
fn of_another_process() {
    let Ok(given) = std::env::var(OF_PROCESS) else { return };
    let [instance, rounds, kind] = given.split(' ').collect::<Vec<_>>().try_into().unwrap();
    runtime().block_on(async {
        let db = client(&options_of(instance)).await;
        for round in 0..rounds.parse().unwrap() {
            let name = format!("p{round}");
            let opened = match kind {
                "number" => open_typed::<ByNumber>(&db, &name).await,
                _ => open_typed::<ByName>(&db, &name).await,
            };
            match opened {
                Ok(()) => println!("\nopened {round}"),
                Err(Error::Schema { .. } | Error::Layout { .. } | Error::Fields { .. }) => {
                    println!("\nrefused {round}")
                }
                Err(error) => panic!("{error}"),
            }
        }
    });
}

#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn processes_agree_on_the_keys() {
    let (instance, rounds) = (instance(), cases(20, 200));
    let start = |kind: &'static str| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "faults::openings::of_another_process", "--ignored", "--nocapture"]);
        command.env(OF_PROCESS, format!("{instance} {rounds} {kind}"));
        (kind, command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap())
    };
    let processes: Vec<_> = ["number", "name", "number", "name"].map(start).into();
    let mut opened = vec![Vec::new(); rounds as usize];
    for (kind, process) in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            text.lines().filter(|line| line.starts_with("opened") || line.starts_with("refused")).count(),
            rounds as usize
        );
        for round in text.lines().filter_map(|line| line.strip_prefix("opened ")) {
            opened[round.parse::<usize>().unwrap()].push(kind);
        }
    }
    let db = runtime();
    db.block_on(async {
        let client = client(&options_of(&instance)).await;
        for (round, kinds) in opened.iter().enumerate() {
            assert_eq!(kinds.len(), 2, "{round}: {kinds:?}");
            assert_eq!(kinds[0], kinds[1], "{round}");
            let name = format!("p{round}");
            let (number, text) =
                (open_typed::<ByNumber>(&client, &name).await, open_typed::<ByName>(&client, &name).await);
            assert_eq!((number.is_ok(), text.is_ok()), (kinds[0] == "number", kinds[0] == "name"), "{round}");
        }
    });
}

/// A deadline bounds an opening, whatever it waits for.
#[test]
#[ignore = "needs BIGTABLE_EMULATOR_HOST"]
fn an_opening_that_waits_ends_by_its_deadline() {
    runtime().block_on(async {
        let to_emulator = options();
        let proxy = Proxy::start(&emulator()).await;
        let db = client(&to_emulator.emulator(proxy.host())).await;
        // The table of records is there.
        run(&db, Deed::Open(0)).await.unwrap();
        run(&db, Deed::Drop).await.unwrap();
        let timeout = Duration::from_millis(200);
        let bounded = AsyncWideDatabase::with_options(&db, &CallOptions::new().timeout(timeout));
        for deed in [Deed::Open(0), Deed::Create(0), Deed::Alter(1), Deed::Drop] {
            let needs_table = !matches!(deed, Deed::Open(_) | Deed::Create(_));
            let mut requests = usize::MAX;
            for request in 0.. {
                if needs_table {
                    run(&db, Deed::Open(0)).await.unwrap();
                }
                if request == 0 {
                    // This run counts the requests.
                    proxy.at_request(usize::MAX, AtRequest::Held);
                    run(&db, deed).await.unwrap();
                    requests = proxy.requests();
                    run(&db, Deed::Drop).await.unwrap();
                    continue;
                }
                let request = request - 1;
                if request >= requests {
                    run(&db, Deed::Drop).await.unwrap();
                    break;
                }
                proxy.at_request(request, AtRequest::Held);
                let opening = async {
                    match deed {
                        Deed::Open(n) => bounded.table("t", &schema(n)).await.map(drop),
                        Deed::Create(n) => bounded.create_table("t", &schema(n), &NewTable::new()).await.map(drop),
                        Deed::Alter(n) => bounded.alter("t", &schema(n)).await.map(drop),
                        _ => bounded.drop_table("t").await,
                    }
                };
                let result = within(Some(timeout), "an opening", opening).await;
                proxy.release();
                assert_typed(&result.unwrap_err());
                proxy.cut();
                run(&db, Deed::Drop).await.unwrap();
            }
        }
    });
}
