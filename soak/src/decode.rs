//! Law 3: any bytes are a key that has these bytes, or an error; nothing panics.

use std::sync::atomic::{AtomicU64, Ordering};

use fastrand::Rng;
use rowkey::LayoutBuf;

use crate::keys::Pool;
use crate::{Fault, hex};

/// Bytes that the format gives a meaning.
const BYTES: [u8; 9] = [0x00, 0x01, 0x02, 0x06, 0x7f, 0x80, 0xfd, 0xfe, 0xff];

/// Damaged keys of a layout, and of the same without salt or digest, which would refuse nearly all of them.
pub fn pool(rng: &mut Rng, read: &AtomicU64) -> Result<u64, Fault> {
    const STRINGS: u64 = 20_000;
    let Pool { layout, keys, .. } = Pool::new(rng, 50)?;
    let lead = layout.lead().width();
    let shape = layout.shape();
    let body = if lead > 0 { shape.split_once(") ").map_or(&*shape, |(_, body)| body) } else { &shape };
    let body: LayoutBuf = body.parse().map_err(|error| format!("{body}: {error}"))?;
    let (mut string, mut good) = (Vec::new(), 0);
    for i in 0..STRINGS {
        let key = &keys[rng.usize(..keys.len())];
        let (layout, key) = if i % 8 == 0 { (&layout, &key[..]) } else { (&body, &key[lead..]) };
        string.clear();
        string.extend_from_slice(key);
        for _ in 0..rng.u8(0..4) {
            damage(rng, &mut string);
        }
        if let Ok(values) = layout.decode(&string) {
            let again = layout.encode(&values).map_err(|error| format!("{layout}: {}: {error}", hex(&string)))?;
            if again != string {
                return Err(format!("{layout}: {} decodes to {values:?}, which is {}", hex(&string), hex(&again)));
            }
            good += 1;
        }
    }
    read.fetch_add(good, Ordering::Relaxed);
    Ok(STRINGS)
}

fn damage(rng: &mut Rng, string: &mut Vec<u8>) {
    let at = rng.usize(..=string.len());
    let byte = if rng.bool() { rng.u8(..) } else { BYTES[rng.usize(..BYTES.len())] };
    match rng.u8(0..6) {
        0 => string.truncate(at),
        1 => string.insert(at, byte),
        2 if at < string.len() => drop(string.remove(at)),
        3 if at < string.len() => string[at] ^= 1 << rng.u8(0..8),
        4 => string.extend((0..rng.u8(0..9)).map(|_| byte)),
        _ if at < string.len() => string[at] = byte,
        _ => string.push(byte),
    }
}
