//! HBase's Java client: `Visits.java` of `servers/hbase` has its own code for the key, of no library.

use rowkey::RowKey;
use rowkey::nonblocking::AsyncWideTable;
use rowkey::splits::Splits;
use rowkey::store::NewTable;
use rowkey::wide::{Columns, Mutation, Row};
use rowkey_hbase::HBase;
use rowkey_testkit::Random;

use super::{Visit, Visits, external, hex, programs, rows, schema, sorted};
use crate::{Databases, runtime};

/// Texts whose order and escapes are of interest.
const USERS: [&str; 9] = ["", "\0", "\u{1}", "ada", "ada\0", "ada\u{1}b", "adb", "é", "\u{10ffff}"];

fn visits(random: &mut Random) -> Vec<Visit> {
    let times = [i64::MIN, -1, 0, 1, 1_700_000_000_000, i64::MAX];
    let mut visits = Vec::new();
    while visits.len() < 60 {
        let shop = random.one_of(&[0, 7, u32::MAX]);
        let visit = Visit { user: random.one_of(&USERS).to_owned(), at: random.one_of(&times), shop };
        if !visits.contains(&visit) {
            visits.push(visit);
        }
    }
    visits
}

/// Commands for the program.
#[derive(Default)]
struct Commands(String);

impl Commands {
    fn table(&mut self, command: &str, database: &HBase, name: &str) {
        self.0 += &format!("{command}\t{}:{name}\n", database.namespace());
    }

    fn row(&mut self, command: &str, visit: &Visit, more: &[&str]) {
        let Visit { user, at, shop } = visit;
        let words = [command, &hex(user.as_bytes()), &at.to_string(), &shop.to_string()];
        self.0 += &format!("{}\n", [&words, more].concat().join("\t"));
    }

    fn run(self) -> Vec<String> {
        programs().java("Visits.java", &self.0).lines().map(str::to_owned).collect()
    }
}

/// The cells as the program prints them.
fn lines(rows: &[(Visit, Row)]) -> Vec<String> {
    let of_row = |(visit, row): &(Visit, Row)| {
        let key = hex(&visit.encode());
        let cells = row.cells().map(move |cell| {
            let qualifier = String::from_utf8_lossy(cell.qualifier);
            format!("{key}\t{qualifier}\t{}\t{}", cell.timestamp, hex(cell.value))
        });
        cells.collect::<Vec<_>>()
    };
    rows.iter().flat_map(of_row).collect()
}

fn url(row: &Row) -> Vec<(i64, &str)> {
    row.versions("f:url").map(|cell| (cell.timestamp, std::str::from_utf8(cell.value).unwrap())).collect()
}

/// Reads what the program wrote.
async fn reads(table: &Visits, visits: &[Visit]) {
    let rows = rows(table).await;
    let found: Vec<Visit> = rows.iter().map(|(visit, _)| visit.clone()).collect();
    assert_eq!(found, sorted(visits.to_vec()));
    for (visit, row) in &rows {
        let i = visits.iter().position(|other| other == visit).unwrap();
        assert_eq!(url(row), [(2000 + i as i64, "/new"), (1000 + i as i64, "/")], "{visit:?}");
        assert_eq!(row.read::<i64>("f:count").unwrap(), Some(i as i64), "{visit:?}");
        assert_eq!(row.read::<String>("f:log").unwrap().as_deref(), Some("ab"), "{visit:?}");
    }
    let old = table.get(&visits[5], &Columns::of("f:url").versions(3).time(1000..2000)).await.unwrap();
    assert_eq!(url(&old), [(1005, "/")]);
    let of_ada = table.count(Visit::prefix().user("ada").at_range(0..=1)).await.unwrap();
    let is_of_ada = |visit: &&Visit| visit.user == "ada" && (0..=1).contains(&visit.at);
    assert_eq!(of_ada, visits.iter().filter(is_of_ada).count() as u64);
}

