//! Salt and hash, which stand before the fields: a constant of the class, written once the fields are, and checked once
//! they are read.

use super::source::{Source, bytes};
use crate::ir::{Digest, HashFunction, Key, Lead, Radix, Salt, SaltHash, Taken};

/// The fields that the lead is taken over, as runs of fields that follow each other.
pub(super) struct Hashed {
    runs: Vec<(usize, usize)>,
    cut: usize,
    fields: usize,
}

impl Hashed {
    pub(super) fn of(key: &Key) -> Option<Self> {
        let (Lead::Salt(Salt { by, cut, .. }) | Lead::Digest(Digest { by, cut, .. })) = &key.lead else { return None };
        let fields = key.fields.len();
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for &field in by {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == field => *last = field,
                _ => runs.push((field, field)),
            }
        }
        if runs.is_empty() {
            runs.push((0, fields - 1));
        }
        Some(Self { runs, cut: *cut, fields })
    }

    pub(super) fn needs_end(&self, field: usize) -> bool {
        field + 1 < self.fields && self.runs.iter().any(|(first, last)| *last == field || *first == field + 1)
    }

    fn places(&self, whole: &str) -> Vec<(String, String)> {
        let from = |first: usize| if first == 0 { "start".to_owned() } else { format!("end{}", first - 1) };
        let to = |last: usize| if last + 1 == self.fields { whole.to_owned() } else { format!("end{last}") };
        self.runs.iter().map(|(first, last)| (from(*first), to(*last))).collect()
    }

    fn cut(&self, end: &str) -> String {
        if self.cut == 0 { end.to_owned() } else { format!("{end} - {}", self.cut) }
    }

    pub(super) fn write(&self, to: &mut Source) {
        let places = self.places("w.length()");
        if let [(from, end)] = places.as_slice() {
            return to.line(&format!("LEAD.write(w, lead, {from}, {});", self.cut(end)));
        }
        to.line("int joined = w.length();");
        for (from, end) in places {
            let end = if end == "w.length()" { "joined".to_owned() } else { end };
            to.line(&format!("w.repeat({from}, {end});"));
        }
        to.line(&format!("LEAD.write(w, lead, joined, {});", self.cut("w.length()")));
        to.line("w.truncate(joined);");
    }

    pub(super) fn check(&self, to: &mut Source) {
        let places = self.places("r.position()");
        if let [(from, end)] = places.as_slice() {
            return to.line(&format!("LEAD.check(r, {from}, {});", self.cut(end)));
        }
        let ends = places.into_iter().flat_map(|(from, end)| [from, end]);
        let arguments: Vec<String> = ["r".to_owned(), self.cut.to_string()].into_iter().chain(ends).collect();
        to.call("LEAD.checkJoined", &arguments, ";");
    }
}

/// The class of a key's lead, and what makes it.
pub(super) fn lead_of(key: &Key) -> Option<(&'static str, String, Vec<String>)> {
    match &key.lead {
        Lead::None => None,
        Lead::Salt(salt) => {
            let hash = match salt.hash {
                SaltHash::Xxh3 => "XXH3",
                SaltHash::Xxh64 => "XXH64",
                SaltHash::Md5 => "MD5",
                SaltHash::Java => "JAVA",
                SaltHash::Java31 => "JAVA_31",
                SaltHash::HashCode => "HASH_CODE",
                SaltHash::Murmur3 => "MURMUR3",
                SaltHash::Crc32 => "CRC32",
            };
            let radix = match salt.bucket.radix {
                Radix::Bytes => "binary",
                Radix::Decimal => "decimal",
                Radix::Hex => "hex",
                Radix::UpperHex => "upperHex",
            };
            let before = match salt.bucket.delimiter.as_slice() {
                [] => String::new(),
                delimiter => format!(".before({})", bytes(delimiter)),
            };
            let format = format!("SaltFormat.{radix}({}){before}", salt.bucket.width);
            Some(("Salt", "new Salt".to_owned(), vec![salt.buckets.to_string(), format!("SaltHash.{hash}"), format]))
        }
        Lead::Digest(Digest { function: HashFunction::Md5, taken: Taken::Bytes(taken), delimiter, .. })
            if delimiter.is_empty() =>
        {
            Some(("Digest", "new Digest".to_owned(), vec![taken.to_string()]))
        }
        Lead::Digest(digest) => {
            let function = match digest.function {
                HashFunction::Md5 => "MD5",
                HashFunction::Sha1 => "SHA_1",
                HashFunction::Sha256 => "SHA_256",
                HashFunction::Murmur3 => "MURMUR3",
                HashFunction::Crc32 => "CRC_32",
                HashFunction::HashCode => "HASH_CODE",
            };
            let (taken, form) = match digest.taken {
                Taken::Bytes(taken) => (taken, "BYTES"),
                Taken::Hex(taken) => (taken, "HEX"),
                Taken::UpperHex(taken) => (taken, "UPPER_HEX"),
            };
            let arguments = vec![
                format!("HashFunction.{function}"),
                taken.to_string(),
                format!("HashPrefix.Form.{form}"),
                bytes(&digest.delimiter),
            ];
            Some(("HashPrefix", "new HashPrefix".to_owned(), arguments))
        }
    }
}
