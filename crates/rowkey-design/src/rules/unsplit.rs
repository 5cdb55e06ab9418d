//! Notes on split points that an engine does not take.

use crate::problem::Problem;
use crate::rules::context::Context;

/// The notes on the split points of a table and of its secondary tables, where the engine hashes partitions.
pub(crate) fn unsplit(context: &Context<'_>) -> impl Iterator<Item = Problem> {
    let engine = context.engine;
    let keys = context.keys.iter().filter(move |_| engine.hashes_partitions());
    keys.filter_map(|key| context.splits(key)).map(move |splits| Problem {
        place: splits.place,
        message: format!("{} takes no split points: each partition is where its hash is", engine.word()),
        help: Some("remove `splits`: nothing is judged by it".to_owned()),
    })
}
