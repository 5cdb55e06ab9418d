//! `#[derive(RowKey)]` for the `rowkey` crate. It works in three steps: parse the input to a model (`ast`, `attr`),
//! check the whole model (`check`), generate the code (`expand`, `prefix`).
//!
//! The generated code names everything by an absolute path under `rowkey::__private`, so it compiles whatever names the
//! user's scope shadows. All of it is in a `const _` block, except the prefix builder, which users have to be able to
//! name.

mod ast;
mod attr;
mod check;
mod expand;
mod prefix;
mod walk;

use proc_macro::TokenStream;

/// Implements `rowkey::RowKey` for a struct or an enum, so that it is a row key whose bytes sort as its values do.
///
/// It also adds the method `prefix()`, which starts a builder of prefixes and ranges. If every key has the same width,
/// it adds `WIDTH`, `encode_into` and `to_array`.
///
/// The bytes of a key are the bytes of its fields, in the order of their declaration. A key without salt, digest and
/// raw field can be a field of another key. Attributes change the encoding; write them as `#[rowkey(..)]`, in one
/// attribute or in several.
///
/// | attribute | on | default |
/// |---|---|---|
/// | [`desc`](#desc) | a field | ascending |
/// | [`nulls_first`, `nulls_last`](#nulls_first-and-nulls_last) | an `Option` | first; last if the field is `desc` |
/// | [`raw`](#raw) | the last field of a struct | escaped, with a terminator |
/// | [`with = path`](#with--path) | a field | the encoding of the field's type |
/// | [`tag = n`](#tag--n) | a variant | its discriminant; one of the two is required |
/// | [`transparent`](#transparent) | a struct with one field | a tuple of one field |
/// | [`salt(..)`](#salt) | a struct | no salt |
/// | [`hashed(..)`](#hashed) | a struct | no digest |
/// | [`prefix = Name`](#prefix--name) | a struct or an enum | the name of the key, then `Prefix` |
/// | [`crate = "path"`](#crate--path) | a struct or an enum | `::rowkey` |
///
/// The derive reports all mistakes in a key at once, each at its own place. A `PhantomData` is not part of the key and
/// takes no attribute. A type parameter that is used in a field must implement `rowkey::encode::OwnedField`: it owns
/// what it decodes to.
///
/// # On fields
///
/// ## desc
///
/// Descending: the largest value sorts first. Every byte of the field is inverted, with its terminator, its tags and
/// its nested fields. A `desc` field inside a `desc` field is ascending. Shape: `i64 desc`.
///
/// ```
/// use rowkey::RowKey;
///
/// #[derive(RowKey)]
/// struct Action {
///     user: u8,
///     #[rowkey(desc)]
///     at: u16,
/// }
///
/// assert_eq!(Action { user: 7, at: 1 }.encode(), [7, 0xff, 0xfe]);
/// ```
///
/// An error with `raw`, and on a borrowed field, because inverted bytes can't be borrowed: use `Cow<str>` instead of
/// `&str`.
///
/// ## nulls_first and nulls_last
///
/// The side where `None` sorts. By default `None` is the byte `00`, and `Some` is the byte `01` before the value, both
/// inverted if the field is `desc`. On the other side, `None` is the byte `02` (`fd` if the field is `desc`). Writing
/// the default changes nothing. Shape: `option<u8> nulls_last`; the default is not written.
///
/// ```
/// use rowkey::RowKey;
///
/// #[derive(RowKey)]
/// struct Task {
///     #[rowkey(nulls_last)]
///     due: Option<u8>,
///     #[rowkey(desc, nulls_first)]
///     rank: Option<u8>,
/// }
///
/// assert_eq!(Task { due: None, rank: None }.encode(), [2, 0xfd]);
/// assert_eq!(Task { due: Some(7), rank: Some(7) }.encode(), [1, 7, 0xfe, 0xf8]);
/// ```
///
/// An error if both are written, with `with`, and on a type that is not an `Option`.
///
/// ## raw
///
/// Writes the last field as other programs write it. Text, bytes and host paths have no escapes and no terminator, a
/// decimal has no terminator, and a `List` of items of one width is the bytes of its items. A raw field ends where the
/// key ends, so the key can't be a field of another key. A key with only a raw field may be empty, and stores refuse an
/// empty key. Shape: `text raw`.
///
/// ```
/// use rowkey::RowKey;
///
/// #[derive(RowKey)]
/// struct Page {
///     day: u8,
///     #[rowkey(raw)]
///     path: String,
/// }
///
/// assert_eq!(Page { day: 7, path: "/a".into() }.encode(), b"\x07/a");
/// ```
///
/// An error on a field that is not the last, in a variant, with `desc`, with `with`, and on a type that has no raw
/// form.
///
/// ## with = path
///
/// Your own encoding: a type that implements `rowkey::encode::Encoding` for the type of the field. `Pad<24>` and
/// `Pad::<24>` mean the same. The bytes are what the encoding writes; `desc` inverts them. Shape: the encoding's
/// `SHAPE`.
///
/// ```
/// use rowkey::encode::{Encoding, Reader, Sink, Writer};
/// use rowkey::{DecodeError, RowKey};
///
/// /// 24 bits, as OpenTSDB writes its ids.
/// struct U24;
///
/// impl Encoding<u32> for U24 {
///     const SHAPE: &'static str = "u24";
///     const WIDTH: Option<usize> = Some(3);
///
///     fn encode<S: Sink>(id: &u32, w: &mut Writer<'_, S>) {
///         let [_, a, b, c] = id.to_be_bytes();
///         w.array([a, b, c]);
///     }
///
///     fn decode(r: &mut Reader<'_>) -> Result<u32, DecodeError> {
///         let [a, b, c] = r.array()?;
///         Ok(u32::from_be_bytes([0, a, b, c]))
///     }
/// }
///
/// #[derive(RowKey)]
/// struct Metric {
///     #[rowkey(with = U24)]
///     id: u32,
/// }
///
/// assert_eq!(Metric { id: 7 }.encode(), [0, 0, 7]);
/// ```
///
/// An error with `raw`, `nulls_first` and `nulls_last`.
///
/// # On variants
///
/// ## tag = n
///
/// The byte before the fields of a variant, 0 to 255. Variants sort by their tags. A tag must never change, so it does
/// not depend on the order of the variants: write a tag or a discriminant for each. Variants can be added later. Shape:
/// `enum{1: (u64), 2: ()}`.
///
/// ```
/// use rowkey::RowKey;
///
/// #[derive(RowKey)]
/// enum Event {
///     #[rowkey(tag = 2)]
///     Boot,
///     #[rowkey(tag = 1)]
///     Login { user: u8 },
/// }
///
/// #[derive(RowKey)]
/// enum Level {
///     Low = 10,
///     High = 20,
/// }
///
/// assert_eq!(Event::Login { user: 7 }.encode(), [1, 7]);
/// assert_eq!((Event::Boot.encode(), Level::High.encode()), (vec![2], vec![20]));
/// # let _ = Level::Low;
/// ```
///
/// An error on a variant with neither, for a tag that is used twice or is above 255, for a discriminant that is not a
/// literal number, and on an enum without variants.
///
/// # On the key
///
/// ## transparent
///
/// The struct is encoded as its one field: the same bytes, the same shape, and the same methods in prefixes. That field
/// takes no attribute but `with`; write `desc` and the others on the fields of this type.
///
/// ```
/// use rowkey::RowKey;
///
/// #[derive(RowKey)]
/// #[rowkey(transparent)]
/// struct Email(String);
///
/// #[derive(RowKey)]
/// struct Wrapped(String);
///
/// assert_eq!(Email("a".into()).encode(), Wrapped("a".into()).encode());
/// assert_eq!((Email::LAYOUT.shape(), Wrapped::LAYOUT.shape()), ("text".into(), "text".into()));
/// assert_eq!(<(Email, Wrapped)>::LAYOUT.shape(), "(text, (text))");
/// ```
///
/// An error on an enum, on a struct with more fields than one, on `()`, and with `salt` or `hashed`.
///
/// ## salt
///
/// Writes a bucket number before the fields, to spread consecutive keys over the regions of a store:
/// `salt(buckets = n, by(fields), hash = .., format = ..)`. The bucket is hash(m) mod n, where m is the bytes of the
/// fields in `by`, in the order of their declaration. Shape: `salt(16 xxh3 by 0) ..`.
///
/// - `buckets`: the number of buckets, 1 to 65,536. Required. The bucket is one byte for up to 256 buckets, else two.
/// - `by`: names of fields, or their indexes in a tuple struct. Default: all fields. A prefix that fixes these fields
///   reads one bucket.
/// - `hash`: `xxh3`, `xxh64`, `md5`, `java` (the hash of Apache Phoenix), `java31` (of Pinpoint), `hash_code` (Java's `String.hashCode`),
///   `murmur3` and `crc32` (feature `hashes`), or your own `fn(&[u8]) -> u64` with a name:
///   `hash("fnv", path::to::fn)`. Default: `xxh3`.
/// - `format`: `binary`, or `hex` for digits as text: one digit for up to 16 buckets, two for up to 256, else four. Or
///   `decimal`: as many digits as the last bucket has. Default: `binary`.
/// - `delimiter`: one to eight bytes after the digits, `delimiter = "-"`. Default: none.
///
/// ```
/// use rowkey::{RowKey, Select};
///
/// #[derive(RowKey)]
/// #[rowkey(salt(buckets = 16, by(user), hash = java, format = hex))]
/// struct Action {
///     user: u8,
///     at: u16,
/// }
///
/// assert_eq!(Action { user: 1, at: 7 }.encode(), b"0\x01\x00\x07");
/// assert_eq!(Action::prefix().user(1).ranges().len(), 1);
/// assert_eq!(Action::prefix().select().ranges_by_bucket().len(), 16);
/// ```
///
/// An error on an enum, with `hashed`, and if `by` names a field that does not exist or names a field twice. A salted
/// key can't be a field of another key.
///
/// ## hashed
///
/// Writes a digest before the fields: `hashed(bytes = n, by(fields))`. The digest is the first n bytes of MD5(m), where
/// m is the bytes of the fields in `by`. Shape: `md5(4 by 0) ..`.
///
/// - `bytes`: the length of the digest, 1 to 16. Default: 16.
/// - `hash`, `hex`, `delimiter`: for keys that [other programs](https://docs.rs/rowkey) begin with another hash than MD5
///   (`sha1`, `sha256`, `murmur3`, `crc32`, `hash_code`), with its first hex digits (`hex = 4`), or with a delimiter
///   after it. m is then without the delimiter that ends it. Shape: `hash(sha1 hex[4 '_'] by 0) ..`.
/// - `by`: names of the first fields of the key. Default: all fields.
///
/// A prefix must fix every field in `by`. A key whose fields are all hashed can only be read with `get`, or by a scan
/// of the whole table.
///
/// ```
/// use rowkey::{RowKey, Select};
///
/// #[derive(RowKey)]
/// #[rowkey(hashed(bytes = 4, by(user)))]
/// struct Mail {
///     user: u64,
///     at: i64,
/// }
///
/// assert_eq!(Mail { user: 42, at: 1 }.encode().len(), 4 + 8 + 8);
/// assert_eq!(Mail::prefix().user(42).at_range(1..9).ranges().len(), 1);
/// ```
///
/// An error on an enum, with `salt`, and if `by` names fields other than the first ones. A hashed key can't be a field
/// of another key.
///
/// ## prefix = Name
///
/// The name of the builder type that `prefix()` returns; change it if the default name is taken. The builders for the
/// variants of an enum start with this name too. It changes no byte.
///
/// ```
/// #[derive(rowkey::RowKey)]
/// #[rowkey(prefix = FindVisit)]
/// struct Visit {
///     host: String,
/// }
///
/// struct VisitPrefix;
///
/// let _: FindVisit<1> = Visit::prefix().host("apache.org");
/// # let _ = VisitPrefix;
/// ```
///
/// ## crate = "path"
///
/// The path of the `rowkey` crate; write it if your crate has `rowkey` under another name, because `Cargo.toml` renames
/// it or another crate re-exports it.
///
/// ```
/// mod database {
///     pub use rowkey;
/// }
///
/// #[derive(database::rowkey::RowKey)]
/// #[rowkey(crate = "crate::database::rowkey")]
/// struct Visit {
///     host: String,
/// }
/// # fn main() { let _ = Visit::prefix().host("a"); }
/// ```
#[doc(alias = "ascending")]
#[doc(alias = "descending")]
#[doc(alias = "salting")]
#[doc(alias = "buckets")]
#[doc(alias = "digest")]
#[doc(alias = "md5")]
#[doc(alias = "nulls_first")]
#[doc(alias = "nulls_last")]
#[doc(alias = "transparent")]
#[doc(alias = "newtype")]
#[doc(alias = "tag")]
#[proc_macro_derive(RowKey, attributes(rowkey))]
pub fn derive_row_key(input: TokenStream) -> TokenStream {
    match syn::parse(input) {
        Ok(input) => expand::derive(&input).into(),
        Err(error) => explained(error).into_compile_error().into(),
    }
}

