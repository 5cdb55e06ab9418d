//! Integers in binary.

use super::{FITS, UpTo, writes};
use crate::keys::foreign::{Binary, Endian, Foreign};
use crate::keys::untyped::Value;

/// An encoding: an unsigned integer in `N` bytes, 1 to 16, the highest first, so that it sorts as the number does. Of
/// an unsigned integer whose type has no more bytes, or of [`UpTo`].
///
/// ```
/// use rowkey::RowKey;
/// use rowkey::foreign::{Uint, UpTo};
///
/// const MOST: u128 = 0xff_ffff;
///
/// /// A row of OpenTSDB: ids have three bytes.
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Series {
///     #[rowkey(with = Uint<3>)]
///     metric: UpTo<MOST>,
///     hour: u32,
///     #[rowkey(with = Uint<3>)]
///     tag: u16,
/// }
///
/// let series = Series { metric: 1.try_into()?, hour: 1_356_998_400, tag: 4 };
/// assert_eq!(series.encode(), b"\0\0\x01\x50\xe2\x27\0\0\0\x04");
/// assert_eq!(Series::decode(&series.encode())?, series);
/// assert_eq!(Series::LAYOUT.shape(), "uint[3], u32, uint[3]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Uint<const N: usize>;

/// An encoding: an integer with its lowest byte first. Of integers of two bytes or more.
///
/// ```
/// use rowkey::RowKey;
/// use rowkey::foreign::LittleEndian;
///
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Block {
///     #[rowkey(with = LittleEndian)]
///     file: u32,
///     offset: u64,
/// }
///
/// assert_eq!(Block { file: 258, offset: 7 }.encode(), b"\x02\x01\0\0\0\0\0\0\0\0\0\x07");
/// assert_eq!(Block::LAYOUT.shape(), "le[u32], u64");
/// ```
///
/// Its bytes have no order, so there are no ranges:
///
/// ```compile_fail
/// # use rowkey::{RowKey, Select};
/// # use rowkey::foreign::LittleEndian;
/// #[derive(RowKey)]
/// struct Block {
///     #[rowkey(with = LittleEndian)]
///     file: u32,
///     offset: u64,
/// }
///
/// Block::prefix().file_range(7..12).ranges();
/// ```
///
/// The values of one file have:
///
/// ```
/// # use rowkey::{RowKey, Select};
/// # use rowkey::foreign::LittleEndian;
/// # #[derive(RowKey)]
/// # struct Block {
/// #     #[rowkey(with = LittleEndian)]
/// #     file: u32,
/// #     offset: u64,
/// # }
/// assert_eq!(Block::prefix().file(258).offset_range(..9).ranges().len(), 1);
/// ```
pub struct LittleEndian;

/// An encoding: a signed integer in two's complement, the highest byte first, as Java's `DataOutput.writeLong`, HBase's
/// `Bytes.toBytes(long)` and Bigtable's `BigEndianBytes` write it. Unsigned integers are big-endian as they are.
///
/// ```
/// use rowkey::RowKey;
/// use rowkey::foreign::BigEndian;
///
/// #[derive(RowKey)]
/// struct Reading {
///     sensor: u32,
///     #[rowkey(with = BigEndian)]
///     at: i64,
/// }
///
/// assert_eq!(Reading { sensor: 7, at: -2 }.encode(), b"\0\0\0\x07\xff\xff\xff\xff\xff\xff\xff\xfe");
/// assert_eq!(Reading::LAYOUT.shape(), "u32, be[i64]");
/// ```
///
/// Numbers below 0 come after all others, so there are no ranges:
///
/// ```compile_fail
/// # use rowkey::{RowKey, Select};
/// # use rowkey::foreign::BigEndian;
/// #[derive(RowKey)]
/// struct Reading {
///     sensor: u32,
///     #[rowkey(with = BigEndian)]
///     at: i64,
/// }
///
/// Reading::prefix().sensor(7).at_range(0..9).ranges();
/// ```
#[doc(alias = "twos complement")]
pub struct BigEndian;

const fn integer(endian: Endian, is_signed: bool, width: usize) -> Foreign {
    match Binary::new(endian, is_signed, width as u8) {
        Some(number) if width <= 16 => Foreign::Binary(number),
        _ => panic!("the number of bytes of `Uint` is from 1 to 16"),
    }
}

macro_rules! integers {
    ($($encoding:ty, $endian:ident, $is_signed:literal, $value:ident: $($int:ty)*;)*) => {$(
        writes! {
            $([] $encoding, $int, integer(Endian::$endian, $is_signed, size_of::<$int>()),
                |n| Value::$value((*n).into()), Value::$value(n) => n.try_into().map_err(|_| FITS);)*
        }
    )*};
}
integers! {
    LittleEndian, Little, false, Unsigned: u16 u32 u64 u128;
    LittleEndian, Little, true, Signed: i16 i32 i64 i128;
    BigEndian, Big, true, Signed: i8 i16 i32 i64 i128;
}

macro_rules! uint {
    ($($int:ty)*) => {
        writes! {
            $([const N: usize] Uint<N>, $int, {
                assert!(N >= size_of::<$int>(), "the integer's type has more bytes: use `UpTo<MAX>`");
                integer(Endian::Big, false, N)
            }, |n| Value::Unsigned((*n).into()), Value::Unsigned(n) => n.try_into().map_err(|_| FITS);)*
        }
    };
}
uint!(u8 u16 u32 u64 u128);

writes! {
    [const N: usize, const MAX: u128] Uint<N>, UpTo<MAX>, {
        assert!(N >= 16 || MAX >> (8 * N) == 0, "the greatest number has more bytes than the field");
        integer(Endian::Big, false, N)
    }, |n| Value::Unsigned(n.get()), Value::Unsigned(n) => n.try_into().map_err(|_| FITS);
}
