//! `#[derive(RowKey)]` for the `rowkey` crate: parse to a model (`ast`, `attr`), check it whole (`check`), write
//! the code (`expand`, `prefix`).
//!
//! The code names everything by an absolute path under `rowkey::__private`, so it compiles whatever the user's scope
//! shadows, and stands in a `const _` block but for the prefix builder, which has to be nameable.

mod ast;
mod attr;
mod check;
mod expand;
mod prefix;
mod walk;

use proc_macro::TokenStream;

/// Makes a struct or an enum a row key: it implements `rowkey::RowKey`, and adds `prefix()`, the builder of prefixes and ranges,
/// and for keys of one width `WIDTH`, `encode_into` and `to_array`.
///
/// A key's bytes are those of its fields, one after another, in the order they are declared in. A key without salt, digest and raw
/// field can be a field of another key. Everything else is said by `#[rowkey(..)]`, in one attribute or several.
///
/// | attribute | on | default |
/// |---|---|---|
/// | [`desc`](#desc) | a field | ascending |
/// | [`nulls_first`, `nulls_last`](#nulls_first-and-nulls_last) | an `Option` | first; last where the field is descending |
/// | [`raw`](#raw) | the last field of a struct | escapes and a terminator |
/// | [`with = path`](#with--path) | a field | the type's own encoding |
/// | [`tag = n`](#tag--n) | a variant | its discriminant; there is none by position |
/// | [`transparent`](#transparent) | a struct of one field | a newtype is a tuple of one field |
/// | [`salt(..)`](#salt) | a struct | no salt |
/// | [`hashed(..)`](#hashed) | a struct | no digest |
/// | [`prefix = Name`](#prefix--name) | a struct or an enum | the key's name and `Prefix` |
/// | [`crate = "path"`](#crate--path) | a struct or an enum | `::rowkey` |
///
/// All mistakes in a key are told at once, each at its own token. A `PhantomData` is no field of the key and takes no attribute. A type
/// parameter that stands in a field has to own what it decodes to (`rowkey::encode::OwnedField`).
///
/// # On fields
///
/// ## desc
///
/// The largest value first: every byte of the field is inverted, its terminator, tags and nested fields too. A nested field that is
/// `desc` in a field that is `desc` is ascending. Shape: `i64 desc`.
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
/// Refused with `raw`, and on a borrowed field, whose bytes can't be lent inverted: `&str` becomes `Cow<str>`.
///
/// ## nulls_first and nulls_last
///
/// Where `None` sorts. `None` is the byte `00` and `Some` is `01` before the value; on the other side than the direction puts it, `None` is
/// `02` (`fd` in a descending field). To say what is so anyway changes nothing. Shape: `option<u8> nulls_last`, only where it is not
/// the default.
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
/// Refused both at once, with `with`, and on what is no `Option`.
///
/// ## raw
///
/// The last field as other programs write it: text, bytes and host paths without escapes and terminator, a decimal without its terminator, a
/// `List` of items of one width as their bytes alone. Nothing tells where it ends, so the key is not a field of another. A key of a
/// raw field alone may have no byte, which stores refuse. Shape: `text raw`.
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
/// Refused on a field that is not the last, in a variant, with `desc`, with `with`, and on types without a raw form.
///
/// ## with = path
///
/// An encoding of your own, a type that implements `rowkey::encode::Encoding` for the field's type; `Pad<24>` and `Pad::<24>` are one. The
/// bytes are what it writes, inverted by `desc`. Shape: the word that it states.
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
/// Refused with `raw`, `nulls_first` and `nulls_last`.
///
/// # On variants
///
/// ## tag = n
///
/// The byte before a variant's fields, 0 to 255. Variants sort by it, and it never changes, so it is not taken from the order of
/// the variants: write it, or a discriminant. Variants can be added later. Shape: `enum{1: (u64), 2: ()}`.
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
/// Refused: a variant without either, a tag twice or above 255, a discriminant that is no written number, an enum without variants.
///
/// # On the key
///
/// ## transparent
///
/// A newtype is its one field: same bytes, same shape, and the same methods in prefixes. Its field takes `with` and nothing else;
/// `desc` and the like are written where the newtype is used.
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
/// Refused on an enum, on more fields than one, on `()`, and with a salt or a digest.
///
/// ## salt
///
/// `salt(buckets = n, by(fields), hash = .., format = ..)`: a bucket before the fields, hash(m) mod n, so that keys that follow one another are
/// spread. m is the bytes of all fields, or of those in `by`, in the order of the fields. Shape: `salt(16 xxh3 by 0) ..`.
///
/// - `buckets`, from 1 to 65,536, has no default. Up to 256 the bucket is one byte, else two.
/// - `by` names fields, of a tuple struct by index. Default: all. A prefix that fixes them reads one bucket.
/// - `hash` is `xxh3` (default), `xxh64`, `md5`, `java` (Apache Phoenix's), or your own `fn(&[u8]) -> u64` under a name: `hash("fnv", path::to::fn)`.
/// - `format` is `binary` (default) or `hex`: digits as text, one up to 16 buckets, two up to 256, else four.
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
/// Refused on an enum, with `hashed`, and where `by` names no field, or one twice. A salted key is not a field of another.
///
/// ## hashed
///
/// `hashed(bytes = n, by(fields))`: the first n bytes of MD5(m) before the fields, from 1 to 16; default: 16. m is the bytes of all
/// fields, or of those in `by`, which are the first ones. Prefixes fix all that is hashed; a key that is hashed whole is read by `get`, or with the
/// whole table. Shape: `md5(4 by 0) ..`.
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
/// Refused on an enum, with `salt`, and where `by` names other fields than the first ones. A hashed key is not a field of another.
///
/// ## prefix = Name
///
/// The name of the builder that `prefix()` returns, where the key's name and `Prefix` is taken. It changes no byte. The builders of an
/// enum's variants are called by it too.
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
/// Where `rowkey` is, if your crate has it under another name: renamed in `Cargo.toml`, or exported by a crate between. Without it the
/// compiler finds no `rowkey`.
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
#[proc_macro_derive(RowKey, attributes(rowkey))]
pub fn derive_row_key(input: TokenStream) -> TokenStream {
    match syn::parse(input) {
        Ok(input) => expand::derive(&input).into(),
        Err(error) => explained(error).into_compile_error().into(),
    }
}

/// An error of syn's, which speaks of its own feature where a length is more than it parses without.
fn explained(error: syn::Error) -> syn::Error {
    if !error.to_string().starts_with("unsupported expression") {
        return error;
    }
    syn::Error::new(
        error.span(),
        "the derive does not read this expression: give it a name, `const LEN: usize = ..`, and write the name here",
    )
}

/// Mistakes, gathered so that all are told at once.
#[derive(Default)]
struct Mistakes(Option<syn::Error>);

impl Mistakes {
    fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    fn at(&mut self, place: impl quote::ToTokens, message: impl std::fmt::Display) {
        self.add(syn::Error::new_spanned(place, message));
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    /// Where another crate of the build has turned syn's feature `full` on, there is nothing to explain.
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
            assert!(message.contains("give it a name"), "{length}: {message}");
        }
    }
}
