//! Reads certificates and keys from PEM files. Their content is never part of an error.

use std::path::Path;

use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// All certificates of a file; at least one.
pub(super) fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let bytes = read(file)?;
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    match certificates {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        Ok(_) => Err(format!("{} has no certificate", file.display())),
        Err(_) => Err(format!("{} is damaged: a section is not PEM", file.display())),
    }
}

/// The private key of a file.
pub(super) fn key(file: &Path) -> Result<PrivateKeyDer<'static>, String> {
    let bytes = read(file)?;
    if bytes.windows(ENCRYPTED.len()).any(|part| part == ENCRYPTED) {
        let name = file.display();
        return Err(format!(
            "the private key in {name} is encrypted, which this client does not read. Decrypt it: \
             openssl pkey -in {name} -out key.pem"
        ));
    }
    PrivateKeyDer::from_pem_slice(&bytes).map_err(|_| format!("{} has no private key", file.display()))
}

/// In the old and in the new form: `BEGIN ENCRYPTED PRIVATE KEY`, and a header `Proc-Type: 4,ENCRYPTED`.
const ENCRYPTED: &[u8] = b"ENCRYPTED";

fn read(file: &Path) -> Result<Vec<u8>, String> {
    let name = file.display();
    let bytes = std::fs::read(file).map_err(|error| format!("{name}: {error}"))?;
    match bytes.windows(BEGIN.len()).any(|part| part == BEGIN) {
        true => Ok(bytes),
        false => Err(format!(
            "{name} is not a PEM file. If it is a JKS or PKCS12 store, convert it: certificates by \
             `keytool -exportcert -rfc -keystore {name} -alias ALIAS -file trusted.pem`; a key by \
             `keytool -importkeystore -srckeystore {name} -destkeystore store.p12 -deststoretype PKCS12` and \
             `openssl pkcs12 -in store.p12 -nodes -out key.pem`"
        )),
    }
}

const BEGIN: &[u8] = b"-----BEGIN ";

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store");
        std::fs::write(&file, text).unwrap();
        (folder, file)
    }

    #[test]
    fn what_is_not_pem_is_refused_with_a_way_out_and_without_what_is_in_it() {
        for (text, told) in [
            ("\u{fe}\u{ed} hidden", "keytool"),
            ("-----BEGIN ENCRYPTED PRIVATE KEY-----\nhidden\n-----END ENCRYPTED PRIVATE KEY-----\n", "openssl"),
            // A key whose line breaks were lost.
            ("-----BEGIN PRIVATE KEY-----hidden", "no private key"),
            ("-----BEGIN PRIVATE KEY-----\nhidden!\n-----END PRIVATE KEY-----\n", "no private key"),
        ] {
            let (_folder, file) = of(text);
            let error = key(&file).unwrap_err();
            assert!(error.contains(told) && !error.contains("hidden"), "{error}");
        }
        let (_folder, file) = of("-----BEGIN CERTIFICATE-----hidden");
        let error = certificates(&file).unwrap_err();
        assert!(!error.contains("hidden"), "{error}");
        assert!(certificates(Path::new("/nowhere/ca.pem")).unwrap_err().contains("/nowhere/ca.pem"));
    }
}
