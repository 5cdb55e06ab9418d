//! Layouts as data (serde), version 1: the JSON that FORMAT.md describes.
//!
//! ```json
//! {
//!   "version": 1,
//!   "name": "Action",
//!   "prefix": { "salt": { "buckets": 16, "hash": "xxh3", "by": [0] } },
//!   "fields": [
//!     { "name": "user", "type": "u64" },
//!     { "name": "at", "type": "i64", "desc": true },
//!     { "name": "tags", "type": { "list": "text" } }
//!   ]
//! }
//! ```

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{CustomBuf, FieldBuf, LayoutBuf, LayoutError, TypeBuf, VariantBuf};
use crate::keys::foreign::NotAHash;
use crate::keys::layout::{Layout, Nulls, Scalar};
use crate::keys::lead::{Lead, Salt, SaltFormat, SaltHash};

const VERSION: u32 = 1;

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LayoutRepr {
    version: u32,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prefix: Option<PrefixRepr>,
    fields: Vec<FieldRepr>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum PrefixRepr {
    Salt {
        buckets: u32,
        hash: String,
        #[serde(default, skip_serializing_if = "is_false")]
        hex: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        format: Option<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        by: Vec<usize>,
    },
    Hash {
        of: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        by: Vec<usize>,
    },
    Md5 {
        bytes: u8,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        by: Vec<usize>,
    },
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct FieldRepr {
    name: String,
    #[serde(rename = "type")]
    ty: TypeBuf,
    #[serde(default, skip_serializing_if = "is_false")]
    desc: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nulls: Option<Nulls>,
    #[serde(default, skip_serializing_if = "is_false")]
    raw: bool,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct VariantRepr {
    name: String,
    tag: u8,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fields: Vec<FieldRepr>,
}

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct CustomRepr {
    shape: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    width: Option<usize>,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl From<&LayoutBuf> for LayoutRepr {
    fn from(layout: &LayoutBuf) -> Self {
        let by = layout.by.clone();
        let prefix = match &layout.lead {
            Lead::None => None,
            Lead::Digest(bytes) => Some(PrefixRepr::Md5 { bytes: *bytes, by }),
            Lead::Hash(prefix) => Some(PrefixRepr::Hash { of: prefix.to_string(), by }),
            Lead::Salt(Salt { buckets, hash, format }) => {
                let (hex, format) = match format {
                    SaltFormat::Binary => (false, None),
                    SaltFormat::Hex => (true, None),
                    SaltFormat::Foreign(foreign) => (false, Some(foreign.to_string())),
                };
                Some(PrefixRepr::Salt { buckets: *buckets, hash: hash.name.clone(), hex, format, by })
            }
        };
        let fields = layout.fields.iter().cloned().map(FieldRepr::from).collect();
        Self { version: VERSION, name: layout.name.clone(), prefix, fields }
    }
}

impl From<FieldBuf> for FieldRepr {
    fn from(FieldBuf { name, ty, desc, nulls, raw }: FieldBuf) -> Self {
        Self { name, ty, desc, nulls, raw }
    }
}

impl From<FieldRepr> for FieldBuf {
    fn from(FieldRepr { name, ty, desc, nulls, raw }: FieldRepr) -> Self {
        Self { name, ty, desc, nulls, raw }
    }
}

impl Serialize for Layout {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        LayoutBuf::from(self).serialize(serializer)
    }
}

impl Serialize for LayoutBuf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        LayoutRepr::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LayoutBuf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        LayoutRepr::deserialize(deserializer)?.try_into().map_err(de::Error::custom)
    }
}

impl TryFrom<LayoutRepr> for LayoutBuf {
    type Error = LayoutError;

    fn try_from(LayoutRepr { version, name, prefix, fields }: LayoutRepr) -> Result<Self, LayoutError> {
        if version != VERSION {
            return Err(LayoutError::new("version", format!("{version} is unknown, expected {VERSION}")));
        }
        let (lead, by) = match prefix {
            None => (Lead::None, Vec::new()),
            Some(PrefixRepr::Md5 { bytes, by }) => (Lead::Digest(bytes), by),
            Some(PrefixRepr::Hash { of, by }) => {
                let prefix =
                    of.parse().map_err(|error: NotAHash| LayoutError::new("prefix.hash.of", error.to_string()))?;
                (Lead::Hash(prefix), by)
            }
            Some(PrefixRepr::Salt { buckets, hash, hex, format, by }) => {
                let format = match (hex, format.as_deref().map(Scalar::from_shape)) {
                    (false, None) => SaltFormat::Binary,
                    (true, None) => SaltFormat::Hex,
                    (false, Some(Some(Scalar::Foreign(foreign)))) => SaltFormat::Foreign(foreign),
                    _ => return Err(LayoutError::new("prefix.salt.format", "it is not the format of a salt")),
                };
                (Lead::Salt(Salt { buckets, hash: SaltHash::named(hash), format }), by)
            }
        };
        Self::checked(name, lead, by, fields.into_iter().map(FieldBuf::from).collect())
    }
}

impl Serialize for TypeBuf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Self::Scalar(scalar) = self {
            return serializer.collect_str(scalar);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        match self {
            Self::Scalar(_) => {}
            Self::Option(inner) => map.serialize_entry("option", inner)?,
            Self::List(item) => map.serialize_entry("list", item)?,
            Self::Enum(variants) => {
                let variants: Vec<_> = variants.iter().cloned().map(VariantRepr::from).collect();
                map.serialize_entry("enum", &variants)?;
            }
            Self::Tuple(fields) => {
                let fields: Vec<_> = fields.iter().cloned().map(FieldRepr::from).collect();
                map.serialize_entry("tuple", &fields)?;
            }
            Self::Custom(CustomBuf { shape, width, .. }) => {
                map.serialize_entry("custom", &CustomRepr { shape: shape.clone(), width: *width })?;
            }
        }
        map.end()
    }
}

