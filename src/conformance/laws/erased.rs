//! The values of a case behind traits without their type. proptest's runner and the laws are compiled once, not once
//! for each type that is tested.

use std::cmp::Ordering;
use std::fmt::{self, Debug};

use proptest::strategy::{NewTree, Strategy, ValueTree};
use proptest::test_runner::{Reason, TestRunner};

use crate::keys::error::DecodeError;
use crate::keys::key::{OwnedKey, RowKey};

/// A strategy for `V`; the type of the strategy beneath is erased.
///
/// `BoxedStrategy` is for `'static` alone, but keys and comparators may borrow.
pub(super) struct Erased<'a, V>(pub(super) &'a dyn Source<'a, V>);

type Tree<'a, V> = Box<dyn ValueTree<Value = V> + 'a>;

pub(super) trait Source<'a, V> {
    fn tree(&'a self, runner: &mut TestRunner) -> Result<Tree<'a, V>, Reason>;
}

impl<V> Debug for Erased<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Erased")
    }
}

impl<'a, V: Debug + 'a> Strategy for Erased<'a, V> {
    type Tree = Tree<'a, V>;
    type Value = V;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        self.0.tree(runner)
    }
}

/// A strategy and what its values become.
pub(super) struct Mapped<'a, S: Strategy, V> {
    pub(super) from: S,
    pub(super) map: &'a dyn Fn(S::Value) -> V,
}

struct MappedTree<'a, T: ValueTree, V> {
    from: T,
    map: &'a dyn Fn(T::Value) -> V,
}

impl<'a, S: Strategy + 'a, V: Debug + 'a> Source<'a, V> for Mapped<'a, S, V> {
    fn tree(&'a self, runner: &mut TestRunner) -> Result<Tree<'a, V>, Reason> {
        Ok(Box::new(MappedTree { from: self.from.new_tree(runner)?, map: self.map }))
    }
}

impl<T: ValueTree, V: Debug> ValueTree for MappedTree<'_, T, V> {
    type Value = V;

    fn current(&self) -> V {
        (self.map)(self.from.current())
    }

    fn simplify(&mut self) -> bool {
        self.from.simplify()
    }

    fn complicate(&mut self) -> bool {
        self.from.complicate()
    }
}

/// Values in their order; what a method is given is the index of a value.
pub(super) trait Values: Debug {
    fn told(&self, at: usize) -> String;
    fn compare(&self, a: usize, b: usize) -> Ordering;
}

pub(super) trait Keys: Values {
    fn len(&self) -> usize;
    fn encode(&self, at: usize) -> Vec<u8>;

    fn encode_all(&self) -> Vec<Vec<u8>> {
        (0..self.len()).map(|at| self.encode(at)).collect()
    }
}

pub(super) trait OwnedKeys: Keys {
    /// The result of decoding the bytes, as text; `None` if it equals the key at `at`.
    fn differs(&self, at: usize, bytes: &[u8]) -> Option<String>;
    /// Adds the key that the bytes decode to.
    fn push(&mut self, bytes: &[u8]) -> Result<(), DecodeError>;
}

pub(super) struct Typed<'a, T> {
    pub(super) values: Vec<T>,
    pub(super) compare: &'a dyn Fn(&T, &T) -> Ordering,
}

impl<T: Debug> Debug for Typed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

impl<T: Debug> Values for Typed<'_, T> {
    fn told(&self, at: usize) -> String {
        format!("{:?}", self.values[at])
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        (self.compare)(&self.values[a], &self.values[b])
    }
}

impl<K: RowKey + Debug> Keys for Typed<'_, K> {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn encode(&self, at: usize) -> Vec<u8> {
        self.values[at].encode()
    }
}

impl<K: OwnedKey + Debug> OwnedKeys for Typed<'_, K> {
    fn differs(&self, at: usize, bytes: &[u8]) -> Option<String> {
        let again = K::decode(bytes);
        match &again {
            Ok(key) if (self.compare)(&self.values[at], key).is_eq() => None,
            _ => Some(format!("{again:?}")),
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        self.values.push(K::decode(bytes)?);
        Ok(())
    }
}
