//! SASL as HBase frames it. A client's token is its length in four bytes and the token. A server's one has a status
//! before that: after an error come the exception's class and its message.

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::spawn_blocking;

use super::Protection;
use super::gssapi::Context;
use super::kerberos::Login;
use crate::model::error::{Cause, Exception};

/// The result of an authentication that let the client in.
pub(crate) enum Entry {
    /// The server has no Kerberos, and the options allow that.
    Simple,
    /// From now on bytes are protected like this.
    Kerberos(Context, Layer),
}

/// The security layer: the protection of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layer {
    pub(crate) protection: Protection,
    /// Bytes of the longest token that the server takes.
    pub(crate) longest: usize,
}

/// Proves who the client is, after the preamble was written, and learns who the server is.
pub(crate) async fn authenticate<R, W>(
    login: &Login,
    server: String,
    reader: &mut R,
    writer: &mut W,
) -> Result<Entry, Cause>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let principal = login.asked.principal.clone();
    let begin = move || {
        let mut context = Context::new(principal.as_deref(), server)?;
        let token = context.step(None)?;
        Ok((context, token))
    };
    let (mut context, mut token) = blocking(login, begin).await?;
    loop {
        send(writer, &token).await?;
        let Answer::Token(answer) = receive(reader).await? else {
            return match login.asked.allow_simple {
                true => Ok(Entry::Simple),
                false => Err(Cause::security("the server has no Kerberos, and talking to it without is not allowed")),
            };
        };
        if context.complete() {
            let layer = layer(login, &mut context, &answer)?;
            // Its size says that there is no limit of this client's; without a layer it has to be 0.
            let size: [u8; 3] = if layer.protection == Protection::Authentication { [0; 3] } else { [0xff; 3] };
            let choice = [&[bit(layer.protection)], size.as_slice()].concat();
            let choice = context.wrap(false, &choice).map_err(|error| Cause::security(error.to_string()))?;
            send(writer, &choice).await?;
            return Ok(Entry::Kerberos(context, layer));
        }
        let step = move || {
            let token = context.step(Some(&answer))?;
            Ok((context, token))
        };
        (context, token) = blocking(login, step).await?;
    }
}

/// Runs what may block on a thread where it may. No more than a few of them wait for Kerberos at a time.
async fn blocking<T: Send + 'static>(
    login: &Login,
    work: impl FnOnce() -> Result<T, Cause> + Send + 'static,
) -> Result<T, Cause> {
    let permit = login.gate.clone().acquire_owned().await;
    let done = spawn_blocking(move || {
        let _permit = permit;
        work()
    });
    done.await.unwrap_or_else(|_| Err(Cause::runtime_stopped()))
}

fn bit(protection: Protection) -> u8 {
    match protection {
        Protection::Authentication => 1,
        Protection::Integrity => 2,
        Protection::Privacy => 4,
    }
}

/// Chooses among what the server offers: a byte of bits, and the length of its longest token in three.
fn layer(login: &Login, context: &mut Context, offer: &[u8]) -> Result<Layer, Cause> {
    let offer = context.unwrap(offer).map_err(|error| Cause::security(format!("the server's offer: {error}")))?;
    let layer = choose(&login.asked.protections, &offer)?;
    match context.can(layer.protection)? {
        true => Ok(layer),
        false => Err(Cause::security(format!("Kerberos with this server cannot do {:?}", layer.protection))),
    }
}

/// The shortest limit of a token that leaves room for bytes beside Kerberos' own.
const SHORTEST: usize = 1024;

fn choose(wanted: &[Protection], offer: &[u8]) -> Result<Layer, Cause> {
    let &[offered, a, b, c] = offer else { return Err(Cause::security("the server's offer is not one of SASL")) };
    let Some(protection) = wanted.iter().copied().find(|wanted| offered & bit(*wanted) != 0) else {
        let all = [Protection::Authentication, Protection::Integrity, Protection::Privacy];
        let offered: Vec<_> = all.into_iter().filter(|one| offered & bit(*one) != 0).collect();
        let why = format!("the server offers the protections {offered:?}, and the options want one of {wanted:?}");
        return Err(Cause::security(why));
    };
    let longest = u32::from_be_bytes([0, a, b, c]) as usize;
    if protection != Protection::Authentication && longest < SHORTEST {
        return Err(Cause::security(format!("the server takes tokens of {longest} bytes, which is too short")));
    }
    Ok(Layer { protection, longest })
}

enum Answer {
    Token(Vec<u8>),
    NoKerberos,
}

