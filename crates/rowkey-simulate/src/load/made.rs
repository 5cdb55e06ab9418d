//! The event that a load makes next.

use std::ops::ControlFlow;

use rowkey::Value;

use rowkey_design::internal::drawn::{Row, Rows};

use super::LoadError;
use super::puts::millis;
use crate::event::{Event, Op};

/// The buffers of an event.
pub(super) struct Made<'s> {
    pub(super) sink: &'s mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    pub(super) values: Vec<Value>,
    pub(super) key: Vec<u8>,
    pub(super) time: f64,
    pub(super) batch: u64,
    pub(super) weight: u64,
    /// True if its call has an event.
    pub(super) has_given: bool,
}

impl Made<'_> {
    /// Gives the event of a row, if the key has it.
    pub(super) fn give(
        &mut self,
        rows: &Rows<'_>,
        row: Row,
        op: Op<'_>,
        bytes: u64,
    ) -> Result<ControlFlow<()>, LoadError> {
        if !rows.has(row) {
            return Ok(ControlFlow::Continue(()));
        }
        rows.values(row, &mut self.values);
        rows.encode(&self.values, &mut self.key)?;
        Ok(self.give_key(op, bytes))
    }

    pub(super) fn give_key(&mut self, op: Op<'_>, bytes: u64) -> ControlFlow<()> {
        let Self { time, batch, weight, .. } = *self;
        self.has_given = true;
        (self.sink)(Event { t_ms: millis(time), batch, op, key: &self.key, bytes, weight })
    }
}
