//! A stream under SASL's integrity or privacy: pieces of it, each wrapped in a token behind its length in four bytes.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Poller, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::Protection;
use super::gssapi::Context;
use super::sasl::Layer;
use crate::sync::Locked;

/// The most bytes of a token beside those that it wraps.
const OVERHEAD: usize = 256;

/// Both directions of a stream under a protection.
pub(crate) fn protect<R, W>(
    context: Context,
    layer: Layer,
    longest_frame: usize,
    reader: R,
    writer: W,
) -> (Unwrapping<R>, Wrapping<W>) {
    let context = Arc::new(Locked::new(context));
    let encrypted = layer.protection == Protection::Privacy;
    // A server may wrap a few short answers as one.
    let longest = longest_frame.saturating_mul(2).saturating_add(OVERHEAD);
    let reader = Unwrapping {
        reader,
        context: context.clone(),
        encrypted,
        longest,
        token: Token::default(),
        plain: Vec::new(),
        read: 0,
    };
    let piece = layer.longest.saturating_sub(OVERHEAD).max(1);
    (reader, Wrapping { writer, context, encrypted, piece, token: Vec::new(), written: 0 })
}

/// Reads tokens, and gives what was wrapped in them.
pub(crate) struct Unwrapping<R> {
    reader: R,
    context: Arc<Locked<Context>>,
    encrypted: bool,
    /// Bytes of the longest token that is taken.
    longest: usize,
    token: Token,
    plain: Vec<u8>,
    /// The number of bytes of `plain` that were read.
    read: usize,
}

/// A token as far as it has come.
#[derive(Default)]
struct Token {
    length: Option<usize>,
    bytes: Vec<u8>,
}

/// The bytes by which the room for a token grows at most: the length that a server announces is not allocated before it
/// comes.
const STEP: usize = 64 << 10;

impl Token {
    /// Reads until there are `length` bytes. False at the end of the stream.
    fn fill<R: AsyncRead + Unpin>(
        &mut self,
        reader: &mut R,
        length: usize,
        poller: &mut Poller<'_>,
    ) -> Poll<io::Result<bool>> {
        while self.bytes.len() < length {
            let filled = self.bytes.len();
            self.bytes.resize(length.min(filled + STEP), 0);
            let mut room = ReadBuf::new(&mut self.bytes[filled..]);
            let polled = Pin::new(&mut *reader).poll_read(poller, &mut room);
            let more = room.filled().len();
            self.bytes.truncate(filled + more);
            ready!(polled)?;
            if more == 0 {
                return Poll::Ready(Ok(false));
            }
        }
        Poll::Ready(Ok(true))
    }

    /// The next token, or `None` at the end of the stream.
    fn next<R: AsyncRead + Unpin>(
        &mut self,
        reader: &mut R,
        longest: usize,
        poller: &mut Poller<'_>,
    ) -> Poll<io::Result<Option<Vec<u8>>>> {
        let length = match self.length {
            Some(length) => length,
            None => {
                if !ready!(self.fill(reader, 4, poller))? {
                    return Poll::Ready(if self.bytes.is_empty() { Ok(None) } else { Err(cut()) });
                }
                let length = self.bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
                if length > longest {
                    return Poll::Ready(Err(io::Error::other(format!("a token of {length} bytes is too long"))));
                }
                self.bytes.clear();
                *self.length.insert(length)
            }
        };
        if !ready!(self.fill(reader, length, poller))? {
            return Poll::Ready(Err(cut()));
        }
        self.length = None;
        Poll::Ready(Ok(Some(std::mem::take(&mut self.bytes))))
    }
}

fn cut() -> io::Error {
    io::ErrorKind::UnexpectedEof.into()
}

/// A token of Kerberos says in its third byte that its bytes are encrypted. Privacy takes no others.
fn is_encrypted(token: &[u8]) -> bool {
    const TOKEN: [u8; 2] = [5, 4];
    const SEALED: u8 = 2;
    matches!(token, [a, b, flags, ..] if [*a, *b] != TOKEN || flags & SEALED != 0)
}

