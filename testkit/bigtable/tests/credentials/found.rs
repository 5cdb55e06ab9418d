//! Application default credentials: which source is taken, and all reasons if there is none. Environments are of
//! processes, so each case is a process of its own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;

const IS_PROCESS: &str = "ROWKEY_IS_PROCESS";

/// The credentials that a process found: the header of its request, or the error.
fn found(environment: &[(&str, &Path)]) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "found::process", "--nocapture"]).env_clear();
    // The machine of the test may have one.
    child.env("NO_GCE_CHECK", "true").env(IS_PROCESS, "");
    let environment: BTreeMap<_, _> = environment.iter().copied().collect();
    let output = child.envs(environment).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let said = text.split_once("found: ").unwrap_or_else(|| panic!("{text}")).1;
    said.lines().next().unwrap().to_owned()
}

/// The program of the processes that the other tests start.
#[test]
fn process() {
    if std::env::var_os(IS_PROCESS).is_none() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let place = Place::new(|_| give(200, &token("t"))).await;
        match place.headers(Credentials::application_default()).await {
            Ok((authorization, project)) => println!("found: {authorization} {project:?}"),
            Err(error) => println!("found: {:?}: {error}", error.kind()),
        }
    });
}

/// A folder that is removed.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rowkey-{name}-{}", std::process::id()));
        std::fs::create_dir_all(path.join(".config/gcloud")).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn user(address: &str) -> String {
    json!({
        "type": "authorized_user", "client_id": "i", "client_secret": "s", "refresh_token": "r",
        "token_uri": format!("http://{address}/token"),
    })
    .to_string()
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_first_source_that_is_there_is_taken() {
    let answers = |wanted: &Wanted| match wanted.path.split('/').nth(1) {
        Some("token") => give(200, &token("of the file")),
        _ => give(200, &token("of the machine")),
    };
    let (server, address) = TokenServer::start(answers).await;
    let home = Folder::new("home");
    let file = home.write("named.json", &user(&address));
    let gcloud = home.write(
        "gcloud",
        "#!/bin/sh\necho '{\"credential\": {\"access_token\": \"of gcloud\", \"token_expiry\": \"2126-01-02T03:04:05Z\"}}'\n",
    );
    std::fs::set_permissions(&gcloud, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let (host, project) = (Path::new(&address), Path::new("billed"));
    // Nobody listens there.
    let nowhere = Path::new("127.0.0.1:1");
    let all = [
        ("GOOGLE_APPLICATION_CREDENTIALS", file.as_path()),
        ("GCE_METADATA_HOST", host),
        ("HOME", &home.0),
        ("PATH", &home.0),
    ];
    assert_eq!(found(&all), "Bearer of the file None");
    assert_eq!(found(&all[1..]), "Bearer of the machine None");
    let with_project = [all[1], all[2], ("GOOGLE_CLOUD_QUOTA_PROJECT", project)];
    assert_eq!(found(&with_project), "Bearer of the machine Some(\"billed\")");
    // A metadata server that is named is waited for.
    let error = found(&[("GCE_METADATA_HOST", nowhere), all[2], all[3]]);
    assert!(error.starts_with("Busy") && error.contains("GCE_METADATA_HOST: the metadata server"), "{error}");
    // One that is not named may not be there.
    assert_eq!(found(&all[2..]), "Bearer of gcloud None");
    // The clock is ahead.
    let past = std::fs::read_to_string(&gcloud).unwrap().replace("2126", "2020");
    std::fs::write(&gcloud, past).unwrap();
    assert_eq!(found(&all[2..]), "Bearer of gcloud None");
    home.write(".config/gcloud/application_default_credentials.json", &user(&address));
    assert_eq!(found(&all[1..]), "Bearer of the file None");
    let config = home.write("application_default_credentials.json", "{}");
    let error = found(&[("CLOUDSDK_CONFIG", &home.0), all[1]]);
    assert!(error.starts_with("InvalidInput") && error.contains(config.to_str().unwrap()), "{error}");
    // A file that is named is not passed over.
    let missing = home.0.join("missing.json");
    let error = found(&[("GOOGLE_APPLICATION_CREDENTIALS", &missing), all[1], all[2]]);
    assert!(error.starts_with("PermissionDenied") && error.contains(missing.to_str().unwrap()), "{error}");
    assert!(error.contains("GOOGLE_APPLICATION_CREDENTIALS"), "{error}");
    assert!(!server.wanted().is_empty());
}

#[test]
fn without_any_all_reasons_are_told() {
    let home = Folder::new("empty");
    let error = found(&[("HOME", &home.0), ("APPDATA", &home.0), ("PATH", &home.0)]);
    assert!(error.starts_with("PermissionDenied: "), "{error}");
    let file = home.0.join(".config/gcloud/application_default_credentials.json");
    let file = if cfg!(windows) { "application_default_credentials.json" } else { file.to_str().unwrap() };
    for reason in ["GOOGLE_APPLICATION_CREDENTIALS is not set", file, "the metadata server", "gcloud: not on the PATH"]
    {
        assert!(error.contains(reason), "{reason}: {error}");
    }
}
