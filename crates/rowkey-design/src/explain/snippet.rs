//! A range of keys as commands and expressions to paste.

use rowkey::KeyRange;

use crate::quote::{go, java, jruby, shell};

/// A note on prefixes in HBase's shell, which surprise.
pub const PREFIX_FILTER: &str = "ROWPREFIXFILTER => p is STARTROW => p and, as STOPROW, the first key after all that begin \
     with p: p without FF bytes at its end, and the last byte that is left plus 1. It is no filter: it replaces a STARTROW \
     and a STOPROW beside it, without an error. Escapes work in double quotes alone: '\\x00' is four characters.";

/// A range in the words of four clients.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snippets {
    /// A command of HBase's shell.
    pub hbase: String,
    /// True if `ROWPREFIXFILTER` with the start row reads the same rows as the command.
    pub prefix: bool,
    /// `cbt` as a command of a shell: bash, zsh, ksh.
    pub cbt: String,
    /// True if `cbt` reads more than the range: an argument of a program cannot hold a zero byte, so that the command
    /// starts before the range or stops after it.
    pub cbt_wider: bool,
    /// An expression of Java: a `Scan`, or a `Get`.
    pub java: String,
    /// A call of Go: `ReadRows` with the options of the query, or `ReadRow`.
    pub go: String,
}

impl Snippets {
    /// Of a range, or of the one key that it holds.
    ///
    /// ```
    /// use rowkey::KeyRange;
    /// use rowkey_design::internal::explain::Snippets;
    ///
    /// let range = KeyRange::new(b"a#{b}", Some(b"a\xff")).unwrap();
    /// let snippets = Snippets::of_range("t", &range, None, false);
    /// assert_eq!(snippets.hbase, r#"scan "t", {STARTROW => "a\#{b}", STOPROW => "a\xFF"}"#);
    /// assert_eq!(snippets.cbt, r"cbt read t 'start=a#{b}' $'end=a\377'");
    /// assert_eq!(snippets.go, r#"table.ReadRows(ctx, bigtable.NewRange("a#{b}", "a\xff"), f)"#);
    /// ```
    pub fn of_range(table: &str, range: &KeyRange, limit: Option<u64>, reverse: bool) -> Self {
        let start = range.start();
        let (cbt, cbt_wider) = cbt(table, range, limit, reverse);
        Self {
            hbase: hbase(table, range, limit, reverse),
            prefix: !start.is_empty() && *range == KeyRange::prefix(start),
            cbt,
            cbt_wider,
            java: scan_of_java(range, limit, reverse),
            go: read_rows(range, limit, reverse),
        }
    }

    /// Of one key; none if it is empty, for no row has that key.
    pub fn of_key(table: &str, key: &[u8]) -> Option<Self> {
        let name = jruby(table.as_bytes());
        let range = KeyRange::point(key);
        let (read, cbt_wider) = cbt(table, &range, Some(1), false);
        let lookup = shell(table.as_bytes()).zip(shell(key)).map(|(table, key)| format!("cbt lookup {table} {key}"));
        (!key.is_empty()).then(|| Self {
            hbase: format!("get {name}, {}", jruby(key)),
            prefix: false,
            cbt_wider: lookup.is_none() && cbt_wider,
            cbt: lookup.unwrap_or(read),
            java: format!("new Get({})", java(key)),
            go: format!("table.ReadRow(ctx, {})", go(key)),
        })
    }
}

