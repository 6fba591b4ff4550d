//! Opens the stores, with credentials and settings from the environment.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, Checksum};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::local::LocalFileSystem;
use object_store::{ClientConfigKey, ObjectStore, Result, RetryConfig};

use crate::address::{Address, Kind};

/// Time for a request with a part of a file, so that slow lines work, too.
const REQUEST: &str = "300 seconds";
/// Time within which a request is tried again.
const RETRY: Duration = Duration::from_secs(20);

pub(crate) fn open(address: &Address) -> Result<Arc<dyn ObjectStore>> {
    // A second call changes nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = address.url().to_string();
    Ok(match address.kind {
        Kind::S3 => Arc::new(s3(url).with_retry(retry()).build()?),
        Kind::Google => {
            let timeout = GoogleConfigKey::Client(ClientConfigKey::Timeout);
            let builder = GoogleCloudStorageBuilder::from_env().with_url(url);
            Arc::new(builder.with_config(timeout, REQUEST).with_retry(retry()).build()?)
        }
        Kind::Azure => {
            let timeout = AzureConfigKey::Client(ClientConfigKey::Timeout);
            let builder = MicrosoftAzureBuilder::from_env().with_url(url);
            Arc::new(builder.with_config(timeout, REQUEST).with_retry(retry()).build()?)
        }
        Kind::Folder => Arc::new(LocalFileSystem::new().with_fsync(true)),
    })
}

fn s3(url: String) -> AmazonS3Builder {
    let timeout = AmazonS3ConfigKey::Client(ClientConfigKey::Timeout);
    let mut builder = AmazonS3Builder::from_env().with_url(url).with_config(timeout, REQUEST);
    // The store computes the checksum of what arrives and refuses what differs. A user whose server
    // does not know SHA-256 can name another algorithm.
    if std::env::var_os("AWS_CHECKSUM_ALGORITHM").is_none() {
        builder = builder.with_checksum_algorithm(Checksum::SHA256);
    }
    // Tools of AWS and most other programs use this name, too.
    if let Some(endpoint) = std::env::var_os("AWS_ENDPOINT_URL_S3") {
        builder = builder.with_endpoint(endpoint.to_string_lossy());
    }
    builder
}

/// The uploader waits and tries again itself, so a request need not do that for long.
fn retry() -> RetryConfig {
    RetryConfig { max_retries: 3, retry_timeout: RETRY, ..RetryConfig::default() }
}
