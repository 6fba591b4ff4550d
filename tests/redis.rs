//! A Redis server, or a cluster of three, on loopback for one test.

use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The variable that turns a missing redis-server from a reason to skip a test into a failure.
const REQUIRED: &str = "ONTRAIL_TEST_REDIS";
/// The time that a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server with its own folder, which ends with the test.
#[derive(Debug)]
pub struct Redis {
    folder: TempDir,
    port: u16,
    /// The port for connections with TLS, if there is one.
    tls_port: Option<u16>,
    options: Vec<String>,
    child: Child,
}

/// Returns true if tests with a server can run. Otherwise says so, unless they must run.
///
/// # Panics
///
/// If they must run, because `ONTRAIL_TEST_REDIS` is `required`.
#[must_use]
#[allow(clippy::print_stdout, reason = "whoever runs the tests should see that some were skipped")]
pub fn is_installed() -> bool {
    let found = Command::new("redis-server").arg("--version").stdout(Stdio::null()).status();
    let is_there = found.is_ok_and(|status| status.success());
    let is_required = std::env::var(REQUIRED).is_ok_and(|value| value == "required");
    assert!(is_there || !is_required, "redis-server is not installed");
    if !is_there {
        println!("skipped: redis-server is not installed");
    }
    is_there
}

impl Redis {
    /// Starts a server that keeps a journal on disk.
    ///
    /// # Panics
    ///
    /// If it does not start.
    #[must_use]
    pub fn start(options: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self::start_in(folder, options, None)
    }

    /// Starts a server that also takes connections with TLS. Its folder has the certificate of the
    /// authority that signed its own, `ca.pem`, and that of another authority, `other.pem`.
    ///
    /// # Panics
    ///
    /// If it does not start.
    #[must_use]
    pub fn start_with_tls() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        make_certificates(folder.path());
        let file = |name: &str| folder.path().join(name).display().to_string();
        let (port, certificate, key, ca) =
            (free_port(), file("server.pem"), file("server.key"), file("ca.pem"));
        let port_text = port.to_string();
        let files = ["--tls-cert-file", &certificate, "--tls-key-file", &key];
        let others = ["--tls-ca-cert-file", &ca, "--tls-auth-clients", "no"];
        let options = [&["--tls-port", &port_text][..], &files, &others].concat();
        Self::start_in(folder, &options, Some(port))
    }

    fn start_in(folder: TempDir, options: &[&str], tls_port: Option<u16>) -> Self {
        let options: Vec<String> = options.iter().map(|it| (*it).to_owned()).collect();
        let port = free_port();
        let child = launch(folder.path(), port, &options);
        let server = Self { folder, port, tls_port, options, child };
        server.wait();
        server
    }

    /// Returns the folder of the server.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the URL for connections with TLS.
    ///
    /// # Panics
    ///
    /// If the server takes none.
    #[must_use]
    pub fn tls_url(&self) -> String {
        format!("rediss://127.0.0.1:{}", self.tls_port.expect("a server with TLS"))
    }

    /// Starts three masters that make a cluster, each with as many replicas.
    ///
    /// # Panics
    ///
    /// If the cluster does not come up.
    #[must_use]
    pub fn cluster(replicas: usize) -> Vec<Self> {
        let nodes: Vec<Self> = (0..3 + 3 * replicas)
            .map(|_| Self::start(&["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"]))
            .collect();
        let mut create = Command::new("redis-cli");
        create.args(["--cluster", "create"]);
        create.args(nodes.iter().map(|node| format!("127.0.0.1:{}", node.port)));
        create.args(["--cluster-replicas", &replicas.to_string()]);
        let made = create.arg("--cluster-yes").output().expect("redis-cli");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
        let started = Instant::now();
        let is_ready = |node: &Self| {
            let is_replica = || node.ask(&["role"]).starts_with("slave");
            let is_linked = || node.ask(&["info", "replication"]).contains("link_status:up");
            node.ask(&["cluster", "info"]).contains("cluster_state:ok")
                && (!is_replica() || is_linked())
        };
        while !nodes.iter().all(is_ready) {
            assert!(started.elapsed() < PATIENCE, "the cluster does not come up");
            std::thread::sleep(Duration::from_millis(100));
        }
        nodes
    }

    /// Returns the URL.
    #[must_use]
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Runs a command and returns the answer.
    ///
    /// # Panics
    ///
    /// If redis-cli cannot be run.
    #[must_use]
    pub fn ask(&self, command: &[&str]) -> String {
        let port = self.port.to_string();
        let asked = Command::new("redis-cli").args(["-p", &port]).args(command).output();
        String::from_utf8_lossy(&asked.expect("redis-cli").stdout).trim().to_owned()
    }

    /// Kills the server and starts it again with what it had on disk.
    ///
    /// # Panics
    ///
    /// If it does not come up.
    pub fn restart(&mut self) {
        self.kill();
        self.child = launch(self.folder.path(), self.port, &self.options);
        self.wait();
    }

    /// Returns true if the node of a cluster is a master.
    #[must_use]
    pub fn is_master(&self) -> bool {
        self.ask(&["role"]).starts_with("master")
    }

    /// Kills the server.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn wait(&self) {
        let started = Instant::now();
        // A server with a password refuses the question, which is an answer, too.
        while !["PONG", "NOAUTH"].iter().any(|answer| self.ask(&["ping"]).starts_with(answer)) {
            assert!(
                started.elapsed() < PATIENCE,
                "the Redis server does not answer: {}",
                self.log()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn log(&self) -> String {
        fs::read_to_string(log_file(self.folder.path())).unwrap_or_default()
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Makes certificates: of an authority, of a server that it vouches for, and of another authority.
fn make_certificates(folder: &Path) {
    fs::write(folder.join("server.ext"), "subjectAltName=IP:127.0.0.1\n").expect("a file");
    let authority = |name: &str| {
        format!(
            "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={name} -keyout {name}.key -out {name}.pem"
        )
    };
    let request = "req -newkey rsa:2048 -nodes -subj /CN=server -keyout server.key -out server.csr";
    let sign = "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
                -extfile server.ext -out server.pem";
    for arguments in [&authority("ca"), &authority("other"), request, sign] {
        let mut command = Command::new("openssl");
        command.args(arguments.split_whitespace()).current_dir(folder);
        let made = command.output().expect("openssl");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
}

fn log_file(folder: &Path) -> PathBuf {
    folder.join("redis.log")
}

fn launch(folder: &Path, port: u16, options: &[String]) -> Child {
    let log = File::options().create(true).append(true).open(log_file(folder)).expect("a log");
    let mut command = Command::new("redis-server");
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
    command.args(["--appendonly", "yes", "--appendfsync", "everysec", "--dir"]).arg(folder);
    command.args(options).stdin(Stdio::null()).stderr(Stdio::null()).stdout(log);
    command.spawn().expect("redis-server")
}

/// Returns a port that is free, with the one that a node of a cluster listens on beside it.
fn free_port() -> u16 {
    loop {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let is_free = |port| TcpStream::connect(("127.0.0.1", port)).is_err();
        if port < 50_000 && is_free(port + 10_000) {
            return port;
        }
    }
}
