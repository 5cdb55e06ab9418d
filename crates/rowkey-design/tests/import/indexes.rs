//! `CREATE INDEX` of Phoenix.

use rowkey_design::internal::import::Source;

use super::{design, imported};

#[test]
fn an_index_is_a_secondary_with_the_tables_key_at_its_end() {
    let sql = "CREATE TABLE s.t (id BIGINT NOT NULL, at DATE NOT NULL, f.host VARCHAR, f.n INTEGER, g.code CHAR(3) NOT NULL \
        CONSTRAINT pk PRIMARY KEY (id, at DESC)) SALT_BUCKETS=4;\n\
        CREATE INDEX IF NOT EXISTS by_host ON s.t (f.host, at) INCLUDE (f.n, g.code) ASYNC IMMUTABLE_ROWS=true;\n\
        CREATE INDEX by_code ON s.t (code DESC, n) SALT_BUCKETS=0 SPLIT ON ('a', X'80');\n\
        CREATE LOCAL INDEX near ON s.t (n);\nCREATE INDEX upper ON s.t (UPPER(host, 'en') DESC, n);";
    let text = imported(sql, Source::Phoenix, None).unwrap_or_else(|problems| panic!("{problems}"));
    for part in [
        "# A design has no secondary for the index NEAR: it is local, in the regions of the table\n",
        "# A design has no secondary for the index UPPER: it is of an expression\n",
        "[[table.\"S.T\".secondary]]\n# It has copies of the columns F.N, G.CODE\n# A design has no key for IMMUTABLE_ROWS=TRUE\n\
         name = \"S.BY_HOST\"\nkey = [\"HOST: text\", \"AT: i64\", \"ID: i64\"]\nsalt = { buckets = 4, hash = \"java\" }\nsplits = \"buckets\"\n",
        "[[table.\"S.T\".secondary]]\n# Phoenix's type of N is DECIMAL here, which has a form for NULL\n\
         name = \"S.BY_CODE\"\nkey = [\"CODE: char[3] desc\", \"N: decimal\", \"ID: i64\", \"AT: i64 desc\"]\nsplits = { keys = [\"61\", \"80\"] }\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert_eq!(design(&text).tables["S.T"].secondary.len(), 2);
    for (sql, told) in [
        ("CREATE INDEX i ON t (a);", "1:19: the table \"T\" of this index is not in this text"),
        ("CREATE TABLE t (a BIGINT PRIMARY KEY, b BIGINT); CREATE INDEX i ON t (b", "1:71: expected `)`"),
        ("CREATE TABLE t (a BIGINT PRIMARY KEY, b BIGINT); CREATE INDEX i (b)", "1:65: expected ON"),
        ("ALTER TABLE t ADD b BIGINT", "1:1: ALTER is not read"),
        ("CREATE VIEW v (a BIGINT PRIMARY KEY)", "1:8: a view has no key of its own"),
    ] {
        let problems = imported(sql, Source::Phoenix, None).expect_err(sql).to_string();
        assert!(problems.starts_with(&format!("pasted:{told}")), "{sql}: {problems}");
    }
}
