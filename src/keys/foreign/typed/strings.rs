//! Text and bytes that tell their length or are padded.

use super::{CharText, JavaText, ZeroPaddedText, char_width, writes};
use crate::keys::foreign::Foreign;
use crate::keys::untyped::Value;

/// An encoding: bytes in groups of eight, each with a mark after it, as TiDB, TiKV and MyRocks write them. They sort as
/// the bytes do. Of `Vec<u8>`.
///
/// ```
/// use rowkey::foreign::Groups;
/// use rowkey::{RowKey, Select};
///
/// #[derive(RowKey)]
/// struct Entry {
///     #[rowkey(with = Groups)]
///     name: Vec<u8>,
///     version: u64,
/// }
///
/// let entry = Entry { name: b"abc".to_vec(), version: 7 };
/// assert_eq!(entry.encode(), b"abc\0\0\0\0\0\xfa\0\0\0\0\0\0\0\x07");
/// assert_eq!(Entry::LAYOUT.shape(), "groups[8], u64");
/// assert!(Entry::prefix().name_starts_with(b"ab").ranges()[0].contains(&entry.encode()));
/// ```
#[doc(alias = "memcomparable")]
pub struct Groups;

/// An encoding: text as Java's `DataOutput.writeUTF` writes it, its length in two bytes and modified UTF-8. Of
/// [`JavaText`].
///
/// ```
/// use rowkey::RowKey;
/// use rowkey::foreign::{JavaText, JavaUtf};
///
/// /// A key that a Java program writes with a `DataOutputStream`, as Flurry's do.
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Session {
///     #[rowkey(with = JavaUtf)]
///     app: JavaText,
///     device: u64,
/// }
///
/// let session = Session { app: "ada".parse()?, device: 7 };
/// assert_eq!(session.encode(), b"\0\x03ada\0\0\0\0\0\0\0\x07");
/// assert_eq!(Session::decode(&session.encode())?, session);
/// assert_eq!(Session::LAYOUT.shape(), "utf[java], u64");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The shorter text comes first, so there are no ranges:
///
/// ```compile_fail
/// # use rowkey::{RowKey, Select};
/// # use rowkey::foreign::{JavaText, JavaUtf};
/// #[derive(RowKey)]
/// struct Session {
///     #[rowkey(with = JavaUtf)]
///     app: JavaText,
///     device: u64,
/// }
///
/// let a: JavaText = "a".parse().unwrap();
/// Session::prefix().app_range(a..).ranges();
/// ```
#[doc(alias = "writeUTF")]
pub struct JavaUtf;

/// An encoding: text padded with blanks to `N` bytes, as Phoenix's `CHAR(N)`. Of [`CharText`].
///
/// ```
/// use rowkey::foreign::{Char, CharText};
/// use rowkey::{RowKey, Select};
///
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Flight {
///     #[rowkey(with = Char<5>)]
///     airport: CharText<5>,
///     number: u16,
/// }
///
/// let flight = Flight { airport: "AMS".parse()?, number: 7 };
/// assert_eq!(flight.encode(), b"AMS  \0\x07");
/// assert_eq!(Flight::decode(&flight.encode())?, flight);
/// assert_eq!(Flight::LAYOUT.shape(), "char[5], u16");
/// assert!(Flight::prefix().airport_starts_with("A").ranges()[0].contains(&flight.encode()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Char<const N: usize>;

/// An encoding: text padded with zero bytes to `N` bytes, as by HBase's `Bytes.padTail`. Of [`ZeroPaddedText`].
///
/// ```
/// use rowkey::RowKey;
/// use rowkey::foreign::{ZeroPadded, ZeroPaddedText};
///
/// /// A row of Pinpoint's `ApplicationTraceIndex`: `Long.MAX_VALUE` minus the time is the time, descending.
/// #[derive(RowKey, Debug, PartialEq)]
/// #[rowkey(salt(buckets = 32, hash = java31))]
/// struct Trace {
///     #[rowkey(with = ZeroPadded<24>)]
///     application: ZeroPaddedText<24>,
///     #[rowkey(desc)]
///     accepted: i64,
/// }
///
/// let trace = Trace { application: "shop".parse()?, accepted: 1_700_000_000_000 };
/// let reversed = (i64::MAX - 1_700_000_000_000).to_be_bytes();
/// assert_eq!(trace.encode()[1..], [&b"shop"[..], &[0; 20], &reversed].concat());
/// assert_eq!(Trace::LAYOUT.shape(), "salt(32 java[31]) char[24 zeros], i64 desc");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "padTail")]
pub struct ZeroPadded<const N: usize>;

writes! {
    [] Groups, Vec<u8>, Foreign::Groups, |bytes| Value::Bytes(bytes.clone()), Value::Bytes(bytes) => Ok(bytes);
    [] JavaUtf, JavaText, Foreign::JavaUtf, |text| Value::Text(text.0.clone()), Value::Text(text) => Ok(JavaText(text));
    [const N: usize] Char<N>, CharText<N>, Foreign::Char(const { char_width(N) }),
        |text| Value::Text(text.0.clone()), Value::Text(text) => Ok(CharText(text));
    [const N: usize] ZeroPadded<N>, ZeroPaddedText<N>, Foreign::ZeroPadded(const { char_width(N) }),
        |text| Value::Text(text.0.clone()), Value::Text(text) => Ok(ZeroPaddedText(text));
}
