//! TCP connections that say when they are closed.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, TryFutureExt};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tonic::codegen::Service;
use tonic::codegen::http::Uri;

type Error = <HttpConnector as Service<Uri>>::Error;

/// Opens connections, and calls `closed` when one of them is closed.
#[derive(Clone)]
pub(super) struct Connector {
    http: HttpConnector,
    closed: Closed,
}

type Closed = Arc<dyn Fn() + Send + Sync>;

impl Connector {
    pub(super) fn new(connect_timeout: Option<Duration>, closed: impl Fn() + Send + Sync + 'static) -> Self {
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_keepalive(Some(Duration::from_secs(60)));
        http.set_connect_timeout(connect_timeout);
        Self { http, closed: Arc::new(closed) }
    }
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = Error;
    type Future = BoxFuture<'static, Result<Stream, Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.http.poll_ready(context)
    }

    fn call(&mut self, address: Uri) -> Self::Future {
        let closed = Arc::clone(&self.closed);
        self.http.call(address).map_ok(|tcp| Stream { tcp, closed }).boxed()
    }
}

pub(super) struct Stream {
    tcp: TokioIo<TcpStream>,
    closed: Closed,
}

impl Drop for Stream {
    fn drop(&mut self) {
        (self.closed)();
    }
}

impl Stream {
    fn tcp(self: Pin<&mut Self>) -> Pin<&mut TokioIo<TcpStream>> {
        Pin::new(&mut self.get_mut().tcp)
    }
}

impl Read for Stream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        self.tcp().poll_read(context, buffer)
    }
}

impl Write for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.tcp().poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.tcp().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.tcp().poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.tcp().poll_write_vectored(context, bytes)
    }
}
