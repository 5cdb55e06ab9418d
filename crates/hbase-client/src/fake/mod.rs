//! A server of one region, in this process, that answers as a test says: faults that a real one shows too rarely.

mod admin;
mod batches;
mod deadlines;
mod golden;
mod requests;
mod runtimes;
mod scans;
mod tests;
mod traces;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use bytes::Bytes;
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::model::region::Region;
use crate::model::server::Address;
use crate::model::table_name::TableName;
use crate::pb;
use crate::sync::Locked;

/// The reaction of the server to a call.
pub(super) enum Reply {
    Answer(Vec<u8>),
    Exception(&'static str, String),
    Silence,
    /// A whole frame that was recorded, for this call now.
    Frame(Bytes),
    /// Closes the connection.
    Close,
}

impl Reply {
    pub(super) fn answer(message: &impl Message) -> Self {
        Self::Answer(message.encode_to_vec())
    }

    /// Answers a batch: each action is carried out, unless `refused` returns the class of an exception.
    pub(super) fn batch(request: &pb::MultiRequest, refused: impl Fn(&pb::Action) -> Option<&'static str>) -> Self {
        let of_action = |action: &pb::Action| {
            let exception = refused(action).map(|name| pb::NameBytesPair { name: name.into(), value: None });
            let result = exception.is_none().then(pb::Result::default);
            pb::ResultOrException { index: action.index, exception, result }
        };
        let of_region = |region: &pb::RegionAction| pb::RegionActionResult {
            result_or_exception: region.action.iter().map(of_action).collect(),
            ..Default::default()
        };
        let region_action_result = request.region_action.iter().map(of_region).collect();
        Self::answer(&pb::MultiResponse { region_action_result, ..Default::default() })
    }
}

/// A call to the region, and how many of its method came before.
pub(super) struct Call {
    pub(super) nth: usize,
    pub(super) method: String,
    message: Bytes,
    cells: Bytes,
}

impl Call {
    pub(super) fn read<M: Message + Default>(&self) -> M {
        M::decode(self.message.clone()).expect("a request")
    }
}

type Script = Box<dyn Fn(&Call) -> Reply + Send + Sync>;

struct Shared {
    address: Address,
    script: Script,
    calls: Locked<HashMap<String, usize>>,
    opening: AtomicI64,
    deaf: AtomicUsize,
    empty: AtomicUsize,
}

#[derive(Clone)]
pub(super) struct Fake(Arc<Shared>);

impl Fake {
    pub(super) async fn start(script: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = Address::new("127.0.0.1", listener.local_addr().expect("the port").port());
        let shared = Shared {
            address,
            script: Box::new(script),
            calls: Locked::default(),
            opening: AtomicI64::new(1),
            deaf: AtomicUsize::new(0),
            empty: AtomicUsize::new(0),
        };
        let fake = Self(Arc::new(shared));
        let serving = fake.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let fake = serving.clone();
                // A connection that the client leaves ends with an error.
                tokio::spawn(async move { fake.serve(stream).await.ok() });
            }
        });
        fake
    }

    pub(super) fn address(&self) -> &Address {
        &self.0.address
    }

    /// From now on meta says that the region was opened anew.
    pub(super) fn reopen(&self) {
        self.0.opening.fetch_add(1, Ordering::Relaxed);
    }

    /// Leaves the next `questions` requests to meta without a response.
    pub(super) fn silence_meta(&self, questions: usize) {
        self.0.deaf.store(questions, Ordering::Relaxed);
    }

    /// Returns no region for the next `questions` requests to meta.
    pub(super) fn empty_meta(&self, questions: usize) {
        self.0.empty.store(questions, Ordering::Relaxed);
    }

    /// The number of calls of a method that came to the region.
    pub(super) fn calls(&self, method: &str) -> usize {
        self.0.calls.lock().get(method).copied().unwrap_or(0)
    }

    /// The number of requests to meta.
    pub(super) fn lookups(&self) -> usize {
        self.calls("meta")
    }

    async fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        // A response is written in two parts, and must not wait for the client's system.
        stream.set_nodelay(true)?;
        stream.read_exact(&mut [0; 6]).await?;
        let mut header = vec![0; stream.read_u32().await? as usize];
        stream.read_exact(&mut header).await?;
        loop {
            let mut frame = vec![0; stream.read_u32().await? as usize];
            stream.read_exact(&mut frame).await?;
            let mut frame = Bytes::from(frame);
            let header = pb::RequestHeader::decode_length_delimited(&mut frame)?;
            let length = prost::decode_length_delimiter(&mut frame)?;
            let message = frame.split_to(length);
            let (exception, message) = match self.reply(header.method_name(), message, frame) {
                Reply::Answer(message) => (None, message),
                Reply::Exception(class, text) => {
                    let (exception_class_name, stack_trace) = (Some(class.into()), Some(text));
                    let exception = pb::ExceptionResponse { exception_class_name, stack_trace, ..Default::default() };
                    (Some(exception), Vec::new())
                }
                Reply::Silence => continue,
                Reply::Frame(mut frame) => {
                    let recorded = pb::ResponseHeader::decode_length_delimited(&mut frame)?;
                    let header = pb::ResponseHeader { call_id: header.call_id, ..recorded };
                    let frame = [&header.encode_length_delimited_to_vec(), &frame[..]].concat();
                    stream.write_u32(frame.len() as u32).await?;
                    stream.write_all(&frame).await?;
                    continue;
                }
                Reply::Close => return Ok(()),
            };
            let answered = exception.is_none();
            let header = pb::ResponseHeader { call_id: header.call_id, exception, cell_block_meta: None };
            let mut frame = header.encode_length_delimited_to_vec();
            if answered {
                prost::encode_length_delimiter(message.len(), &mut frame)?;
                frame.extend(message);
            }
            stream.write_u32(frame.len() as u32).await?;
            stream.write_all(&frame).await?;
        }
    }

    fn reply(&self, method: &str, message: Bytes, cells: Bytes) -> Reply {
        if method == "GetActiveMaster" {
            return Reply::answer(&pb::GetActiveMasterResponse { server_name: Some(self.name()) });
        }
        if method == "GetMetaRegionLocations" {
            return Reply::answer(&pb::GetMetaRegionLocationsResponse { meta_locations: vec![self.meta()] });
        }
        let scan = (method == "Scan").then(|| pb::ScanRequest::decode(message.clone()).expect("a scan"));
        let of_meta = scan.and_then(|scan| scan.region).is_some_and(|region| region.value == Region::meta().name());
        let method = if of_meta { "meta" } else { method };
        let nth = {
            let mut calls = self.0.calls.lock();
            let count = calls.entry(method.into()).or_default();
            *count += 1;
            *count - 1
        };
        let is_left = |questions: &AtomicUsize| {
            questions.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
        };
        if of_meta && is_left(&self.0.deaf) {
            return Reply::Silence;
        }
        if of_meta && is_left(&self.0.empty) {
            return Reply::answer(&pb::ScanResponse::default());
        }
        match of_meta {
            true => Reply::answer(&pb::ScanResponse { results: vec![self.row_of_meta()], ..Default::default() }),
            false => (self.0.script)(&Call { nth, method: method.into(), message, cells }),
        }
    }

    fn name(&self) -> pb::ServerName {
        let (host_name, port) = (self.0.address.host().into(), Some(self.0.address.port().into()));
        pb::ServerName { host_name, port, start_code: Some(1) }
    }

    fn meta(&self) -> pb::RegionLocation {
        let region_info = pb::RegionInfo { table_name: TableName::meta().to_pb(), ..Default::default() };
        pb::RegionLocation { region_info, server_name: Some(self.name()), seq_num: 1 }
    }

    fn row_of_meta(&self) -> pb::Result {
        let table_name = TableName::from("t").to_pb();
        let info = pb::RegionInfo { region_id: 1, table_name, ..Default::default() };
        let cell = |qualifier: &'static str, value: Vec<u8>| pb::Cell {
            row: Some("t,,1.0123.".into()),
            family: Some("info".into()),
            qualifier: Some(qualifier.into()),
            value: Some(value.into()),
            ..Default::default()
        };
        let opening = self.0.opening.load(Ordering::Relaxed);
        let cells = vec![
            cell("regioninfo", [b"PBUF", &info.encode_to_vec()[..]].concat()),
            cell("seqnumDuringOpen", opening.to_be_bytes().to_vec()),
            cell("server", self.0.address.to_string().into()),
            cell("serverstartcode", 1u64.to_be_bytes().to_vec()),
        ];
        pb::Result { cell: cells, ..Default::default() }
    }
}
