//! The value of a secondary row: the primary rows that claim its key.

use std::time::Duration;

use crate::store::value::{CodecError, RowValue};
use crate::tools::token::Token;

/// The claims of one secondary row: usually one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claims(pub(crate) Vec<Claim>);

/// A primary row's claim to a secondary key, or the mark of a write of the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) state: State,
    /// The key of the primary row.
    pub(crate) primary: Vec<u8>,
    pub(crate) value: Vec<u8>,
}

impl Claim {
    /// Returns whether it claims the key for the primary row.
    pub(crate) fn claims(&self) -> bool {
        !matches!(self.state, State::Changing(_))
    }

    /// The token, if it is the mark of a write that has not finished.
    pub(crate) fn mark(&self) -> Option<Token> {
        match self.state {
            State::Exact | State::Done(_) => None,
            State::UnderWay(token) | State::Changing(token) => Some(token),
        }
    }

    /// Returns whether it is the mark of a write that may still go on.
    pub(crate) fn is_under_way(&self, timeout: Duration) -> bool {
        self.mark().is_some_and(|token| !token.is_older_than(timeout))
    }
}

/// The state of the write that made a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// A transaction wrote it together with its primary row.
    Exact,
    /// The primary row was written after it.
    Done(Token),
    /// The primary row is about to be written and get the key. The value is not used.
    UnderWay(Token),
    /// The primary row has the key, and is about to leave it or to change its value. A mark, not a claim.
    Changing(Token),
}

impl Claims {
    pub(crate) fn exact(primary: &[u8], value: &[u8]) -> Self {
        Self(vec![Claim { state: State::Exact, primary: primary.to_vec(), value: value.to_vec() }])
    }

    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Self, CodecError> {
        bytes.map_or_else(|| Ok(Self::default()), Self::decode_value)
    }

    /// The bytes, or `None` if there is no claim, and so no row.
    pub(crate) fn to_bytes(&self) -> Option<Vec<u8>> {
        let len = |claim: &Claim| 1 + 16 + 2 * 8 + claim.primary.len() + claim.value.len();
        let mut bytes = Vec::with_capacity(self.0.iter().map(len).sum());
        for Claim { state, primary, value } in &self.0 {
            match state {
                State::Exact => bytes.push(0),
                State::Done(token) => {
                    bytes.push(1);
                    bytes.extend(token.to_bytes());
                }
                State::UnderWay(token) => {
                    bytes.push(2);
                    bytes.extend(token.to_bytes());
                }
                State::Changing(token) => {
                    bytes.push(3);
                    bytes.extend(token.to_bytes());
                }
            }
            for part in [primary, value] {
                bytes.extend((part.len() as u64).to_be_bytes());
                bytes.extend(part);
            }
        }
        Some(bytes).filter(|bytes| !bytes.is_empty())
    }

    /// The primary rows that claim the key, each once, in the order of their first claims.
    pub(crate) fn primaries(&self) -> Vec<&[u8]> {
        let mut keys: Vec<&[u8]> = Vec::with_capacity(self.0.len());
        for claim in self.0.iter().filter(|claim| claim.claims()) {
            if !keys.contains(&claim.primary.as_slice()) {
                keys.push(&claim.primary);
            }
        }
        keys
    }
}

impl RowValue for Claims {
    const CODEC: Option<&'static str> = Some("claims");

    fn encode_value(&self, out: &mut Vec<u8>) -> Result<(), CodecError> {
        out.extend(self.to_bytes().unwrap_or_default());
        Ok(())
    }

    fn decode_value(mut bytes: &[u8]) -> Result<Self, CodecError> {
        let mut claims = Vec::with_capacity(1);
        while let Some((&state, rest)) = bytes.split_first() {
            bytes = rest;
            let state = match state {
                0 => State::Exact,
                1 => State::Done(Token::from_bytes(take_array(&mut bytes)?)),
                2 => State::UnderWay(Token::from_bytes(take_array(&mut bytes)?)),
                3 => State::Changing(Token::from_bytes(take_array(&mut bytes)?)),
                _ => return Err(format!("a claim can't begin with {state:02x}").into()),
            };
            claims.push(Claim { state, primary: take_part(&mut bytes)?, value: take_part(&mut bytes)? });
        }
        Ok(Self(claims))
    }
}

fn take_array<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], CodecError> {
    let (taken, rest) = bytes.split_first_chunk().ok_or("a claim is cut off")?;
    *bytes = rest;
    Ok(*taken)
}

fn take_part(bytes: &mut &[u8]) -> Result<Vec<u8>, CodecError> {
    let len = usize::try_from(u64::from_be_bytes(take_array(bytes)?))?;
    let (part, rest) = bytes.split_at_checked(len).ok_or("a claim is cut off")?;
    *bytes = rest;
    Ok(part.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_come_back_and_cut_ones_are_refused() {
        let claim = |state| Claim { state, primary: b"key".to_vec(), value: b"v".to_vec() };
        let (a, b) = (Token::new(), Token::new());
        assert_ne!(a, b);
        let states = [State::Exact, State::Done(a), State::UnderWay(b), State::Changing(a)];
        let claims = Claims(states.map(claim).into());
        let bytes = claims.to_bytes().unwrap();
        assert_eq!(Claims::decode_value(&bytes).unwrap(), claims);
        let whole = [0, 21, 58, 95];
        for cut in (1..bytes.len()).filter(|cut| !whole.contains(cut)) {
            assert!(Claims::decode_value(&bytes[..cut]).is_err(), "cut at {cut}");
        }
        assert!(Claims::decode_value(&[4]).is_err());
        assert_eq!(claims.primaries(), [b"key"]);
        assert!(Claims(vec![claim(State::Changing(a))]).primaries().is_empty());
        assert_eq!(Claims::default().to_bytes(), None);
    }

    #[test]
    fn a_claim_is_as_written_down() {
        let bytes = Claims::exact(b"k", b"vv").to_bytes().unwrap();
        assert_eq!(bytes, b"\0\0\0\0\0\0\0\0\x01k\0\0\0\0\0\0\0\x02vv");
    }
}
