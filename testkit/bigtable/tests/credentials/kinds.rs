//! Each kind of a file, and the metadata server.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{KeyPair, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};

use super::*;

fn user(url: &str) -> Value {
    json!({
        "type": "authorized_user", "client_id": "an id", "client_secret": "a secret&", "refresh_token": "1//r=",
        "token_uri": format!("{url}/token"),
    })
}

fn service_account(url: &str) -> Value {
    json!({
        "type": "service_account", "client_email": "a@p.iam.gserviceaccount.com", "private_key": KEY,
        "private_key_id": "k1", "token_uri": format!("{url}/token"), "universe_domain": "googleapis.com",
    })
}

fn with(mut value: Value, name: &str, field: Value) -> Value {
    value[name] = field;
    value
}

fn of(value: &Value) -> Credentials {
    Credentials::json(value.to_string())
}

/// A part of a statement that is signed.
fn part(statement: &str, at: usize) -> Value {
    let part = statement.split('.').nth(at).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

#[tokio::test]
async fn a_service_account_signs_what_it_asks_for() {
    let place = Place::new(|_| give(200, &token("of the account"))).await;
    let (authorization, project) = place.headers(of(&service_account(&place.url))).await.unwrap();
    assert_eq!((authorization.as_str(), project), ("Bearer of the account", None));
    let [wanted] = &place.server.wanted()[..] else { panic!("one request") };
    assert_eq!((wanted.method.as_str(), wanted.path.as_str()), ("POST", "/token"));
    assert_eq!(wanted.headers["content-type"], "application/x-www-form-urlencoded");
    assert_eq!(wanted.field("grant_type").unwrap(), "urn:ietf:params:oauth:grant-type:jwt-bearer");
    let statement = wanted.field("assertion").unwrap();
    assert_eq!(part(&statement, 0), json!({"alg": "RS256", "typ": "JWT", "kid": "k1"}));
    let claims = part(&statement, 1);
    assert_eq!(claims["iss"], "a@p.iam.gserviceaccount.com");
    assert_eq!(claims["aud"], format!("{}/token", place.url));
    let scope = "https://www.googleapis.com/auth/bigtable.data https://www.googleapis.com/auth/bigtable.admin";
    assert_eq!(claims["scope"], scope);
    assert_eq!(claims["exp"].as_u64().unwrap(), claims["iat"].as_u64().unwrap() + 3600);
    let (signed, signature) = statement.rsplit_once('.').unwrap();
    let der: String = KEY.lines().filter(|line| !line.starts_with('-')).collect();
    let der = base64::engine::general_purpose::STANDARD.decode(der).unwrap();
    let key = RsaKeyPair::from_pkcs8(&der).unwrap();
    let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.public_key().as_ref());
    key.verify(signed.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap()).unwrap();
}

#[tokio::test]
async fn a_user_has_a_refresh_token_and_a_quota_project() {
    let place = Place::new(|_| give(200, &token("of the user"))).await;
    let file = with(user(&place.url), "quota_project_id", "billed".into());
    let said = place.headers(of(&file)).await.unwrap();
    assert_eq!(said, ("Bearer of the user".to_owned(), Some("billed".to_owned())));
    let wanted = &place.server.wanted()[0];
    assert_eq!(wanted.field("grant_type").unwrap(), "refresh_token");
    assert_eq!(wanted.field("client_id").unwrap(), "an id");
    assert_eq!(wanted.field("client_secret").unwrap(), "a secret&");
    assert_eq!(wanted.field("refresh_token").unwrap(), "1//r=");
}

