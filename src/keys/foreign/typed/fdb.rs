//! Elements of FoundationDB's tuples.

use super::{FITS, OTHER, writes, wrong};
use crate::keys::encode::Writer;
use crate::keys::foreign::{FdbElement, Foreign, WrongText};
use crate::keys::untyped::Value;

/// An encoding: an element of a tuple of FoundationDB, which the field's type tells.
///
/// | type | element |
/// |---|---|
/// | `String` | text |
/// | `Vec<u8>` | bytes |
/// | integers, but `u128` | an integer |
/// | `f32`, `f64`, `bool` | the same |
/// | `()` | null |
/// | [`FdbAny`] | any element |
///
/// UUIDs are [`FdbUuid`], versionstamps [`FdbVersionstamp`].
///
/// ```
/// use rowkey::foreign::Fdb;
/// use rowkey::{KeyRange, RowKey, Select};
///
/// /// `("user", id, name)`, as `fdb.tuple.pack` writes it.
/// #[derive(RowKey, Debug, PartialEq)]
/// struct User {
///     #[rowkey(with = Fdb)]
///     table: String,
///     #[rowkey(with = Fdb)]
///     id: i64,
///     #[rowkey(with = Fdb)]
///     name: String,
/// }
///
/// let user = User { table: "user".into(), id: 258, name: "ada".into() };
/// assert_eq!(user.encode(), b"\x02user\0\x16\x01\x02\x02ada\0");
/// assert_eq!(User::decode(&user.encode())?, user);
/// assert_eq!(User::LAYOUT.shape(), "fdb[text], fdb[int], fdb[text]");
///
/// // As `fdb.tuple.range(("user",))`, and the tuple itself: those of another table that begins with `user\0` are not
/// // in it.
/// let users = User::prefix().table("user".to_owned()).ranges();
/// assert_eq!(users, [KeyRange::new(*b"\x02user\0", Some(*b"\x02user\0\xff")).unwrap()]);
/// # Ok::<(), rowkey::DecodeError>(())
/// ```
///
/// An element of text, bytes or any type ends where another element or nothing comes after it, so no other field does:
///
/// ```compile_fail
/// # use rowkey::RowKey;
/// # use rowkey::foreign::Fdb;
/// #[derive(RowKey)]
/// struct User {
///     #[rowkey(with = Fdb)]
///     name: String,
///     id: u64,
/// }
///
/// User { name: "ada".into(), id: 7 }.encode();
/// ```
#[doc(alias = "foundationdb")]
#[doc(alias = "tuple layer")]
pub struct Fdb;

/// An encoding: a UUID as an element of a tuple of FoundationDB. Of 16 bytes, or with the feature `uuid` of a `Uuid`.
pub struct FdbUuid;

/// An encoding: a versionstamp as an element of a tuple of FoundationDB. Of 12 bytes, or of the 10 bytes of a commit.
pub struct FdbVersionstamp;

/// Any element of a tuple of FoundationDB, of an encoding [`Fdb`]: a [`Value`] as [`FdbElement::Any`] has it.
///
/// ```
/// use rowkey::foreign::{Fdb, FdbAny};
/// use rowkey::{RowKey, Value};
///
/// #[derive(RowKey, Debug, PartialEq)]
/// struct Entry {
///     #[rowkey(with = Fdb)]
///     subspace: FdbAny,
///     #[rowkey(with = Fdb)]
///     id: u32,
/// }
///
/// let text = Value::Enum(0x02, vec![Value::Text("a".into())]);
/// let entry = Entry { subspace: text.try_into()?, id: 7 };
/// assert_eq!(entry.encode(), b"\x02a\0\x15\x07");
/// assert!(FdbAny::try_from(Value::Unsigned(7)).is_err());
/// # Ok::<(), rowkey::foreign::WrongText>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FdbAny(Value);

impl FdbAny {
    /// The element.
    pub const fn as_value(&self) -> &Value {
        &self.0
    }
}

impl TryFrom<Value> for FdbAny {
    type Error = WrongText;

    fn try_from(value: Value) -> Result<Self, WrongText> {
        match FdbElement::Any.encode(&value, &mut Writer::new(&mut Vec::new())) {
            Ok(()) => Ok(Self(value)),
            Err("") => Err(wrong(&value, "an element is an enum, whose tag is its type")),
            Err(reason) => Err(wrong(&value, reason)),
        }
    }
}

impl From<FdbAny> for Value {
    fn from(element: FdbAny) -> Self {
        element.0
    }
}

macro_rules! integers {
    ($($int:ty)*) => {
        writes! {
            $([] Fdb, $int, Foreign::Fdb(FdbElement::Int),
                |n| Value::Signed((*n).into()), Value::Signed(n) => n.try_into().map_err(|_| FITS);)*
        }
    };
}
integers!(u8 u16 u32 u64 i8 i16 i32 i64 i128);

writes! {
    [] Fdb, (), Foreign::Fdb(FdbElement::Null), |_null| Value::Tuple(Vec::new()), Value::Tuple(_) => Ok(());
    [] Fdb, Vec<u8>, Foreign::Fdb(FdbElement::Bytes),
        |bytes| Value::Bytes(bytes.clone()), Value::Bytes(bytes) => Ok(bytes);
    [] Fdb, String, Foreign::Fdb(FdbElement::Text), |text| Value::Text(text.clone()), Value::Text(text) => Ok(text);
    [] Fdb, f32, Foreign::Fdb(FdbElement::F32), |n| Value::F32(*n), Value::F32(n) => Ok(n);
    [] Fdb, f64, Foreign::Fdb(FdbElement::F64), |n| Value::F64(*n), Value::F64(n) => Ok(n);
    [] Fdb, bool, Foreign::Fdb(FdbElement::Bool), |truth| Value::Bool(*truth), Value::Bool(truth) => Ok(truth);
    [] Fdb, FdbAny, Foreign::Fdb(FdbElement::Any), |any| any.0.clone(), value => Ok(FdbAny(value));
    [] FdbUuid, [u8; 16], Foreign::Fdb(FdbElement::Uuid),
        |bytes| Value::Bytes(bytes.to_vec()), Value::Bytes(bytes) => bytes.try_into().map_err(|_| OTHER);
    [] FdbVersionstamp, [u8; 12], Foreign::Fdb(FdbElement::Versionstamp),
        |bytes| Value::Bytes(bytes.to_vec()), Value::Bytes(bytes) => bytes.try_into().map_err(|_| OTHER);
    [] FdbVersionstamp, [u8; 10], Foreign::Fdb(FdbElement::Versionstamp80),
        |bytes| Value::Bytes(bytes.to_vec()), Value::Bytes(bytes) => bytes.try_into().map_err(|_| OTHER);
}

#[cfg(feature = "uuid")]
writes! {
    [] FdbUuid, uuid::Uuid, Foreign::Fdb(FdbElement::Uuid),
        |id| Value::Bytes(id.as_bytes().to_vec()),
        Value::Bytes(bytes) => bytes.try_into().map(uuid::Uuid::from_bytes).map_err(|_| OTHER);
}
