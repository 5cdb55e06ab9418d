//! The proxy as a gRPC service.

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use prost::Message;
use tokio::net::TcpListener;
use tonic::body::Body;
use tonic::codegen::http;
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;
use tower_service::Service;

use crate::Proxy;

type Answered<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Serves on a free port, in the runtime's background. Returns the address.
pub async fn serve() -> io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(Server::builder().add_service(Proxy::default()).serve_with_incoming(TcpIncoming::from(listener)));
    Ok(address)
}

impl NamedService for Proxy {
    const NAME: &'static str = "google.bigtable.testproxy.CloudBigtableV2TestProxy";
}

/// A method of the proxy.
struct Method<Q, R> {
    proxy: Proxy,
    call: fn(Proxy, Q) -> Answered<Result<R, Status>>,
}

impl<Q: 'static, R: 'static> UnaryService<Q> for Method<Q, R> {
    type Response = R;
    type Future = Answered<Result<Response<R>, Status>>;

    fn call(&mut self, request: Request<Q>) -> Self::Future {
        let answered = (self.call)(self.proxy.clone(), request.into_inner());
        Box::pin(async move { answered.await.map(Response::new) })
    }
}

async fn unary<Q, R>(method: Method<Q, R>, request: http::Request<Body>) -> http::Response<Body>
where
    Q: Message + Default + 'static,
    R: Message + Default + 'static,
{
    Grpc::new(ProstCodec::<R, Q>::default()).max_decoding_message_size(usize::MAX).unary(method, request).await
}

impl Service<http::Request<Body>> for Proxy {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Answered<Result<http::Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let proxy = self.clone();
        macro_rules! answer {
            ($method:ident) => {
                unary(Method { proxy, call: |proxy, request| Box::pin(proxy.$method(request)) }, request).await
            };
        }
        Box::pin(async move {
            let method = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
            Ok(match method.as_str() {
                "CreateClient" => answer!(create),
                "CloseClient" => answer!(close),
                "RemoveClient" => answer!(remove),
                "ReadRow" => answer!(read_row),
                "ReadRows" => answer!(read_rows),
                "MutateRow" => answer!(mutate_row),
                "BulkMutateRows" => answer!(mutate_rows),
                "CheckAndMutateRow" => answer!(check_and_mutate_row),
                "SampleRowKeys" => answer!(sample_row_keys),
                "ReadModifyWriteRow" => answer!(read_modify_write_row),
                _ => Status::unimplemented("rowkey-bigtable has no SQL").into_http(),
            })
        })
    }
}
