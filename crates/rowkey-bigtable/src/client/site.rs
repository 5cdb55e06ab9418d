//! Endpoints of a client's requests, and the tokens that authorize them.

use rowkey::{Error, ErrorKind};
use tokio::runtime::Handle;
use tonic::codegen::http::Uri;
use tonic::transport::Endpoint;

use super::connections::endpoint;
use super::tokens::Tokens;
use crate::options::BigtableOptions;
#[cfg(feature = "google")]
use crate::trust::Trust;

/// The endpoints of both of Google's services.
pub(super) struct Site {
    pub(super) data: Endpoint,
    pub(super) admin: Endpoint,
    pub(super) tokens: Tokens,
}

impl Site {
    pub(super) fn new(options: &BigtableOptions, runtime: &Handle) -> Result<Self, Error> {
        check_id("project", &options.project)?;
        check_id("instance", &options.instance)?;
        match &options.emulator {
            Some(emulator) => Self::emulator(emulator, options),
            None => Self::service(options, runtime),
        }
    }

    fn emulator(emulator: &str, options: &BigtableOptions) -> Result<Self, Error> {
        let address = format!("http://{emulator}");
        let is_address = parsed(&address).is_some_and(|uri| uri.port_u16().is_some());
        if !is_address || emulator.ends_with('/') {
            return Err(invalid(format!("the address of an emulator is host:port, not {emulator:?}")));
        }
        let place = endpoint(&address, options.connect_timeout).map_err(|error| refused(&address, error))?;
        Ok(Self { data: place.clone(), admin: place, tokens: Tokens::default() })
    }

    #[cfg(feature = "google")]
    fn service(options: &BigtableOptions, runtime: &Handle) -> Result<Self, Error> {
        let trust = Trust::new(&options.ca_certificates)?;
        let place = |named: &Option<String>, default: &str| {
            let address = named.as_deref().unwrap_or(default);
            if parsed(address).is_none_or(|uri| uri.scheme_str() != Some("https")) {
                return Err(invalid(format!("an endpoint is https://host or https://host:port, not {address:?}")));
            }
            let place = endpoint(address, options.connect_timeout).map_err(|error| refused(address, error))?;
            place.tls_config(trust.grpc()).map_err(Error::engine)
        };
        let provider = options.credentials.provided(&trust);
        let of = |provider| Tokens::of(runtime.clone(), provider, options.quota_project.clone());
        Ok(Self {
            data: place(&options.endpoint, "https://bigtable.googleapis.com")?,
            admin: place(&options.admin_endpoint, "https://bigtableadmin.googleapis.com")?,
            tokens: provider.map(of).unwrap_or_default(),
        })
    }

    #[cfg(not(feature = "google"))]
    fn service(_: &BigtableOptions, _: &Handle) -> Result<Self, Error> {
        Err(Error::Unsupported("the service needs the feature `google` of rowkey-bigtable; without it use an emulator"))
    }
}

/// A scheme, a host and perhaps a port, and nothing else.
fn parsed(address: &str) -> Option<Uri> {
    let uri = address.parse::<Uri>().ok()?;
    let authority = uri.authority()?.as_str();
    let host = uri.host().filter(|host| !host.is_empty() && (host.starts_with('[') || !host.contains(':')))?;
    let port = authority.strip_prefix(host)?;
    let is_number = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(is_number);
    // A fragment is no part of a `Uri`.
    let is_all = matches!(uri.path(), "" | "/") && uri.query().is_none() && !address.contains('#');
    (is_port && is_all).then_some(uri)
}

/// An id alone: not a resource name, and nothing that would change one.
fn check_id(what: &str, id: &str) -> Result<(), Error> {
    let is_id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    if id.is_empty() || !id.chars().all(is_id) {
        return Err(invalid(format!("the {what} is an id such as `my-{what}`, not {id:?}")));
    }
    Ok(())
}

fn invalid(why: String) -> Error {
    Error::engine_of(ErrorKind::InvalidInput, why)
}

fn refused(address: &str, error: tonic::transport::Error) -> Error {
    invalid(format!("{address:?}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(options: &BigtableOptions) -> Option<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let error = Site::new(options, runtime.handle()).err()?;
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        Some(error.to_string())
    }

    #[test]
    fn projects_and_instances_are_ids() {
        let of =
            |project: &str, instance: &str| refusal(&BigtableOptions::new(project, instance).emulator("127.0.0.1:1"));
        for id in ["p", "my-project", "example.com:my-project", "123456", "a_b"] {
            assert_eq!(of(id, id), None);
        }
        for id in ["", "projects/p", "p/", "p q", "p\n", "p?q", "ü", "%2F"] {
            assert!(of(id, "i").is_some_and(|why| why.contains(&format!("{id:?}"))), "{id:?}");
            assert!(of("p", id).is_some_and(|why| why.contains("instance")), "{id:?}");
        }
    }

    #[test]
    fn emulators_are_hosts_and_ports() {
        let of = |emulator: &str| refusal(&BigtableOptions::new("p", "i").emulator(emulator));
        for emulator in ["localhost:8086", "127.0.0.1:1", "[::1]:80", "a-b.c:65535"] {
            assert_eq!(of(emulator), None, "{emulator}");
        }
        for emulator in [
            "",
            ":80",
            "localhost",
            "localhost:",
            "localhost:0x50",
            "localhost:65536",
            "u@host:80",
            "u:p@host:80",
            "host:80/",
            "host:80/a",
            "host:80?a",
            "host:80#a",
            "http://host:80",
            "::1:80",
            "[::1]",
            "a b:80",
            "host:+80",
            "host:80:80",
        ] {
            assert!(of(emulator).is_some_and(|why| why.contains(&format!("{emulator:?}"))), "{emulator}");
        }
    }

    #[cfg(feature = "google")]
    #[test]
    fn endpoints_are_hosts_reached_by_tls() {
        let options = BigtableOptions::new("p", "i").without_emulator();
        let of = |endpoint: &str| {
            let data = refusal(&options.clone().endpoint(endpoint));
            assert_eq!(data, refusal(&options.clone().admin_endpoint(endpoint)));
            data
        };
        for endpoint in ["https://bigtable.googleapis.com", "https://127.0.0.1:443", "https://[::1]:1/"] {
            assert_eq!(of(endpoint), None, "{endpoint}");
        }
        for endpoint in [
            "",
            "host",
            "host:443",
            "http://host",
            "https://",
            "https://u@host",
            "https://host/a",
            "https://host?a",
            "https://host#a",
        ] {
            assert!(of(endpoint).is_some_and(|why| why.contains(&format!("{endpoint:?}"))), "{endpoint}");
        }
        for pem in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            assert!(refusal(&options.clone().ca_certificate(pem)).is_some_and(|why| why.contains("PEM")), "{pem}");
        }
    }
}
