//! A client's trust in servers that it should not trust. They are in this process: what they do after the handshake
//! does not matter.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, SanType, date_time_ymd};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;

use super::*;
use crate::{Client, ErrorKind, Options};

/// The authority that signs certificates.
struct Authority(CertifiedIssuer<'static, KeyPair>, tempfile::NamedTempFile);

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, name);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let pem = file(&issuer.pem());
        Self(issuer, pem)
    }

    /// A certificate of 127.0.0.1, changed, and its key.
    fn sign(&self, change: impl FnOnce(&mut CertificateParams)) -> (rcgen::Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([]).unwrap();
        params.subject_alt_names = vec![SanType::IpAddress([127, 0, 0, 1].into())];
        change(&mut params);
        (params.signed_by(&key, &self.0).unwrap(), key)
    }

    /// Trust in what it signed.
    fn tls(&self) -> Tls {
        Tls::new(self.1.path())
    }
}

fn file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

/// A server with a certificate, which lets in clients whose certificates `clients` signed, or all. It reads, and says
/// nothing.
async fn server((certificate, key): (rcgen::Certificate, KeyPair), clients: Option<&Authority>) -> Address {
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions().unwrap();
    let config = match clients {
        None => config.with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            roots.add(authority.0.der().clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider).build().unwrap();
            config.with_client_cert_verifier(verifier)
        }
    };
    let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(vec![certificate.der().clone()], key).unwrap()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = Address::new("127.0.0.1", listener.local_addr().unwrap().port());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut stream = acceptor.accept(stream).await?;
                while stream.read(&mut [0; 1024]).await? > 0 {}
                Ok::<_, io::Error>(())
            });
        }
    });
    address
}

const TIMEOUT: Duration = Duration::from_secs(60);

/// The error of a read, which ends soon.
async fn read(address: &Address, tls: Tls, timeout: Duration) -> crate::Error {
    let started = Instant::now();
    let options = Options::new().masters([address.clone()]).tls(tls).timeout(timeout);
    let error = Client::new(options).unwrap().table("t").get("row").await.unwrap_err();
    // A client that tries until the time is over takes nearly all of it.
    assert!(started.elapsed() < TIMEOUT / 2, "{error:?}");
    error
}

#[tokio::test]
async fn a_server_that_is_not_to_be_trusted_is_refused_at_once() {
    let (trusted, other) = (Authority::new("trusted"), Authority::new("other"));
    let expired = |params: &mut CertificateParams| {
        (params.not_before, params.not_after) = (date_time_ymd(2001, 1, 1), date_time_ymd(2002, 1, 1));
    };
    let not_yet = |params: &mut CertificateParams| params.not_before = date_time_ymd(4000, 1, 1);
    let misnamed = |params: &mut CertificateParams| {
        params.subject_alt_names = vec![SanType::DnsName("other.example".try_into().unwrap())];
    };
    for (certificate, told) in [
        (other.sign(|_| {}), "UnknownIssuer"),
        (trusted.sign(expired), "expired"),
        (trusted.sign(not_yet), "not valid yet"),
        (trusted.sign(misnamed), "other.example"),
    ] {
        let address = server(certificate, None).await;
        let error = read(&address, trusted.tls(), TIMEOUT).await;
        assert_eq!(error.kind(), ErrorKind::Security, "{error:?}");
        assert!(error.to_string().contains(told) && error.to_string().contains(&address.to_string()), "{error:?}");
    }
}

#[tokio::test]
async fn names_alone_can_be_left_unverified() {
    let (trusted, other) = (Authority::new("trusted"), Authority::new("other"));
    let misnamed = |params: &mut CertificateParams| params.subject_alt_names = Vec::new();
    for version in [TlsVersion::V1_2, TlsVersion::V1_3] {
        let any_name = || trusted.tls().verify_names(false).versions([version]);
        let address = server(trusted.sign(misnamed), None).await;
        // The handshake is over, and the server does not answer.
        let error = read(&address, any_name(), Duration::from_millis(300)).await;
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error:?}");
        let address = server(other.sign(misnamed), None).await;
        assert_eq!(read(&address, any_name(), TIMEOUT).await.kind(), ErrorKind::Security);
    }
}