/// Writes for the program to read.
async fn writes(table: &Visits, visits: &[Visit], new: &Visit) {
    for (i, visit) in visits.iter().enumerate() {
        assert_eq!(table.increment(visit, "f:count", 100).await.unwrap(), i as i64 + 100);
    }
    let third = visits.iter().enumerate().map(|(i, visit)| {
        (visit, Mutation::new().put_at("f:url", 3000 + i as i64, "/third").put("f:shop", visit.shop.to_string()))
    });
    table.mutate_many(third).await.unwrap();
    table.delete(&visits[0]).await.unwrap();
    table.mutate(&visits[1], &Mutation::new().delete_column("f:url")).await.unwrap();
    table.mutate(&visits[2], &Mutation::new().delete_version("f:url", 2002)).await.unwrap();
    table.mutate(new, &Mutation::new().put_at("f:url", 5000, "").put("f:shop", "1")).await.unwrap();
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn java_client() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        let new = NewTable::new().splits(&Splits::of_buckets::<Visit>().unwrap());
        let by_rowkey =
            AsyncWideTable::<Visit, _>::create(database.clone(), "by_rowkey", &schema(), &new).await.unwrap();
        let visits = visits(&mut Random(7));
        let tables = ["by_java", "by_rowkey"];

        let mut commands = Commands::default();
        commands.table("create", &database, "by_java");
        for table in tables {
            commands.table("use", &database, table);
            for (i, visit) in visits.iter().enumerate() {
                commands.row("put", visit, &["url", &(2000 + i).to_string(), &hex(b"/new")]);
                commands.row("put", visit, &["url", &(1000 + i).to_string(), &hex(b"/")]);
                commands.row("increment", visit, &["count", &i.to_string()]);
                commands.row("append", visit, &["log", &hex(b"a")]);
                commands.row("append", visit, &["log", &hex(b"b")]);
            }
        }
        let counts = (0..visits.len()).map(|i| i.to_string());
        assert_eq!(commands.run(), counts.clone().chain(counts).collect::<Vec<_>>());

        let by_java = external(&database, "by_java").await;
        assert_eq!(by_java.store().split_points().await.unwrap(), by_rowkey.store().split_points().await.unwrap());
        let new = Visit { user: "new".into(), at: -7, shop: 1 };
        for table in [&by_java, &by_rowkey] {
            reads(table, &visits).await;
            writes(table, &visits, &new).await;
        }

        let mut commands = Commands::default();
        for table in tables {
            commands.table("use", &database, table);
            // The one that was deleted begins anew.
            commands.row("increment", &visits[0], &["count", "1"]);
            commands.row("increment", &visits[9], &["count", "1"]);
            commands.row("replace", &visits[3], &["shop", &hex(b"none"), &hex(b"no")]);
            let shop = hex(visits[3].shop.to_string().as_bytes());
            commands.row("replace", &visits[3], &["shop", &shop, &hex(b"yes")]);
            commands.row("delete", &visits[4], &[]);
            commands.row("delete_column", &visits[5], &["url"]);
            commands.row("delete_version", &visits[6], &["url", "3006"]);
            commands.table("scan", &database, table);
        }
        let mut printed = commands.run().into_iter();
        for table in [&by_java, &by_rowkey] {
            assert_eq!(printed.by_ref().take(4).collect::<Vec<_>>(), ["1", "110", "false", "true"]);
            let rows = rows(table).await;
            let mut there = [&visits[..4], &visits[5..]].concat();
            there.push(new.clone());
            assert_eq!(rows.iter().map(|(visit, _)| visit.clone()).collect::<Vec<_>>(), sorted(there));
            let row = |visit: &Visit| &rows.iter().find(|(other, _)| other == visit).unwrap().1;
            assert_eq!(url(row(&visits[1])), []);
            assert_eq!(url(row(&visits[2])), [(3002, "/third"), (1002, "/")]);
            assert_eq!(row(&visits[3]).read::<String>("f:shop").unwrap().as_deref(), Some("yes"));
            assert_eq!(url(row(&visits[5])), []);
            assert_eq!(url(row(&visits[6])), [(2006, "/new"), (1006, "/")]);
            assert_eq!(url(row(&new)), [(5000, "")]);
            let lines = lines(&rows);
            assert_eq!(printed.by_ref().take(lines.len()).collect::<Vec<_>>(), lines);
        }
        assert_eq!(printed.next(), None);
    });
    databases.end(runtime.handle());
}
