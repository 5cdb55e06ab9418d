//! The same bytes (FORMAT.md) by hand: what a careful engineer writes for one key, with `memchr`, in safe Rust.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

const FLIP: u64 = 1 << 63;

pub fn ints(user: u64, at: i64, event: u32) -> [u8; 20] {
    let mut key = [0; 20];
    key[..8].copy_from_slice(&user.to_be_bytes());
    key[8..16].copy_from_slice(&(at as u64 ^ FLIP).to_be_bytes());
    key[16..].copy_from_slice(&event.to_be_bytes());
    key
}

/// The 20 bytes of [`ints`] after their bucket.
pub fn salted(user: u64, at: i64, event: u32) -> [u8; 21] {
    let body = ints(user, at, event);
    let mut key = [0; 21];
    key[0] = bucket(&body);
    key[1..].copy_from_slice(&body);
    key
}

pub fn bucket(body: &[u8]) -> u8 {
    (xxhash_rust::xxh3::xxh3_64(body) % 16) as u8
}

pub fn put_i64(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(&(value as u64 ^ FLIP).to_be_bytes());
}

/// Text or bytes, escaped and terminated.
#[inline]
pub fn put_text(text: &[u8], out: &mut Vec<u8>) {
    match first_escaped(text) {
        None => out.extend_from_slice(text),
        Some(clean) => put_escaped(text, clean, out),
    }
    out.push(0);
}

/// A short text is looked at by the compiler's own vectors sooner than `memchr` is called.
#[inline]
fn first_escaped(text: &[u8]) -> Option<usize> {
    if text.len() <= 64 && !text.iter().fold(false, |any, &byte| any | (byte <= 1)) {
        return None;
    }
    memchr2(0, 1, text)
}

/// Escapes come in crowds: from the first on, this many bytes are written one by one before `memchr` is asked again.
const CROWD: usize = 64;

#[cold]
fn put_escaped(mut text: &[u8], mut clean: usize, out: &mut Vec<u8>) {
    loop {
        out.extend_from_slice(&text[..clean]);
        let crowd = &text[clean..text.len().min(clean + CROWD)];
        let mut escaped = [0; 2 * CROWD];
        let mut len = 0;
        for &byte in crowd {
            let escape = byte <= 1;
            escaped[len] = if escape { 1 } else { byte };
            escaped[len + 1] = byte.wrapping_add(1);
            len += 1 + usize::from(escape);
        }
        out.extend_from_slice(&escaped[..len]);
        text = &text[clean + crowd.len()..];
        match memchr2(0, 1, text) {
            Some(next) => clean = next,
            None => break,
        }
    }
    out.extend_from_slice(text);
}

/// The same, descending.
#[inline]
pub fn put_text_desc(text: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    put_text(text, out);
    invert(&mut out[start..]);
}

fn invert(bytes: &mut [u8]) {
    bytes.iter_mut().for_each(|byte| *byte = !*byte);
}

/// A key's bytes, read from front to back.
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    pub fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_be_bytes)
    }

    pub fn i64(&mut self) -> Option<i64> {
        self.u64().map(|value| (value ^ FLIP) as i64)
    }

    /// The bytes before the terminator, and the offset of the first escape. Without an escape one search finds both.
    #[inline]
    fn run(&mut self, terminator: u8, escape: u8) -> Option<(&'a [u8], Option<usize>)> {
        let first = memchr2(terminator, escape, self.0)?;
        let escaped = self.0[first] == escape;
        let end = if escaped { first + memchr(terminator, &self.0[first..])? } else { first };
        let run = &self.0[..end];
        self.0 = &self.0[end + 1..];
        Some((run, escaped.then_some(first)))
    }

    #[inline]
    pub fn bytes(&mut self) -> Option<Cow<'a, [u8]>> {
        match self.run(0, 1)? {
            (run, None) => Some(Cow::Borrowed(run)),
            (run, Some(clean)) => unescape(run, clean).map(Cow::Owned),
        }
    }

    #[inline]
    pub fn text(&mut self) -> Option<Cow<'a, str>> {
        match self.bytes()? {
            Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
            Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
        }
    }

    #[inline]
    pub fn bytes_desc(&mut self) -> Option<Vec<u8>> {
        let (run, clean) = self.run(0xff, 0xfe)?;
        let run: Vec<u8> = run.iter().map(|byte| !byte).collect();
        match clean {
            None => Some(run),
            Some(clean) => unescape(&run, clean),
        }
    }

    #[inline]
    pub fn text_desc(&mut self) -> Option<String> {
        String::from_utf8(self.bytes_desc()?).ok()
    }

    pub fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

/// Undoes the escapes of a run, the first at `clean`.
#[cold]
fn unescape(run: &[u8], clean: usize) -> Option<Vec<u8>> {
    let mut content = vec![0; run.len()];
    content[..clean].copy_from_slice(&run[..clean]);
    let (mut at, mut len, mut good) = (clean, clean, true);
    while at < run.len() {
        let byte = run[at];
        let escape = byte == 1;
        let next = run.get(at + 1).copied().unwrap_or(0);
        good &= !escape | (next.wrapping_sub(1) <= 1);
        content[len] = if escape { next.wrapping_sub(1) } else { byte };
        len += 1;
        at += 1 + usize::from(escape);
    }
    content.truncate(len);
    good.then_some(content)
}