impl From<VariantBuf> for VariantRepr {
    fn from(VariantBuf { name, tag, fields }: VariantBuf) -> Self {
        Self { name, tag, fields: fields.into_iter().map(FieldRepr::from).collect() }
    }
}

impl<'de> Deserialize<'de> for TypeBuf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TypeVisitor)
    }
}

struct TypeVisitor;

impl<'de> Visitor<'de> for TypeVisitor {
    type Value = TypeBuf;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a scalar's shape, or an object of one key: option, list, enum, tuple or custom")
    }

    fn visit_str<E: de::Error>(self, shape: &str) -> Result<TypeBuf, E> {
        Scalar::from_shape(shape)
            .map(TypeBuf::Scalar)
            .ok_or_else(|| E::custom(format!("{shape:?} is not a valid scalar")))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TypeBuf, A::Error> {
        const KEYS: &[&str] = &["option", "list", "enum", "tuple", "custom"];
        let Some(key) = map.next_key::<String>()? else { return Err(de::Error::custom("the object is empty")) };
        let fields = |reprs: Vec<FieldRepr>| reprs.into_iter().map(FieldBuf::from).collect();
        let ty = match key.as_str() {
            "option" => TypeBuf::Option(map.next_value()?),
            "list" => TypeBuf::List(map.next_value()?),
            "tuple" => TypeBuf::Tuple(fields(map.next_value()?)),
            "enum" => TypeBuf::Enum(
                map.next_value::<Vec<VariantRepr>>()?
                    .into_iter()
                    .map(|VariantRepr { name, tag, fields: f }| VariantBuf { name, tag, fields: fields(f) })
                    .collect(),
            ),
            "custom" => {
                let CustomRepr { shape, width } = map.next_value()?;
                TypeBuf::Custom(CustomBuf::new(shape, width))
            }
            other => return Err(de::Error::unknown_field(other, KEYS)),
        };
        match map.next_key::<String>()? {
            None => Ok(ty),
            Some(more) => Err(de::Error::custom(format!("a type is an object of one key, found {more:?} too"))),
        }
    }
}
