//! A server that gives access tokens: an endpoint of OAuth, of impersonation, a metadata server. It speaks HTTP/1.1.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::tls::Authority;

/// A request: what is wanted of the server.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// `POST`.
    pub method: String,
    /// The path, with its query.
    pub path: String,
    /// By their names in small letters.
    pub headers: HashMap<String, String>,
    /// The body.
    pub body: String,
    /// The number of requests that came before.
    pub number: usize,
}

impl Wanted {
    /// A field of a form, decoded.
    pub fn field(&self, name: &str) -> Option<String> {
        let fields = self.body.split('&').filter_map(|field| field.split_once('='));
        let mut values = fields.filter(|(field, _)| *field == name).map(|(_, value)| value);
        let mut bytes = Vec::new();
        let mut rest = values.next()?.bytes();
        while let Some(byte) = rest.next() {
            if byte != b'%' {
                bytes.push(byte);
                continue;
            }
            let hex = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&hex).ok()?, 16).ok()?);
        }
        String::from_utf8(bytes).ok()
    }
}

/// A response: its status, and its body.
pub type Given = Pin<Box<dyn Future<Output = (u16, String)> + Send>>;

/// A server that answers each request by a function.
#[derive(Clone)]
pub struct TokenServer {
    wanted: Arc<Mutex<Vec<Wanted>>>,
}

impl TokenServer {
    /// Serves on a free port. Returns the address too, `127.0.0.1:PORT`.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub async fn start(give: impl Fn(&Wanted) -> Given + Send + Sync + 'static) -> (Self, String) {
        Self::serve(None, give).await
    }

    /// As [`start`](Self::start), over TLS.
    ///
    /// # Panics
    ///
    /// As `start`.
    pub async fn start_tls(
        authority: &Authority,
        give: impl Fn(&Wanted) -> Given + Send + Sync + 'static,
    ) -> (Self, String) {
        let (certificate, key) = authority.issue();
        let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).expect("a certificate");
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .expect("an identity");
        Self::serve(Some(TlsAcceptor::from(Arc::new(config))), give).await
    }

    async fn serve(
        tls: Option<TlsAcceptor>,
        give: impl Fn(&Wanted) -> Given + Send + Sync + 'static,
    ) -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let server = Self { wanted: Arc::default() };
        let (give, shared) = (Arc::new(give), server.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (give, server, tls) = (Arc::clone(&give), shared.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => server.answer(stream, &*give).await,
                        Some(tls) => match tls.accept(stream).await {
                            Ok(stream) => server.answer(stream, &*give).await,
                            Err(_) => Some(()),
                        },
                    }
                });
            }
        });
        (server, address)
    }

    /// All that was wanted.
    pub fn wanted(&self) -> Vec<Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn answer(
        &self,
        mut stream: impl AsyncRead + AsyncWrite + Unpin,
        give: &(impl Fn(&Wanted) -> Given + Send + Sync),
    ) -> Option<()> {
        let mut bytes = Vec::new();
        let head = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        let text = String::from_utf8(bytes[..head].to_vec()).ok()?;
        let mut lines = text.lines();
        let mut first = lines.next()?.split(' ');
        let (method, path) = (first.next()?.to_owned(), first.next()?.to_owned());
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()));
        let headers: HashMap<_, _> = headers.collect();
        let length: usize = headers.get("content-length").map_or(Some(0), |length| length.parse().ok())?;
        while bytes.len() < head + 4 + length {
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        }
        let body = String::from_utf8(bytes[head + 4..].to_vec()).ok()?;
        let wanted = {
            let mut all = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
            let wanted = Wanted { method, path, headers, body, number: all.len() };
            all.push(wanted.clone());
            wanted
        };
        let (status, body) = give(&wanted).await;
        let length = body.len();
        let response = format!("HTTP/1.1 {status} Said\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
        stream.write_all(response.as_bytes()).await.ok()?;
        stream.shutdown().await.ok()
    }
}
