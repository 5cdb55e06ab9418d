//! A walk over a field's type: every type, path and lifetime that is written in it. syn has one behind its feature `visit`, for
//! the whole language, which takes long to compile.

use syn::punctuated::Punctuated;
use syn::{
    AngleBracketedGenericArguments, GenericArgument, Lifetime, Path, PathArguments, ReturnType, Token, Type,
    TypeParamBound,
};

/// What is done at each; without a word, the walk goes on inside.
pub(crate) trait Walk {
    fn ty(&mut self, ty: &Type);
    fn path(&mut self, path: &Path);
    fn lifetime(&mut self, _: &Lifetime) {}
}

/// Goes on with what is written in a type.
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
        // No types are told apart in a macro's tokens.
        _ => {}
    }
}

/// Goes on with the arguments of a path's segments.
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
            // Constants: no type in their expressions is a field's, and no parameter can stand in them.
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
