//! The writer of encodings: bytes out, inverted in descending fields.

/// A buffer that key bytes are appended to: a `Vec<u8>`, or rowkey's own buffer of fixed size.
// Its methods have names that no method of `Vec` has, so that both can be called where it is imported.
pub trait Sink {
    /// Appends bytes.
    fn extend_bytes(&mut self, bytes: &[u8]);

    /// Appends bytes, each inverted.
    #[inline]
    fn extend_inverted(&mut self, bytes: &[u8]) {
        self.extend_bytes(bytes);
        let written = self.written();
        let start = written.len().saturating_sub(bytes.len());
        written[start..].iter_mut().for_each(|byte| *byte = !*byte);
    }

    /// All bytes in the buffer, those of earlier keys included.
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

/// A sink of fixed size: bytes that do not fit are dropped, but counted.
pub(crate) struct Slot<'b> {
    buf: &'b mut [u8],
    len: usize,
}

impl<'b> Slot<'b> {
    #[inline]
    pub(crate) fn new(buf: &'b mut [u8]) -> Self {
        Self { buf, len: 0 }
    }

    /// Returns whether exactly as many bytes were written as fit.
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

/// Writes a field's bytes; what an [`Encoding`](crate::encode::Encoding) encodes to.
///
/// In a descending field it inverts every byte, so an encoding writes the same bytes in both directions.
pub struct Writer<'s, S> {
    sink: &'s mut S,
    mask: u8,
}

impl<'s, S: Sink> Writer<'s, S> {
    /// Returns a writer that appends to `sink`, as of an ascending field.
    #[inline]
    pub fn new(sink: &'s mut S) -> Self {
        Self { sink, mask: 0 }
    }

    /// Writes one byte.
    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.sink.extend_bytes(&[byte ^ self.mask]);
    }

    /// Writes `N` bytes.
    #[inline]
    pub fn array<const N: usize>(&mut self, mut bytes: [u8; N]) {
        if self.mask != 0 {
            bytes.iter_mut().for_each(|byte| *byte = !*byte);
        }
        self.sink.extend_bytes(&bytes);
    }

    /// Writes bytes, without length or terminator.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8]) {
        match self.mask {
            0 => self.sink.extend_bytes(bytes),
            _ => self.sink.extend_inverted(bytes),
        }
    }

    /// Returns a writer for a part that is inverted (if `desc`) relative to this one.
    #[inline]
    pub fn direction(&mut self, desc: bool) -> Writer<'_, S> {
        Writer { mask: if desc { !self.mask } else { self.mask }, sink: self.sink }
    }

    /// The number of bytes in the sink.
    #[inline]
    pub(crate) fn position(&mut self) -> usize {
        self.sink.written().len()
    }

    #[inline]
    pub(crate) fn sink(&mut self) -> &mut S {
        self.sink
    }
}
