//! The layout of a key, as the runtime has it.

use super::code::{Code, literal};
use crate::ir::{HashFunction, Key, Lead, Radix, SaltHash, Taken};

pub(super) fn write(code: &mut Code, key: &Key, fingerprint: &str) {
    code.line(format!("// {fingerprint} is the fingerprint of the keys' layout."));
    code.line(format!("const {fingerprint} = {}", literal(key.fingerprint.as_bytes())));
    code.line("");
    code.open(format!("var layoutOf{} = rowkey.Layout{{", key.ident));
    let mut members = vec![
        ("Name", literal(key.ident.as_bytes())),
        ("Shape", literal(key.shape.as_bytes())),
        ("Fingerprint", fingerprint.to_owned()),
    ];
    if let Some(lead) = lead(&key.lead) {
        members.push(("Lead", lead));
    }
    let (by, cut) = hashed(&key.lead);
    if !by.is_empty() {
        let by: Vec<String> = by.iter().map(usize::to_string).collect();
        members.push(("By", format!("[]int{{{}}}", by.join(", "))));
    }
    if cut > 0 {
        members.push(("Cut", cut.to_string()));
    }
    if let Some(until) = key.until() {
        members.push(("Until", literal(until)));
    }
    if key.is_joined {
        members.push(("Joined", "true".to_owned()));
    }
    let width = members.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in members {
        code.line(format!("{:width$} {value},", format!("{name}:"), width = width + 1));
    }
    code.open("Fields: []rowkey.Field{");
    for field in &key.fields {
        let (name, shape) = (literal(field.name.as_bytes()), literal(field.shape.as_bytes()));
        code.line(format!("{{Name: {name}, Shape: {shape}}},"));
    }
    code.close("},");
    code.end();
}

/// The fields that a lead is taken from, and the number of bytes at their end that are left out.
pub(super) fn hashed(lead: &Lead) -> (&[usize], usize) {
    match lead {
        Lead::None => (&[], 0),
        Lead::Salt(salt) => (&salt.by, salt.cut),
        Lead::Digest(digest) => (&digest.by, digest.cut),
    }
}

fn lead(lead: &Lead) -> Option<String> {
    let (buckets, hash, radix, width, delimiter) = match lead {
        Lead::None => return None,
        Lead::Salt(salt) => {
            let hash = match salt.hash {
                SaltHash::Xxh3 => "XXH3",
                SaltHash::Xxh64 => "XXH64",
                SaltHash::Md5 => "MD5",
                SaltHash::Java => "Java",
                SaltHash::Java31 => "Java31",
                SaltHash::HashCode => "Code",
                SaltHash::Murmur3 => "Murmur3",
                SaltHash::Crc32 => "CRC32",
            };
            let radix = match salt.bucket.radix {
                Radix::Bytes => "Bytes",
                Radix::Decimal => "Decimal",
                Radix::Hex => "Hex",
                Radix::UpperHex => "UpperHex",
            };
            (Some(salt.buckets), hash, radix, salt.bucket.width, &salt.bucket.delimiter)
        }
        Lead::Digest(digest) => {
            let hash = match digest.function {
                HashFunction::Md5 => "MD5",
                HashFunction::Sha1 => "SHA1",
                HashFunction::Sha256 => "SHA256",
                HashFunction::Murmur3 => "Murmur3",
                HashFunction::Crc32 => "CRC32",
                HashFunction::HashCode => "Code",
            };
            let (radix, width) = match digest.taken {
                Taken::Bytes(width) => ("Bytes", width),
                Taken::Hex(width) => ("Hex", width),
                Taken::UpperHex(width) => ("UpperHex", width),
            };
            (None, hash, radix, width, &digest.delimiter)
        }
    };
    let mut members: Vec<String> = buckets.iter().map(|buckets| format!("Buckets: {buckets}")).collect();
    members.push(format!("Hash: rowkey.Hash{hash}"));
    members.push(format!("Radix: rowkey.Radix{radix}"));
    members.push(format!("Width: {width}"));
    if !delimiter.is_empty() {
        members.push(format!("Delimiter: {}", literal(delimiter)));
    }
    Some(format!("&rowkey.Lead{{{}}}", members.join(", ")))
}
