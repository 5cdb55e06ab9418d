//! The derive's code leans on no name of the user's scope: another name for the crate, no prelude, shadowed names, and
//! fields, variants, lifetimes and parameters that are called as the code's own.

#![deny(warnings, missing_docs, unreachable_pub, clippy::all, clippy::pedantic)]
// Of the test itself.
#![allow(clippy::unwrap_used, clippy::must_use_candidate)]

extern crate rowkey as renamed;

use renamed::{OwnedKey, RowKey, Select};

/// What every key here has to do.
fn round_trip<K: OwnedKey + PartialEq + std::fmt::Debug>(key: &K, prefix: impl Select<K>) {
    let bytes = key.encode();
    assert_eq!(&K::decode(&bytes).unwrap(), key);
    let ranges = prefix.ranges();
    assert!(ranges.iter().any(|range| range.contains(&bytes)), "{key:?}");
}

/// Nothing is in scope here but what is written out: no prelude, no `std`, no `core`, no `rowkey`.
mod bare {
    #![no_implicit_prelude]
    #![allow(dead_code, unused_imports, unused_macros)]

    pub(crate) mod std {}
    pub(crate) mod core {}
    pub(crate) mod alloc {}
    pub(crate) mod rowkey {}

    macro_rules! shadow {
        ($($name:ident)*) => { $(#[allow(non_camel_case_types)] struct $name;)* };
    }
    shadow! {
        Result Vec Option String Box Iterator Sized Default Copy Clone PhantomData Into From
        u8 u16 usize bool str Field RowKey Codec IntoField Select Selection Reader Writer Sink Layout
    }
    pub(crate) enum Variants {
        Some,
        None,
        Ok,
        Err,
    }
    use self::Variants::{Err, None, Ok, Some};

    macro_rules! panic {
        () => {};
    }
    macro_rules! assert {
        () => {};
    }
    macro_rules! concat {
        () => {};
    }

    type Number = ::core::primitive::u64;
    type Name = ::std::string::String;

    #[derive(::renamed::RowKey, ::std::fmt::Debug, ::std::cmp::PartialEq)]
    #[rowkey(crate = "::renamed")]
    pub(crate) struct Key {
        pub(crate) user: Number,
        #[rowkey(desc, nulls_first)]
        pub(crate) name: ::std::option::Option<Name>,
        #[rowkey(nulls_first)]
        pub(crate) kind: ::std::option::Option<Kind>,
        pub(crate) of: ::std::marker::PhantomData<Name>,
    }

    #[derive(::renamed::RowKey, ::std::fmt::Debug, ::std::cmp::PartialEq)]
    #[rowkey(crate = "::renamed")]
    pub(crate) enum Kind {
        #[rowkey(tag = 1)]
        Some(Number),
        #[rowkey(tag = 2)]
        None,
        #[rowkey(tag = 3)]
        Ok { name: Name },
    }

    #[derive(::renamed::RowKey, ::std::fmt::Debug, ::std::cmp::PartialEq)]
    #[rowkey(crate = "::renamed", salt(buckets = 3, by(user)))]
    pub(crate) struct Salted {
        pub(crate) user: Number,
        #[rowkey(raw)]
        pub(crate) name: Name,
    }

    #[derive(::renamed::RowKey, ::std::fmt::Debug, ::std::cmp::PartialEq)]
    #[rowkey(crate = "::renamed", transparent)]
    pub(crate) struct Wrapped(pub(crate) Name);

    #[derive(::renamed::RowKey, ::std::fmt::Debug, ::std::cmp::PartialEq)]
    #[rowkey(crate = "::renamed", hashed(bytes = 3))]
    pub(crate) struct Fixed {
        pub(crate) user: Number,
    }
}

#[test]
fn no_prelude() {
    use bare::{Fixed, Key, Kind, Salted, Wrapped};
    use std::marker::PhantomData;

    let key = Key { user: 1, name: Some("a".into()), kind: Some(Kind::Ok { name: "b".into() }), of: PhantomData };
    round_trip(&key, Key::prefix().user(1).name(Some("a")).kind_in([Some(Kind::Ok { name: "b".into() })]));
    assert_eq!(Key::LAYOUT.shape(), "u64, option<text> desc nulls_first, option<enum{1: (u64), 2: (), 3: (text)}>");
    round_trip(&Kind::Some(1), Kind::prefix().some()._0_range(..=1));
    round_trip(&Kind::None, Kind::prefix().none());
    round_trip(&Salted { user: 1, name: "a".into() }, Salted::prefix().user(1).name_starts_with("a"));
    round_trip(&Wrapped("a".into()), ..);
    round_trip(&Fixed { user: 1 }, Fixed::prefix().user(1));
    assert_eq!(Fixed { user: 1 }.to_array().len(), Fixed::WIDTH);
}

/// Fields that are called as something in the code.
#[derive(RowKey, Debug, PartialEq)]
#[rowkey(crate = "renamed")]
pub struct Names {
    limit: u8,
    self_: u8,
    buf: u8,
    r#type: u8,
    w: u8,
    r: u8,
    key: u8,
    value: u8,
    range: u8,
    prefix: u8,
    select: String,
    encode: u8,
    decode: u8,
    out: u8,
    skip: u8,
    at: u8,
    layout: u8,
    write: u8,
    read: u8,
    ranges: u8,
    items: u8,
    nested: u8,
    start: u8,
    to_array: u8,
    encode_into: u8,
    r#in: u8,
}

#[test]
fn names_of_fields() {
    let key = Names {
        limit: 1,
        self_: 2,
        buf: 3,
        r#type: 4,
        w: 5,
        r: 6,
        key: 7,
        value: 8,
        range: 9,
        prefix: 10,
        select: "11".into(),
        encode: 12,
        decode: 13,
        out: 14,
        skip: 15,
        at: 16,
        layout: 17,
        write: 18,
        read: 19,
        ranges: 20,
        items: 21,
        nested: 22,
        start: 23,
        to_array: 24,
        encode_into: 25,
        r#in: 26,
    };
    let start = Names::prefix().limit(1).self_(2).buf(3).r#type(4).w(5).r(6).key(7).value(8).range(9).prefix(10);
    round_trip(&key, start.clone().select_starts_with("1"));
    let more = start.select("11").encode(12).decode(13).out(14).skip(15).at(16).layout(17).write(18).read(19);
    round_trip(&key, more.ranges(20).items(21).nested(22).start(23).to_array(24).encode_into(25).in_range(26..));
    round_trip(&key, Names::prefix().limit(1).self_(2).buf(3).type_range(4..5));
    assert_eq!(Names::LAYOUT.fields[3].name, "type");
}

/// The same in a key that something stands before.
#[derive(RowKey, Debug, PartialEq)]
#[rowkey(crate = "renamed", salt(buckets = 7, by(r#type, r, key)))]
pub struct WholeNames {
    r#type: u8,
    r: u8,
    w: u8,
    key: u8,
    out: u8,
    value: u8,
}

/// And in variants.
#[derive(RowKey, Debug, PartialEq)]
#[rowkey(crate = "renamed", prefix = VariantNamesStart)]
pub enum VariantNames {
    /// Raw.
    #[rowkey(tag = 1)]
    #[allow(missing_docs)]
    r#Type { w: u8, r: u8, at: u8, key: u8 },
    /// As the trait's method.
    #[rowkey(tag = 2)]
    #[allow(missing_docs)]
    Select { r#type: u8, select: u8 },
    /// As the code's own.
    #[rowkey(tag = 3)]
    Self_,
    /// A keyword's method.
    #[rowkey(tag = 4)]
    Match(u8),
}

#[test]
fn names_of_variants() {
    let key = WholeNames { r#type: 1, r: 2, w: 3, key: 4, out: 5, value: 6 };
    round_trip(&key, WholeNames::prefix().r#type(1).r(2).w(3).key(4).out_in([5, 6]));
    let _: VariantNamesStart = VariantNames::prefix();
    round_trip(&VariantNames::Type { w: 1, r: 2, at: 3, key: 4 }, VariantNames::prefix().r#type().w(1).r(2).at(3));
    round_trip(&VariantNames::Select { r#type: 1, select: 2 }, VariantNames::prefix().select().r#type(1).select(2));
    round_trip(&VariantNames::Self_, VariantNames::prefix().self_());
    round_trip(&VariantNames::Match(1), VariantNames::prefix().r#match()._0(1));
    let error = VariantNames::decode(&[1, 2]).unwrap_err();
    assert!(error.to_string().starts_with("VariantNames.Type.r "), "{error}");
}

/// Parameters that are called as the code's own.
#[derive(RowKey, Debug, PartialEq)]
#[rowkey(crate = "renamed")]
pub struct Parameters<C, S, K, T, W, const N: usize, const DEPTH: usize>
where
    T: Ord,
{
    c: C,
    s: Option<S>,
    k: (K, T),
    w: renamed::List<W>,
    bytes: [u8; N],
    more: [u8; DEPTH],
}

/// Lifetimes that are called as the code's own, with bounds and defaults.
#[derive(RowKey, Debug, PartialEq)]
#[rowkey(crate = "renamed")]
pub struct Lifetimes<'a, 'de: 'a, 'x, H = u8, const N: usize = 2>
where
    'x: 'de,
    H: PartialEq,
{
    a: &'a str,
    de: std::borrow::Cow<'de, [u8]>,
    x: Option<&'x str>,
    #[rowkey(desc)]
    h: H,
    array: &'a [u8; N],
}

/// A parameter with a bound that stands in no field.
#[derive(RowKey, Debug, PartialEq)]
#[rowkey(crate = "renamed")]
pub struct Marked<Of: ?Sized> {
    id: u8,
    of: std::marker::PhantomData<Of>,
}

/// An enum with parameters.
#[derive(RowKey, Debug, PartialEq)]
#[rowkey(crate = "renamed")]
pub enum Either<'a, L: PartialEq = u8, const N: usize = 3> {
    /// Borrowed.
    #[rowkey(tag = 0)]
    Left(L, &'a str),
    /// An array.
    #[rowkey(tag = 1)]
    #[allow(missing_docs)]
    Right { bytes: [u8; N] },
}

#[test]
fn parameters() {
    type Key = Parameters<u8, String, i8, bool, u16, 2, 1>;
    let key = Key { c: 1, s: Some("s".into()), k: (-1, true), w: renamed::List(vec![1]), bytes: [1, 2], more: [3] };
    round_trip(&key, Key::prefix().c(1).s(Some("s")).k((-1, true)).w([1]).bytes([1, 2]).more_range([0]..));
    assert_eq!(Key::LAYOUT.shape(), "u8, option<text>, (i8, bool), list<u16>, bytes[2], bytes[1]");

    let key = Lifetimes { a: "a", de: b"de".into(), x: Some("x"), h: 7u16, array: &[1, 2, 3] };
    let bytes = key.encode();
    assert_eq!(Lifetimes::<u16, 3>::decode(&bytes).unwrap(), key);
    let ranges = Lifetimes::<u16, 3>::prefix().a("a").de(b"de").x(Some("x")).h_range(7..).ranges();
    assert!(ranges[0].contains(&bytes));
    assert_eq!(<Lifetimes<'_, '_, '_>>::LAYOUT.shape(), "text, bytes, option<text>, u8 desc, bytes[2]");

    let key = Marked::<dyn Send> { id: 1, of: std::marker::PhantomData };
    assert_eq!(Marked::<dyn Send>::decode(&key.encode()).unwrap().id, key.id);
    assert_eq!(Marked::<str>::prefix().id(1).ranges().len(), 1);

    let bytes = Either::<u16, 1>::Left(7, "a").encode();
    assert_eq!(Either::<u16, 1>::decode(&bytes).unwrap(), Either::Left(7, "a"));
    assert!(Either::<u16, 1>::prefix().left()._0(7)._1_starts_with("a").ranges()[0].contains(&bytes));
}

/// A struct made by a macro, its parts fragments of all kinds.
macro_rules! make {
    ($(#[$meta:meta])* $name:ident, $field:ident: $type:ty, $tag:literal, $buckets:expr, $path:path, $lifetime:lifetime) => {
        #[derive(RowKey, Debug, PartialEq)]
        #[rowkey(crate = "renamed", salt(buckets = $buckets, by($field)))]
        $(#[$meta])*
        struct $name<$lifetime> {
            w: u8,
            $field: $type,
            #[rowkey(desc)]
            maybe: Option<$type>,
            #[rowkey(nulls_last)]
            last: Option<$type>,
            #[rowkey(with = $path)]
            own: bool,
            #[rowkey(raw)]
            r: &$lifetime str,
        }

        #[derive(RowKey, Debug, PartialEq)]
        #[rowkey(crate = "renamed")]
        enum Kind {
            #[rowkey(tag = $tag)]
            One { $field: $type, r: u8 },
        }
    };
}

mod own {
    use renamed::DecodeError;
    use renamed::encode::{Encoding, Field, Reader, Sink, Writer};

    pub(super) struct Flag;

    impl Encoding<bool> for Flag {
        const SHAPE: &'static str = "flag";
        const WIDTH: Option<usize> = Some(1);
        fn encode<S: Sink>(value: &bool, w: &mut Writer<'_, S>) {
            Field::encode(value, w);
        }
        fn decode(r: &mut Reader<'_>) -> Result<bool, DecodeError> {
            <bool as Field>::decode(r)
        }
    }
}

#[test]
fn made_by_a_macro_in_a_function() {
    make!(#[allow(dead_code)] Made, key: u64, 9, 5, own::Flag, 'x);
    let key = Made { w: 1, key: 2, maybe: None, last: Some(3), own: true, r: "r" };
    assert_eq!(Made::decode(&key.encode()).unwrap(), key);
    assert_eq!(
        Made::LAYOUT.shape(),
        "salt(5 xxh3 by 1) u8, u64, option<u64> desc, option<u64> nulls_last, flag, text raw"
    );
    assert!(Made::prefix().w(1).key(2).maybe(None::<u64>).ranges()[0].contains(&key.encode()));
    round_trip(&Kind::One { key: 1, r: 2 }, Kind::prefix().one().key(1));
}

/// Names of the prelude and of the crate for keys themselves.
mod called {
    use renamed::RowKey;

    macro_rules! keys {
        ($($name:ident)*) => {$(
            #[derive(RowKey, Debug, PartialEq)]
            #[rowkey(crate = "renamed")]
            pub(crate) struct $name {
                pub(crate) id: u8,
                #[rowkey(desc)]
                pub(crate) at: u16,
            }
        )*};
    }
    keys!(Option Result Vec Some None Ok Err Field Layout Reader Writer Selection PrefixBuf Key Sized);

    #[derive(RowKey, Debug, PartialEq)]
    #[rowkey(crate = "renamed")]
    pub(crate) struct Outer {
        pub(crate) option: Option,
        pub(crate) vec: Vec,
        #[rowkey(desc)]
        pub(crate) result: Result,
    }
}

#[test]
fn keys_called_as_the_prelude() {
    let key = called::Option { id: 1, at: 2 };
    round_trip(&key, called::Option::prefix().id(1).at_range(..3));
    assert_eq!(key.to_array(), *called::Vec { id: 1, at: 2 }.encode());
    round_trip(&called::Selection { id: 1, at: 2 }, called::Selection::prefix().id_in([1]));
    let key = called::Outer { option: key, vec: called::Vec { id: 1, at: 2 }, result: called::Result { id: 1, at: 2 } };
    round_trip(&key, called::Outer::prefix().option(called::Option { id: 1, at: 2 }));
    round_trip(&key, called::Outer::prefix().option_prefix(called::Option::prefix().id(1)));
}

/// Visibilities, private types and deprecated fields, without a warning.
pub mod visible {
    use renamed::{RowKey, Select};

    /// A public key with fields of private types.
    #[derive(RowKey, Debug, PartialEq)]
    #[rowkey(crate = "renamed")]
    pub struct Public {
        inner: Inner,
        kind: Kind,
    }

    #[derive(RowKey, Debug, PartialEq)]
    #[rowkey(crate = "renamed")]
    struct Inner {
        id: u8,
    }

    #[derive(RowKey, Debug, PartialEq)]
    #[rowkey(crate = "renamed")]
    enum Kind {
        #[rowkey(tag = 1)]
        One(Inner),
    }

    pub(super) mod deep {
        use renamed::RowKey;

        #[derive(RowKey, Debug, PartialEq)]
        #[rowkey(crate = "renamed")]
        pub(in super::super) struct Restricted {
            pub(in super::super) id: u8,
        }

        #[derive(RowKey, Debug, PartialEq)]
        #[rowkey(crate = "renamed", hashed)]
        pub(crate) struct Hashed {
            pub(super) id: u8,
        }
    }

    /// A key with a field that is on its way out.
    #[derive(RowKey, Debug, PartialEq)]
    #[rowkey(crate = "renamed")]
    pub struct Old {
        #[deprecated]
        id: u8,
        at: u8,
    }

    /// A key that is.
    #[deprecated]
    #[derive(RowKey)]
    #[rowkey(crate = "renamed")]
    pub enum Older {
        /// One variant.
        #[deprecated]
        #[rowkey(tag = 1)]
        One {
            /// A number.
            #[deprecated]
            id: u8,
        },
    }

    #[test]
    fn private_types() {
        let key = Public { inner: Inner { id: 1 }, kind: Kind::One(Inner { id: 2 }) };
        assert_eq!(Public::decode(&key.encode()).unwrap(), key);
        let ranges = Public::prefix().inner_prefix(Inner::prefix().id(1)).ranges();
        assert!(ranges[0].contains(&key.encode()));
        assert!(Kind::prefix().one()._0(Inner { id: 2 }).ranges()[0].contains(&key.kind.encode()));
        assert_eq!(super::visible::deep::Hashed { id: 1 }.encode().len(), 17);
    }

    #[test]
    #[allow(deprecated)]
    fn deprecated() {
        let key = Old { id: 1, at: 2 };
        assert_eq!(Old::decode(&key.encode()).unwrap(), key);
        assert_eq!(Old::prefix().id(1).ranges().len(), 1);
        assert_eq!(Older::One { id: 1 }.encode(), [1, 1]);
    }
}

#[test]
fn restricted() {
    let key = visible::deep::Restricted { id: 1 };
    round_trip(&key, visible::deep::Restricted::prefix().id(1));
}
