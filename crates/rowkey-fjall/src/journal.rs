//! The engine's journal (write-ahead log): its format, and the writes that are in it. In fjall 3, little-endian:
//!
//! ```text
//! 01 │ items u32 │ sequence u64                                                                      a batch begins
//! 02 │ type u8 │ compression u8 │ table u64 │ key's length u16 │ value's u32 │ as stored u32 │ key │ value      an item
//! 04 │ table u64                                                                                    a table is cleared
//! 03 │ xxh3 of the items u64 │ "FJL" 03                                                                a batch ends
//! ```
//!
//! After the last batch there are zeros, which the engine has reserved, or what a write left that was cut off.

use byteorder::{ByteOrder, LittleEndian};
use xxhash_rust::xxh3::xxh3_64;

/// Length of the start of a batch.
pub(crate) const START: usize = 13;
/// The last bytes of a batch.
pub(crate) const END: &[u8] = b"FJL\x03";
/// Length of the end of a batch.
const WHOLE_END: usize = 1 + 8 + END.len();

/// Length without the zeros at the end.
pub(crate) fn written(bytes: &[u8]) -> usize {
    const ZEROS: [u8; 4096] = [0; 4096];
    let last = bytes.chunks(ZEROS.len()).rposition(|chunk| chunk != &ZEROS[..chunk.len()]);
    let Some(start) = last.map(|chunk| chunk * ZEROS.len()) else { return 0 };
    let end = bytes.len().min(start + ZEROS.len());
    bytes[..end].iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1)
}

/// The reason why a batch can't be read.
pub(crate) enum Broken {
    /// It continues past the end of the bytes.
    Short,
    /// The byte here is not valid.
    Wrong(usize),
}

impl Broken {
    /// The same, in bytes that begin `at` bytes later.
    fn after(self, at: usize) -> Self {
        match self {
            Self::Short => Self::Short,
            Self::Wrong(place) => Self::Wrong(at + place),
        }
    }
}

/// One write that can be read.
pub(crate) struct Batch<'j> {
    pub(crate) len: usize,
    /// The number that orders versions of rows. No checksum covers it.
    pub(crate) sequence: u64,
    items: &'j [u8],
}

impl Batch<'_> {
    /// The tables that it changes, once for each item, and whether the table is cleared.
    pub(crate) fn tables(&self) -> impl Iterator<Item = (u64, bool)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let item = self.items.get(at..)?;
            let Ok(Some(len)) = read_item(item) else { return None };
            at += len;
            let (place, clears) = if item[0] == 4 { (1, true) } else { (3, false) };
            Some((LittleEndian::read_u64(&item[place..place + 8]), clears))
        })
    }
}

/// The first batch.
pub(crate) fn read_batch(bytes: &[u8]) -> Result<Batch<'_>, Broken> {
    let start = bytes.get(..START).ok_or(Broken::Short)?;
    if start[0] != 1 {
        return Err(Broken::Wrong(0));
    }
    let mut at = START;
    for _ in 0..LittleEndian::read_u32(&start[1..5]) {
        match read_item(&bytes[at..]) {
            Ok(Some(len)) => at += len,
            Ok(None) => return Err(Broken::Wrong(at)),
            Err(broken) => return Err(broken.after(at)),
        }
    }
    let end = bytes[at..].get(..WHOLE_END).ok_or(Broken::Short)?;
    let items = &bytes[START..at];
    match end[0] == 3 && end.ends_with(END) && LittleEndian::read_u64(&end[1..9]) == xxh3_64(items) {
        true => Ok(Batch { len: at + end.len(), sequence: LittleEndian::read_u64(&start[5..]), items }),
        // A batch whose last bytes are missing is cut off, not damaged.
        false => Err(Broken::Wrong(at + end.len() - 1)),
    }
}

/// The length of the first item; `None` at the end of the batch.
pub(crate) fn read_item(bytes: &[u8]) -> Result<Option<usize>, Broken> {
    let len = match bytes.first().ok_or(Broken::Short)? {
        2 => {
            let head = bytes.get(1..21).ok_or(Broken::Short)?;
            if head[0] > 3 || head[1] > 1 {
                return Err(Broken::Wrong(1));
            }
            21 + usize::from(LittleEndian::read_u16(&head[10..12])) + LittleEndian::read_u32(&head[16..20]) as usize
        }
        4 => 9,
        3 => return Ok(None),
        _ => return Err(Broken::Wrong(0)),
    };
    if len <= bytes.len() { Ok(Some(len)) } else { Err(Broken::Short) }
}
