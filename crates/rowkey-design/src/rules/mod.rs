//! The functions of the rules that look at one design: each finds its hazard in a table.
//!
//! A rule is a file of code and, beside it, its page: condition, consequence, fix, source, known false positives, a
//! minimal bad design on which it fires, and the nearest good one on which it is silent. Tests check each page's two
//! designs. The rules that compare two designs have pages alone: [`diff`](crate::diff()) finds them.

pub(crate) mod context;
mod families;
mod hot;
mod keys;
mod landing;
mod queries;
mod queue;
mod regions;
mod salt;
pub(crate) mod together;
pub(crate) mod unjudged;
pub(crate) mod unsplit;

use self::context::{Context, RuleSink};
use crate::rule::{self, Rule, for_each_rule};

/// A function that finds a rule's hazard in a table.
pub(crate) type Finder = fn(&Context<'_>, &mut RuleSink<'_>);

macro_rules! finders {
    (
        $(mod $folder:ident $kind:ident { $( $id:ident $file:ident $fix:ident $severity:ident $({ $($other:tt)* })? $(of $load:ident)? $title:literal; )* })*
        $(page $pages:ident $compares:ident { $($rest:tt)* })*
    ) => {
        /// The rules that look at one design, each with its function.
        pub(crate) static FINDERS: &[(&Rule, Finder)] = &[$($((&rule::$id, $folder::$file::find)),*),*];
    };
}
for_each_rule!(finders);
