//! Options of a client.

#[cfg(feature = "google")]
use std::sync::Arc;
use std::time::Duration;

#[cfg(feature = "google")]
use crate::credentials::Credentials;

/// The options of a client: its instance of Bigtable, connections, read-ahead and retries.
///
/// ```
/// use std::time::Duration;
///
/// use rowkey_bigtable::BigtableOptions;
///
/// let options = BigtableOptions::new("my-project", "my-instance")
///     .app_profile("batch")
///     .emulator("127.0.0.1:8086")
///     .retry_for(Duration::from_secs(10));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BigtableOptions {
    pub(crate) project: String,
    pub(crate) instance: String,
    pub(crate) app_profile: String,
    pub(crate) schema_app_profile: String,
    pub(crate) emulator: Option<String>,
    #[cfg(feature = "google")]
    pub(crate) credentials: Credentials,
    #[cfg(feature = "google")]
    pub(crate) quota_project: Option<String>,
    #[cfg(feature = "google")]
    pub(crate) ca_certificates: Vec<Arc<str>>,
    #[cfg(feature = "google")]
    pub(crate) endpoint: Option<String>,
    #[cfg(feature = "google")]
    pub(crate) admin_endpoint: Option<String>,
    pub(crate) connections: usize,
    pub(crate) connection_age: Duration,
    pub(crate) connect_timeout: Duration,
    pub(crate) attempt_timeout: Duration,
    pub(crate) scan_memory: usize,
    pub(crate) largest_row: usize,
    pub(crate) retry_for: Duration,
}

impl BigtableOptions {
    /// An instance of the service, or of the emulator if the environment has `BIGTABLE_EMULATOR_HOST`: by the id of its
    /// Google Cloud project, and its own.
    pub fn new(project: impl Into<String>, instance: impl Into<String>) -> Self {
        Self {
            project: project.into(),
            instance: instance.into(),
            app_profile: String::new(),
            schema_app_profile: String::new(),
            emulator: named("BIGTABLE_EMULATOR_HOST"),
            #[cfg(feature = "google")]
            credentials: Credentials::default(),
            #[cfg(feature = "google")]
            quota_project: named("GOOGLE_CLOUD_QUOTA_PROJECT"),
            #[cfg(feature = "google")]
            ca_certificates: Vec::new(),
            #[cfg(feature = "google")]
            endpoint: None,
            #[cfg(feature = "google")]
            admin_endpoint: None,
            connections: 4,
            connection_age: Duration::from_secs(45 * 60),
            connect_timeout: Duration::from_secs(10),
            attempt_timeout: Duration::from_secs(60),
            scan_memory: 16 << 20,
            largest_row: 512 << 20,
            retry_for: Duration::from_secs(60),
        }
    }

    /// The id of the app profile. Default: empty, the instance's default profile.
    #[must_use]
    pub fn app_profile(mut self, id: impl Into<String>) -> Self {
        self.app_profile = id.into();
        self
    }

    /// The id of the app profile for the table `rowkey.schemas`. Default: empty, [`app_profile`](Self::app_profile).
    ///
    /// The first opening of a table, and an alteration, write conditionally to it. The profile has to allow that:
    /// single-row transactions, and so one cluster. With a profile of several clusters for the data, name one of one
    /// cluster here.
    #[must_use]
    pub fn schema_app_profile(mut self, id: impl Into<String>) -> Self {
        self.schema_app_profile = id.into();
        self
    }

    /// The address of an emulator, `host:port`, which is reached without TLS and credentials. Default: the environment
    /// variable `BIGTABLE_EMULATOR_HOST`, as in Google's clients; without it the service.
    #[must_use]
    pub fn emulator(mut self, address: impl Into<String>) -> Self {
        self.emulator = Some(address.into());
        self
    }

    /// No emulator, although the environment variable `BIGTABLE_EMULATOR_HOST` is set: Google's service.
    #[must_use]
    pub fn without_emulator(mut self) -> Self {
        self.emulator = None;
        self
    }

    /// The number of connections, 1 to 256. Default: 4. A request takes the one with the fewest open requests. When
    /// each has 100 open, or as many as the server allows, more are opened, up to 256; idle ones are closed again. A
    /// scan of 16 buckets counts as 16 requests. Scans with a small read-ahead have connections of their own: as many
    /// again for each of three sizes.
    #[must_use]
    pub fn connections(mut self, connections: usize) -> Self {
        self.connections = connections;
        self
    }

