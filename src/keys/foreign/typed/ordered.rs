//! Fields of keys that Google's OrderedCode joins.

use super::{OTHER, writes};
use crate::keys::encode::Micros;
use crate::keys::foreign::{Foreign, OrderedCode, OrderedKind};
use crate::keys::moment::Moment;
use crate::keys::untyped::Value;

/// An encoding: a field of a key that Google's OrderedCode joins, as the `ordered_code_bytes` of a `row_key_schema` of
/// Bigtable. All fields of the key have it, or [`OrderedBigEndian`]. Of `String`, `Vec<u8>`, `i64` and [`Micros`].
///
/// ```
/// use rowkey::encode::Micros;
/// use rowkey::foreign::Ordered;
/// use rowkey::{RowKey, Select};
///
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Login {
///     #[rowkey(with = Ordered)]
///     user: String,
///     #[rowkey(with = Ordered)]
///     at: Micros,
/// }
///
/// let login = Login { user: "a".into(), at: Micros(1_005_000) };
/// assert_eq!(login.encode(), b"a\0\x01\xef\x55\xc8");
/// assert_eq!(Login::decode(&login.encode())?, login);
/// assert_eq!(Login::LAYOUT.shape(), "ordered[text], ordered[micros]");
///
/// let logins = Login::prefix().user("a".to_owned()).at_range(Micros(1_000_000)..).ranges();
/// assert!(logins[0].contains(&login.encode()));
/// # Ok::<(), rowkey::DecodeError>(())
/// ```
///
/// No other field is in the key, and no salt:
///
/// ```compile_fail
/// # use rowkey::RowKey;
/// # use rowkey::foreign::Ordered;
/// #[derive(RowKey)]
/// struct Login {
///     #[rowkey(with = Ordered)]
///     user: String,
///     id: u64,
/// }
///
/// Login { user: "a".into(), id: 7 }.encode();
/// ```
#[doc(alias = "row_key_schema")]
pub struct Ordered;

/// An encoding: a big-endian field of a key that Google's OrderedCode joins, as [`Ordered`]. Of `i64` and [`Micros`]:
/// those below 0 come after all others, so there are no ranges.
///
/// ```compile_fail
/// # use rowkey::{RowKey, Select};
/// # use rowkey::foreign::{Ordered, OrderedBigEndian};
/// #[derive(RowKey)]
/// struct Login {
///     #[rowkey(with = OrderedBigEndian)]
///     user: i64,
///     #[rowkey(with = Ordered)]
///     device: String,
/// }
///
/// Login::prefix().user_range(7..).ranges();
/// ```
pub struct OrderedBigEndian;

const fn field(kind: OrderedKind) -> Foreign {
    Foreign::Ordered(OrderedCode::new(kind))
}

fn instant(micros: &Micros) -> Value {
    let (seconds, nanos) = micros.to_unix();
    Value::Instant(seconds, nanos)
}

macro_rules! numbers {
    ($($encoding:ty, $int:ident, $micros:ident;)*) => {
        writes! {$(
            [] $encoding, i64, field(OrderedKind::$int),
                |n| Value::Signed((*n).into()), Value::Signed(n) => n.try_into().map_err(|_| OTHER);
            [] $encoding, Micros, field(OrderedKind::$micros),
                |at| instant(at), Value::Instant(seconds, nanos) => Micros::exact((seconds, nanos)).map_err(|_| OTHER);
        )*}
    };
}
numbers! {
    Ordered, Int, Micros;
    OrderedBigEndian, BigEndian, BigEndianMicros;
}

writes! {
    [] Ordered, String, field(OrderedKind::Text), |text| Value::Text(text.clone()), Value::Text(text) => Ok(text);
    [] Ordered, Vec<u8>, field(OrderedKind::Bytes),
        |bytes| Value::Bytes(bytes.clone()), Value::Bytes(bytes) => Ok(bytes);
}
