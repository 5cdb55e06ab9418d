//! Dates in text: [`Date`] and its values.

use std::fmt;
use std::marker::PhantomData;

use super::OTHER;
use super::text::{Ending, TextForm};
use crate::keys::foreign::{Form, Pattern};
use crate::keys::moment::{Moment, TimeError};
use crate::keys::untyped::Value;

/// A date or a time in UTC, by the pattern `P`. Of [`Dated`].
pub struct Date<P>(PhantomData<P>);

/// A pattern of dates, as a type: for [`Date`].
pub trait DatePattern {
    /// The pattern's text.
    const PATTERN: &'static str;
}

/// An instant that the text of a pattern says.
pub struct Dated<P> {
    seconds: i64,
    nanos: u32,
    pattern: PhantomData<P>,
}

impl<P: DatePattern> Dated<P> {
    const PATTERN: Pattern = match Pattern::new(P::PATTERN) {
        Ok(pattern) => pattern,
        Err(_) => panic!("not a pattern of dates: see `rowkey::foreign::Pattern`"),
    };

    /// The last instant up to this one that the pattern can say.
    ///
    /// ```
    /// use std::time::{Duration, SystemTime};
    ///
    /// use rowkey::RowKey;
    /// use rowkey::foreign::{Date, DatePattern, Dated};
    ///
    /// struct Day;
    ///
    /// impl DatePattern for Day {
    ///     const PATTERN: &'static str = "yyyyMMdd";
    /// }
    ///
    /// #[derive(RowKey)]
    /// struct Total {
    ///     #[rowkey(with = Date<Day>)]
    ///     day: Dated<Day>,
    ///     shop: u16,
    /// }
    ///
    /// let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(1_614_513_600);
    /// assert_eq!(Total { day: Dated::floor(noon)?, shop: 7 }.encode(), b"20210228\0\x07");
    /// # Ok::<(), rowkey::TimeError>(())
    /// ```
    ///
    /// # Errors
    /// If it is not in the years 0000 to 9999.
    pub fn floor(moment: impl Moment) -> Result<Self, TimeError> {
        let (seconds, nanos) = moment.to_unix();
        let out_of_range = TimeError::OutOfRange { seconds, nanos, of: "a date with a year of four digits" };
        let (seconds, nanos) = Self::PATTERN.floor(seconds, nanos.min(999_999_999)).ok_or(out_of_range)?;
        Ok(Self { seconds, nanos, pattern: PhantomData })
    }

    /// The instant.
    ///
    /// # Errors
    /// If the type can't hold it.
    pub fn moment<M: Moment>(&self) -> Result<M, TimeError> {
        M::from_unix(self.seconds, self.nanos)
    }
}

impl<P> Clone for Dated<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Dated<P> {}

super::compared! {
    [P] Dated<P>, |a, b| (a.seconds, a.nanos).cmp(&(b.seconds, b.nanos));
}

impl<P> fmt::Debug for Dated<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::keys::moment::since_1970(self.seconds, self.nanos))
    }
}

impl<E: Ending, P: DatePattern> TextForm<Dated<P>, E> for Date<P> {
    const FORM: Form = Form::Date(Dated::<P>::PATTERN);

    fn value(of: &Dated<P>) -> Value {
        Value::Instant(of.seconds, of.nanos)
    }

    fn of_value(value: Value) -> Result<Dated<P>, &'static str> {
        match value {
            Value::Instant(seconds, nanos) => Ok(Dated { seconds, nanos, pattern: PhantomData }),
            _ => Err(OTHER),
        }
    }
}
