//! A server of Bigtable's API whose answers the test writes.

use std::convert::Infallible;
use std::future::{Future, pending, poll_fn};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use http_body::Body as _;
use prost::bytes::{Bytes, BytesMut};
use tokio::net::TcpListener;
use tonic::body::Body;
use tonic::codegen::http::HeaderMap;
use tonic::codegen::{Service, http};
use tonic::server::NamedService;
use tonic::transport::server::{TcpConnectInfo, TcpIncoming};
use tonic::transport::{Identity, Server, ServerTlsConfig};

use crate::tls::Authority;

/// A response, or a future that never ends.
pub type Answer = Pin<Box<dyn Future<Output = http::Response<Body>> + Send>>;

/// A request to the server: the method's name, and the number of requests of that method that came before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// `ReadRows`, `MutateRow`.
    pub method: String,
    /// From 0.
    pub number: usize,
    /// The time at which it came.
    pub at: Instant,
    /// The client's address: one for each connection.
    pub from: Option<SocketAddr>,
    /// The request's headers.
    pub headers: HeaderMap,
    /// The request, as protobuf.
    pub message: Bytes,
}

/// A server that answers each request by a function.
#[derive(Clone)]
pub struct Mock {
    answer: Arc<dyn Fn(&Asked) -> Answer + Send + Sync>,
    asked: Arc<Mutex<Vec<Asked>>>,
    in_flight: Arc<AtomicUsize>,
}

impl Mock {
    /// Serves both of Google's services on a free port, in the runtime's background. Returns the address too.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub async fn start(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> (Self, String) {
        Self::serve(Server::builder(), answer).await
    }

    /// As [`start`](Self::start), with at most `streams` concurrent streams of a connection.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub async fn with_streams(
        streams: u32,
        answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> (Self, String) {
        Self::serve(Server::builder().max_concurrent_streams(streams), answer).await
    }

    /// As [`start`](Self::start), over TLS. Returns the endpoint, `https://127.0.0.1:PORT`.
    ///
    /// # Panics
    ///
    /// As `start`.
    pub async fn start_tls(
        authority: &Authority,
        answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> (Self, String) {
        let (certificate, key) = authority.issue();
        let tls = ServerTlsConfig::new().identity(Identity::from_pem(certificate, key));
        let (mock, address) = Self::serve(Server::builder().tls_config(tls).expect("an identity"), answer).await;
        (mock, format!("https://{address}"))
    }

    async fn serve(mut server: Server, answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let mock = Self { answer: Arc::new(answer), asked: Arc::default(), in_flight: Arc::default() };
        let server = server.add_service(Data(mock.clone())).add_service(Admin(mock.clone()));
        tokio::spawn(server.serve_with_incoming(TcpIncoming::from(listener)));
        (mock, address)
    }

    /// All that was asked.
    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The number of requests that are not answered yet. A client that goes away takes its own back.
    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Acquire)
    }

    fn take(&self, request: http::Request<Body>) -> Answer {
        let (mock, flight) = (self.clone(), Flight::new(&self.in_flight));
        Box::pin(async move {
            let method = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
            let from = request.extensions().get::<TcpConnectInfo>().and_then(TcpConnectInfo::remote_addr);
            let headers = request.headers().clone();
            let Some(message) = message_of(request.into_body()).await else {
                return pending().await;
            };
            let asked = {
                let mut all = mock.asked.lock().unwrap_or_else(PoisonError::into_inner);
                let number = all.iter().filter(|before| before.method == method).count();
                let asked = Asked { method, number, at: Instant::now(), from, headers, message };
                all.push(asked.clone());
                asked
            };
            let answered = (mock.answer)(&asked).await;
            drop(flight);
            answered
        })
    }
}

/// The only message of a body, without its head. `None` if the client has taken the request back before it was sent
/// whole: a server does not process such a one.
async fn message_of(mut body: Body) -> Option<Bytes> {
    let mut bytes = BytesMut::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        if let Ok(data) = frame.ok()?.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    const HEAD: usize = 5;
    (bytes.len() >= HEAD).then(|| bytes.freeze().slice(HEAD..))
}

struct Flight(Arc<AtomicUsize>);

impl Flight {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(count))
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

macro_rules! services {
    ($($service:ident: $name:literal;)*) => {$(
        #[derive(Clone)]
        struct $service(Mock);

        impl NamedService for $service {
            const NAME: &'static str = $name;
        }

        impl Service<http::Request<Body>> for $service {
            type Response = http::Response<Body>;
            type Error = Infallible;
            type Future = Pin<Box<dyn Future<Output = Result<http::Response<Body>, Infallible>> + Send>>;

            fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
                Poll::Ready(Ok(()))
            }

            fn call(&mut self, request: http::Request<Body>) -> Self::Future {
                let answer = self.0.take(request);
                Box::pin(async move { Ok(answer.await) })
            }
        }
    )*};
}

services! {
    Data: "google.bigtable.v2.Bigtable";
    Admin: "google.bigtable.admin.v2.BigtableTableAdmin";
}
