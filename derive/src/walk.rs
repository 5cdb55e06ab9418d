//! Visits the types, paths and lifetimes inside the type of a field. The `visit` feature of syn does this for the whole
//! language, but it takes long to compile.

use syn::punctuated::Punctuated;
use syn::{
    AngleBracketedGenericArguments, GenericArgument, Lifetime, Path, PathArguments, ReturnType, Token, Type,
    TypeParamBound,
};

/// A visitor of nodes. To visit the nodes inside one too, call `inside_type` or `inside_path`.
pub(crate) trait Walk {
    fn ty(&mut self, ty: &Type);
    fn path(&mut self, path: &Path);
    fn lifetime(&mut self, _: &Lifetime) {}
}

/// Visits the nodes directly inside a type.
pub(crate) fn inside_type(walk: &mut dyn Walk, ty: &Type) {
    match ty {
        Type::Array(array) => walk.ty(&array.elem),
        Type::FnPtr(function) => {
            function.inputs.iter().for_each(|input| walk.ty(&input.ty));
            output(walk, &function.output);
        }
        Type::Group(group) => walk.ty(&group.elem),
        Type::ImplTrait(traits) => bounds(walk, &traits.bounds),
        Type::Paren(paren) => walk.ty(&paren.elem),
        Type::Path(path) => {
            if let Some(qself) = &path.qself {
                walk.ty(&qself.ty);
            }
            walk.path(&path.path);
        }
        Type::Ptr(pointer) => walk.ty(&pointer.elem),
        Type::Reference(reference) => {
            reference.lifetime.iter().for_each(|lifetime| walk.lifetime(lifetime));
            walk.ty(&reference.elem);
        }
        Type::Slice(slice) => walk.ty(&slice.elem),
        Type::TraitObject(object) => bounds(walk, &object.bounds),
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|elem| walk.ty(elem)),
        // The tokens of a macro are not known to be types.
        _ => {}
    }
}

/// Visits the nodes in the generic arguments of a path.
pub(crate) fn inside_path(walk: &mut dyn Walk, path: &Path) {
    for segment in &path.segments {
        match &segment.arguments {
            PathArguments::None => {}
            PathArguments::AngleBracketed(angled) => arguments(walk, angled),
            PathArguments::Parenthesized(function) => {
                function.inputs.iter().for_each(|input| walk.ty(&input.ty));
                output(walk, &function.output);
            }
        }
    }
}

fn arguments(walk: &mut dyn Walk, angled: &AngleBracketedGenericArguments) {
    for argument in &angled.args {
        match argument {
            GenericArgument::Lifetime(lifetime) => walk.lifetime(lifetime),
            GenericArgument::Type(ty) => walk.ty(ty),
            GenericArgument::AssocType(assoc) => {
                assoc.generics.iter().for_each(|angled| arguments(walk, angled));
                walk.ty(&assoc.ty);
            }
            GenericArgument::Constraint(constraint) => {
                constraint.generics.iter().for_each(|angled| arguments(walk, angled));
                bounds(walk, &constraint.bounds);
            }
            // A constant: it holds no field, and its expression can't use a type parameter.
            _ => {}
        }
    }
}

fn bounds(walk: &mut dyn Walk, bounds: &Punctuated<TypeParamBound, Token![+]>) {
    for bound in bounds {
        match bound {
            TypeParamBound::Trait(bound) => walk.path(&bound.path),
            TypeParamBound::Lifetime(lifetime) => walk.lifetime(lifetime),
            _ => {}
        }
    }
}

fn output(walk: &mut dyn Walk, output: &ReturnType) {
    if let ReturnType::Type(_, ty) = output {
        walk.ty(ty);
    }
}
