//! Stops under load.

use tempfile::tempdir;

use crate::program::{Program, send};
use crate::{has_all, visits};

#[test]
fn a_stop_under_load_loses_nothing_that_was_acknowledged() {
    let directory = tempdir().unwrap();
    let visits = visits(400);
    let mut service = Program::start(directory.path(), &["--grace-ms", "20000"]);
    let acknowledged = send(&service.client, &visits, || service.signal("-TERM"));
    assert_eq!(service.ends(), Some(0));
    assert!(acknowledged.len() < visits.len() && acknowledged.len() > 100);

    let service = Program::start(directory.path(), &[]);
    for visit in &acknowledged {
        assert!(service.client.all("/users/visits", ("user", &visit.user), "100").contains(visit), "{visit:?}");
    }
    assert_eq!(send(&service.client, &visits, || ()).len(), visits.len());
    // Requests that had begun were finished, so the counters are exact.
    has_all(&service.client, &visits, true);
}

#[test]
fn a_stop_at_rest_is_at_once() {
    let directory = tempdir().unwrap();
    let mut service = Program::start(directory.path(), &[]);
    service.signal("-INT");
    assert_eq!(service.ends(), Some(0));
}