/// Backwards a scan begins at its greater end, and has that row too: the shell knows no exclusive start.
fn hbase(table: &str, range: &KeyRange, limit: Option<u64>, reverse: bool) -> String {
    let (start, end) = (range.start(), range.end());
    let mut options = Vec::new();
    if reverse {
        options.push("REVERSED => true".to_owned());
        options.extend(end.map(|end| format!("STARTROW => {}", jruby(end))));
        // The stop row is exclusive: the row before the first.
        options.extend(before(start).map(|before| format!("STOPROW => {}", jruby(&before))));
    } else {
        options.extend((!start.is_empty()).then(|| format!("STARTROW => {}", jruby(start))));
        options.extend(end.map(|end| format!("STOPROW => {}", jruby(end))));
    }
    options.extend(limit.map(|limit| format!("LIMIT => {limit}")));
    let options = if options.is_empty() { String::new() } else { format!(", {{{}}}", options.join(", ")) };
    format!("scan {}{options}", jruby(table.as_bytes()))
}

/// The key before which a backward scan stops, so that it has `start` too: a zero byte at the end is left out, else the
/// last byte is one less and as many FF follow as no key has. None for the empty key: all are after it.
fn before(start: &[u8]) -> Option<Vec<u8>> {
    let (&last, rest) = start.split_last()?;
    let mut before = rest.to_vec();
    if last > 0 {
        before.push(last - 1);
        before.extend([0xff; 9]);
    }
    Some(before)
}

fn scan_of_java(range: &KeyRange, limit: Option<u64>, reverse: bool) -> String {
    let (start, end) = (range.start(), range.end());
    let mut scan = "new Scan()".to_owned();
    if reverse {
        scan += ".setReversed(true)";
        scan += &end.map_or_else(String::new, |end| format!(".withStartRow({}, false)", java(end)));
        if !start.is_empty() {
            scan += &format!(".withStopRow({}, true)", java(start));
        }
    } else {
        if !start.is_empty() {
            scan += &format!(".withStartRow({})", java(start));
        }
        scan += &end.map_or_else(String::new, |end| format!(".withStopRow({})", java(end)));
    }
    scan + &limit.map_or_else(String::new, |limit| format!(".setLimit({})", limit.min(i32::MAX as u64)))
}

fn read_rows(range: &KeyRange, limit: Option<u64>, reverse: bool) -> String {
    let start = go(range.start());
    let rows = match range.end() {
        Some(end) => format!("bigtable.NewRange({start}, {})", go(end)),
        None => format!("bigtable.InfiniteRange({start})"),
    };
    let limit = limit.map_or_else(String::new, |limit| format!(", bigtable.LimitRows({limit})"));
    let reverse = if reverse { ", bigtable.ReverseScan()" } else { "" };
    format!("table.ReadRows(ctx, {rows}, f{limit}{reverse})")
}

/// The command, and whether it reads more than the range.
fn cbt(table: &str, range: &KeyRange, limit: Option<u64>, reverse: bool) -> (String, bool) {
    let cut = |key: &[u8]| memchr::memchr(0, key).map(|at| key[..at].to_vec());
    let (start, end) = (range.start(), range.end());
    let wider_start = cut(start);
    // All that begin with the part before the zero byte and a zero byte are before that part and a byte 1.
    let wider_end = end.and_then(cut).map(|mut part| {
        part.push(1);
        part
    });
    let (is_wider_start, is_wider_end) = (wider_start.is_some(), wider_end.is_some());
    let mut words = vec!["cbt read".to_owned()];
    // A name with a zero byte is no table's.
    words.push(shell(table.as_bytes()).unwrap_or_else(|| "''".to_owned()));
    let word = |name: &str, key: &[u8]| shell(&[name.as_bytes(), key].concat());
    let start = wider_start.as_deref().unwrap_or(start);
    words.extend((!start.is_empty()).then(|| word("start=", start)).flatten());
    words.extend(wider_end.as_deref().or(end).and_then(|end| word("end=", end)));
    words.extend(reverse.then(|| "reversed=true".to_owned()));
    // Rows before those of the range would be counted too.
    let begins_wider = if reverse { is_wider_end } else { is_wider_start };
    words.extend(limit.filter(|_| !begins_wider).map(|limit| format!("count={limit}")));
    (words.join(" "), is_wider_start || is_wider_end)
}