/// The most bytes of a token.
const LONGEST: usize = 1 << 20;
/// The response of a server without Kerberos, in place of a length.
const SWITCH_TO_SIMPLE: i32 = -88;

async fn receive<R: AsyncRead + Unpin>(reader: &mut R) -> Result<Answer, Cause> {
    if reader.read_i32().await.map_err(broke)? != 0 {
        let (class, message) = (bytes(reader).await?, bytes(reader).await?);
        let class = String::from_utf8_lossy(&class);
        let exception = Exception::named(&class, &message);
        return Err(Cause::security(format!("the server does not let the client in: {exception}")));
    }
    match reader.read_i32().await.map_err(broke)? {
        SWITCH_TO_SIMPLE => Ok(Answer::NoKerberos),
        length => Ok(Answer::Token(sized(reader, length).await?)),
    }
}

async fn bytes<R: AsyncRead + Unpin>(reader: &mut R) -> Result<Vec<u8>, Cause> {
    let length = reader.read_i32().await.map_err(broke)?;
    sized(reader, length).await
}

async fn sized<R: AsyncRead + Unpin>(reader: &mut R, length: i32) -> Result<Vec<u8>, Cause> {
    let length = usize::try_from(length).ok().filter(|length| *length <= LONGEST);
    let length = length.ok_or_else(|| Cause::security("the server does not speak SASL"))?;
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes).await.map_err(broke)?;
    Ok(bytes)
}

async fn send<W: AsyncWrite + Unpin>(writer: &mut W, token: &[u8]) -> Result<(), Cause> {
    let length = u32::try_from(token.len()).unwrap_or(u32::MAX);
    let framed = [&length.to_be_bytes(), token].concat();
    writer.write_all(&framed).await.map_err(broke)?;
    writer.flush().await.map_err(broke)
}

fn broke(error: std::io::Error) -> Cause {
    Cause::io("authenticating by Kerberos", error)
}

#[cfg(test)]
mod tests {
    use super::Protection::{Authentication, Integrity, Privacy};
    use super::*;

    #[test]
    fn the_first_of_the_wanted_protections_that_is_offered_is_chosen() {
        let chosen = |wanted: &[Protection], offer: &[u8]| choose(wanted, offer).map(|layer| layer.protection).ok();
        let offer = |bits| [bits, 1, 0, 0];
        assert_eq!(chosen(&[Privacy, Integrity], &offer(0b111)), Some(Privacy));
        assert_eq!(chosen(&[Privacy, Integrity], &offer(0b011)), Some(Integrity));
        assert_eq!(chosen(&[Authentication], &[1, 0, 0, 0]), Some(Authentication));
        // Less than what is wanted is not taken, nor more.
        assert_eq!(chosen(&[Privacy], &offer(0b011)), None);
        assert_eq!(chosen(&[Authentication], &offer(0b110)), None);
        assert_eq!(chosen(&[], &offer(0b111)), None);
        assert_eq!(chosen(&[Privacy], &[4, 0, 0, 9]), None, "too short");
        assert_eq!(chosen(&[Privacy], &[4, 1, 0]), None, "not an offer");
        assert_eq!(choose(&[Privacy], &offer(4)).unwrap().longest, 1 << 16);
        let why = choose(&[Privacy], &offer(1)).unwrap_err();
        assert!(why.is_security() && why.to_string().contains("[Authentication]"), "{why}");
    }

    #[tokio::test]
    async fn answers_are_read() {
        assert!(
            matches!(receive(&mut &[0, 0, 0, 0, 0, 0, 0, 1, 7][..]).await, Ok(Answer::Token(token)) if token == [7])
        );
        assert!(matches!(receive(&mut &[0, 0, 0, 0, 255, 255, 255, 168][..]).await, Ok(Answer::NoKerberos)));
        let refused = [&[0, 0, 0, 1, 0, 0, 0, 3][..], b"a.B", &[0, 0, 0, 2], b"no"].concat();
        let cause = receive(&mut &refused[..]).await.err().unwrap();
        assert!(cause.is_security() && cause.to_string().contains("B: no"), "{cause}");
        // Neither too long a token, nor one that breaks off, nor anything else.
        for wrong in
            [&[0, 0, 0, 0, 127, 0, 0, 0][..], &[0, 0, 0, 0, 255, 0, 0, 0], &[0, 0, 0, 0, 0, 0, 0, 9, 1], b"HTTP"]
        {
            assert!(receive(&mut &wrong[..]).await.is_err());
        }
    }
}
