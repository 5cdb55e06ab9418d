//! The share of rows whose value begins as another's does, by the number of characters, bytes or digits.

use rowkey::Value;
use rowkey::layout::Scalar;
use rowkey::untyped::TypeBuf;

/// The most characters that are counted: longer beginnings are taken to be as frequent.
const LONGEST: usize = 256;

/// The most values that are compared.
const COMPARED: usize = 1 << 14;

/// For each number of characters, from one on, the share of the other rows that begin as a row does, on average: the
/// last is that of longer beginnings too. Empty where values have no beginning.
///
/// `value` is that of the key with an index, of so many.
pub(super) fn shares(ty: &TypeBuf, keys: usize, value: impl Fn(usize) -> Option<Value>) -> Vec<f64> {
    let Some(unit) = unit(ty) else { return Vec::new() };
    let chosen = (0..keys).step_by(keys.div_ceil(COMPARED).max(1));
    let mut starts: Vec<Vec<u8>> = chosen.filter_map(|i| start(unit, &value(i)?)).collect();
    starts.sort_unstable();
    let alike: Vec<usize> = starts.windows(2).map(|pair| common(unit, &pair[0], &pair[1])).collect();
    let pairs = |count: usize| count as f64 * (count as f64 - 1.0);
    let all = pairs(starts.len());
    if all <= 0.0 {
        return Vec::new();
    }
    let longest = alike.iter().copied().filter(|&alike| alike < LONGEST).max().unwrap_or(0) + 1;
    let share = |letters: usize| {
        let runs = alike.split(|&alike| alike < letters);
        runs.map(|run| pairs(run.len() + 1)).sum::<f64>() / all
    };
    (1..=longest.min(LONGEST)).map(share).collect()
}

/// The unit that a beginning is counted in.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Characters,
    Bytes,
    /// The domain of a host path or URL, as one.
    Domain,
}

/// That of the values of a type; none if they have no beginning.
fn unit(ty: &TypeBuf) -> Option<Unit> {
    match ty {
        TypeBuf::Option(inner) => unit(inner),
        TypeBuf::Scalar(Scalar::Foreign(foreign)) if foreign.values() != Scalar::Foreign(*foreign) => {
            unit(&TypeBuf::Scalar(foreign.values()))
        }
        TypeBuf::Scalar(Scalar::Text | Scalar::QuadKey(_) | Scalar::Tile) => Some(Unit::Characters),
        TypeBuf::Scalar(Scalar::Bytes | Scalar::ByteArray(_)) => Some(Unit::Bytes),
        TypeBuf::Scalar(Scalar::HostPath | Scalar::Url) => Some(Unit::Domain),
        _ => None,
    }
}

/// The first characters or bytes of a value.
fn start(unit: Unit, value: &Value) -> Option<Vec<u8>> {
    Some(match (unit, value) {
        (_, Value::Option(Some(value))) => start(unit, value)?,
        (Unit::Domain, Value::Tuple(parts)) => start(unit, parts.first()?)?,
        (Unit::Domain, Value::Text(page)) => page.split('/').next()?.bytes().collect(),
        (Unit::Characters, Value::Text(text)) => {
            let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(end, _)| end);
            text.as_bytes()[..end].to_vec()
        }
        (Unit::Bytes, Value::Bytes(bytes)) => bytes.iter().take(LONGEST).copied().collect(),
        _ => return None,
    })
}

/// The number of units that two beginnings have in common; [`LONGEST`] where they are equal.
fn common(unit: Unit, a: &[u8], b: &[u8]) -> usize {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    match unit {
        _ if a == b => LONGEST,
        Unit::Domain => 0,
        Unit::Bytes => same,
        // A character that differs in its last bytes has begun.
        Unit::Characters => {
            let is_first = |byte: &&u8| (**byte as i8) >= -0x40;
            let whole = [a, b].iter().all(|text| text.get(same).as_ref().is_none_or(is_first));
            a[..same].iter().filter(is_first).count() - usize::from(!whole)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The shares are those of all pairs, one by one.
        #[test]
        fn shares_are_those_of_pairs(texts in prop::collection::vec("[aäàb]{0,4}", 2..20), bytes: bool) {
            let ty = TypeBuf::Scalar(if bytes { Scalar::Bytes } else { Scalar::Text });
            let value = |i: usize| {
                Some(if bytes { Value::Bytes(texts[i].clone().into_bytes()) } else { Value::Text(texts[i].clone()) })
            };
            let shares = shares(&ty, texts.len(), value);
            let letters = |text: &str| -> Vec<u32> {
                if bytes { text.bytes().map(u32::from).collect() } else { text.chars().map(u32::from).collect() }
            };
            for (i, share) in shares.iter().enumerate() {
                let begin = |text: &str| letters(text).into_iter().take(i + 1).collect::<Vec<_>>();
                let long = |text: &str| letters(text).len() > i;
                let pairs = (0..texts.len()).flat_map(|a| (0..texts.len()).map(move |b| (a, b))).filter(|(a, b)| a != b);
                let is_alike = |(a, b): &(usize, usize)| {
                    let (a, b) = (&texts[*a], &texts[*b]);
                    a == b || (begin(a) == begin(b) && long(a) && long(b))
                };
                let alike = pairs.clone().filter(is_alike).count();
                prop_assert!((share - alike as f64 / pairs.count() as f64).abs() < 1e-12, "{i} {shares:?}");
            }
        }
    }
}
