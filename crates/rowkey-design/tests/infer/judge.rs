//! The judge: whether an inferred layout is the one that keys were made with.

use rowkey::lead::Lead;
use rowkey::untyped::FieldBuf;
use rowkey::{LayoutBuf, Value};
use rowkey_design::infer::{Candidate, Certainty, Inferred, Sample};

/// A layout, the units of its times, and keys.
pub(crate) struct Case {
    pub(crate) layout: LayoutBuf,
    pub(crate) units: Vec<Option<&'static str>>,
    pub(crate) keys: Vec<Vec<u8>>,
}

const UNITS: [&str; 4] = ["seconds", "milliseconds", "microseconds", "nanoseconds"];

impl Case {
    /// The same prefix, boundaries and kinds: all keys decode, each field has the same bytes in each key and equal
    /// values, and times are of the same unit. A prefix that decodes is right: it was computed from the fields again.
    pub(crate) fn is(&self, candidate: &Candidate) -> bool {
        let lead = |lead: &Lead<String>| (lead.width(), std::mem::discriminant(lead));
        let units = candidate.means.iter().map(|means| means.filter(|means| UNITS.contains(means)));
        lead(self.layout.lead()) == lead(candidate.layout.lead())
            && self.layout.fields().len() == candidate.layout.fields().len()
            && units.eq(self.units.iter().copied())
            && is_same(&self.layout, &candidate.layout, &self.keys)
    }
}

/// Each field of a layout by itself.
fn alone(layout: &LayoutBuf) -> Vec<LayoutBuf> {
    let one = |field: &FieldBuf| LayoutBuf::of_fields("field", Lead::None, Vec::new(), vec![field.clone()]);
    layout.fields().iter().map(|field| one(field).expect("a layout")).collect()
}

fn is_same(truth: &LayoutBuf, found: &LayoutBuf, keys: &[Vec<u8>]) -> bool {
    let (of_truth, of_found) = (alone(truth), alone(found));
    let width =
        |alone: &LayoutBuf, value: &Value| alone.encode(std::slice::from_ref(value)).expect("a decoded value").len();
    keys.iter().all(|key| {
        let (Ok(due), Ok(values)) = (truth.decode(key), found.decode(key)) else { return false };
        (0..due.len()).all(|i| {
            width(&of_truth[i], &due[i]) == width(&of_found[i], &values[i])
                && is_equal((&truth.fields()[i], &due[i]), (&found.fields()[i], &values[i]))
        })
    })
}

/// Numbers are equal with and without a sign; hex as a number or as bytes has the same digits.
fn is_equal((truth, due): (&FieldBuf, &Value), (found, value): (&FieldBuf, &Value)) -> bool {
    match (due, value) {
        (Value::Unsigned(a), Value::Signed(b)) | (Value::Signed(b), Value::Unsigned(a)) => {
            i128::try_from(*a).is_ok_and(|a| a == *b)
        }
        (Value::Bytes(_), Value::Unsigned(_)) | (Value::Unsigned(_), Value::Bytes(_)) => {
            let is_hex = |field: &FieldBuf| field.ty.to_string().starts_with("hex");
            is_hex(truth) && is_hex(found)
        }
        (a, b) => a == b,
    }
}

/// How often the right layout is first, among the first three, and another one is certain.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    pub(crate) all: usize,
    pub(crate) first: usize,
    pub(crate) third: usize,
    pub(crate) certain: usize,
    pub(crate) certain_and_wrong: usize,
    /// What was not first.
    pub(crate) told: Vec<String>,
}

pub(crate) fn infer(keys: &[Vec<u8>]) -> Inferred {
    let mut sample = Sample::new();
    keys.iter().for_each(|key| sample.add(key));
    sample.infer()
}

impl Rates {
    /// On as many threads as there are processors.
    pub(crate) fn of(cases: impl Iterator<Item = Case>) -> Self {
        let cases: Vec<Case> = cases.collect();
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let part = cases.len().div_ceil(threads).max(1);
        let mut rates = Self::default();
        std::thread::scope(|scope| {
            let parts: Vec<_> = cases.chunks(part).map(|cases| scope.spawn(|| Self::of_part(cases))).collect();
            for of_part in parts.into_iter().map(|part| part.join().expect("a thread")) {
                rates.all += of_part.all;
                rates.first += of_part.first;
                rates.third += of_part.third;
                rates.certain += of_part.certain;
                rates.certain_and_wrong += of_part.certain_and_wrong;
                rates.told.extend(of_part.told);
            }
        });
        rates
    }

    fn of_part(cases: &[Case]) -> Self {
        let mut rates = Self::default();
        for case in cases {
            let inferred = infer(&case.keys);
            let place = inferred.candidates.iter().position(|candidate| case.is(candidate));
            let is_certain = inferred.candidates.first().is_some_and(|first| first.certainty == Certainty::Certain);
            rates.all += 1;
            rates.first += usize::from(place == Some(0));
            rates.third += usize::from(place.is_some_and(|place| place < 3));
            rates.certain += usize::from(is_certain);
            rates.certain_and_wrong += usize::from(is_certain && place != Some(0));
            if place != Some(0) {
                let shapes = inferred.candidates.iter().map(|candidate| {
                    let (shape, means) = (candidate.layout.shape(), &candidate.means);
                    format!("\n     {:.0} {shape} {means:?} {:?}", candidate.bits, candidate.certainty)
                });
                let key = String::from_utf8_lossy(&case.keys[0]).escape_debug().to_string();
                rates.told.push(format!(
                    "{} {:?}, {} keys, at {place:?}: {key}{}",
                    case.layout.shape(),
                    case.units,
                    case.keys.len(),
                    shapes.collect::<String>()
                ));
            }
        }
        rates
    }
}
