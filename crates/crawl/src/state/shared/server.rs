//! The connection to a Redis server or cluster.
//!
//! Whatever may pass by itself (a server that restarts, a node that fails over) is waited for;
//! everything else is an error at once. Commands that are sent together need one round trip.

use std::sync::Arc;
use std::time::{Duration, Instant};

use redis::aio::{ConnectionLike, ConnectionManager, ConnectionManagerConfig};
use redis::cluster::ClusterClientBuilder;
use redis::cluster_async::ClusterConnection;
use redis::{
    Cmd, ConnectionInfo, ErrorKind, FromRedisValue, IntoConnectionInfo, RedisError, Value,
};
use tokio::runtime::Runtime;

use super::address::{Credentials, ServerAddress};

/// The time that a worker waits for a server that does not answer before it gives up.
const PATIENCE: Duration = Duration::from_mins(10);
/// The time that a worker waits for a server at the start.
const FIRST_PATIENCE: Duration = Duration::from_secs(5);
/// The longest time until a response is expected.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The oldest version that has everything that is needed: scripts may read the clock and write.
const OLDEST: (u32, u32) = (5, 0);

/// An error with the server of a shared frontier.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The server does not answer.
    #[error("{address}: the Redis server does not answer")]
    Silent {
        /// The address.
        address: ServerAddress,
        /// The last failure.
        source: RedisError,
    },
    /// The server refuses a command.
    #[error("{address}: the Redis server refuses a command")]
    Refused {
        /// The address.
        address: ServerAddress,
        /// The server's answer.
        source: RedisError,
    },
    /// User name and password are wrong or missing.
    #[error(
        "{address}: the Redis server wants another user name or password; give them in the URL \
         (redis://USER:PASSWORD@HOST) or in ONTRAIL_REDIS_USER and ONTRAIL_REDIS_PASSWORD"
    )]
    Credentials {
        /// The address.
        address: ServerAddress,
    },
    /// The crawl was removed from the server, or the server has lost it.
    #[error(
        "{address}: the crawl is not on the server any more; somebody has dropped it, or the server \
         was restarted without an append-only file. What this worker has stored is safe"
    )]
    Dropped {
        /// The address.
        address: ServerAddress,
    },
    /// The server has no memory left.
    #[error(
        "{address}: the Redis server has no memory left; raise its maxmemory, or add a node to the \
         cluster, then resume"
    )]
    Full {
        /// The address.
        address: ServerAddress,
    },
    /// The server's settings or its version would lose links.
    #[error("{address}: {reason}")]
    Unfit {
        /// The address.
        address: ServerAddress,
        /// The reason and what to do.
        reason: String,
    },
    /// The threads for the connection cannot be started.
    #[error("cannot start the threads for the connection to the Redis server")]
    Threads(#[source] std::io::Error),
}

/// One server, or a cluster.
#[derive(Clone)]
enum Connection {
    Single(ConnectionManager),
    Cluster(ClusterConnection),
}

impl Connection {
    async fn send(&mut self, command: &Cmd) -> Result<Value, RedisError> {
        let answer = match self {
            Self::Single(connection) => connection.req_packed_command(command).await,
            Self::Cluster(connection) => connection.req_packed_command(command).await,
        };
        // An error of the server comes as a value.
        answer.and_then(Value::extract_error)
    }
}

/// A server or cluster that this process is connected to.
pub(super) struct Server {
    address: ServerAddress,
    connection: Connection,
    runtime: Runtime,
}

impl Server {
    /// Connects, and checks that the server loses nothing.
    pub(super) fn connect(
        address: &ServerAddress,
        credentials: &Credentials,
    ) -> Result<Arc<Self>, ServerError> {
        // Whoever set a provider before wins.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(ServerError::Threads)?;
        let connection = runtime.block_on(connect(address, credentials))?;
        let server = Self { address: address.clone(), connection, runtime };
        server.check()?;
        Ok(Arc::new(server))
    }