impl<R: AsyncRead + Unpin> AsyncRead for Unwrapping<R> {
    fn poll_read(self: Pin<&mut Self>, poller: &mut Poller<'_>, room: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let Self { reader, context, encrypted, longest, token, plain, read } = self.get_mut();
        while *read == plain.len() {
            let Some(token) = ready!(token.next(reader, *longest, poller))? else { return Poll::Ready(Ok(())) };
            if *encrypted && !is_encrypted(&token) {
                return Poll::Ready(Err(io::Error::other("the server sent what is not encrypted")));
            }
            *plain = context.lock().unwrap(&token).map_err(io::Error::other)?;
            *read = 0;
        }
        let length = room.remaining().min(plain.len() - *read);
        room.put_slice(&plain[*read..*read + length]);
        *read += length;
        Poll::Ready(Ok(()))
    }
}

/// Wraps what is written, a piece at a time. What was taken may be held back until the stream is flushed.
pub(crate) struct Wrapping<W> {
    writer: W,
    context: Arc<Locked<Context>>,
    encrypted: bool,
    /// The number of bytes that fit in a token that the server takes.
    piece: usize,
    /// A token behind its length, and how much of it was written.
    token: Vec<u8>,
    written: usize,
}

impl<W: AsyncWrite + Unpin> Wrapping<W> {
    fn write_token(&mut self, poller: &mut Poller<'_>) -> Poll<io::Result<()>> {
        while self.written < self.token.len() {
            match ready!(Pin::new(&mut self.writer).poll_write(poller, &self.token[self.written..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                more => self.written += more,
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Wrapping<W> {
    fn poll_write(self: Pin<&mut Self>, poller: &mut Poller<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.write_token(poller))?;
        let piece = &bytes[..bytes.len().min(this.piece)];
        let token = this.context.lock().wrap(this.encrypted, piece).map_err(io::Error::other)?;
        let length = u32::try_from(token.len()).map_err(io::Error::other)?;
        this.token = [&length.to_be_bytes()[..], &token].concat();
        this.written = 0;
        Poll::Ready(Ok(piece.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, poller: &mut Poller<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.write_token(poller))?;
        Pin::new(&mut this.writer).poll_flush(poller)
    }

    fn poll_shutdown(self: Pin<&mut Self>, poller: &mut Poller<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.write_token(poller))?;
        Pin::new(&mut this.writer).poll_shutdown(poller)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncWriteExt, duplex};

    use super::*;

    async fn next(token: &mut Token, reader: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
        std::future::poll_fn(|poller| token.next(reader, 1 << 20, poller)).await
    }

    #[tokio::test]
    async fn tokens_come_in_pieces_and_end_between_each_other() {
        let long = vec![7; 200_000];
        let stream = [&[0, 0, 0, 2, 1, 2, 0, 0, 0, 0][..], &200_000u32.to_be_bytes(), &long].concat();
        let (mut far, mut near) = duplex(1000);
        let sent = stream.clone();
        let sending = tokio::spawn(async move { far.write_all(&sent).await });
        let mut token = Token::default();
        for whole in [&[1, 2][..], &[], &long] {
            assert_eq!(next(&mut token, &mut near).await.unwrap().unwrap(), whole);
        }
        assert_eq!(next(&mut token, &mut near).await.unwrap(), None);
        sending.await.unwrap().unwrap();
        for end in [1, 5, stream.len() - 1] {
            let (mut token, mut cut) = (Token::default(), &stream[..end]);
            let broke = loop {
                match next(&mut token, &mut cut).await {
                    Ok(Some(_)) => {}
                    end => break end,
                }
            };
            assert_eq!(broke.unwrap_err().kind(), io::ErrorKind::UnexpectedEof, "{end}");
        }
        assert!(next(&mut Token::default(), &mut &[255, 0, 0, 0][..]).await.is_err(), "too long");
    }

    #[test]
    fn privacy_takes_no_token_that_says_it_can_be_read() {
        assert!(is_encrypted(&[5, 4, 7, 255]));
        assert!(!is_encrypted(&[5, 4, 5, 255]));
        assert!(!is_encrypted(&[5]));
    }
}
