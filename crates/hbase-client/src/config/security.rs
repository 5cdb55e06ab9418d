//! The security properties of `hbase-site.xml`.

use crate::security::Security;

/// A file's value of a property.
pub(crate) trait Get<'a>: Fn(&str) -> Option<&'a str> + Copy {}
impl<'a, F: Fn(&str) -> Option<&'a str> + Copy> Get<'a> for F {}

pub(crate) fn security<'a>(get: impl Get<'a>) -> Result<Security, String> {
    let authentication = get("hbase.security.authentication").unwrap_or("simple");
    let with_kerberos = match authentication.to_ascii_lowercase().as_str() {
        "simple" => false,
        "kerberos" => true,
        _ => {
            return Err(format!(
                "hbase.security.authentication is {authentication:?}: this client has simple and kerberos"
            ));
        }
    };
    let with_tls = flag(get, "hbase.client.netty.tls.enabled", false);
    #[cfg(not(feature = "tls"))]
    if with_tls {
        return Err("hbase.client.netty.tls.enabled is true: this needs the feature `tls` of hbase-client".into());
    }
    #[cfg(not(feature = "kerberos"))]
    if with_kerberos {
        return Err(
            "hbase.security.authentication is kerberos: this needs the feature `kerberos` of hbase-client".into()
        );
    }
    Ok(Security {
        #[cfg(feature = "tls")]
        tls: if with_tls { Some(tls(get)?) } else { None },
        #[cfg(feature = "kerberos")]
        kerberos: if with_kerberos { Some(kerberos(get)?) } else { None },
    })
}

/// As Hadoop reads it: what is neither true nor false is the default.
fn flag<'a>(get: impl Get<'a>, name: &str, default: bool) -> bool {
    match get(name).map(str::to_ascii_lowercase).as_deref() {
        Some("true") => true,
        Some("false") => false,
        _ => default,
    }
}

#[cfg(any(feature = "tls", feature = "kerberos"))]
fn list<'a>(get: impl Get<'a>, name: &str) -> Vec<&'a str> {
    get(name).unwrap_or_default().split(',').map(str::trim).filter(|item| !item.is_empty()).collect()
}

#[cfg(feature = "tls")]
fn tls<'a>(get: impl Get<'a>) -> Result<crate::security::Tls, String> {
    for name in ["hbase.rpc.tls.clr", "hbase.rpc.tls.ocsp"] {
        if flag(get, name, false) {
            return Err(format!("{name} is true: this client does not look whether certificates were revoked"));
        }
    }
    let store = |which: &str| -> Result<Option<&'a str>, String> {
        let (location, kind) = (format!("hbase.rpc.tls.{which}.location"), format!("hbase.rpc.tls.{which}.type"));
        match (get(&location), get(&kind)) {
            (Some(location), Some(kind)) if !kind.eq_ignore_ascii_case("pem") => Err(format!(
                "{kind:?} is the type of {location}, and this client reads PEM. Certificates are converted by `keytool \
                 -exportcert -rfc -keystore {location} -alias ALIAS -file trusted.pem`, a PKCS12 store with a key by \
                 `openssl pkcs12 -in {location} -nodes -out key.pem`, and JKS to PKCS12 by `keytool -importkeystore \
                 -srckeystore {location} -destkeystore store.p12 -deststoretype PKCS12`"
            )),
            (location, _) => Ok(location),
        }
    };
    let trusted =
        store("truststore")?.ok_or("hbase.rpc.tls.truststore.location is not set: nobody would be trusted")?;
    let mut tls = crate::security::Tls::new(trusted);
    if let Some(own) = store("keystore")? {
        tls = tls.certificate(own, own);
    }
    // A site that names no protocol means what its Java can speak.
    let named = match list(get, "hbase.rpc.tls.enabledProtocols") {
        named if named.is_empty() => list(get, "hbase.rpc.tls.protocol"),
        named => named,
    };
    if !named.is_empty() {
        let version = |name: &&str| match *name {
            "TLSv1.2" => Some(crate::security::TlsVersion::V1_2),
            "TLSv1.3" => Some(crate::security::TlsVersion::V1_3),
            _ => None,
        };
        let versions: Vec<_> = named.iter().filter_map(version).collect();
        if versions.is_empty() {
            return Err(format!("this client speaks TLSv1.2 and TLSv1.3, and none of {}", named.join(", ")));
        }
        tls = tls.versions(versions);
    }
    tls = tls.cipher_suites(list(get, "hbase.rpc.tls.ciphersuites"));
    tls = tls.verify_names(flag(get, "hbase.client.netty.tls.verify.server.hostname", true));
    if let Some(ms) = super::number::number(get, "hbase.client.netty.tls.handshaketimeout")? {
        tls = tls.handshake_timeout(std::time::Duration::from_millis(ms));
    }
    Ok(tls)
}

