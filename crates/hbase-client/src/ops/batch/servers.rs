//! The servers of a batch, and the actions of each, as far as is known without a look-up.

use std::sync::Arc;

use super::action::{Action, Outcome};
use super::parts::Regions;
use super::step::result_of;
use crate::model::error::Result;
use crate::model::region::Location;
use crate::model::server::ServerName;

/// Actions that are on one server, as far as is known.
#[derive(Debug, Default, PartialEq)]
pub(super) struct OfServer {
    /// Their places in the batch.
    pub(super) places: Vec<usize>,
    /// The region of each, if it is known.
    pub(super) known: Vec<usize>,
}

/// The regions of the actions, and the actions on each server; all together, if it is not `known` without a look-up
/// where one of them is: actions on one row stay together.
pub(super) fn by_server(
    actions: &[Action],
    known: impl Fn(&[u8]) -> Option<Arc<Location>>,
) -> (Regions, Vec<OfServer>) {
    let mut regions = Regions::default();
    // Of each region, which of the servers has it.
    let mut at_server: Vec<usize> = Vec::new();
    let mut servers: Vec<(ServerName, OfServer)> = Vec::new();
    for (at, action) in actions.iter().enumerate() {
        let region = match regions.of(action.row()) {
            Some(region) => region,
            None => match known(action.row()) {
                Some(location) => regions.add(location),
                None => {
                    let all = OfServer { places: (0..actions.len()).collect(), known: Vec::new() };
                    return (Regions::default(), vec![all]);
                }
            },
        };
        if region == at_server.len() {
            let server = &regions.location(region).server;
            let known = servers.iter().position(|(known, _)| known == server);
            at_server.push(known.unwrap_or(servers.len()));
            if known.is_none() {
                servers.push((server.clone(), OfServer::default()));
            }
        }
        let (_, of_server) = &mut servers[at_server[region]];
        of_server.places.push(at);
        of_server.known.push(region);
    }
    (regions, servers.into_iter().map(|(_, of_server)| of_server).collect())
}

/// The results of the servers' actions, in the order of the batch.
pub(super) fn in_order(of_servers: &[OfServer], mut results: Vec<Vec<Result<Outcome>>>) -> Vec<Result<Outcome>> {
    if let [all] = &mut results[..] {
        return std::mem::take(all);
    }
    let mut all: Vec<_> = results.iter().flatten().map(|_| None).collect();
    let places = of_servers.iter().flat_map(|of_server| &of_server.places);
    for (at, result) in places.zip(results.into_iter().flatten()) {
        all[*at] = Some(result);
    }
    all.into_iter().map(result_of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::parts::tests::at;
    use super::*;
    use crate::Get;
    use crate::model::row::Row;

    #[test]
    fn actions_are_put_to_the_servers_of_their_regions() {
        let known = |row: &[u8]| match row {
            [..=b'c', ..] => Some(at("", "d", 1)),
            [b'd'..=b'm', ..] => Some(at("d", "n", 2)),
            [b'n'..=b'x', ..] => Some(at("n", "y", 1)),
            _ => None,
        };
        let of = |places: &[usize], known: &[usize]| OfServer { places: places.into(), known: known.into() };
        for (rows, expected) in [
            ("", vec![]),
            ("a", vec![of(&[0], &[0])]),
            ("aeaoe", vec![of(&[0, 2, 3], &[0, 0, 2]), of(&[1, 4], &[1, 1])]),
            ("eao", vec![of(&[0], &[0]), of(&[1, 2], &[1, 2])]),
            // One that is not known keeps all together.
            ("aez", vec![of(&[0, 1, 2], &[])]),
        ] {
            let actions: Vec<_> = rows.bytes().map(|row| Get::new([row]).into()).collect();
            assert_eq!(by_server(&actions, known).1, expected, "{rows}");
        }
    }

    #[test]
    fn results_come_in_the_order_of_the_batch() {
        let of = |places: &[usize]| OfServer { places: places.into(), known: Vec::new() };
        let outcome = |applied| Ok(Outcome { row: Row::default(), applied });
        let results = vec![vec![outcome(true), outcome(true)], vec![outcome(false)]];
        let ordered = in_order(&[of(&[0, 2]), of(&[1])], results).into_iter();
        assert_eq!(ordered.map(|result| result.unwrap().applied).collect::<Vec<_>>(), [true, false, true]);
        assert!(in_order(&[], Vec::new()).is_empty());
    }
}
