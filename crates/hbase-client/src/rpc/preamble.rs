//! Preamble of a connection, and its header.

use bytes::BufMut;
use prost::Message;

use crate::model::server::Service;
use crate::pb;

/// Authentication by saying who one is.
pub(crate) const SIMPLE: u8 = 80;
/// Authentication by SASL's GSSAPI.
#[cfg(feature = "kerberos")]
pub(crate) const KERBEROS: u8 = 81;

/// The preamble, which a client sends first: a magic word, the version of the protocol, and the authentication method.
pub(crate) fn hello(authentication: u8) -> Vec<u8> {
    let mut bytes = b"HBas\0".to_vec();
    bytes.put_u8(authentication);
    bytes
}

/// Appends the connection header, which a client sends once it is authenticated: the user, if that is not known yet,
/// and the service.
pub(crate) fn header(user: Option<&str>, service: Service, bytes: &mut Vec<u8>) {
    let header = pb::ConnectionHeader {
        user_info: user.map(|user| pb::UserInformation { effective_user: user.into() }),
        service_name: Some(service.name().into()),
        cell_block_codec_class: Some("org.apache.hadoop.hbase.codec.KeyValueCodec".into()),
        // A server answers a `Get` in cell blocks only to clients that have a version.
        version_info: Some(pb::VersionInfo {
            version: "2.6.0".into(),
            version_major: Some(2),
            version_minor: Some(6),
            ..Default::default()
        }),
    };
    // A user's name that does not fit in 4 GiB does not fit in memory's other limits either.
    bytes.put_u32(u32::try_from(header.encoded_len()).unwrap_or(u32::MAX));
    header.encode_raw(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_says_who_and_what() {
        let mut bytes = hello(SIMPLE);
        header(Some("ada"), Service::Client, &mut bytes);
        assert_eq!(bytes[..6], *b"HBas\0\x50");
        assert_eq!(bytes[6..10], (bytes.len() as u32 - 10).to_be_bytes());
        let header = pb::ConnectionHeader::decode(&bytes[10..]).unwrap();
        assert_eq!(header.service_name(), "ClientService");
        assert_eq!(header.user_info.unwrap().effective_user, "ada");
        assert!(header.version_info.unwrap().version_major() >= 2);
    }
}
