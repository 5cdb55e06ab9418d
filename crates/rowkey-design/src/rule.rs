//! Rules: the id, title, kind, severity and page of each. The functions that find them are in [`rules`](crate::rules).

use crate::design::{Engine, Level};
use crate::file::node::words;

words! {
    /// The severity of a finding, the least first.
    pub enum Severity ("severity") {
        /// Worth knowing.
        Note = "note",
        /// It costs, or will.
        Warning = "warning",
        /// It loses rows, is refused by the engine, or cannot be cured by more servers.
        Error = "error",
    }
}

impl Level {
    /// The severity of findings; none where they are allowed.
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Allow => None,
            Self::Note => Some(Severity::Note),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
        }
    }
}

/// The kind of a rule: the part of a design that it looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuleKind {
    /// The row key, its salt and split points: where writes and reads land.
    Key,
    /// Queries, and the keys of secondary tables, against the row key.
    Query,
    /// Column families, cells, and the engine's limits.
    Family,
    /// Changes of what stored rows depend on, between two designs.
    Change,
    /// Changes of options on which no stored row depends, between two designs.
    Setting,
    /// Findings that the older of two designs does not have.
    NewFinding,
}

impl RuleKind {
    /// True if it compares two designs: a check of one finds nothing.
    pub const fn compares(self) -> bool {
        matches!(self, Self::Change | Self::Setting | Self::NewFinding)
    }
}

/// The load that a rule speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuleLoad {
    /// The places where writes land.
    Writes,
    /// The places where reads land.
    Reads,
    /// All writes, or all reads, as its numbers say.
    Both,
    /// The rows that a run of a query reads, however many runs there are.
    Runs,
}

/// The safety of the edits by which a rule's findings can be fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fix {
    /// No edit of the design file fixes it.
    None,
    /// The edits change options and new tables: stored rows stay, and are read as before.
    Safe,
    /// The edits may change keys or timestamps: a table that has rows must be rewritten.
    Unsafe,
}

/// A rule.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its id, such as `H05`; it never changes.
    pub id: &'static str,
    /// The hazard, in a few words.
    pub title: &'static str,
    /// The part of a design that it looks at.
    pub kind: RuleKind,
    /// The safety of its edits.
    pub fix: Fix,
    severity: Severity,
    /// The engines on which the severity is another one.
    elsewhere: &'static [(Engine, Severity)],
    /// The load that it speaks of, if it speaks of one.
    load: &'static [RuleLoad],
    page: &'static str,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Rule {
    /// All rules, by kind.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        ALL.iter().copied()
    }

    /// The rule of this id.
    pub fn named(id: &str) -> Option<&'static Self> {
        Self::all().find(|rule| rule.id == id)
    }

    /// The rule that an id which is of none may mean: `H5` and `h005` are `H05`; none where no rule is of its kind.
    ///
    /// ```
    /// assert_eq!(rowkey_design::Rule::nearest("h5").map(|rule| rule.id), Some("H05"));
    /// ```
    pub fn nearest(id: &str) -> Option<&'static Self> {
        let upper = id.trim().to_ascii_uppercase();
        let number = |id: &str| id.get(1..).and_then(|number| number.parse::<u32>().ok());
        let apart = |rule: &Self| {
            let numbers = number(rule.id).zip(number(&upper));
            let apart = numbers.map_or(u32::MAX, |(number, wanted)| number.abs_diff(wanted));
            (apart, strsim::damerau_levenshtein(rule.id, &upper))
        };
        Self::all().filter(|rule| rule.id.get(..1) == upper.get(..1)).min_by_key(|rule| apart(rule))
    }

    /// The severity on an engine.
    pub fn severity(&self, engine: Engine) -> Severity {
        let other = self.elsewhere.iter().find(|(other, _)| *other == engine);
        other.map_or(self.severity, |(_, severity)| *severity)
    }

    /// The load that it speaks of; none if it is about something else.
    ///
    /// ```
    /// use rowkey_design::{Rule, RuleLoad};
    ///
    /// let of = |id| Rule::named(id).and_then(Rule::load);
    /// assert_eq!((of("H01"), of("Q01"), of("F01")), (Some(RuleLoad::Writes), Some(RuleLoad::Runs), None));
    /// ```
    pub fn load(&self) -> Option<RuleLoad> {
        self.load.first().copied()
    }

    /// Its page, as Markdown: condition, consequence, fix, source, known false positives, two designs.
    pub fn page(&self) -> &'static str {
        self.page
    }
}

