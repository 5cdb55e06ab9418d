//! Laws 5 and 6: a scan shows exactly the rows that a filter finds, in order, both ways, to its limit, from where it
//! starts.

use std::fmt::Debug;

use fastrand::Rng;
use rowkey::{Memory, RowKey, Select, Selection, Table};

use crate::Fault;

/// A selection, and the filter that says the same.
type Asked<K> = (Selection<K>, Box<dyn Fn(&K) -> bool>);

/// A key whose prefixes can be taken by chance.
trait Soaked: RowKey + for<'a> RowKey<Ref<'a> = Self> + Ord + Clone + Debug + 'static {
    fn random(rng: &mut Rng) -> Self;

    fn selection(rng: &mut Rng) -> Asked<Self>;
}

/// Text of few characters: the terminator's and the escape's neighbours, and beginnings of one another.
fn text(rng: &mut Rng) -> String {
    (0..rng.u8(0..4)).map(|_| rng.choice(['\0', '\u{1}', '\u{2}', 'a', 'b', '\u{ff}']).unwrap_or('a')).collect()
}

fn number(rng: &mut Rng) -> i16 {
    if rng.u8(0..8) == 0 { rng.choice([i16::MIN, i16::MAX]).unwrap_or(0) } else { rng.i16(-4..4) }
}

macro_rules! keys {
    ($($(#[$attribute:meta])* $key:ident { $(#[$name_attribute:meta])* name, $(#[$at_attribute:meta])* at } by $by:tt;)*) => {$(
        #[derive(RowKey, Clone, Debug, PartialEq, Eq)]
        $(#[$attribute])*
        struct $key {
            $(#[$name_attribute])*
            name: String,
            $(#[$at_attribute])*
            at: i16,
            id: Option<u8>,
        }

        impl Soaked for $key {
            fn random(rng: &mut Rng) -> Self {
                Self { name: text(rng), at: number(rng), id: rng.bool().then(|| rng.u8(0..3)) }
            }

            fn selection(rng: &mut Rng) -> Asked<Self> {
                keys!(@selection $by, rng)
            }
        }
    )*};
    (@selection digest, $rng:ident) => {
        match $rng.u8(0..4) {
            0 => keys!(@whole $rng),
            _ => keys!(@behind_name $rng),
        }
    };
    (@selection order, $rng:ident) => {
        match $rng.u8(0..8) {
            0 => keys!(@whole $rng),
            1 => {
                let (a, b) = (text($rng), text($rng));
                (Self::prefix().name_range(a.clone()..b.clone()).select(), Box::new(move |key| (&a..&b).contains(&&key.name)))
            }
            2 => {
                let a = text($rng);
                (Self::prefix().name_starts_with(&a).select(), Box::new(move |key| key.name.starts_with(&a)))
            }
            3 => {
                let names = [text($rng), text($rng), text($rng)];
                (Self::prefix().name_in(names.clone()).select(), Box::new(move |key| names.contains(&key.name)))
            }
            _ => keys!(@behind_name $rng),
        }
    };
    (@whole $rng:ident) => {
        (Selection::all(), Box::new(|_| true))
    };
    (@behind_name $rng:ident) => {{
        let (name, a, b) = (text($rng), number($rng), number($rng));
        let prefix = Self::prefix().name(&name);
        match $rng.u8(0..6) {
            0 => (prefix.select(), Box::new(move |key| key.name == name)),
            1 => (prefix.at_range(a..b).select(), Box::new(move |key| key.name == name && (a..b).contains(&key.at))),
            2 => (prefix.at_range(a..=b).select(), Box::new(move |key| key.name == name && (a..=b).contains(&key.at))),
            3 => (prefix.at_range(..a).select(), Box::new(move |key| key.name == name && key.at < a)),
            4 => (prefix.at_in([a, b]).select(), Box::new(move |key| key.name == name && [a, b].contains(&key.at))),
            _ => (
                prefix.at(a).id_range(Some(1)..).select(),
                Box::new(move |key| key.name == name && key.at == a && key.id >= Some(1)),
            ),
        }
    }};
}

keys! {
    Plain { name, #[rowkey(desc)] at } by order;
    #[rowkey(salt(buckets = 16))]
    Salted { #[rowkey(desc)] name, at } by order;
    #[rowkey(salt(buckets = 300, by(name), hash = java))]
    ByName { name, #[rowkey(desc)] at } by order;
    #[rowkey(hashed(bytes = 2, by(name)))]
    Hashed { name, at } by digest;
}

/// The order of a table without salt: what a merged scan shows.
macro_rules! order {
    ($($key:ident: $a:ident, $b:ident => $order:expr;)*) => {$(
        impl Ord for $key {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                let ($a, $b) = (self, other);
                $order
            }
        }

        impl PartialOrd for $key {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
    )*};
}

order! {
    Plain: a, b => a.name.cmp(&b.name).then(b.at.cmp(&a.at)).then(a.id.cmp(&b.id));
    Salted: a, b => b.name.cmp(&a.name).then(a.at.cmp(&b.at)).then(a.id.cmp(&b.id));
    ByName: a, b => a.name.cmp(&b.name).then(b.at.cmp(&a.at)).then(a.id.cmp(&b.id));
    // By the digest first, which only the bytes tell.
    Hashed: a, b => a.encode()[..2].cmp(&b.encode()[..2]).then_with(|| (&a.name, a.at, a.id).cmp(&(&b.name, b.at, b.id)));
}

/// Many scans of one table.
pub fn table(rng: &mut Rng) -> Result<u64, Fault> {
    match rng.u8(0..4) {
        0 => soak::<Plain>(rng),
        1 => soak::<Salted>(rng),
        2 => soak::<ByName>(rng),
        _ => soak::<Hashed>(rng),
    }
}

fn soak<K: Soaked>(rng: &mut Rng) -> Result<u64, Fault> {
    const SCANS: u64 = 500;
    let fault = |error: rowkey::Error| error.to_string();
    let table: Table<K, (), _> = Table::open(Memory::new(), "soak").map_err(fault)?;
    let mut rows: Vec<K> = (0..rng.usize(0..200)).map(|_| K::random(rng)).collect();
    for key in &rows {
        table.put(key, &()).map_err(fault)?;
    }
    rows.sort();
    rows.dedup();
    for _ in 0..SCANS {
        let (selection, filter) = K::selection(rng);
        let (reverse, start, itself) = (rng.bool(), rng.bool().then(|| K::random(rng)), rng.bool());
        let limit = rng.bool().then(|| rng.u64(0..20));
        let mut scan = table.scan(&selection).batch_rows(rng.usize(1..9));
        let mut due: Vec<_> = rows.iter().filter(|key| filter(key)).cloned().collect();
        if reverse {
            scan = scan.reverse();
            due.reverse();
        }
        if let Some(start) = &start {
            scan = if itself { scan.from_key(start) } else { scan.after_key(start) };
            due.retain(|key| key == start && itself || key != start && (key > start) != reverse);
        }
        if let Some(limit) = limit {
            scan = scan.limit(limit);
            due.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        }
        let found: Vec<K> = scan.keys().collect::<Result<_, _>>().map_err(fault)?;
        if found != due {
            return Err(format!(
                "{selection:?}, reverse {reverse}, from {start:?} (itself {itself}), limit {limit:?}: {due:?} were due, found {found:?}"
            ));
        }
    }
    Ok(SCANS)
}