#[tokio::test]
async fn an_account_is_impersonated_by_a_user_and_by_an_account() {
    let answers = |wanted: &Wanted| match wanted.path.as_str() {
        "/token" => give(200, &token("of the source")),
        _ => give(200, &json!({"accessToken": "of the account", "expireTime": "2126-01-02T03:04:05.678Z"})),
    };
    let place = Place::new(answers).await;
    for source in [user(&place.url), service_account(&place.url)] {
        let file = json!({
            "type": "impersonated_service_account", "source_credentials": source, "delegates": ["d"],
            "service_account_impersonation_url": format!("{}/v1/a:generateAccessToken", place.url),
            "quota_project_id": "billed",
        });
        let said = place.headers(of(&file)).await.unwrap();
        assert_eq!(said, ("Bearer of the account".to_owned(), Some("billed".to_owned())));
        let wanted = place.server.wanted().pop().unwrap();
        assert_eq!(wanted.path, "/v1/a:generateAccessToken");
        assert_eq!(wanted.headers["authorization"], "Bearer of the source");
        let body: Value = serde_json::from_str(&wanted.body).unwrap();
        assert_eq!((&body["delegates"], &body["lifetime"]), (&json!(["d"]), &json!("3600s")));
        assert_eq!(body["scope"][0], "https://www.googleapis.com/auth/bigtable.data");
    }
    // The account asks for the right to impersonate.
    let statement = place.server.wanted().iter().rev().find_map(|wanted| wanted.field("assertion")).unwrap();
    assert_eq!(part(&statement, 1)["scope"], "https://www.googleapis.com/auth/cloud-platform");
}

