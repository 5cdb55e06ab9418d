//! Tests of random inputs.

use std::fmt::{self, Debug};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// A test of random inputs, written as in `proptest!`.
///
/// proptest's runner is compiled for each type of input: so it is given one type, and is compiled once.
macro_rules! test {
    ($test:ident($($input:ident in $strategy:expr),* $(,)?) $body:block) => {
        #[test]
        fn $test() {
            prove(($($strategy,)*), |($($input,)*)| {
                $body
                Ok(())
            });
        }
    };
}

pub(super) type Proof = Result<(), TestCaseError>;

trait Case: Debug {
    fn prove(self: Box<Self>) -> Proof;
}

struct Typed<T> {
    inputs: T,
    test: fn(T) -> Proof,
}

impl<T: Debug> Debug for Typed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inputs.fmt(f)
    }
}

impl<T: Debug> Case for Typed<T> {
    fn prove(self: Box<Self>) -> Proof {
        (self.test)(self.inputs)
    }
}

#[track_caller]
pub(super) fn prove<T: Debug + 'static>(inputs: impl Strategy<Value = T> + 'static, test: fn(T) -> Proof) {
    prove_cases(&inputs.prop_map(move |inputs| -> Box<dyn Case> { Box::new(Typed { inputs, test }) }).boxed());
}

#[track_caller]
fn prove_cases(inputs: &BoxedStrategy<Box<dyn Case>>) {
    let cases = crate::order::cases(200);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    if let Err(error) = TestRunner::new(config).run(inputs, Case::prove) {
        panic!("{error}");
    }
}
