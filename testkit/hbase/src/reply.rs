//! Calls to the server, and their responses as frames.

use std::io;

use bytes::Bytes;
use hbase_client::protocol as pb;
use prost::Message;

/// A call to the region, or to the master.
#[derive(Debug, Clone)]
pub struct Call {
    /// The number of calls of its method that came before.
    pub nth: usize,
    /// The method's name, such as `Mutate`.
    pub method: String,
    /// The message, encoded.
    pub message: Bytes,
    /// The cells behind the message.
    pub cells: Bytes,
}

impl Call {
    /// Reads a frame without its length: the call's id, and the call.
    ///
    /// # Errors
    ///
    /// If it is no frame, or its header has another length of the cells.
    pub fn of(mut frame: Bytes) -> io::Result<(Option<u32>, Self)> {
        let header = pb::RequestHeader::decode_length_delimited(&mut frame)?;
        let length = prost::decode_length_delimiter(&mut frame)?;
        if length > frame.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let message = frame.split_to(length);
        if header.cell_block_meta.as_ref().map_or(0, |meta| meta.length()) as usize != frame.len() {
            return Err(io::Error::other("the length of the cells"));
        }
        Ok((header.call_id, Self { nth: 0, method: header.method_name().into(), message, cells: frame }))
    }

    /// Decodes the message.
    pub fn read<M: Message + Default>(&self) -> M {
        M::decode(self.message.clone()).expect("a request")
    }
}

/// The reaction of the server to a call.
pub enum Reply {
    /// A message, encoded.
    Message(Vec<u8>),
    /// An exception: its class, and its text.
    Exception(&'static str, String),
    /// An exception of the connection, of this class: it comes with an id that is no call's.
    OfConnection(&'static str),
    /// A whole frame that was recorded, for this call now.
    Recorded(Bytes),
    /// No response.
    Silence,
    /// The end of the connection.
    Close,
}

impl Reply {
    /// Answers with a message.
    pub fn message(message: &impl Message) -> Self {
        Self::Message(message.encode_to_vec())
    }

    /// Answers a batch: each action is carried out, unless `refused` returns the class of an exception.
    pub fn batch(call: &Call, refused: impl Fn(&pb::Action) -> Option<&'static str>) -> Self {
        let request: pb::MultiRequest = call.read();
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
        Self::message(&pb::MultiResponse { region_action_result, ..Default::default() })
    }

    /// The frame without its length, if there is one.
    pub(crate) fn frame(self, call_id: Option<u32>) -> io::Result<Option<Vec<u8>>> {
        let header = pb::ResponseHeader { call_id, ..Default::default() };
        let (header, message) = match self {
            Self::Message(message) => {
                let mut length = Vec::new();
                prost::encode_length_delimiter(message.len(), &mut length)?;
                (header, [length, message].concat())
            }
            Self::Exception(class, text) => {
                (pb::ResponseHeader { exception: Some(exception(class, text)), ..header }, Vec::new())
            }
            Self::OfConnection(class) => {
                let (call_id, exception) = (Some(u32::MAX), Some(exception(class, String::new())));
                (pb::ResponseHeader { call_id, exception, ..header }, Vec::new())
            }
            Self::Recorded(mut frame) => {
                let recorded = pb::ResponseHeader::decode_length_delimited(&mut frame)?;
                (pb::ResponseHeader { call_id, ..recorded }, frame.into())
            }
            Self::Silence | Self::Close => return Ok(None),
        };
        Ok(Some([header.encode_length_delimited_to_vec(), message].concat()))
    }
}

fn exception(class: &str, text: String) -> pb::ExceptionResponse {
    let (exception_class_name, stack_trace) = (Some(class.into()), Some(text));
    pb::ExceptionResponse { exception_class_name, stack_trace, ..Default::default() }
}
