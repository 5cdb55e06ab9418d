//! The balancer: if it moves regions, and how many.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::constants::{ALL_MULTIPLIERS, COUNT_MULTIPLIERS, MIN_COST, SLOP_TENTHS};

/// True if servers with so many regions each are balanced (`StochasticLoadBalancer.needsBalance`).
pub(crate) fn needs_balance(regions: &[u64]) -> bool {
    let (Some(most), Some(least)) = (regions.iter().max(), regions.iter().min()) else { return false };
    let servers = regions.len() as u64;
    if servers < 2 {
        return false;
    }
    let is_idle = *least == 0 && *most > 1;
    let sum: u64 = regions.iter().sum();
    let floor = sum * (10 - SLOP_TENTHS) / (10 * servers);
    let ceiling = (sum * (10 + SLOP_TENTHS)).div_ceil(10 * servers);
    is_idle || *most > ceiling || *least < floor || skew(regions) * COUNT_MULTIPLIERS / ALL_MULTIPLIERS >= MIN_COST
}

/// The unevenness of counts: 0 as even as can be, 1 all on one server (`DoubleArrayCost.computeCost`).
///
/// Square roots are rounded the same on every machine.
fn skew(regions: &[u64]) -> f64 {
    let servers = regions.len() as u64;
    let sum: u64 = regions.iter().sum();
    let mean = sum as f64 / servers as f64;
    let from_mean = |regions: u64| (regions as f64 - mean) * (regions as f64 - mean);
    let high = sum % servers;
    let even = high as f64 * from_mean(sum / servers + 1) + (servers - high) as f64 * from_mean(sum / servers);
    let on_one = from_mean(sum) + (servers - 1) as f64 * mean * mean;
    let now: f64 = regions.iter().map(|regions| from_mean(*regions)).sum();
    let (min, max, now) = (even.sqrt(), on_one.sqrt(), now.sqrt());
    if now <= min || max <= min { 0.0 } else { ((now - min) / (max - min)).min(1.0) }
}

/// The moves, each from one server to another, that make the counts as even as can be.
pub(crate) fn moves(regions: &[u64]) -> Vec<(usize, usize)> {
    let mut counts = regions.to_vec();
    // Of those with as many the first.
    let mut most: BinaryHeap<_> = (0..).zip(regions).map(|(server, count)| (*count, Reverse(server))).collect();
    let mut least: BinaryHeap<_> = (0..).zip(regions).map(|(server, count)| Reverse((*count, server))).collect();
    let mut moves = Vec::new();
    while let (Some((high, Reverse(from))), Some(Reverse((low, to)))) = (most.peek().copied(), least.peek().copied()) {
        // An entry of before a move.
        if counts[from] != high {
            most.pop();
            continue;
        }
        if counts[to] != low {
            least.pop();
            continue;
        }
        if high <= low + 1 {
            break;
        }
        (counts[from], counts[to]) = (high - 1, low + 1);
        for server in [from, to] {
            most.push((counts[server], Reverse(server)));
            least.push(Reverse((counts[server], server)));
        }
        moves.push((from, to));
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::{moves, needs_balance, skew};

    #[test]
    fn an_idle_server_needs_balance_where_another_has_two() {
        assert!(needs_balance(&[2, 0, 0]));
        assert!(!needs_balance(&[1, 0, 0]));
        assert!(!needs_balance(&[1, 1, 0]));
    }

    #[test]
    fn even_counts_and_lone_servers_need_none() {
        for regions in [&[7][..], &[], &[4, 4, 4], &[4, 4, 5], &[0, 0], &[100, 101]] {
            assert!(!needs_balance(regions), "{regions:?}");
        }
    }

    #[test]
    fn a_cost_of_a_fortieth_needs_balance() {
        // 0.0281 of skew × 535 of 602: neither idle nor sloppy.
        assert!(!needs_balance(&[102, 99, 99]));
        assert!(needs_balance(&[115, 100, 85]));
    }

    #[test]
    fn skew_is_scaled() {
        assert_eq!(skew(&[9, 0, 0]).to_bits(), 1_f64.to_bits());
        assert_eq!(skew(&[3, 3, 4]).to_bits(), 0_f64.to_bits());
    }

    #[test]
    fn moves_even_the_counts_and_are_no_more_than_that_takes() {
        assert_eq!(moves(&[5, 1, 0]), [(0, 2), (0, 1), (0, 2)]);
        assert_eq!(moves(&[2, 2, 1]), []);
        assert_eq!(moves(&[]), []);
    }
}
