//! Fields that are times: dates for their numbers, and back.

use rowkey::layout::Scalar;
use rowkey::untyped::{FieldBuf, TypeBuf};
use rowkey::{LayoutBuf, Value};
use serde_json::Value as Json;

use super::date::{date, written};
use super::loosened::loosened;
use crate::design::Meaning;
use crate::file::Named;
use crate::resolve::Design;

/// The fields of a table that are times, and their units.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times<'d>(Option<&'d Named<Meaning>>);

impl Design {
    /// The times among the fields of a table or of a secondary table, by its name; none if there is no such table.
    ///
    /// ```
    /// use rowkey::{LayoutBuf, Value};
    /// use rowkey_design::internal::explain::value_of;
    /// use rowkey_design::{Design, File};
    ///
    /// let text = "format = 1\n[table.visits]\nkey = [\"at: i64 desc\"]\nmeans.at = \"milliseconds\"\n";
    /// let design = Design::parse([File { name: "visits.rowkey.toml".into(), text: text.into() }])?;
    /// let times = design.times_of("visits");
    /// let at = value_of(&design.tables["visits"].layout.fields()[0], "2023-11-14T22:13:20.148Z", &times).unwrap();
    /// assert_eq!(at, Value::Signed(1_700_000_000_148));
    /// assert_eq!(times.date("at", &at).as_deref(), Some("2023-11-14T22:13:20.148Z"));
    /// # Ok::<(), rowkey_design::Problems>(())
    /// ```
    #[doc(hidden)]
    pub fn times_of(&self, table: &str) -> Times<'_> {
        let found = self.tables.values().find(|found| {
            let mut names = found.table.secondary.iter().map(|secondary| secondary.name.as_str());
            found.name.as_str() == table || names.any(|name| name == table)
        });
        Times(found.map(|found| &found.table.means))
    }
}

impl Times<'_> {
    /// The nanoseconds that one more of a field's numbers is, and the word for it.
    fn unit(&self, field: &str) -> Option<(i128, &'static str)> {
        match self.0?.get(field)?.value {
            Meaning::Seconds => Some((1_000_000_000, "seconds")),
            Meaning::Millis => Some((1_000_000, "milliseconds")),
            Meaning::Micros => Some((1000, "microseconds")),
            Meaning::Nanos => Some((1, "nanoseconds")),
            _ => None,
        }
    }

    /// The time that a value of a field is, as RFC 3339 writes it; none if it is no time, or none of the years 0
    /// to 9999.
    pub fn date(&self, field: &str, value: &Value) -> Option<String> {
        let number = match value {
            Value::Instant(seconds, nanos) => return written(*seconds, *nanos),
            Value::Option(Some(value)) => return self.date(field, value),
            Value::Unsigned(number) => i128::try_from(*number).ok()?,
            Value::Signed(number) => *number,
            _ => return None,
        };
        let nanos = number.checked_mul(self.unit(field)?.0)?;
        let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
        written(seconds, nanos.rem_euclid(1_000_000_000) as u32)
    }

    /// JSON as people write it, to JSON as values are written: a date of a field that is a time too.
    pub(crate) fn loosened(&self, field: &FieldBuf, json: Json) -> Json {
        let number = |text: &str| {
            let ((unit, _), (seconds, nanos)) = (self.unit(&field.name)?, date(text)?);
            let all = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
            // A time between two numbers is none of the field's.
            (all % unit == 0).then(|| Json::String((all / unit).to_string()))
        };
        let number = json.as_str().and_then(number);
        loosened(&field.ty, number.unwrap_or(json))
    }

    /// The word for the unit of a field that is a time.
    pub(crate) fn word(&self, field: &FieldBuf) -> Option<&'static str> {
        match (&field.ty, self.unit(&field.name)) {
            (_, Some((_, unit))) => Some(unit),
            (TypeBuf::Scalar(Scalar::Instant), _) => Some("seconds"),
            _ => None,
        }
    }

    /// The forms in which a value of the field may be written, if it is a time.
    pub fn forms(&self, field: &FieldBuf) -> Option<String> {
        Some(format!("write {} since 1970, or 2026-01-31T12:00:00Z, or 2026-01-31", self.word(field)?))
    }
}

/// The JSON of a key as people write it, to JSON as values are written.
pub fn key_loosened(layout: &LayoutBuf, json: Json, times: &Times<'_>) -> Json {
    let Json::Array(items) = json else { return json };
    let mut fields = layout.fields().iter();
    items.into_iter().map(|json| fields.next().map_or(Json::Null, |field| times.loosened(field, json))).collect()
}