    /// Starts a task that lives as long as the connection.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(task);
    }

    /// Waits for the end of a piece of work with the server.
    pub(super) fn wait_for<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Sends a command and waits for the response.
    pub(super) fn call<T: FromRedisValue>(&self, command: &Cmd) -> Result<T, ServerError> {
        self.runtime.block_on(self.ask(command, PATIENCE))
    }

    /// Sends commands together and waits for all responses, which have the order of the commands.
    pub(super) fn call_all<T: FromRedisValue>(
        &self,
        commands: &[Cmd],
    ) -> Result<Vec<T>, ServerError> {
        self.runtime.block_on(self.ask_all(commands, PATIENCE))
    }

    /// Does the same as [`Server::call_all`] within a task, as long as `patience` lasts.
    pub(super) async fn ask_all<T: FromRedisValue>(
        &self,
        commands: &[Cmd],
        patience: Duration,
    ) -> Result<Vec<T>, ServerError> {
        let asked = commands.iter().map(|command| self.ask(command, patience));
        futures_util::future::try_join_all(asked).await
    }

    /// Sends commands together and waits for each response. The nodes of a cluster fail one by one.
    pub(super) async fn ask_each<T: FromRedisValue>(
        &self,
        commands: &[Cmd],
        patience: Duration,
    ) -> Vec<Result<T, ServerError>> {
        let asked = commands.iter().map(|command| self.ask(command, patience));
        futures_util::future::join_all(asked).await
    }

    /// Sends a command; repeats it while the server does not answer.
    pub(super) async fn ask<T: FromRedisValue>(
        &self,
        command: &Cmd,
        patience: Duration,
    ) -> Result<T, ServerError> {
        let started = Instant::now();
        let mut pause = Duration::from_millis(20);
        loop {
            let error = match self.connection.clone().send(command).await {
                Ok(value) => match T::from_redis_value(value) {
                    Ok(value) => return Ok(value),
                    Err(error) => return Err(self.refused(error.into())),
                },
                Err(error) => error,
            };
            if !may_pass(&error) {
                return Err(self.refused(error));
            }
            if started.elapsed() > patience {
                return Err(ServerError::Silent { address: self.address.clone(), source: error });
            }
            tracing::debug!(%error, "the Redis server does not answer; trying again");
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }

    /// Returns the error that a crawl is not on the server any more.
    pub(super) fn dropped(&self) -> ServerError {
        ServerError::Dropped { address: self.address.clone() }
    }

    fn refused(&self, source: RedisError) -> ServerError {
        refused(&self.address, source)
    }

    /// Refuses servers that are too old or that would drop links when their memory is full.
    fn check(&self) -> Result<(), ServerError> {
        let unfit = |reason| ServerError::Unfit { address: self.address.clone(), reason };
        let info = self.info("server")?;
        for version in info_fields(&info, "redis_version") {
            let mut parts = version.split('.').map(|part| part.parse().unwrap_or(0));
            if (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) < OLDEST {
                return Err(unfit(format!(
                    "the Redis server has version {version}; {}.{} or newer is needed",
                    OLDEST.0, OLDEST.1
                )));
            }
        }
        let memory = self.info("memory")?;
        let mut policies = info_fields(&memory, "maxmemory_policy");
        if let Some(policy) = policies.find(|policy| *policy != "noeviction") {
            return Err(unfit(format!(
                "the Redis server drops data when its memory is full (maxmemory-policy {policy}); \
                 set it to noeviction: redis-cli config set maxmemory-policy noeviction"
            )));
        }
        Ok(())
    }

    /// Returns a section of what the server says about itself.
    pub(super) fn info(&self, section: &str) -> Result<String, ServerError> {
        let mut command = redis::cmd("INFO");
        command.arg(section);
        // A cluster answers for each of its nodes.
        Ok(match self.call::<Value>(&command)? {
            Value::Map(nodes) => {
                let texts = nodes.into_iter().filter_map(|(_, text)| text_of(text));
                texts.collect::<Vec<_>>().join("\n")
            }
            value => text_of(value).unwrap_or_default(),
        })
    }

    /// Returns true if everything that the server acknowledges outlives its restart, as far as its
    /// settings tell.
    pub(super) fn is_persistent(&self) -> Result<bool, ServerError> {
        Ok(info_fields(&self.info("persistence")?, "aof_enabled").all(|it| it == "1"))
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

async fn connect(
    address: &ServerAddress,
    credentials: &Credentials,
) -> Result<Connection, ServerError> {
    let failed = |source: RedisError| {
        if may_pass(&source) {
            ServerError::Silent { address: address.clone(), source }
        } else {
            refused(address, source)
        }
    };
    let nodes: Vec<ConnectionInfo> = address
        .nodes()
        .iter()
        .map(|node| with_credentials(node.as_str(), credentials))
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    let config = ConnectionManagerConfig::new()
        .set_connection_timeout(Some(FIRST_PATIENCE))
        .set_response_timeout(Some(TIMEOUT))
        .set_number_of_retries(3)
        .set_max_delay(Duration::from_secs(1));
    let mut single = first_that_answers(&nodes, &config).await.map_err(failed)?;
    let mut info = redis::cmd("INFO");
    info.arg("cluster");
    let told = single.req_packed_command(&info).await.and_then(Value::extract_error);
    let told = told.map_err(failed)?;
    let is_cluster =
        text_of(told).is_some_and(|text| info_field(&text, "cluster_enabled") == Some("1"));
    if !is_cluster {
        return Ok(Connection::Single(single));
    }
    let mut builder = ClusterClientBuilder::new(nodes)
        .retries(3)
        .connection_timeout(FIRST_PATIENCE)
        .response_timeout(TIMEOUT);
    if let Some(password) = &credentials.password {
        builder = builder.password(password);
    }
    if let Some(user) = &credentials.user {
        builder = builder.username(user);
    }
    let client = builder.build().map_err(failed)?;
    Ok(Connection::Cluster(client.get_async_connection().await.map_err(failed)?))
}

/// Connects to the first node that answers. Returns the error of the last node if none does.
async fn first_that_answers(
    nodes: &[ConnectionInfo],
    config: &ConnectionManagerConfig,
) -> Result<ConnectionManager, RedisError> {
    let mut nodes = nodes.iter();
    loop {
        let Some(node) = nodes.next() else {
            return Err((ErrorKind::InvalidClientConfig, "no node is given").into());
        };
        let client = redis::Client::open(node.clone())?;
        match ConnectionManager::new_with_config(client, config.clone()).await {
            Err(error) if may_pass(&error) && nodes.len() > 0 => {}
            connected => return connected,
        }
    }
}

fn with_credentials(node: &str, credentials: &Credentials) -> Result<ConnectionInfo, RedisError> {
    let info = node.into_connection_info()?;
    let mut settings = info.redis_settings().clone();
    if let Some(user) = &credentials.user {
        settings = settings.set_username(user);
    }
    if let Some(password) = &credentials.password {
        settings = settings.set_password(password);
    }
    Ok(info.set_redis_settings(settings))
}

/// Returns true if an error may pass by itself: the server restarts, fails over, or cannot be
/// reached.
fn may_pass(error: &RedisError) -> bool {
    let is_busy = matches!(
        error.code(),
        Some(
            "LOADING"
                | "CLUSTERDOWN"
                | "TRYAGAIN"
                | "MASTERDOWN"
                | "READONLY"
                | "BUSY"
                | "MOVED"
                | "ASK"
                | "NOREPLICAS"
        )
    );
    is_busy
        || error.is_io_error()
        || error.is_timeout()
        || error.is_connection_dropped()
        || error.is_connection_refusal()
        || error.kind() == ErrorKind::ClusterConnectionNotFound
}

fn refused(address: &ServerAddress, source: RedisError) -> ServerError {
    let address = address.clone();
    match (source.kind(), source.code()) {
        (ErrorKind::AuthenticationFailed, _)
        | (_, Some("NOAUTH" | "WRONGPASS" | "NOPERM" | "ERR AUTH")) => {
            ServerError::Credentials { address }
        }
        (_, Some("OOM")) => ServerError::Full { address },
        (_, Some("DROPPED")) => ServerError::Dropped { address },
        _ => ServerError::Refused { address, source },
    }
}

fn text_of(value: Value) -> Option<String> {
    String::from_redis_value(value).ok()
}

/// Returns a field of what a server says about itself.
pub(super) fn info_field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    info_fields(info, name).next()
}

/// Returns a field of what each node of a cluster says about itself.
fn info_fields<'a>(info: &'a str, name: &str) -> impl Iterator<Item = &'a str> {
    info.lines().filter_map(move |line| line.trim().strip_prefix(name)?.strip_prefix(':'))
}
