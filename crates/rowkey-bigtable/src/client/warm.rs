//! Warming of a new connection: the first request on it.

use std::sync::Arc;
use std::time::Duration;

use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::Channel;

use super::codec::{Outgoing, Sent, Shared};
use super::headers::{Cookies, Route};
use super::proto::{PingAndWarmRequest, PingAndWarmResponse};
use super::retry::is_broken;
use super::tokens::Tokens;
use super::{ready, request_to};

/// Asks the server to prepare for requests on a connection.
#[derive(Debug)]
pub(super) struct Warming {
    request: Arc<PingAndWarmRequest>,
    route: Route,
    tokens: Tokens,
}

const LONGEST: Duration = Duration::from_secs(10);

impl Warming {
    pub(super) fn new(instance: &str, app_profile: &str, tokens: Tokens) -> Self {
        let request = PingAndWarmRequest { name: instance.to_owned(), app_profile_id: app_profile.to_owned() };
        Self { request: Arc::new(request), route: Route::new("name", instance, Some(app_profile)), tokens }
    }

    /// Returns whether the server answered. One that can't warm a connection has taken it all the same.
    pub(super) async fn warm(&self, channel: Channel) -> bool {
        let sent = Sent::default();
        let sending = async {
            let outgoing = Outgoing::new(Arc::clone(&self.request), &sent);
            let mut request = request_to(outgoing, &self.route, &Cookies::default(), Some(LONGEST));
            self.tokens.authorize(&mut request).await?;
            let path = PathAndQuery::from_static("/google.bigtable.v2.Bigtable/PingAndWarm");
            let codec = Shared::<PingAndWarmRequest, PingAndWarmResponse>::default();
            ready(channel).await?.unary(request, path, codec).await
        };
        let answered = tokio::time::timeout(LONGEST, sending).await;
        sent.give_up() && answered.is_ok_and(|answer| answer.err().is_none_or(|status| !is_broken(&status)))
    }
}
