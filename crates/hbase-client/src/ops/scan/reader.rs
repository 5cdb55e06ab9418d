//! Reader of a scan: one response after the other, over regions and failures.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rowkey_retry::{Delay, Idempotency};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use super::assembly::Assembly;
use super::counts::Counts;
use super::position::Position;
use crate::cluster::regions::SYSTEM_PRIORITY;
use crate::model::error::{CallFault, Reaction, Result};
use crate::model::region::Location;
use crate::model::row::{CellBlock, Row};
use crate::model::rows::Rows;
use crate::model::scan::Scan;
use crate::model::table_name::TableName;
use crate::ops::executor::{Executor, doubt};
use crate::ops::retry::RetryDecision;
use crate::pb;
use crate::rpc::{Answer, Payload};

/// Reads a scan, response by response. A scanner that is lost is opened again at the scan's position.
pub(super) struct Reader {
    executor: Arc<Executor>,
    table: TableName,
    scan: Scan,
    timeout: Duration,
    counts: Arc<Counts>,
    position: Position,
    assembly: Assembly,
    open: Option<Open>,
    /// The number of consecutive responses without a result.
    fruitless: u32,
    done: bool,
}

/// A scanner that a server has open.
struct Open {
    location: Arc<Location>,
    id: u64,
    /// The number of the next call: a server refuses a call that it has had.
    call: u64,
    /// The time for which it stays open without a call.
    lease: Duration,
}

/// The lease of a server that does not tell. Its own default is a minute.
const LEASE: Duration = Duration::from_secs(30);
/// A scanner is not renewed sooner.
const SOONEST: Duration = Duration::from_millis(50);

impl Reader {
    pub(super) fn new(
        executor: Arc<Executor>,
        table: TableName,
        scan: Scan,
        timeout: Duration,
        counts: Arc<Counts>,
    ) -> Self {
        let (position, assembly) = (Position::new(&scan), Assembly::new(scan.pieces));
        let done = position.is_at_end();
        Self { executor, table, scan, timeout, counts, position, assembly, open: None, fruitless: 0, done }
    }

