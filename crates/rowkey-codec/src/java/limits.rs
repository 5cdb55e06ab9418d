//! Keys for which javac or a class file has no room, and names of packages that are the JDK's own or a device's:
//! refused by name.

use super::types::plain;
use crate::ir::{Codec, DeclKind, Field, Key, Refusal};
use crate::names::{DEVICE, is_device};

/// The most slots of a constructor's parameters, besides its object: `long` and `double` take two.
const MOST_SLOTS: usize = 254;

/// The most bytes of a text in a class file.
const MOST_BYTES: usize = 65_535;

const TOO_MANY: &str = "a record of Java has room for 254 parameters, of which `long` and `double` take two: put \
                        fields that are neighbours into a tuple, whose bytes are the same";

/// The first packages of the JDK, and those of its modules that are elsewhere.
const OF_JDK: [&str; 10] = [
    "java",
    "javax",
    "jdk",
    "sun",
    "com.sun",
    "netscape.javascript",
    "org.ietf.jgss",
    "org.jcp.xml.dsig",
    "org.w3c.dom",
    "org.xml.sax",
];

/// The refusal of what does not compile, if something does not.
pub(super) fn refused(codec: &Codec, package: &str) -> Result<(), Refusal> {
    let is_within =
        |jdk: &&str| package == *jdk || package.strip_prefix(*jdk).is_some_and(|rest| rest.starts_with('.'));
    if OF_JDK.iter().any(is_within) {
        let why = "packages of this name are the JDK's own: take another, as in `com.example.keys`";
        return Err(Refusal { place: "the package".to_owned(), what: package.to_owned(), why });
    }
    if let Some(device) = package.split('.').find(|part| is_device(part)) {
        return Err(Refusal { place: "the package".to_owned(), what: device.to_owned(), why: DEVICE });
    }
    codec.keys.iter().try_for_each(of_key)
}

fn of_key(key: &Key) -> Result<(), Refusal> {
    of_record(key, &key.name, &key.fields)?;
    for decl in &key.types {
        match &decl.kind {
            DeclKind::Tuple(fields) => of_record(key, &decl.place, fields)?,
            DeclKind::Enum(variants) => {
                for variant in variants {
                    of_record(key, &format!("{}.{}", decl.place, variant.name), &variant.fields)?;
                }
            }
        }
    }
    if key.shape.len() > MOST_BYTES {
        let what = format!("a shape of {} bytes", key.shape.len());
        return Err(Refusal { place: key.name.clone(), what, why: "a text of Java has at most 65535 bytes" });
    }
    Ok(())
}

fn of_record(key: &Key, place: &str, fields: &[Field]) -> Result<(), Refusal> {
    let slots = |field: &Field| if matches!(plain(key, &field.ty).as_str(), "long" | "double") { 2 } else { 1 };
    let slots: usize = fields.iter().filter(super::fields::is_component).map(slots).sum();
    if slots <= MOST_SLOTS {
        return Ok(());
    }
    Err(Refusal { place: place.to_owned(), what: format!("a record of {slots} slots"), why: TOO_MANY })
}
