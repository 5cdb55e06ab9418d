//! Traits through `&T`, `Box<T>` and `Arc<T>`.

/// Implements a trait for pointers to its implementors. The methods are listed by their signatures.
macro_rules! through_pointers {
    ($trait:ident $methods:tt) => {
        impl<T: $trait + ?Sized> $trait for &T {
            $crate::store::pointers::forward! $methods
        }

        impl<T: $trait + ?Sized> $trait for Box<T> {
            $crate::store::pointers::forward! $methods
        }

        impl<T: $trait + ?Sized> $trait for std::sync::Arc<T> {
            $crate::store::pointers::forward! $methods
        }
    };
}

macro_rules! forward {
    ($(fn $method:ident(&$self:ident $(, $argument:ident: $type:ty)* $(,)?) -> $returned:ty;)*) => {$(
        #[inline]
        fn $method(&$self $(, $argument: $type)*) -> $returned {
            (**$self).$method($($argument),*)
        }
    )*};
}

pub(crate) use {forward, through_pointers};
