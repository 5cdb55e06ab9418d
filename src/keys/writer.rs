//! Where encodings write: bytes out, inverted where a field is descending.

/// What key bytes are written to. Its methods have names that no method of `Vec` has, so that both are at hand where it is
/// imported.
pub trait Sink {
    /// Adds bytes at the end.
    fn extend_bytes(&mut self, bytes: &[u8]);

    /// Adds bytes at the end, each inverted.
    #[inline]
    fn extend_inverted(&mut self, bytes: &[u8]) {
        self.extend_bytes(bytes);
        let written = self.written();
        let start = written.len().saturating_sub(bytes.len());
        written[start..].iter_mut().for_each(|byte| *byte = !*byte);
    }

    /// What has been written, earlier keys in the same buffer included.
    fn written(&mut self) -> &mut [u8];
}

impl Sink for Vec<u8> {
    #[inline]
    fn extend_bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    #[inline]
    fn extend_inverted(&mut self, bytes: &[u8]) {
        self.extend(bytes.iter().map(|byte| !byte));
    }

    #[inline]
    fn written(&mut self) -> &mut [u8] {
        self
    }
}

/// A sink of one width: what does not fit is dropped and counted.
pub(crate) struct Slot<'b> {
    buf: &'b mut [u8],
    len: usize,
}

impl<'b> Slot<'b> {
    #[inline]
    pub(crate) fn new(buf: &'b mut [u8]) -> Self {
        Self { buf, len: 0 }
    }

    /// Whether as much was written as there is room for.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.len == self.buf.len()
    }
}

impl Sink for Slot<'_> {
    #[inline]
    fn extend_bytes(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        if let Some(slot) = self.buf.get_mut(self.len..end) {
            slot.copy_from_slice(bytes);
        }
        self.len = end;
    }

    #[inline]
    fn written(&mut self) -> &mut [u8] {
        let len = self.len.min(self.buf.len());
        &mut self.buf[..len]
    }
}

/// Writes one field's bytes; an encoding never sees whether it is descending.
pub struct Writer<'s, S> {
    sink: &'s mut S,
    mask: u8,
}

impl<'s, S: Sink> Writer<'s, S> {
    /// An ascending writer to the end of `sink`.
    #[inline]
    pub fn new(sink: &'s mut S) -> Self {
        Self { sink, mask: 0 }
    }

    /// Writes one byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.sink.extend_bytes(&[byte ^ self.mask]);
    }

    /// Writes a few bytes, as many for every value.
    #[inline]
    pub fn array<const N: usize>(&mut self, bytes: [u8; N]) {
        match self.mask {
            0 => self.sink.extend_bytes(&bytes),
            _ => self.sink.extend_bytes(&bytes.map(|byte| !byte)),
        }
    }

    /// Writes a run of bytes.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        match self.mask {
            0 => self.sink.extend_bytes(bytes),
            _ => self.sink.extend_inverted(bytes),
        }
    }

    /// The same writer for a part that is (`desc`) inverted against this one.
    #[inline]
    pub fn direction(&mut self, desc: bool) -> Writer<'_, S> {
        Writer { mask: if desc { !self.mask } else { self.mask }, sink: self.sink }
    }

    /// How many bytes the sink holds.
    #[inline]
    pub(crate) fn position(&mut self) -> usize {
        self.sink.written().len()
    }

    #[inline]
    pub(crate) fn sink(&mut self) -> &mut S {
        self.sink
    }
}