    /// The age at which a connection is replaced. Default: 45 minutes. The service closes connections after an hour; a
    /// new one is opened and warmed before it is used.
    #[must_use]
    pub fn connection_age(mut self, age: Duration) -> Self {
        self.connection_age = age;
        self
    }

    /// The longest time for connecting. Default: 10 seconds.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// The longest time of an attempt, or of the wait for the next rows of a scan, the next split points, or the next
    /// outcomes of a write of many rows. After it a request that can be repeated is sent again. What creates, changes
    /// or drops tables or ranges of rows has the time of its handle instead, once it is sent. Default: 60 seconds.
    #[must_use]
    pub fn attempt_timeout(mut self, timeout: Duration) -> Self {
        self.attempt_timeout = timeout;
        self
    }

    /// The approximate number of bytes that all open scans of the client read ahead together. Default: 16 MiB. A scan
    /// reads ahead as much as its `batch_bytes` allow. When this budget is used up, it still reads ahead 1 KiB a
    /// bucket, or one row if that is larger.
    #[must_use]
    pub fn scan_memory(mut self, bytes: usize) -> Self {
        self.scan_memory = bytes;
        self
    }

    /// The most bytes of a row that is read. Default: 512 MiB, twice as many as Bigtable allows, as a filter may return
    /// a cell twice. A larger one is an error that [names it](crate::BigtableError::large_row).
    #[must_use]
    pub fn largest_row(mut self, bytes: usize) -> Self {
        self.largest_row = bytes;
        self
    }

    /// The time for which requests are retried, counted from the first failure after the last progress; the last
    /// attempt may take [`attempt_timeout`](Self::attempt_timeout) more. No retry is made whose pause would end after
    /// it. Default: 60 seconds. The bounds of a handle ([`CallOptions`](rowkey::store::CallOptions)) can end an
    /// operation earlier.
    #[must_use]
    pub fn retry_for(mut self, time: Duration) -> Self {
        self.retry_for = time;
        self
    }

    /// The source of access tokens. Default: Google's application default credentials. An emulator is sent none.
    #[cfg(feature = "google")]
    #[must_use]
    pub fn credentials(mut self, credentials: Credentials) -> Self {
        self.credentials = credentials;
        self
    }

    /// The project whose quota requests use and that is billed for them. Default: the environment variable
    /// `GOOGLE_CLOUD_QUOTA_PROJECT`, or what the credentials say. An empty name: none is sent, whatever those say.
    #[cfg(feature = "google")]
    #[must_use]
    pub fn quota_project(mut self, project: impl Into<String>) -> Self {
        self.quota_project = Some(project.into());
        self
    }

    /// Adds certificates, one or more in PEM, that are trusted beside those of the public authorities: of Bigtable's
    /// endpoints, and of those that give tokens.
    #[cfg(feature = "google")]
    #[must_use]
    pub fn ca_certificate(mut self, pem: impl Into<String>) -> Self {
        self.ca_certificates.push(pem.into().into());
        self
    }

    /// The endpoint of data, `https://host` or `https://host:port`, for a private or a regional one. Default:
    /// `https://bigtable.googleapis.com`. An [`emulator`](Self::emulator) goes first.
    #[cfg(feature = "google")]
    #[must_use]
    pub fn endpoint(mut self, address: impl Into<String>) -> Self {
        self.endpoint = Some(address.into());
        self
    }

    /// The endpoint of tables, as [`endpoint`](Self::endpoint). Default: `https://bigtableadmin.googleapis.com`.
    #[cfg(feature = "google")]
    #[must_use]
    pub fn admin_endpoint(mut self, address: impl Into<String>) -> Self {
        self.admin_endpoint = Some(address.into());
        self
    }

    /// The instance's resource name.
    pub(crate) fn instance_name(&self) -> String {
        format!("projects/{}/instances/{}", self.project, self.instance)
    }
}

/// The value of an environment variable; `None` if it is not set, or empty.
fn named(variable: &str) -> Option<String> {
    std::env::var(variable).ok().filter(|value| !value.is_empty())
}