    /// The next rows, or `None` at the end, or when nobody wants them any more. Each response of a server, even one
    /// without rows, gives the scan its timeout anew.
    pub(super) async fn rows(&mut self, wanted: &mpsc::Sender<Result<Rows>>) -> Result<Option<Rows>> {
        self.scan.check().map_err(|error| error.of_table(&self.table))?;
        let core = self.executor.clone();
        let mut attempts = core.attempts(Idempotency::ReadOnly, Instant::now() + self.timeout);
        'answered: while !self.done {
            let deadline = Instant::now() + self.timeout;
            attempts.extend(deadline);
            loop {
                let located = tokio::select! {
                    biased;
                    () = wanted.closed() => return Ok(None),
                    located = self.locate(deadline) => located,
                };
                let stepped = match located {
                    // It is not left: it may open a scanner, which is to be closed, and a server closes none that it is
                    // reading.
                    Ok(location) => self.step(location, deadline).await,
                    Err(next) => Err(next),
                };
                let failed = match stepped {
                    Ok(rows) if rows.is_empty() => {
                        tokio::select! {
                            () = sleep(self.rest()) => continue 'answered,
                            () = wanted.closed() => return Ok(None),
                        }
                    }
                    Ok(rows) => return Ok(Some(rows)),
                    Err(failed) => failed,
                };
                let failed = failed.map(|error| error.of_scan(&self.table, &self.position.from));
                tokio::select! {
                    waited = attempts.wait(failed) => waited?,
                    () = wanted.closed() => return Ok(None),
                }
            }
        }
        Ok(None)
    }

    /// Returns the pause before the next call. It grows with the responses in a row that had no result.
    fn rest(&self) -> Duration {
        match self.fruitless {
            0..4 => Duration::ZERO,
            many => (self.executor.options.first_pause * (many - 3).min(8)).min(self.executor.options.longest_pause),
        }
    }

    /// The location for the next call.
    async fn locate(&self, deadline: Instant) -> Result<Arc<Location>, RetryDecision> {
        match &self.open {
            Some(open) => Ok(open.location.clone()),
            None => self.executor.locate(&self.table, self.position.place(), deadline).await,
        }
    }

    /// One call: it opens a scanner, or asks the open one for more.
    async fn step(&mut self, location: Arc<Location>, deadline: Instant) -> Result<Rows, RetryDecision> {
        let request = match &self.open {
            Some(open) => self.more(open),
            None => self.opening(&location),
        };
        let answer = self.call(&location, &request, self.executor.call_deadline(deadline)).await;
        let read = answer.and_then(|answer| self.take(&location, &answer));
        match read {
            Ok(rows) => Ok(rows),
            Err(fault) => {
                match &fault {
                    CallFault::Refused(exception) => self.executor.learn(&location, exception, Idempotency::ReadOnly),
                    fault if fault.doubts_server() => {
                        let _ = self.executor.locator.look_again(&location, doubt(Instant::now()), deadline).await;
                    }
                    _ => {}
                }
                let (reopen, kept) = match &fault {
                    // A server with too much to do did not take the call, and has the scanner.
                    CallFault::Refused(told) => (told.reaction() == Reaction::Reopen, told.of_overloaded_server()),
                    _ => (false, false),
                };
                let mut next = RetryDecision::of_read(fault).map(|error| error.at(&location, &self.position.from));
                if reopen {
                    next.delay = Some(Delay::Immediate);
                }
                // A scan that ends by an error closes its scanner.
                if !kept && next.delay.is_some() {
                    self.open = None;
                    self.assembly.reopen(&mut self.position);
                }
                Err(next)
            }
        }
    }

    async fn call(
        &self,
        location: &Location,
        request: &pb::ScanRequest,
        deadline: Instant,
    ) -> Result<Answer, CallFault> {
        let priority = self.table.is_system().then_some(SYSTEM_PRIORITY);
        let payload = Payload { priority, ..Payload::new("Scan", request) };
        self.executor.attempt(location, &payload, deadline).await
    }

    /// A call for rows.
    fn request(&self) -> pb::ScanRequest {
        let left = self.position.left.and_then(|left| u32::try_from(left).ok()).filter(|left| *left <= i32::MAX as u32);
        pb::ScanRequest {
            number_of_rows: Some(self.scan.rows),
            client_handles_partials: Some(true),
            client_handles_heartbeats: Some(true),
            track_scan_metrics: self.scan.counts.then_some(true),
            // With the last of them, the server closes the scanner.
            limit_of_rows: left,
            ..Default::default()
        }
    }

    fn opening(&self, location: &Location) -> pb::ScanRequest {
        let scan = pb::Scan {
            start_row: Some(self.position.from.clone()),
            include_start_row: Some(self.position.inclusive),
            stop_row: Some(self.scan.stop.clone()),
            include_stop_row: Some(self.scan.stop_inclusive),
            // A response is longer by up to a row.
            max_result_size: Some(self.scan.bytes.min((self.executor.options.response_bytes / 2).max(1) as u64)),
            ..self.scan.to_pb()
        };
        pb::ScanRequest { region: Some(location.region.specifier()), scan: Some(scan), ..self.request() }
    }

    fn more(&self, open: &Open) -> pb::ScanRequest {
        pb::ScanRequest { scanner_id: Some(open.id), next_call_seq: Some(open.call), ..self.request() }
    }

    /// Takes the rows of a response, and what it says of the scanner.
    fn take(&mut self, location: &Arc<Location>, answer: &Answer) -> Result<Rows, CallFault> {
        let response: pb::ScanResponse = answer.read()?;
        let results = results(&response, answer)
            .ok_or(CallFault::malformed("the response of a scan has cells that can't be decoded"))?;
        self.counts.add(&response);
        match (&mut self.open, response.scanner_id) {
            (Some(open), _) => open.call += 1,
            (None, Some(id)) => {
                let ttl = response.ttl.filter(|ttl| *ttl > 0).map(|ttl| Duration::from_millis(ttl.into()));
                let lease = ttl.unwrap_or(LEASE);
                self.open = Some(Open { location: location.clone(), id, call: 0, lease });
            }
            (None, None) if response.more_results_in_region() && response.more_results() => {
                return Err(CallFault::malformed("the response opens a scanner but has no scanner id"));
            }
            (None, None) => {}
        }

        let Results { rows: results, partial } = results;
        let is_part = |at: usize| partial.get(at).copied().unwrap_or(false);
        // Rows of meta have an order of their own.
        let in_order =
            self.table.is_meta() || self.position.takes(&results, self.assembly.under_way().map(Row::key), is_part);
        if !in_order {
            return Err(CallFault::malformed("the server returned rows outside the requested range or out of order"));
        }
        self.fruitless = if results.is_empty() { self.fruitless.saturating_add(1) } else { 0 };
        let whole = partial.is_empty() && self.assembly.is_between_rows() && self.position.passed_all(&results);
        let (whole, mut rows) = match whole {
            true => (Some(results), Vec::new()),
            false => (None, self.assembled(results, &partial)?),
        };
        let size = self.assembly.size();
        if size > self.executor.options.response_bytes {
            return Err(CallFault::TooLarge(size));
        }
        // A scanner that was not opened has nothing more to give.
        let region_ends = response.more_results_in_region == Some(false) || self.open.is_none();
        if response.more_results == Some(false) || region_ends {
            if !self.position.is_at_end() {
                self.assembly.end_of_region(&mut self.position, &mut rows);
            }
            // The server has closed the scanner.
            self.open = None;
            self.done = response.more_results == Some(false) || !self.position.leave(&location.region);
        }
        if self.position.is_at_end() {
            self.done = true;
        }
        Ok(whole.unwrap_or_else(|| rows.into()))
    }

    /// Makes rows of results, of which some are parts of a row, or more than were asked for.
    fn assembled(&mut self, results: Rows, partial: &[bool]) -> Result<Vec<Row>, CallFault> {
        let mut rows = Vec::with_capacity(results.len());
        for (at, row) in results.into_iter().enumerate() {
            if !self.position.is_at_end() {
                if !self.assembly.takes(&row) {
                    return Err(CallFault::malformed("the server returned more cells of a row that was complete"));
                }
                let partial = partial.get(at).copied().unwrap_or(false);
                self.assembly.push(row, partial, &mut self.position, &mut rows);
            }
        }
        Ok(rows)
    }

    /// The time that the scan can wait before its scanner has to be kept open.
    pub(super) fn patience(&self) -> Option<Duration> {
        self.open.as_ref().map(|open| (open.lease / 3).max(SOONEST))
    }

    /// Keeps the scanner open while nobody wants rows. If it is lost, another one will be opened.
    pub(super) async fn renew(&mut self) {
        let Some(open) = &self.open else { return };
        let request = pb::ScanRequest {
            scanner_id: Some(open.id),
            number_of_rows: Some(0),
            renew: Some(true),
            ..Default::default()
        };
        let deadline = Instant::now() + self.executor.options.attempt_timeout;
        if let Err(fault) = self.call(&open.location, &request, deadline).await {
            tracing::debug!(?fault, "a scanner is lost while it waits");
            self.open = None;
            self.assembly.reopen(&mut self.position);
        } else {
            self.counts.renewals.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Closes the scanner at its server, so that it does not wait for the lease's end.
    pub(super) async fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let request = pb::ScanRequest {
            scanner_id: Some(open.id),
            number_of_rows: Some(0),
            close_scanner: Some(true),
            ..Default::default()
        };
        let deadline = Instant::now() + self.executor.options.attempt_timeout;
        // If it fails, the scanner ends with its lease.
        let _ = self.call(&open.location, &request, deadline).await;
    }
}

