//! Numbers with units, as HBase prints them.

/// The number before a unit: `33696000 SECONDS (390 DAYS)`, `65536 B (64KB)`. A break of lines may have taken a blank.
pub(super) fn number(value: &str) -> Option<u64> {
    let digits = value.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = value.split_at(digits);
    let unit = unit.split('(').next()?.trim();
    let is_unit = ["", "B", "SECOND", "SECONDS"].contains(&unit);
    let closed = !value.contains('(') || value.ends_with(')');
    if is_unit && closed { number.parse().ok() } else { None }
}
