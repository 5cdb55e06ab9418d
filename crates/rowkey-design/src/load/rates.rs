//! The course of a rate: its average, its peak, and when it is how high.

use crate::design::{Query, Shape, Table, Write};
use crate::file::Rate;
use crate::problem::Located;

const DAY: f64 = 86_400.0;

/// The course of the rate of a write or query.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rates {
    /// The average, a second.
    pub mean: f64,
    /// The highest, a second.
    pub peak: f64,
    /// Its shape.
    pub shape: Shape,
    /// True if the average is assumed.
    is_mean_assumed: bool,
    /// True if the peak is assumed.
    is_peak_assumed: bool,
}

/// A part of a rate's period, in which it goes evenly from one rate to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Its length, in seconds.
    pub seconds: f64,
    /// The rate at its beginning, a second.
    pub from: f64,
    /// The rate at its end, a second.
    pub to: f64,
}

impl Rates {
    /// Those of a write; none if the file says no rate.
    pub fn of_write(write: &Write) -> Option<Self> {
        Self::new(write.rate.as_ref(), write.peak.as_ref(), write.shape.as_ref())
    }

    /// Those of a query's runs; none if the file says no rate.
    pub fn of_query(query: &Query) -> Option<Self> {
        Self::new(query.rate.as_ref(), query.peak.as_ref(), query.shape.as_ref())
    }

    fn new(rate: Option<&Located<Rate>>, peak: Option<&Located<Rate>>, shape: Option<&Located<Shape>>) -> Option<Self> {
        let (rate, peak) = (rate.map(|rate| rate.0), peak.map(|peak| peak.0));
        let shape = shape.map_or(Shape::Constant, |shape| shape.value);
        let most = match shape {
            Shape::Constant => 1.0,
            Shape::ByDay => 2.0,
            Shape::Bursts { length, every } => every.seconds() / length.seconds(),
        };
        let mean = rate.or(peak.map(|peak| peak / most))?;
        let is_shaped = shape != Shape::Constant;
        Some(Self {
            mean,
            peak: peak.unwrap_or(mean * most),
            shape,
            is_mean_assumed: rate.is_none() && is_shaped,
            is_peak_assumed: peak.is_none() && is_shaped,
        })
    }

    /// The assumption on it, in words; none where the file says both.
    fn assumed(&self, name: &str) -> Option<String> {
        let Self { mean, peak, .. } = self;
        match (self.is_mean_assumed, self.is_peak_assumed) {
            (true, _) => Some(format!("the rate of {name:?} is {} on average: say `rate = …`", Rate(*mean))),
            (_, true) => Some(format!("the rate of {name:?} is {} at its peak: say `peak = …`", Rate(*peak))),
            _ => None,
        }
    }

    /// The pieces of one period, from midnight or the beginning of a burst. A constant rate is at its average.
    ///
    /// By day the rate rises evenly to its peak at noon and falls as it rose: all day long up to twice the average,
    /// else in a part of the day, which is zero at its ends.
    pub fn period(&self) -> Vec<Piece> {
        let Self { mean, peak, .. } = *self;
        let piece = |seconds: f64, from: f64, to: f64| Piece { seconds, from, to };
        let pieces = match self.shape {
            Shape::Constant => vec![piece(DAY, mean, mean)],
            Shape::ByDay => {
                let least = (2.0 * mean - peak).max(0.0);
                let half = (DAY * mean / peak).min(DAY / 2.0);
                let night = DAY / 2.0 - half;
                vec![piece(night, 0.0, 0.0), piece(half, least, peak), piece(half, peak, least), piece(night, 0.0, 0.0)]
            }
            Shape::Bursts { length, every } => {
                let (burst, rest) = (length.seconds(), every.seconds() - length.seconds());
                let between = ((mean * every.seconds() - peak * burst) / rest).max(0.0);
                vec![piece(burst, peak, peak), piece(rest, between, between)]
            }
        };
        pieces.into_iter().filter(|piece| piece.seconds > 0.0).collect()
    }
}

/// The assumptions on the rates of a table's writes and queries, in words.
pub fn assumed_rates(table: &Table) -> Vec<String> {
    let writes = table.write.iter().filter_map(|write| Rates::of_write(write)?.assumed(&write.name));
    let queries = table.query.iter().filter_map(|query| Rates::of_query(query)?.assumed(&query.name));
    writes.chain(queries).collect()
}

/// The peaks of a table that have no shape, and at which nothing goes on for that: in words.
pub fn unshaped_peaks(table: &Table) -> Vec<String> {
    let told = |name: &str, rates: Option<Rates>| {
        let Rates { mean, peak, shape, .. } = rates.filter(|rates| rates.peak > rates.mean)?;
        let [mean, peak] = [mean, peak].map(Rate);
        (shape == Shape::Constant).then(|| {
            format!(
                "{name:?} goes on at its rate of {mean} all the time: its peak of {peak}, by which `check` judges, has \
                 no shape; say `shape = …`"
            )
        })
    };
    let writes = table.write.iter().filter_map(|write| told(&write.name, Rates::of_write(write)));
    let queries = table.query.iter().filter_map(|query| told(&query.name, Rates::of_query(query)));
    writes.chain(queries).collect()
}

/// The highest rate of a write, if the file says one, or its shape tells it.
pub(crate) fn peak(write: &Write) -> Option<f64> {
    Rates::of_write(write).map(|rates| rates.peak)
}

/// The average rate of a write, if the file says one, or its shape and peak tell it.
pub(crate) fn mean(write: &Write) -> Option<f64> {
    let rates = Rates::of_write(write)?;
    (write.rate.is_some() || write.shape.is_some()).then_some(rates.mean)
}
