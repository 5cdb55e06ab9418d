use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use rowkey::RowKey;

#[derive(RowKey)]
struct Key {
    vec: Vec<String>,
    deque: VecDeque<u64>,
    hash_map: HashMap<String, u64>,
    tree_map: BTreeMap<String, u64>,
    hash_set: HashSet<u32>,
    tree_set: BTreeSet<u32>,
}

fn main() {}
