//! Keys for whose types Go's compiler has no room: refused by name.

use crate::ir::{Codec, DeclKind, Field, Key, Refusal, Type};

/// The most lists and options within one another that are compiled: with some more, "unification reached recursion depth
/// limit" ends the compiler.
const DEEPEST: usize = 40;

const TOO_DEEP: &str = "Go compiles 40 lists and options within one another: put one into a tuple, whose bytes are the \
                        same";

/// The refusal of what does not compile, if something does not.
pub(super) fn refused(codec: &Codec) -> Result<(), Refusal> {
    codec.keys.iter().try_for_each(of_key)
}

fn of_key(key: &Key) -> Result<(), Refusal> {
    of_fields(&key.name, &key.fields)?;
    for decl in &key.types {
        match &decl.kind {
            DeclKind::Tuple(fields) => of_fields(&decl.place, fields)?,
            DeclKind::Enum(variants) => {
                for variant in variants {
                    of_fields(&format!("{}.{}", decl.place, variant.name), &variant.fields)?;
                }
            }
        }
    }
    Ok(())
}

fn of_fields(place: &str, fields: &[Field]) -> Result<(), Refusal> {
    for field in fields {
        let depth = depth(&field.ty);
        if depth > DEEPEST {
            let place = format!("{place}.{}", field.name);
            return Err(Refusal { place, what: format!("a type of {depth} within one another"), why: TOO_DEEP });
        }
    }
    Ok(())
}

/// The lists and options around each other: a tuple or an enum has a name, behind which no compiler looks.
fn depth(mut ty: &Type) -> usize {
    let mut depth = 0;
    while let Type::List { item: inner, .. } | Type::Option { inner, .. } = ty {
        depth += 1;
        ty = inner;
    }
    depth
}
