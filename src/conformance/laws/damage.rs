//! Damage to good keys, for bytes that are almost right.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// One change of some bytes.
#[derive(Clone, Debug)]
pub(super) enum Damage {
    Flip(Index, u8),
    Set(Index, u8),
    Insert(Index, u8),
    Remove(Index),
    Cut(Index),
    Append(u8),
}

/// A strategy for one to three changes.
pub(super) fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let byte = || prop_oneof![4 => prop::sample::select(super::values::BYTES), 1 => any::<u8>()];
    let damage = prop_oneof![
        (any::<Index>(), 0..8u8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        (any::<Index>(), byte()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        (any::<Index>(), byte()).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        any::<Index>().prop_map(Damage::Remove),
        any::<Index>().prop_map(Damage::Cut),
        byte().prop_map(Damage::Append),
    ];
    vec(damage, 1..4)
}

pub(super) fn damaged(bytes: &[u8], damages: &[Damage]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for damage in damages {
        match (damage, bytes.len()) {
            (Damage::Append(byte), _) => bytes.push(*byte),
            (Damage::Insert(at, byte), len) => bytes.insert(at.index(len + 1), *byte),
            (_, 0) => {}
            (Damage::Flip(at, bit), len) => bytes[at.index(len)] ^= 1 << bit,
            (Damage::Set(at, byte), len) => bytes[at.index(len)] = *byte,
            (Damage::Remove(at), len) => drop(bytes.remove(at.index(len))),
            (Damage::Cut(at), len) => bytes.truncate(at.index(len)),
        }
    }
    bytes
}