#[cfg(feature = "kerberos")]
fn kerberos<'a>(get: impl Get<'a>) -> Result<crate::security::Kerberos, String> {
    use crate::security::Protection;

    const SERVERS: &str = "hbase.regionserver.kerberos.principal";
    let servers = get(SERVERS).ok_or_else(|| format!("{SERVERS} is not set: it is whom the client has to trust"))?;
    let mut kerberos = crate::security::Kerberos::new(servers);
    if let Some(masters) = get("hbase.master.kerberos.principal") {
        kerberos = kerberos.masters(masters);
    }
    if let Some(principal) = get("hbase.client.keytab.principal") {
        if principal.contains("_HOST") {
            return Err(format!(
                "hbase.client.keytab.principal is {principal}: this client needs the host's name in it"
            ));
        }
        kerberos = kerberos.principal(principal);
    }
    if let Some(keytab) = get("hbase.client.keytab.file") {
        kerberos = kerberos.keytab(keytab);
    }
    let protection = |name: &&str| match name.to_ascii_lowercase().as_str() {
        "authentication" | "auth" => Ok(Protection::Authentication),
        "integrity" | "auth-int" => Ok(Protection::Integrity),
        "privacy" | "auth-conf" => Ok(Protection::Privacy),
        _ => Err(format!("hbase.rpc.protection has {name:?}, which is not authentication, integrity or privacy")),
    };
    let protections: Vec<_> = list(get, "hbase.rpc.protection").iter().map(protection).collect::<Result<_, _>>()?;
    if !protections.is_empty() {
        kerberos = kerberos.protections(protections);
    }
    Ok(kerberos.allow_simple(flag(get, "hbase.ipc.client.fallback-to-simple-auth-allowed", false)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(properties: &[(&str, &'static str)]) -> Result<Security, String> {
        let get = |name: &str| properties.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        security(get)
    }

    const TLS: (&str, &str) = ("hbase.client.netty.tls.enabled", "TRUE");
    const KERBEROS: (&str, &str) = ("hbase.security.authentication", "Kerberos");

    #[test]
    fn what_this_build_does_not_have_is_refused() {
        assert!(of(&[("hbase.security.authentication", "token")]).unwrap_err().contains("token"));
        #[cfg(not(feature = "tls"))]
        assert!(of(&[TLS]).unwrap_err().contains("feature `tls`"));
        #[cfg(not(feature = "kerberos"))]
        assert!(of(&[KERBEROS]).unwrap_err().contains("feature `kerberos`"));
    }

    #[cfg(feature = "tls")]
    #[test]
    fn a_site_of_tls_is_read() {
        let read = of(&[
            TLS,
            ("hbase.rpc.tls.truststore.location", "/ca.pem"),
            ("hbase.rpc.tls.truststore.type", "PEM"),
            ("hbase.rpc.tls.truststore.password", "hidden-1"),
            ("hbase.rpc.tls.keystore.location", "/own.pem"),
            ("hbase.rpc.tls.keystore.password", "hidden-2"),
            ("hbase.rpc.tls.enabledProtocols", "TLSv1.1, TLSv1.2"),
            ("hbase.rpc.tls.ciphersuites", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_AES_128_GCM_SHA256"),
            ("hbase.client.netty.tls.verify.server.hostname", "false"),
            ("hbase.client.netty.tls.handshaketimeout", "1234"),
        ]);
        let text = format!("{:?}", read.unwrap());
        for part in ["/ca.pem", "/own.pem", "verify_names: false", "[V1_2]", "TLS_AES_128_GCM_SHA256", "1.234s"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(!text.contains("hidden"), "{text}");
    }

    #[cfg(feature = "tls")]
    #[test]
    fn what_tls_cannot_do_is_refused() {
        let trusted = ("hbase.rpc.tls.truststore.location", "/ca.jks");
        for (property, told) in [
            (("hbase.rpc.tls.truststore.type", "jks"), "keytool"),
            (("hbase.rpc.tls.clr", "true"), "revoked"),
            (("hbase.rpc.tls.protocol", "TLSv1.1"), "TLSv1.2"),
            (("hbase.client.netty.tls.handshaketimeout", "soon"), "handshaketimeout"),
        ] {
            let error = of(&[TLS, trusted, property]).unwrap_err();
            assert!(error.contains(told), "{error}");
        }
        assert!(of(&[TLS]).unwrap_err().contains("truststore"));
    }

    #[cfg(feature = "kerberos")]
    #[test]
    fn a_site_of_kerberos_is_read() {
        let servers = ("hbase.regionserver.kerberos.principal", "hbase/_HOST@R");
        let read = of(&[
            KERBEROS,
            servers,
            ("hbase.master.kerberos.principal", "master/_HOST@R"),
            ("hbase.client.keytab.file", "/ada.keytab"),
            ("hbase.client.keytab.principal", "ada@R"),
            ("hbase.rpc.protection", "privacy, integrity"),
            ("hbase.ipc.client.fallback-to-simple-auth-allowed", "true"),
        ]);
        let text = format!("{:?}", read.unwrap());
        for part in ["hbase/_HOST@R", "master/_HOST@R", "/ada.keytab", "ada@R", "[Privacy, Integrity]", "simple: true"]
        {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(of(&[KERBEROS]).unwrap_err().contains("principal"));
        assert!(of(&[KERBEROS, servers, ("hbase.rpc.protection", "secret")]).unwrap_err().contains("secret"));
    }
}
