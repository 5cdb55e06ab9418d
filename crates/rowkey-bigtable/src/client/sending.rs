//! Sends a request on a connection that has a stream for it.
//!
//! A server says how many streams a connection may have, and neither tonic nor hyper tells it. A request that is one
//! too many waits in its connection, behind scans that nobody reads perhaps. It is encoded when its stream opens: one
//! that is not is taken back, and goes to another connection. Before a connection knows how many streams it may have,
//! which its server says first, hyper encodes all. So the first request of a connection is sent alone.

use std::sync::Arc;
use std::time::Duration;

use rowkey::nonblocking::BoxFuture;
use tokio::time::timeout;
use tonic::client::Grpc;
use tonic::{Request, Status};

use super::codec::Outgoing;
use super::connections::{Connections, Turn};
use super::ready;
use super::sound::Sound;

/// The number of looks at a request that still has no stream after which its connection is full. One look alone may be
/// that of a process that was stopped for a while.
const LOOKS: u32 = 4;
const PAUSE: Duration = Duration::from_millis(50);

/// Returns the turn, which counts as in flight until it is dropped, and the result of `send`.
pub(super) async fn on_a_connection<Q, R>(
    connections: &Arc<Connections>,
    request: Request<Outgoing<Q>>,
    send: impl Fn(Grpc<Sound>, Request<Outgoing<Q>>) -> BoxFuture<'static, Result<R, Status>>,
) -> Result<(Turn, R), Status> {
    let (metadata, extensions, mut message) = request.into_parts();
    loop {
        let (channel, turn) = connections.turn();
        turn.flight().after_first(PAUSE * LOOKS).await;
        let request = Request::from_parts(metadata.clone(), extensions.clone(), message.on(turn.flight()));
        let mut sending = std::pin::pin!(async { send(ready(channel).await?, request).await });
        let mut looks = 0;
        loop {
            let polled =
                if message.is_sent() { Ok(sending.as_mut().await) } else { timeout(PAUSE, sending.as_mut()).await };
            if let Ok(sent) = polled {
                turn.flight().answered();
                return sent.map(|sent| (turn, sent)).map_err(|status| connections.explained(status));
            }
            looks += 1;
            if looks >= LOOKS && connections.is_room_beside(&turn) && message.take_back() {
                break;
            }
        }
    }
}