#[tokio::test]
async fn a_client_without_the_certificate_that_a_server_wants_is_told_so() {
    let (trusted, other, namesake) = (Authority::new("trusted"), Authority::new("other"), Authority::new("trusted"));
    let address = server(trusted.sign(|_| {}), Some(&trusted)).await;
    for version in [TlsVersion::V1_2, TlsVersion::V1_3] {
        let tls = |own: Option<&Authority>| {
            let tls = trusted.tls().versions([version]);
            let Some(own) = own else { return (tls, None) };
            let (certificate, key) = own.sign(|_| {});
            let own = file(&(certificate.pem() + &key.serialize_pem()));
            (tls.certificate(own.path(), own.path()), Some(own))
        };
        for own in [None, Some(&other), Some(&namesake)] {
            let (tls, _file) = tls(own);
            let error = read(&address, tls, TIMEOUT).await;
            assert_eq!(error.kind(), ErrorKind::Security, "{error:?}");
            assert!(error.to_string().contains("refuses"), "{error:?}");
        }
        let (tls, _file) = tls(Some(&trusted));
        let error = read(&address, tls, Duration::from_millis(300)).await;
        assert_eq!(error.kind(), ErrorKind::Unavailable, "{error:?}");
    }
}

/// A server that answers each connection with these bytes, or with nothing, and closes it or not.
async fn without_tls(answer: &'static [u8], closes: bool) -> (Address, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = Address::new("127.0.0.1", listener.local_addr().unwrap().port());
    let in_plain_text = Arc::new(AtomicUsize::new(0));
    let count = in_plain_text.clone();
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            const HANDSHAKE: u8 = 0x16;
            let first = stream.read_u8().await;
            count.fetch_add(usize::from(first.is_ok_and(|first| first != HANDSHAKE)), Ordering::Relaxed);
            // The client may be gone.
            let _ = stream.write_all(answer).await;
            held.extend((!closes).then_some(stream));
        }
    });
    (address, in_plain_text)
}

#[tokio::test]
async fn a_server_without_tls_gets_no_plain_text_and_holds_nobody_up() {
    let trusted = Authority::new("trusted");
    let tls = || trusted.tls().handshake_timeout(Duration::from_millis(200));
    let soon = Duration::from_secs(3);
    for (answer, closes, timeout, kind, told) in [
        (b"HTTP/1.1 400 Bad Request\r\n".as_slice(), true, TIMEOUT, ErrorKind::Security, "does not speak TLS"),
        (b"", true, soon, ErrorKind::Unavailable, "speak TLS?"),
        (b"", false, soon, ErrorKind::Unavailable, "in time"),
    ] {
        let (address, in_plain_text) = without_tls(answer, closes).await;
        let error = read(&address, tls(), timeout).await;
        assert_eq!(error.kind(), kind, "{error:?}");
        assert!(error.to_string().contains(told), "{error:?}");
        assert_eq!(in_plain_text.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn options_that_cannot_be_kept_are_refused() {
    let trusted = Authority::new("trusted");
    let wrong = |tls: Tls| tls.ready().err().unwrap();
    assert!(wrong(Tls::new("/nowhere.pem")).contains("/nowhere.pem"));
    assert!(wrong(trusted.tls().versions([])).contains("none"));
    assert!(wrong(trusted.tls().cipher_suites(["TLS_RSA_WITH_RC4_128_MD5"])).contains("TLS_AES_128_GCM_SHA256"));
    let of_1_3 = trusted.tls().cipher_suites(["TLS_AES_128_GCM_SHA256"]);
    assert!(of_1_3.ready().is_ok());
    assert!(wrong(of_1_3.versions([TlsVersion::V1_2])).contains("none"));
    let (certificate, _) = trusted.sign(|_| {});
    let (_, another_key) = trusted.sign(|_| {});
    let (certificate, key) = (file(&certificate.pem()), file(&another_key.serialize_pem()));
    let mismatch = trusted.tls().certificate(certificate.path(), key.path());
    assert!(wrong(mismatch).contains("certificate"));
}
