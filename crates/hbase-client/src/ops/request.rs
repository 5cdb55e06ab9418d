//! Requests to the region of a row: the message of each, and how its response is read.

use prost::Message;
use rowkey_retry::Idempotency;

use crate::model::error::CallFault;
use crate::model::region::Region;
use crate::model::row::CellBlock;
use crate::model::server::Service;

/// A request to the region of a row.
pub(crate) trait RegionRequest {
    const SERVICE: Service = Service::Client;
    const METHOD: &'static str;
    type Message: Message;
    type Response: Message + Default;
    type Output;

    fn idempotency(&self) -> Idempotency;

    /// The message for a region.
    fn message(&self, region: &Region) -> Self::Message;

    /// Encoded cells, which go behind the message.
    fn cells(&self) -> Vec<&[u8]> {
        Vec::new()
    }

    /// Reads the response, in which there may be an exception too, and the cells behind it.
    fn read(&self, response: Self::Response, cells: CellBlock) -> Result<Self::Output, CallFault>;
}