#[tokio::test]
async fn an_external_account_exchanges_the_token_of_a_file_or_a_url() {
    let answers = |wanted: &Wanted| match wanted.path.as_str() {
        "/subject" => give(200, &json!({"its": {"a": 1}, "jwt": "from a url"})),
        "/sts" => give(200, &token("of the pool")),
        _ => give(200, &json!({"accessToken": "of the account", "expireTime": "2126-01-02T03:04:05Z"})),
    };
    let place = Place::new(answers).await;
    let path = std::env::temp_dir().join(format!("rowkey-subject-{}", std::process::id()));
    std::fs::write(&path, "from a file\n").unwrap();
    let account = |source: Value| {
        json!({
            "type": "external_account", "audience": "//iam.googleapis.com/a", "credential_source": source,
            "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": format!("{}/sts", place.url),
        })
    };
    let of_file = account(json!({"file": path}));
    let (authorization, _) = place.headers(of(&of_file)).await.unwrap();
    assert_eq!(authorization, "Bearer of the pool");
    let wanted = place.server.wanted().pop().unwrap();
    assert_eq!(wanted.field("grant_type").unwrap(), "urn:ietf:params:oauth:grant-type:token-exchange");
    assert_eq!(wanted.field("audience").unwrap(), "//iam.googleapis.com/a");
    assert_eq!(wanted.field("subject_token").unwrap(), "from a file");
    assert_eq!(wanted.field("subject_token_type").unwrap(), "urn:ietf:params:oauth:token-type:jwt");
    assert!(wanted.field("scope").unwrap().ends_with("/auth/bigtable.admin"));

    let format = json!({"type": "json", "subject_token_field_name": "jwt"});
    let source = json!({"url": format!("{}/subject", place.url), "headers": {"x-said": "so"}, "format": format});
    let account = with(account(source), "service_account_impersonation_url", format!("{}/account", place.url).into());
    let account = with(account, "service_account_impersonation", json!({"token_lifetime_seconds": 600}));
    let account = with(with(account, "client_id", "i".into()), "client_secret", "s".into());
    let (authorization, _) = place.headers(of(&account)).await.unwrap();
    assert_eq!(authorization, "Bearer of the account");
    let wanted = place.server.wanted();
    let [_, subject, sts, impersonation] = &wanted[..] else { panic!("{wanted:?}") };
    assert_eq!((subject.method.as_str(), subject.headers["x-said"].as_str()), ("GET", "so"));
    assert_eq!(sts.field("subject_token").unwrap(), "from a url");
    assert_eq!(sts.field("scope").unwrap(), "https://www.googleapis.com/auth/cloud-platform");
    assert_eq!(sts.headers["authorization"], "Basic aTpz");
    assert_eq!(impersonation.headers["authorization"], "Bearer of the pool");
    assert!(impersonation.body.contains(r#""lifetime":"600s""#), "{}", impersonation.body);

    std::fs::remove_file(&path).unwrap();
    let error = place.refused(of(&of_file), ErrorKind::PermissionDenied).await;
    assert!(error.contains(path.to_str().unwrap()), "{error}");
}

#[tokio::test]
async fn what_is_not_supported_is_refused_by_name() {
    let place = Place::new(|_| give(200, &token("t"))).await;
    let external = |source: Value| json!({"type": "external_account", "audience": "a", "credential_source": source});
    let impersonated = json!({"type": "impersonated_service_account"});
    let twice = json!({
        "type": "impersonated_service_account", "source_credentials": impersonated,
        "service_account_impersonation_url": "https://a",
    });
    let cases = [
        (json!({"type": "external_account_authorized_user"}), "\\\"external_account_authorized_user\\\""),
        (json!({"type": "gdch_service_account"}), "gdch_service_account"),
        (json!({"type": "new"}), "supported are service_account, authorized_user"),
        (external(json!({"executable": {"command": "c"}})), "`executable`"),
        (external(json!({"environment_id": "aws1"})), "AWS"),
        (external(json!({"certificate": {}})), "`certificate`"),
        (external(json!({"url": "u", "format": {"type": "xml"}})), "URL"),
        (twice, "`delegates`"),
        (with(user("https://a"), "universe_domain", "example.com".into()), "universe domain"),
    ];
    for (file, word) in cases {
        let kind = if word == "URL" { ErrorKind::InvalidInput } else { ErrorKind::Unsupported };
        let error = place.refused(of(&file), kind).await;
        assert!(error.replace('"', "\\\"").contains(word), "{word}: {error}");
    }
    assert!(place.server.wanted().is_empty());
}

#[tokio::test]
async fn a_file_that_is_not_right_is_refused_with_the_field() {
    let place = Place::new(|_| give(200, &token("t"))).await;
    let url = place.url.as_str();
    let cases = [
        (json!([]), "not an object"),
        (json!({}), "there is no `type`"),
        (json!({"type": 1}), "`type` is not a text"),
        (with(user(url), "refresh_token", Value::Null), "there is no `refresh_token`"),
        (with(user(url), "token_uri", "ftp://a".into()), "ftp://a"),
        (with(user(url), "token_uri", "http://example.com/token".into()), "https alone"),
        (with(service_account(url), "private_key", "none".into()), "`private_key`: it has no private key in PEM"),
        (
            with(service_account(url), "private_key", "-----BEGIN PRIVATE KEY-----\nMIIE".into()),
            "`private_key`: not a private key in PEM",
        ),
        (with(service_account(url), "client_email", json!(1)), "`client_email`"),
        (
            json!({"type": "impersonated_service_account", "service_account_impersonation_url": url}),
            "`source_credentials`",
        ),
    ];
    for (file, word) in cases {
        let error = place.refused(of(&file), ErrorKind::InvalidInput).await;
        assert!(error.contains(word), "{word}: {error}");
    }
    let error = place.refused(Credentials::json("{"), ErrorKind::InvalidInput).await;
    assert!(error.contains("not JSON"), "{error}");
    let error = place.refused(Credentials::file("/no/such/file"), ErrorKind::PermissionDenied).await;
    assert!(error.contains("/no/such/file"), "{error}");
    assert!(place.server.wanted().is_empty());
}

/// By a clock that is ahead a new token has ended. The service decides.
#[tokio::test]
async fn a_clock_that_is_ahead_takes_no_token_away() {
    for end in ["2020-01-02T03:04:05Z".to_owned(), soon()] {
        let answers = move |wanted: &Wanted| match wanted.path.as_str() {
            "/token" => give(200, &token("of the source")),
            _ => give(200, &json!({"accessToken": "of the account", "expireTime": end})),
        };
        let place = Place::new(answers).await;
        let file = json!({
            "type": "impersonated_service_account", "source_credentials": user(&place.url),
            "service_account_impersonation_url": format!("{}/v1/a:generateAccessToken", place.url),
        });
        assert_eq!(place.headers(of(&file)).await.unwrap().0, "Bearer of the account");
    }
}

/// A moment that comes before a token of it could be used.
fn soon() -> String {
    prost_types::Timestamp::from(std::time::SystemTime::now()).to_string()
}

#[tokio::test]
async fn a_lifetime_below_zero_is_none() {
    for seconds in [json!(0), json!(-5), json!("-5")] {
        let place = Place::new(move |_| give(200, &json!({"access_token": "t", "expires_in": seconds}))).await;
        let error = place.refused(of(&user(&place.url)), ErrorKind::Busy).await;
        assert!(error.contains("has expired"), "{error}");
    }
}

#[tokio::test]
async fn a_file_is_named_once() {
    let place = Place::new(|_| give(403, &json!("no"))).await;
    let path = std::env::temp_dir().join(format!("rowkey-odd-{}.json", std::process::id()));
    for (text, kind, word) in [
        (json!({"type": "odd"}).to_string(), ErrorKind::Unsupported, ": not supported: the type"),
        ("{}".to_owned(), ErrorKind::InvalidInput, ": there is no `type`"),
        ("[]".to_owned(), ErrorKind::InvalidInput, ": not an object"),
        ("{".to_owned(), ErrorKind::InvalidInput, ": not JSON"),
        (user(&place.url).to_string(), ErrorKind::PermissionDenied, ": the token endpoint"),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = place.refused(Credentials::file(&path), kind).await;
        let named = format!("{}{word}", path.display());
        assert!(error.contains(&named) && error.matches(path.to_str().unwrap()).count() == 1, "{error}");
    }
    std::fs::remove_file(&path).unwrap();
}

#[tokio::test]
async fn failures_of_the_endpoint_have_their_kinds() {
    let cases = [
        (
            400,
            r#"{"error": "invalid_grant", "error_description": "Token has been revoked"}"#,
            ErrorKind::PermissionDenied,
        ),
        (401, r#"{"error": "invalid_client"}"#, ErrorKind::PermissionDenied),
        (403, "no", ErrorKind::PermissionDenied),
        (408, "late", ErrorKind::Busy),
        (429, "slowly", ErrorKind::Busy),
        (500, "oh", ErrorKind::Busy),
        (503, "<html>\u{1b}[31mlater</html>", ErrorKind::Busy),
        (200, "<html>a portal</html>", ErrorKind::Other),
        (200, r#"{"token": "t"}"#, ErrorKind::Other),
    ];
    for (code, body, kind) in cases {
        let place = Place::new(move |_| Box::pin(async move { (code, body.to_owned()) })).await;
        let error = place.refused(of(&user(&place.url)), kind).await;
        assert!(error.contains(&place.url[8..]) || code == 200, "{error}");
        let quoted = if code == 200 { "the response" } else { body.split('\u{1b}').next().unwrap() };
        assert!(error.replace("\\\"", "\"").contains(quoted), "{quoted}: {error}");
        assert!(!error.contains('\u{1b}') && !error.contains("a secret"), "{error}");
        if kind != ErrorKind::Busy {
            assert_eq!(place.server.wanted().len(), 1);
        }
    }
    // Nobody listens.
    let place = Place::new(|_| give(200, &token("t"))).await;
    let error = place.refused(of(&user("http://127.0.0.1:1")), ErrorKind::Busy).await;
    assert!(error.contains("http://127.0.0.1:1/token"), "{error}");
}

#[tokio::test]
async fn the_metadata_server_is_asked_without_tls() {
    let answers = |wanted: &Wanted| match wanted.number {
        0 => give(200, &token("of the machine")),
        1 => give(404, &json!("no account")),
        _ => give(503, &json!("starting")),
    };
    let (server, address) = TokenServer::start(answers).await;
    let place = Place::new(|_| give(200, &token("t"))).await;
    let credentials = || Credentials::metadata_server_at(&address);
    assert_eq!(place.headers(credentials()).await.unwrap().0, "Bearer of the machine");
    let wanted = &server.wanted()[0];
    let path = "/computeMetadata/v1/instance/service-accounts/default/token?scopes=";
    assert!(wanted.path.starts_with(path), "{}", wanted.path);
    assert_eq!(wanted.headers["metadata-flavor"], "Google");
    let error = place.refused(credentials(), ErrorKind::PermissionDenied).await;
    assert!(error.contains(&address) && error.contains("no service account"), "{error}");
    place.refused(credentials(), ErrorKind::Busy).await;
    place.refused(Credentials::metadata_server_at("http://host/"), ErrorKind::InvalidInput).await;
}
