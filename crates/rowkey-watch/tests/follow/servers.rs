//! Servers that begin again, and that are silent.

use rowkey_simulate::run::{Restart, Silence};
use rowkey_watch::ServerReading;

use super::*;

#[test]
fn servers_that_begin_again_and_that_are_silent_are_told() {
    let server = |start_code, is_silent| {
        let run = ServerRun { address: "s0:1".to_owned(), start_code };
        vec![ServerReading { run, is_silent }]
    };
    let told =
        |t_ms, servers, is_master_silent| Reading { servers, is_master_silent, ..reading(t_ms, &[("", 1, None)]) };
    let run = followed(&[
        told(0, server(7, false), false),
        told(1, server(7, true), false),
        told(2, server(7, true), true),
        told(3, server(9, false), false),
        told(4, server(9, true), false),
    ]);
    assert_eq!(run.restarts, [Restart { t_ms: 3, server: 0 }]);
    let silence = |t_ms, until_ms, server| Silence { t_ms, until_ms, server };
    assert_eq!(run.silences, [silence(0, 3, Some(0)), silence(1, 3, None), silence(3, 4, Some(0))]);
}

#[test]
fn a_silence_lasts_until_it_is_broken_or_the_run_ends() {
    let told = |t_ms, servers: &[(usize, bool)]| {
        let server = |(server, is_silent): &(usize, bool)| {
            let run = ServerRun { address: format!("s{server}:1"), start_code: 7 };
            ServerReading { run, is_silent: *is_silent }
        };
        Reading { servers: servers.iter().map(server).collect(), ..reading(t_ms, &[("", 1, None)]) }
    };
    let silences = |readings: &[Reading]| {
        let of = |silence: &Silence| (silence.server, silence.t_ms, silence.until_ms);
        followed(readings).silences.iter().map(of).collect::<Vec<_>>()
    };
    // At the first reading alone: counts begin at the second one, and what comes then is another silence.
    let late = [told(0, &[(0, true)]), told(6, &[(0, false)]), told(9, &[(0, true)])];
    assert_eq!(silences(&late[..2]), [(Some(0), 0, 6)]);
    assert_eq!(silences(&late), [(Some(0), 0, 6), (Some(0), 6, 9)]);
    assert_eq!(silences(&[told(0, &[(0, true)]), told(3, &[(0, true)]), told(6, &[(0, true)])]), [(Some(0), 0, 6)]);
    // A server that the master tells of no more.
    let gone = [told(0, &[(0, true), (1, false)]), told(3, &[(1, false)]), told(6, &[(1, false)])];
    assert_eq!(silences(&gone), [(Some(0), 0, 6)]);
    let again = [told(8, &[(0, false), (1, false)]), told(9, &[(0, false), (1, false)])];
    assert_eq!(silences(&[&gone[..], &again].concat()), [(Some(0), 0, 8)]);
    // One that told all, and is gone before it is asked again.
    let gone = [told(0, &[(0, false), (1, false)]), told(3, &[(1, false)]), told(6, &[(1, false)])];
    assert_eq!(silences(&gone), [(Some(0), 0, 6)]);
    assert_eq!(silences(&[&gone[..], &again].concat()), [(Some(0), 0, 8)]);
    // Readings that are far apart.
    let far = [told(0, &[(0, false)]), told(3, &[(0, true)]), told(40, &[(0, false)]), told(43, &[(0, false)])];
    assert_eq!(silences(&far), [(Some(0), 0, 40)]);
}
