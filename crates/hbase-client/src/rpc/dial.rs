//! Dialing of servers: TCP, TLS, Kerberos, and the header of the connection.

use std::time::Duration;

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Connection, Limits, preamble};
use crate::config::options::Resolve;
use crate::model::error::Cause;
use crate::model::server::{Address, Service};
#[cfg(any(feature = "tls", feature = "kerberos"))]
use crate::security::Ready;
#[cfg(feature = "kerberos")]
use crate::security::{
    Login, Protection,
    sasl::{self, Entry},
    wrapped,
};

/// The options for connecting to a server.
#[derive(Clone)]
pub(crate) struct Dialing {
    pub(crate) user: String,
    pub(crate) timeout: Duration,
    /// Connections to a server.
    pub(crate) connections: usize,
    pub(crate) resolve: Resolve,
    pub(crate) limits: Limits,
    #[cfg(any(feature = "tls", feature = "kerberos"))]
    pub(crate) security: Ready,
}

/// Connects, with TLS if it is asked for, and introduces the client.
pub(super) async fn dial(dialing: &Dialing, address: &Address, service: Service) -> Result<Connection, Cause> {
    let stream =
        timeout(dialing.timeout, connect(&dialing.resolve.address(address))).await.map_err(|_| Cause::TimedOut)?;
    let stream = stream.map_err(|error| Cause::io("connecting to the server", error))?;
    #[cfg(feature = "tls")]
    if let Some(tls) = &dialing.security.tls {
        let (reader, writer) = tokio::io::split(tls.with(address, stream).await?);
        return introduce(dialing, address, service, reader, writer).await;
    }
    let (reader, writer) = stream.into_split();
    introduce(dialing, address, service, reader, writer).await
}

async fn connect(address: &Address) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect((address.host(), address.port())).await?;
    stream.set_nodelay(true)?;
    // A peer that went without a word is noticed even while nothing is asked of it.
    SockRef::from(&stream).set_keepalive(true)?;
    Ok(stream)
}

async fn introduce<R, W>(
    dialing: &Dialing,
    address: &Address,
    service: Service,
    reader: R,
    mut writer: W,
) -> Result<Connection, Cause>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    #[cfg(feature = "kerberos")]
    if let Some(login) = &dialing.security.kerberos {
        return with_kerberos(dialing, login, address, service, reader, writer).await;
    }
    let mut hello = preamble::hello(preamble::SIMPLE);
    preamble::header(Some(&dialing.user), service, &mut hello);
    timeout(dialing.timeout, write(&mut writer, &hello)).await.map_err(|_| Cause::TimedOut)??;
    tracing::debug!(server = %address, service = service.name(), "connected");
    Ok(Connection::start(reader, writer, dialing.limits.clone()))
}

#[cfg(feature = "kerberos")]
async fn with_kerberos<R, W>(
    dialing: &Dialing,
    login: &Login,
    address: &Address,
    service: Service,
    mut reader: R,
    mut writer: W,
) -> Result<Connection, Cause>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let limits = dialing.limits.clone();
    let mut header = Vec::new();
    let authenticated = async {
        write(&mut writer, &preamble::hello(preamble::KERBEROS)).await?;
        sasl::authenticate(login, login.server(address, service), &mut reader, &mut writer).await
    };
    let entry = timeout(dialing.timeout, authenticated).await;
    let entry = entry.map_err(|_| Cause::said("no answer in the Kerberos handshake in time"))??;
    match entry {
        Entry::Simple => {
            preamble::header(Some(&dialing.user), service, &mut header);
            timeout(dialing.timeout, write(&mut writer, &header)).await.map_err(|_| Cause::TimedOut)??;
            tracing::warn!(server = %address, service = service.name(), "connected without Kerberos");
            Ok(Connection::start(reader, writer, limits))
        }
        Entry::Kerberos(context, layer) => {
            // The server knows who the client is.
            preamble::header(None, service, &mut header);
            tracing::debug!(server = %address, service = service.name(), protection = ?layer.protection, "connected");
            if layer.protection == Protection::Authentication {
                timeout(dialing.timeout, write(&mut writer, &header)).await.map_err(|_| Cause::TimedOut)??;
                return Ok(Connection::start(reader, writer, limits));
            }
            let (reader, mut writer) = wrapped::protect(context, layer, limits.frame, reader, writer);
            timeout(dialing.timeout, write(&mut writer, &header)).await.map_err(|_| Cause::TimedOut)??;
            Ok(Connection::start(reader, writer, limits))
        }
    }
}

async fn write<W: AsyncWrite + Unpin>(writer: &mut W, bytes: &[u8]) -> Result<(), Cause> {
    let written = async {
        writer.write_all(bytes).await?;
        writer.flush().await
    };
    written.await.map_err(|error| Cause::io("connecting to the server", error))
}