/// The list of all rules, handed to a macro. `mod keys` has a file of code and a page for each of its rules, in
/// `rules/keys`; `page changes` has pages alone. A line is a rule: its id, the name of its files, the safety of its
/// edits, its severity, with that on some engines in braces, the load that it speaks of, and its title.
macro_rules! for_each_rule {
    ($then:ident) => {
        $then! {
            mod keys Key {
                H01 h01_time_first Unsafe Error { DynamoDb: Warning, Cassandra: Warning } of Writes "the first field is a time: monotonically increasing keys";
                H02 h02_time_first_descending Unsafe Error { DynamoDb: Warning, Cassandra: Warning } of Writes "the first field is a descending time: monotonically decreasing keys";
                H03 h03_sequence_first Unsafe Error { DynamoDb: Warning, Cassandra: Warning } of Writes "the first field is a sequence, or an id that begins with a time";
                H04 h04_dominant_value Unsafe Warning { DynamoDb: Error, Cassandra: Error } of Writes "one value gets more writes than a server takes";
                H05 h05_few_values_before_time Unsafe Error { DynamoDb: Warning, Cassandra: Warning } of Writes "fewer values before the time field than servers";
                H06 h06_few_salt_buckets Unsafe Warning of Writes "a salt that does not spread the writes over the servers";
                H07 h07_salt_unknown_to_queries Unsafe Warning of Runs "a salt computed from fields that no query fixes";
                H08 h08_salt_of_time Unsafe Warning of Writes "a salt computed from the time alone";
                H09 h09_splits_misfit Safe Warning of Writes "split points that do not fit the keys";
                H10 h10_no_splits Safe Note { HBase: Warning } of Writes "a new table without split points";
                H11 h11_too_many_regions None Warning "more regions than the memory of a server has room for";
                H12 h12_one_row None Error of Writes "all writes go to one row";
                H13 h13_growing_row None Warning { HBase: Error, Bigtable: Error } "a row grows without bound";
                H14 h14_newest_under_salt None Note of Reads "a query for the newest rows of a salted table";
                H15 h15_time_bucket_size None Note of Writes "time-bucket rows are too large or too small";
                H16 h16_text_for_number None Note "text where a number or bytes would be shorter";
                H17 h17_queue None Note { HBase: Warning, Bigtable: Warning, Cassandra: Warning } of Reads "a queue: rows are deleted where they are read";
                H18 h18_empty_regions None Note "regions of expired rows are never merged";
                H19 h19_load_in_key_order None Note of Writes "a bulk load in key order";
                H20 h20_constant_prefix None Note "all keys begin with the same bytes";
                H21 h21_even_splits None Note of Writes "even split points for uneven values";
                H22 h22_neighbours None Note "other tables share the servers of a hot one";
                H23 h23_balancer None Note "the balancer does not divide a hot region";
                H24 h24_too_few_servers None Warning of Both "more writes or reads than all servers together take";
                H25 h25_row_key_schema None Note "no row_key_schema of Bigtable can say the key";
                H26 h26_hot_reads None Warning { DynamoDb: Error, Cassandra: Error } of Reads "one place gets more reads than a server takes";
                H27 h27_large_partition None Warning { DynamoDb: Error } of Writes "a partition larger than the engine is made for";
            }
            mod queries Query {
                Q14 q14_growing_secondary None Error { DynamoDb: Warning, Cassandra: Warning } of Writes "a secondary table whose first field grows";
                Q01 q01_full_scan Unsafe Error of Runs "a query fixes no leading field of the key";
                Q02 q02_order Unsafe Warning of Runs "a query's order is not the key's order";
                Q03 q03_fan_out Unsafe Warning of Runs "a query scans many salt buckets or ranges";
                Q04 q04_filter Unsafe Warning of Runs "a query reads many rows for each that it returns";
                Q05 q05_offset None Warning of Runs "pagination by offset";
                Q06 q06_prefix_of_another Unsafe Note "one key is a prefix of another";
                Q07 q07_numbers_as_text Unsafe Warning "numbers as text";
                Q08 q08_native_numbers Unsafe Warning "native-endian numbers as bytes";
                Q09 q09_local_time Unsafe Warning "times without a zone, or in several formats";
                Q10 q10_mixed_layouts None Warning "keys of several layouts in one table";
                Q11 q11_not_unique Unsafe Warning "two rows can have one key";
                Q12 q12_spellings None Note "one value in several spellings";
                Q13 q13_hashed_order Unsafe Error of Runs "a query needs the key order that a digest destroys";
                Q15 q15_index_of_few_values Unsafe Warning "an index by a field of few values that are updated";
                Q16 q16_atomic_rows None Note { HBase: Error, Bigtable: Error } "rows that must change atomically";
                Q17 q17_tables_apart None Note "two tables of the same rows that nothing keeps consistent";
                Q18 q18_counters None Note "counters whose increments can be lost or doubled";
                Q19 q19_unused_field Unsafe Note "a field of the key that nothing uses";
                Q20 q20_changing_field None Note { HBase: Warning, Bigtable: Warning } "a field of the key is updated";
                Q21 q21_unbounded_result None Warning of Runs "a query without a limit on its result";
                Q22 q22_unused_secondary None Warning "a secondary table that no query uses";
            }
            mod families Family {
                F01 f01_many_families None Warning "more families than the engine is made for";
                F02 f02_uneven_families None Warning "families with very different numbers of rows";
                F03 f03_long_names Safe Note "long names of families and columns";
                F04 f04_share_of_keys None Note { HBase: Warning } "most of each cell is its key";
                F05 f05_long_keys Unsafe Error "keys longer than the engine takes";
                F06 f06_large_values Safe Error "cells or rows larger than the engine takes";
                F07 f07_many_versions None Note { HBase: Warning } "hundreds of versions of a cell";
                F08 f08_ttl_and_timestamps Unsafe Error "a TTL that contradicts timestamps or versions";
                F09 f09_unbounded_columns None Note { HBase: Warning, Bigtable: Warning } "no bound on the columns of a row";
                F10 f10_kept_forever Safe Note "time-series rows that nothing ever removes";
                F11 f11_bloom_filter Safe Warning "a Bloom filter that does not fit the queries";
                F12 f12_deletes_of_old_rows None Warning "old rows are deleted one by one";
                F13 f13_uncompressed Safe Note "no encoding and no compression of cells that are mostly key";
                F14 f14_columns_together None Note "columns that are always read and written together";
                F15 f15_alike_tables None Note { Bigtable: Warning } "many tables of the same schema";
                F16 f16_unit_of_ttl None Warning "a TTL whose unit looks wrong";
            }
            page changes Change {
                D01 d01_key None Error "the type, order or direction of fields, or the hash of a salt";
                D02 d02_buckets None Error "the number of salt buckets";
                D03 d03_appended_field None Error "a field at the end of the key";
                D04 d04_names None Note "the name of a field or column";
                D05 d05_enum_tags None Error "a tag of an enum with another meaning";
                D06 d06_dropped None Error "a table or family that is dropped";
                D07 d07_shorter_ttl None Error "a shorter TTL, or fewer versions";
                D08 d08_additions None Note "a longer TTL, more versions, a new table or family";
            }
            page changes Setting {
                D09 d09_file_options None Note "how files are written";
                D10 d10_splits None Note "split points";
            }
            page changes NewFinding {
                D11 d11_new_findings None Warning "new findings of a check";
                D12 d12_new_findings_on_engine None Warning "new findings of a check on another engine";
            }
            page changes Change {
                D13 d13_engine None Error "another engine";
            }
        }
    };
}
pub(crate) use for_each_rule;

macro_rules! declare {
    ($(
        $has:ident $folder:ident $kind:ident {
            $( $id:ident $file:ident $fix:ident $severity:ident $({ $($engine:ident: $other:ident),* })?
                $(of $load:ident)? $title:literal; )*
        }
    )*) => {
        $($(
            pub(crate) static $id: Rule = Rule {
                id: stringify!($id),
                title: $title,
                kind: RuleKind::$kind,
                fix: Fix::$fix,
                severity: Severity::$severity,
                elsewhere: &[$($((Engine::$engine, Severity::$other)),*)?],
                load: &[$(RuleLoad::$load)?],
                page: include_str!(concat!("rules/", stringify!($folder), "/", stringify!($file), ".md")),
            };
        )*)*

        static ALL: &[&Rule] = &[$($(&$id),*),*];
    };
}
for_each_rule!(declare);
