//! HBase's shell: a script computes the keys in Ruby, and uses the shell's commands alone.

use rowkey::RowKey;
use rowkey::nonblocking::AsyncWideDatabase;
use rowkey::wide::{Columns, Mutation, Row};
use rowkey_testkit::hbase::{ShellCell, shell_cells};

use super::{Visit, external, programs, rows, sorted};
use crate::{Databases, runtime};

/// A key: the bucket of the user, the user and a zero byte, the time (the newest first), the shop.
const KEY: &str = r#"
require 'digest/md5'
def key(user, at, shop)
  text = user + "\0"
  bucket = Digest::MD5.digest(text)[0, 8].unpack('Q>')[0] % 16
  [bucket].pack('C') + text + [0x7fffffffffffffff - at].pack('Q>') + [shop].pack('N')
end
"#;

/// Each user with a row for each time and shop, and two versions of one column: the later one first.
const WRITES: &str = r#"
create TABLE, {NAME => 'f', VERSIONS => 3}, SPLITS => (1..15).map { |bucket| '\x%02X' % bucket }
['ada', 'adb', 'alan', 'grace', 'A B', '~'].each do |user|
  [0, 5, 1700000000000].each do |at|
    [7, 4294967295].each do |shop|
      put TABLE, key(user, at, shop), 'f:url', "/#{at}", 2000
      put TABLE, key(user, at, shop), 'f:url', '/', 1000
      incr TABLE, key(user, at, shop), 'f:count', 3
      incr TABLE, key(user, at, shop), 'f:count', shop
      append TABLE, key(user, at, shop), 'f:log', 'a'
      append TABLE, key(user, at, shop), 'f:log', 'b'
    end
  end
end
delete TABLE, key('ada', 0, 7), 'f:url', 2000
deleteall TABLE, key('ada', 0, 7), 'f:log'
deleteall TABLE, key('alan', 5, 7)
"#;

const READS: &str = r#"
incr TABLE, key('adb', 5, 7), 'f:count', 1
get_counter TABLE, key('adb', 5, 7), 'f:count'
count TABLE
scan TABLE, {COLUMNS => 'f:url', VERSIONS => 3}
puts 'the rest'
scan TABLE, {COLUMNS => ['f:count', 'f:log'], VERSIONS => 3}
"#;

fn script(table: &str, commands: &str) -> String {
    let said = programs().shell(&format!("TABLE = {table:?}\n{KEY}\n{commands}"));
    assert!(!said.contains("ERROR"), "{said}");
    said
}

fn url(row: &Row) -> Vec<(i64, &str)> {
    row.versions("f:url").map(|cell| (cell.timestamp, std::str::from_utf8(cell.value).unwrap())).collect()
}

/// The cells of rows in the order of their keys' bytes, with what the shell prints of them.
fn shown(rows: &[(Visit, Row)], columns: &[&str]) -> Vec<ShellCell> {
    let of_row = |(visit, row): &(Visit, Row)| {
        let cells = row.cells().filter(|cell| columns.contains(&cell.column().to_string().as_str()));
        let cell = |cell: rowkey::wide::Cell<'_>| ShellCell {
            row: visit.encode(),
            column: cell.column().to_string().into_bytes(),
            timestamp: format!("1970-01-01T00:00:{:02}", cell.timestamp / 1000),
            value: cell.value.to_vec(),
        };
        cells.map(cell).collect::<Vec<_>>()
    };
    let mut cells: Vec<_> = rows.iter().flat_map(of_row).collect();
    cells.sort_by(|a, b| a.row.cmp(&b.row));
    cells
}

#[test]
#[ignore = "needs ROWKEY_HBASE"]
fn shell() {
    let (runtime, databases) = (runtime(), Databases::new());
    runtime.block_on(async {
        let database = databases.empty().await;
        let name = format!("{}:visits", database.namespace());
        script(&name, WRITES);
        let visits = external(&database, "visits").await;
        let mut expected = Vec::new();
        for user in ["ada", "adb", "alan", "grace", "A B", "~"] {
            for at in [0, 5, 1_700_000_000_000] {
                expected.extend([7, u32::MAX].map(|shop| Visit { user: user.into(), at, shop }));
            }
        }
        let visit = |user: &str, at, shop| Visit { user: user.into(), at, shop };
        expected.retain(|other| *other != visit("alan", 5, 7));
        let found = rows(&visits).await;
        assert_eq!(found.iter().map(|(visit, _)| visit.clone()).collect::<Vec<_>>(), sorted(expected.clone()));
        for (visit, row) in &found {
            let (url_of, log) = (url(row), row.read::<String>("f:log").unwrap());
            match (visit.user.as_str(), visit.at, visit.shop) {
                ("ada", 0, 7) => assert_eq!((url_of, log), (vec![(1000, "/")], None)),
                (_, at, _) => {
                    assert_eq!(url_of, [(2000, format!("/{at}").as_str()), (1000, "/")]);
                    assert_eq!(log.as_deref(), Some("ab"));
                }
            }
            assert_eq!(row.read::<i64>("f:count").unwrap(), Some(3 + i64::from(visit.shop)));
        }

        let (ada, adb, new) = (visit("ada", 5, 7), visit("adb", 5, 7), visit("new", -1, 0));
        visits.mutate(&ada, &Mutation::new().put_at("f:url", 3000, "it's \"\\x41\" é\0")).await.unwrap();
        visits.mutate(&new, &Mutation::new().put_at("f:url", 4000, "/new").put("f:log", "c")).await.unwrap();
        visits.mutate(&visit("grace", 0, 7), &Mutation::new().delete_version("f:url", 2000)).await.unwrap();
        visits.delete(&visit("~", 0, 7)).await.unwrap();
        assert_eq!(visits.increment(&adb, "f:count", -11).await.unwrap(), -1);

        let said = script(&name, READS);
        assert!(said.contains("COUNTER VALUE = 0\n"), "{said}");
        let rows = rows(&visits).await;
        assert_eq!(rows.len(), expected.len());
        assert!(said.contains(&format!("\n{} row(s)", rows.len())), "{said}");
        let (urls, rest) = said.split_once("\nthe rest\n").unwrap();
        assert_eq!(shell_cells(urls), shown(&rows, &["f:url"]));
        // Their times are the server's.
        let untimed = |cells: Vec<ShellCell>| {
            cells.into_iter().map(|cell| ShellCell { timestamp: String::new(), ..cell }).collect::<Vec<_>>()
        };
        assert_eq!(untimed(shell_cells(rest)), untimed(shown(&rows, &["f:count", "f:log"])));
        assert_eq!(visits.get(&adb, &Columns::of("f:count")).await.unwrap().read::<i64>("f:count").unwrap(), Some(0));
        database.drop_table("visits").await.unwrap();
    });
    databases.end(runtime.handle());
}
