//! Names of regions, as HBase's web interface, its logs and `hbck` print them:
//! `table,start key,timestamp.0123456789abcdef0123456789abcdef.`

use std::ops::Range;

/// A region's name.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RegionName<'t> {
    pub(crate) table: &'t str,
    /// The key at which it begins, as HBase prints bytes.
    pub(crate) start: &'t str,
    /// The place of that key in the text.
    pub(crate) start_at: Range<usize>,
    /// Zero, or the number of a copy of the region.
    pub(crate) replica: u32,
}

impl<'t> RegionName<'t> {
    /// The first name in a line. A key may hold commas and blanks: it ends before the last comma that a timestamp is
    /// after.
    pub(crate) fn find(line: &'t str) -> Option<Self> {
        let hash = line.match_indices('.').find_map(|(dot, _)| {
            let name = line.get(dot + 1..dot + 34)?;
            let hash = name.strip_suffix('.')?;
            let is_hash = hash.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
            is_hash.then_some(dot)
        })?;
        let (before, id) = line[..hash].rsplit_once(',')?;
        let (time, replica) = id.split_once('_').unwrap_or((id, "0000"));
        let is_time = !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit());
        let replica = u32::from_str_radix(replica, 16).ok().filter(|_| is_time)?;
        // What is before the name: its own key in the text of a region's information, or a server.
        let skipped = before.find("NAME => '").map(|at| at + "NAME => '".len());
        let skipped = skipped.or_else(|| before.find(" | ").filter(|at| is_server(&before[..*at])).map(|at| at + 3));
        let skipped = skipped.unwrap_or(0);
        let comma = skipped + before[skipped..].find(',')?;
        let named = |c: char| c.is_alphanumeric() || "_-.:".contains(c);
        let table_at = before[..comma]
            .rfind(|c: char| !named(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
        let table = &before[table_at..comma];
        (!table.is_empty()).then(|| Self {
            table,
            start: &before[comma + 1..],
            start_at: comma + 1..before.len(),
            replica,
        })
    }
}

/// True of a server's name: `host,port,start`.
fn is_server(cell: &str) -> bool {
    let parts: Vec<&str> = cell.trim().split(',').collect();
    parts.len() == 3 && parts[1..].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::RegionName;

    #[test]
    fn the_start_key_may_hold_anything() {
        let hash = "0123456789abcdef0123456789abcdef";
        for (start, replica) in [("", ""), ("a,b, c", ""), ("\\x00\\xFF,1.2", "_0001")] {
            let line = format!("  | ns:t.1,{start},1646361261869{replica}.{hash}. on host,16020");
            let name = RegionName::find(&line).expect("a name");
            assert_eq!((name.table, name.start), ("ns:t.1", start));
            assert_eq!(&line[name.start_at.clone()], start);
            assert_eq!(name.replica, u32::from(!replica.is_empty()));
        }
        for before in ["{ENCODED => 01, NAME => '", " host.a,16020,1646361261869 | ", "meta => "] {
            let line = format!("{before}t,k,1646361261869.{hash}.");
            let name = RegionName::find(&line).expect("a name");
            assert_eq!((name.table, name.start), ("t", "k"), "{line}");
        }
        for line in ["", "t,a,1.2.", &format!("t,{hash}."), &format!("t,a,x.{hash}."), &format!("é.{hash}.é")] {
            assert_eq!(RegionName::find(line), None);
        }
    }
}
