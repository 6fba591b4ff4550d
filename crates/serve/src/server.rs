//! Listeners and connections.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use crate::reply::{Answer, Reply, Then};
use crate::request::{Ends, NoRequest, Request, next};

/// Stack size of a listening thread; there is one for each address.
const LISTENING_STACK: usize = 128 << 10;
/// Stack size of a thread that serves a connection.
const ANSWERING_STACK: usize = 512 << 10;
/// Time that a listener waits after an error, such as too many open files.
const ERROR_PAUSE: Duration = Duration::from_millis(10);
/// Time limit of the connection that wakes up a listener to stop it.
const WAKE: Duration = Duration::from_secs(1);

/// Limits on what clients may do.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Greatest number of open connections; further ones are closed at once.
    pub connections: usize,
    /// Greatest time that a connection may be idle, and that the head of a request may take.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 512, idle: Duration::from_secs(30) }
    }
}

/// A running server. Dropping it stops it: it accepts no more connections and closes the open ones.
#[derive(Debug)]
pub struct Server {
    addresses: Vec<SocketAddr>,
    shared: Arc<Shared>,
    listening: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    limits: Limits,
    is_stopped: AtomicBool,
    answered: AtomicU64,
    /// Number of connections accepted so far.
    accepted: AtomicU64,
    /// The open connections by number, so that they can be closed.
    open: Mutex<BTreeMap<u64, Arc<TcpStream>>>,
}

impl Server {
    /// Starts a server on one address, with the default limits.
    pub fn at<A, F>(address: A, answer: F) -> io::Result<Self>
    where
        A: ToSocketAddrs,
        F: Fn(&Request<'_>) -> Reply + Send + Sync + 'static,
    {
        Self::start(vec![TcpListener::bind(address)?], Limits::default(), answer)
    }

    /// Starts a server on the given listeners.
    pub fn start<F>(listeners: Vec<TcpListener>, limits: Limits, answer: F) -> io::Result<Self>
    where
        F: Fn(&Request<'_>) -> Reply + Send + Sync + 'static,
    {
        let addresses: io::Result<Vec<SocketAddr>> =
            listeners.iter().map(TcpListener::local_addr).collect();
        let shared = Arc::new(Shared {
            limits,
            is_stopped: AtomicBool::new(false),
            answered: AtomicU64::new(0),
            accepted: AtomicU64::new(0),
            open: Mutex::default(),
        });
        let mut server = Self { addresses: addresses?, shared, listening: Vec::new() };
        let answer = Arc::new(answer);
        for listener in listeners {
            let (shared, answer) = (Arc::clone(&server.shared), Arc::clone(&answer));
            let listen = move || listen(&listener, &shared, &answer);
            server.listening.push(thread("listen", LISTENING_STACK).spawn(listen)?);
        }
        Ok(server)
    }

    /// Returns the first address that the server listens on.
    ///
    /// # Panics
    ///
    /// Panics if the server was started without a listener.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        *self.addresses.first().expect("a server has a listener")
    }

    /// Returns the number of requests answered so far.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.shared.answered.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::SeqCst);
        for (address, listening) in self.addresses.iter().zip(self.listening.drain(..)) {
            // A connection wakes the listener up; it then sees that it must stop.
            if TcpStream::connect_timeout(&reachable(*address), WAKE).is_ok() {
                // A thread that panicked has stopped too.
                let _ = listening.join();
            }
        }
        for stream in self.shared.open().values() {
            // The client may have closed the connection already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<TcpStream>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the address by which a listener can be reached from this machine.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

fn thread(name: &str, stack: usize) -> Builder {
    Builder::new().name(name.to_owned()).stack_size(stack)
}

fn listen<F>(listener: &TcpListener, shared: &Arc<Shared>, answer: &Arc<F>)
where
    F: Fn(&Request<'_>) -> Reply + Send + Sync + 'static,
{
    for stream in listener.incoming() {
        if shared.is_stopped.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else {
            std::thread::sleep(ERROR_PAUSE);
            continue;
        };
        // Beyond the limit, the connection is closed and the client can try again.
        if let Some(connection) = Connection::new(stream, shared) {
            let answer = Arc::clone(answer);
            let serve = move || connection.serve(answer.as_ref());
            // If no thread can be started, the connection is closed and the listener continues.
            let _ = thread("answer", ANSWERING_STACK).spawn(serve);
        }
    }
}

/// A connection that counts against the limit until it is dropped.
struct Connection {
    /// Shared with the list of open connections, so that a connection takes one file descriptor.
    stream: Arc<TcpStream>,
    number: u64,
    shared: Arc<Shared>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.open().remove(&self.number);
    }
}

impl Connection {
    /// Registers a connection. Returns none if too many are open.
    fn new(stream: TcpStream, shared: &Arc<Shared>) -> Option<Self> {
        let mut open = shared.open();
        if open.len() >= shared.limits.connections {
            return None;
        }
        let number = shared.accepted.fetch_add(1, Ordering::Relaxed);
        let stream = Arc::new(stream);
        open.insert(number, Arc::clone(&stream));
        drop(open);
        Some(Self { stream, number, shared: Arc::clone(shared) })
    }

    /// Answers requests, one after the other, until either side closes the connection.
    fn serve(self, answer: &dyn Fn(&Request<'_>) -> Reply) {
        // An error means that the client is gone; there is nobody to report it to.
        let _ = self.answer_all(answer);
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    fn answer_all(&self, answer: &dyn Fn(&Request<'_>) -> Reply) -> io::Result<()> {
        let idle = self.shared.limits.idle;
        let mut stream = &*self.stream;
        stream.set_read_timeout(Some(idle))?;
        stream.set_write_timeout(Some(idle))?;
        stream.set_nodelay(true)?;
        let ends = Ends { local: stream.local_addr()?, peer: stream.peer_addr()? };
        let mut buffer = Vec::new();
        loop {
            let written = next(&mut &*stream, &mut buffer, ends, idle, |request| {
                respond(request, answer, &mut &*stream)
            });
            match written {
                Ok(then) => {
                    let then = then?;
                    self.shared.answered.fetch_add(1, Ordering::Relaxed);
                    if then == Then::Close {
                        return Ok(());
                    }
                }
                Err(NoRequest::Gone) => return Ok(()),
                Err(NoRequest::Broken) => {
                    let answer = Answer::status(400).with("Connection", "close");
                    return answer.write(&mut stream, false);
                }
            }
        }
    }
}

/// Answers one request and returns the next step for the connection.
fn respond(
    request: &Request<'_>,
    answer: &dyn Fn(&Request<'_>) -> Reply,
    out: &mut dyn io::Write,
) -> io::Result<Then> {
    if request.method != "GET" && request.method != "HEAD" {
        // The body was not read, so the next request could not be found on this connection.
        let answer = Answer::status(405).with("Allow", "GET, HEAD").with("Connection", "close");
        answer.write(out, false)?;
        return Ok(Then::Close);
    }
    let then = match answer(request) {
        Reply::Answer(answer) => {
            answer.write(out, request.method == "HEAD")?;
            answer.then()
        }
        Reply::Script(script) => script(out)?,
    };
    Ok(if request.closes() { Then::Close } else { then })
}