/// Replaces an error of syn that tells users to turn on a feature of syn: without it, syn does not parse every
/// expression that can be the length of an array.
fn explained(error: syn::Error) -> syn::Error {
    if !error.to_string().starts_with("unsupported expression") {
        return error;
    }
    syn::Error::new(
        error.span(),
        "this expression is too complex for the derive: define a constant, `const LEN: usize = ..`, and write `LEN` here",
    )
}

/// Collects mistakes, so that all of them are reported at once.
#[derive(Default)]
struct Mistakes(Option<syn::Error>);

impl Mistakes {
    fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    fn at(&mut self, place: impl quote::ToTokens, message: impl Into<String>) {
        // Not generic, so that it is compiled once.
        fn add(mistakes: &mut Mistakes, place: proc_macro2::TokenStream, message: String) {
            mistakes.add(syn::Error::new_spanned(place, message));
        }
        add(self, place.into_token_stream(), message.into());
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    /// If another crate of the build turns on syn's feature `full`, these parse, and there is nothing to explain.
    #[test]
    fn a_computed_length_gets_an_error_of_ours() {
        let lengths = [
            quote!(if true { 1 } else { 2 }),
            quote!(match 1 {
                n => n,
            }),
            quote!({
                let n = 1;
                n
            }),
            quote!([0; 3].len()),
        ];
        for length in lengths {
            let Err(error) = syn::parse2::<syn::DeriveInput>(quote!(struct Key { bytes: [u8; #length] })) else {
                continue;
            };
            let message = super::explained(error).to_string();
            assert!(message.contains("define a constant"), "{length}: {message}");
        }
    }
}