/// The results of a response.
struct Results {
    /// None is without cells.
    rows: Rows,
    /// Of each, whether more of its row will come. Empty if all are whole.
    partial: Vec<bool>,
}

fn results(response: &pb::ScanResponse, answer: &Answer) -> Option<Results> {
    let of_all = &response.partial_flag_per_result;
    let flag = |at: usize| of_all.get(at).copied().unwrap_or(false);
    if response.results.is_empty() && !of_all.contains(&true) && !response.cells_per_result.contains(&0) {
        let cells = response.cells_per_result.iter().map(|cells| *cells as usize);
        return Some(Results { rows: Rows::of_block(answer.cells.clone(), cells)?, partial: Vec::new() });
    }
    let mut block = CellBlock(answer.cells.clone());
    let (mut rows, mut partial) = (Vec::with_capacity(response.cells_per_result.len()), Vec::new());
    let mut add = |row: Row, more: bool| {
        if !row.is_empty() {
            rows.push(row);
            partial.push(more);
        }
    };
    if response.results.is_empty() {
        for (at, cells) in response.cells_per_result.iter().enumerate() {
            add(block.take(*cells as usize)?, flag(at));
        }
    } else {
        for (at, result) in response.results.iter().enumerate() {
            add(block.row(result)?, result.partial() || flag(at));
        }
    }
    block.0.is_empty().then(|| Results { rows: rows.into(), partial })
}
