//! Random layouts, and keys of them.

use fastrand::Rng;
use rowkey::laws::proptest::strategy::{Strategy, ValueTree};
use rowkey::laws::proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rowkey::{LayoutBuf, Value, laws};

use crate::Fault;

/// A layout, rows of it, and their keys.
pub struct Pool {
    pub layout: LayoutBuf,
    pub rows: Vec<Vec<Value>>,
    pub keys: Vec<Vec<u8>>,
}

impl Pool {
    /// A random layout and this many rows of it, many of them near to others.
    pub fn new(rng: &mut Rng, size: usize) -> Result<Self, Fault> {
        let mut seed = [0; 32];
        rng.fill(&mut seed);
        let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        let layout = pick(&mut runner, &laws::layouts())?;
        let strategy = laws::rows(&layout);
        let mut rows = Vec::new();
        while rows.len() < size {
            rows.extend(pick(&mut runner, &strategy)?);
        }
        let keys = rows.iter().map(|row| layout.encode(row)).collect::<Result<_, _>>();
        let keys = keys.map_err(|error| format!("{layout}: {error}"))?;
        Ok(Self { layout, rows, keys })
    }
}

fn pick<T>(runner: &mut TestRunner, strategy: &impl Strategy<Value = T>) -> Result<T, Fault> {
    Ok(strategy.new_tree(runner).map_err(|reason| reason.to_string())?.current())
}
