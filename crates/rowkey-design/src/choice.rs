//! Enums whose variants have names: one declaration makes the enum, its list, its names and its parser.

use std::str::FromStr;

/// A value that is one of a few, each with a name.
pub trait Choice: FromStr<Err = UnknownName> + Copy + Send + Sync + 'static {
    /// All of them, in order.
    const ALL: &'static [Self];

    /// The name on a command line.
    fn name(self) -> &'static str;

    /// The description, without a full stop; empty where the name says all.
    fn about(self) -> String {
        String::new()
    }
}

/// A name that none of the choices has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no choice has this name")]
pub struct UnknownName;

/// The choice of a name.
pub(crate) fn named<C: Choice>(name: &str) -> Result<C, UnknownName> {
    C::ALL.iter().copied().find(|choice| choice.name() == name).ok_or(UnknownName)
}

/// Declares enums whose variants have names. The first paragraph of a variant's documentation describes it.
macro_rules! choices {
    ($(
        $(#[doc = $doc:literal])*
        pub enum $name:ident {
            $( #[doc = $about:literal] $(#[doc = $more:literal])* $variant:ident = $word:literal, )*
        }
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum $name {
            $( #[doc = $about] $(#[doc = $more])* $variant, )*
        }

        impl $name {
            /// All of them, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word for it.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl $crate::choice::Choice for $name {
            const ALL: &'static [Self] = $name::ALL;

            fn name(self) -> &'static str {
                self.word()
            }

            fn about(self) -> String {
                let lines: &[&str] = match self { $(Self::$variant => &[$about $(, $more)*],)* };
                let first: Vec<_> = lines.iter().map(|line| line.trim()).take_while(|line| !line.is_empty()).collect();
                first.join(" ").trim_end_matches('.').to_owned()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::choice::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                $crate::choice::named(name)
            }
        }
    )*};
}
pub(crate) use choices;
