//! Reads a few znodes. A session is opened for one look, and closed: a client that only looks needs no watches.

use std::time::Duration;

use bytes::{Buf, BufMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::model::error::Cause;
use crate::model::server::Address;

/// Data of a znode is at most 1 MiB, unless the servers are told otherwise.
const FRAME: usize = 4 << 20;
const GET_DATA: i32 = 4;
const CLOSE: i32 = -11;
const NO_NODE: i32 = -101;

/// The data of a znode, or `None` if it does not exist.
pub(crate) async fn read(address: &Address, path: &str, session: Duration) -> Result<Option<Vec<u8>>, Cause> {
    let io = |error| Cause::io("asking ZooKeeper", error);
    let mut stream = TcpStream::connect((address.host(), address.port())).await.map_err(io)?;
    stream.set_nodelay(true).map_err(io)?;

    stream.write_all(&framed(&connect(session))).await.map_err(io)?;
    let answer = frame(&mut stream).await?;
    // Version, time-out, session: a session of 0 was refused.
    let session = answer.get(8..16).ok_or_else(|| Cause::said("the response of ZooKeeper is too short"))?;
    if session.iter().all(|byte| *byte == 0) {
        return Err(Cause::said("ZooKeeper refused the session"));
    }

    stream.write_all(&framed(&get_data(path))).await.map_err(io)?;
    let answer = frame(&mut stream).await?;
    // The data is there. If the close does not arrive, the session ends by itself.
    let _ = stream.write_all(&framed(&request(2, CLOSE))).await;
    data(&answer)
}

fn connect(session: Duration) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.put_i32(0); // The version of the protocol.
    bytes.put_i64(0); // The last transaction seen.
    bytes.put_i32(i32::try_from(session.as_millis()).unwrap_or(i32::MAX));
    bytes.put_i64(0); // No session yet.
    bytes.put_i32(16);
    bytes.put_bytes(0, 16); // No password yet.
    bytes.put_u8(1); // A server that only reads will do.
    bytes
}

fn request(id: i32, operation: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.put_i32(id);
    bytes.put_i32(operation);
    bytes
}

fn get_data(path: &str) -> Vec<u8> {
    let mut bytes = request(1, GET_DATA);
    bytes.put_i32(i32::try_from(path.len()).unwrap_or(i32::MAX));
    bytes.put_slice(path.as_bytes());
    bytes.put_u8(0); // No watch.
    bytes
}

fn framed(bytes: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(4 + bytes.len());
    frame.put_i32(i32::try_from(bytes.len()).unwrap_or(i32::MAX));
    frame.put_slice(bytes);
    frame
}

async fn frame(stream: &mut TcpStream) -> Result<Vec<u8>, Cause> {
    let io = |error| Cause::io("asking ZooKeeper", error);
    let length = stream.read_u32().await.map_err(io)? as usize;
    if length > FRAME {
        return Err(Cause::said(format!("ZooKeeper sends a frame of {length} bytes")));
    }
    let mut frame = vec![0; length];
    stream.read_exact(&mut frame).await.map_err(io)?;
    Ok(frame)
}

/// The data in the response: id, transaction, error, then length and data.
fn data(mut answer: &[u8]) -> Result<Option<Vec<u8>>, Cause> {
    let broken = || Cause::said("the response of ZooKeeper can't be decoded");
    if answer.len() < 16 {
        return Err(broken());
    }
    answer.advance(12);
    match answer.get_i32() {
        0 => {}
        NO_NODE => return Ok(None),
        error => return Err(Cause::said(format!("ZooKeeper answered with error {error}"))),
    }
    let (length, data) = answer.split_first_chunk().ok_or_else(broken)?;
    match usize::try_from(i32::from_be_bytes(*length)) {
        Ok(length) => data.get(..length).map(|data| Some(data.to_vec())).ok_or_else(broken),
        // A znode without data.
        Err(_) => Ok(Some(Vec::new())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let answer = |error: i32, rest: &[u8]| [&[0; 12], &error.to_be_bytes()[..], rest].concat();
        assert_eq!(data(&answer(0, &[0, 0, 0, 2, 7, 8, 9])).unwrap(), Some(vec![7, 8]));
        assert_eq!(data(&answer(0, &[255; 4])).unwrap(), Some(vec![]));
        assert_eq!(data(&answer(NO_NODE, &[])).unwrap(), None);
        assert!(data(&answer(-102, &[])).is_err());
        assert!(data(&answer(0, &[0, 0, 0, 9, 1])).is_err());
        assert!(data(&[0; 15]).is_err());
    }
}
