//! The share of rows whose value begins as another's does, by the number of characters, bytes or digits.

use rowkey::Value;
use rowkey::layout::Scalar;
use rowkey::untyped::TypeBuf;
use xxhash_rust::xxh3::xxh3_64;

/// The most characters that are counted: longer beginnings are taken to be as frequent.
const LONGEST: usize = 256;

/// For each number of characters, from one on, the share of the other rows that begin as a row does, on average: the
/// last is that of longer beginnings too. Empty where values have no beginning. `values`: their [`letters`].
pub(super) fn shares(mut values: Vec<Vec<u32>>) -> Vec<f64> {
    values.sort_unstable();
    let alike: Vec<usize> = values.windows(2).map(|pair| common(&pair[0], &pair[1])).collect();
    let pairs = |count: usize| count as f64 * (count as f64 - 1.0);
    let all = pairs(values.len());
    if all == 0.0 {
        return Vec::new();
    }
    let longest = alike.iter().copied().filter(|&alike| alike < LONGEST).max().unwrap_or(0) + 1;
    let share = |letters: usize| {
        let runs = alike.split(|&alike| alike < letters);
        runs.map(|run| pairs(run.len() + 1)).sum::<f64>() / all
    };
    (1..=longest.min(LONGEST)).map(share).collect()
}

/// The number of characters that two values begin with alike; all where they are equal.
fn common(a: &[u32], b: &[u32]) -> usize {
    if a == b { LONGEST } else { a.iter().zip(b).take_while(|(a, b)| a == b).count() }
}

/// The first characters of a value; of a host path or URL its domain as one. None where it has no beginning.
pub(super) fn letters(ty: &TypeBuf, value: &Value) -> Option<Vec<u32>> {
    Some(match (ty, value) {
        (TypeBuf::Option(inner), Value::Option(Some(value))) => letters(inner, value)?,
        (TypeBuf::Scalar(Scalar::HostPath), Value::Text(page)) => {
            vec![xxh3_64(page.split('/').next()?.as_bytes()) as u32]
        }
        (TypeBuf::Scalar(Scalar::Url), Value::Tuple(parts)) => {
            letters(&TypeBuf::Scalar(Scalar::HostPath), parts.first()?)?
        }
        (TypeBuf::Scalar(_), Value::Text(text)) => text.chars().take(LONGEST).map(u32::from).collect(),
        (TypeBuf::Scalar(_), Value::Bytes(bytes)) => bytes.iter().take(LONGEST).map(|&byte| byte.into()).collect(),
        _ => return None,
    })
}
