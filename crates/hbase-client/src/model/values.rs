//! The values of options. HBase's master takes some that its region servers can't read: these abort, or never open a
//! region.

use std::fmt;

use crate::model::mutation::Durability;

/// The form of an option's value that HBase can read.
pub(super) enum Form {
    Text,
    Bool,
    /// Up to this one.
    Number(u64),
    Name(&'static [&'static str]),
}

impl Form {
    /// No text is a value, too: the default.
    pub(super) fn fits(&self, value: &str) -> bool {
        value.is_empty()
            || match self {
                Self::Text => true,
                Self::Bool => value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false"),
                Self::Number(most) => value.parse::<u64>().is_ok_and(|number| number <= *most),
                Self::Name(names) => names.contains(&value),
            }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("any text"),
            Self::Bool => f.write_str("true or false"),
            Self::Number(most) => write!(f, "a number up to {most}"),
            Self::Name(names) => write!(f, "one of {}", names.join(", ")),
        }
    }
}

/// A value in Rust of an option.
pub(super) trait Value {
    const FORM: Form;

    fn text(self) -> String;
}

macro_rules! values {
    ($($type:ty = $form:expr;)*) => {$(
        impl Value for $type {
            const FORM: Form = $form;

            fn text(self) -> String {
                self.to_string()
            }
        }
    )*};
}

values! {
    &str = Form::Text;
    bool = Form::Bool;
    u32 = Form::Number(i32::MAX as u64);
    u64 = Form::Number(i64::MAX as u64);
}

/// HBase's names for the values of an enum.
macro_rules! named {
    ($name:ident { $($variant:ident = $text:literal,)* }) => {
        impl $name {
            /// HBase's name for it, as [`describe`](crate::Admin::describe) reads it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }

        impl Value for $name {
            const FORM: Form = Form::Name(&[$($text),*]);

            fn text(self) -> String {
                self.name().into()
            }
        }
    };
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $text:literal,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$of])* $variant,)*
        }

        named!($name { $($variant = $text,)* });
    )*};
}

named!(Durability {
    Default = "USE_DEFAULT",
    SkipWal = "SKIP_WAL",
    AsyncWal = "ASYNC_WAL",
    SyncWal = "SYNC_WAL",
    FsyncWal = "FSYNC_WAL",
});

names! {
    /// The compression of a family's blocks. The servers need a codec for it: all have that of `Gz`.
    Compression {
        /// Not at all.
        None = "NONE",
        /// By gzip.
        Gz = "GZ",
        /// By Zstandard.
        Zstd = "ZSTD",
        /// By LZ4.
        Lz4 = "LZ4",
        /// By Snappy.
        Snappy = "SNAPPY",
        /// By LZO.
        Lzo = "LZO",
        /// By bzip2.
        Bzip2 = "BZIP2",
        /// By LZMA.
        Lzma = "LZMA",
        /// By Brotli.
        Brotli = "BROTLI",
    }

    /// The encoding of keys in a family's blocks, which shortens them (data block encoding).
    BlockEncoding {
        /// Not at all.
        None = "NONE",
        /// The beginning that a key shares with the one before is left out.
        Prefix = "PREFIX",
        /// As `Prefix`, for each part of a key; timestamps are differences.
        Diff = "DIFF",
        /// As `Diff`, and faster.
        FastDiff = "FAST_DIFF",
        /// Not at all; each block has an index of its rows.
        RowIndexV1 = "ROW_INDEX_V1",
    }

    /// The contents of a family's Bloom filters.
    BloomFilter {
        /// There are none.
        None = "NONE",
        /// Rows.
        Row = "ROW",
        /// Columns of rows.
        RowColumn = "ROWCOL",
        /// The first bytes of rows: as many as the setting `RowPrefixBloomFilter.prefix_length` says, which has to be
        /// there.
        RowPrefix = "ROWPREFIX_FIXED_LENGTH",
    }

    /// The visibility of deleted cells to reads whose time range ends before their deletion.
    KeepDeletedCells {
        /// Such reads do not see them.
        No = "FALSE",
        /// Such reads see them as long as they would be kept if they were not deleted.
        Yes = "TRUE",
        /// Such reads see them until the time to live of their deletion is over.
        UntilExpired = "TTL",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_fits_if_hbase_can_read_it() {
        let fits = |form: Form, values: &[&str]| values.iter().map(|value| form.fits(value)).collect::<Vec<_>>();
        assert_eq!(fits(u32::FORM, &["0", "2147483647", "2147483648", "-1", "x"]), [true, true, false, false, false]);
        assert_eq!(fits(u64::FORM, &["9223372036854775807", "9223372036854775808"]), [true, false]);
        assert_eq!(fits(bool::FORM, &["true", "FALSE", "yes", "1"]), [true, true, false, false]);
        assert_eq!(fits(Durability::FORM, &["SYNC_WAL", "sync_wal", "FOO"]), [true, false, false]);
        assert_eq!(fits(<&str>::FORM, &["a.b.C"]), [true]);
        assert_eq!(fits(Compression::FORM, &[Compression::Zstd.name(), ""]), [true, true]);
    }
}
