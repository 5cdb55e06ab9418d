//! Calls that are past their deadline, or cancelled, before they begin.

use std::time::{Duration, Instant};

use rowkey::store::{CallOptions, Cancel};
use rowkey::{Error, Table};

use crate::bounds::operations::operations;
use crate::bounds::{engines, is_cancelled, is_late, rows};

/// Every operation is refused, and nothing is changed.
fn refused(test: &str, options: impl Fn() -> CallOptions, end: impl Fn(), why: fn(&Error) -> bool) {
    for engine in engines(test) {
        let all = operations(&engine.db, &options());
        end();
        let before = rows(&*engine.base);
        for operation in all {
            let answer = (operation.run)();
            let name = operation.name;
            assert!(answer.as_ref().is_err_and(why), "{name} of {}: {answer:?}", engine.name);
            assert_eq!(rows(&*engine.base), before, "{name} of {} has changed something", engine.name);
        }
        // Others go on.
        for operation in operations(&engine.db, CallOptions::none()) {
            let answer = (operation.run)();
            assert!(answer.is_ok(), "{} of {}: {answer:?}", operation.name, engine.name);
        }
    }
}

#[test]
fn an_operation_past_its_deadline_is_refused() {
    refused("deadline", || CallOptions::new().deadline(Instant::now()), || (), is_late);
}

#[test]
fn an_operation_whose_time_is_up_is_refused() {
    refused("timeout", || CallOptions::new().timeout(Duration::ZERO), || (), is_late);
}

#[test]
fn an_operation_that_is_cancelled_is_refused() {
    // A token is not put back, and each engine takes one.
    for engine in engines("cancelled") {
        let cancel = Cancel::new();
        let all = operations(&engine.db, &CallOptions::new().cancel(&cancel));
        cancel.cancel();
        let before = rows(&*engine.base);
        for operation in all {
            let answer = (operation.run)();
            assert!(answer.as_ref().is_err_and(is_cancelled), "{} of {}: {answer:?}", operation.name, engine.name);
            assert_eq!(rows(&*engine.base), before, "{} of {}", operation.name, engine.name);
        }
    }
}

#[test]
fn an_open_scan_ends_when_it_is_cancelled() {
    for engine in engines("scan") {
        let table = Table::<u16, i64, _>::open(engine.db.clone(), "t").unwrap();
        (0..100).for_each(|n| table.put(&n, &0).unwrap());
        let cancel = Cancel::new();
        let mut scan = table.with_options(&CallOptions::new().cancel(&cancel)).scan(..).batch_rows(10);
        assert!(matches!(scan.next(), Some(Ok((0, 0)))));
        cancel.cancel();
        let rest: Vec<_> = scan.by_ref().collect();
        // The rest of the batch that was read, then the error.
        assert_eq!(rest.len(), 10, "{}", engine.name);
        assert!(rest[9].as_ref().is_err_and(is_cancelled));
        assert!(scan.next().is_none());
    }
}
