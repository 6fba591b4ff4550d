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
use crate::request::{NoRequest, Request, next};

/// The stack of a thread that waits for connections, of which there is one for each address.
const LISTENING_STACK: usize = 128 << 10;
/// The stack of a thread that answers.
const ANSWERING_STACK: usize = 512 << 10;
/// How long a listener rests after an error, such as too many open files.
const REST: Duration = Duration::from_millis(10);
/// How long a listener is waited for to notice that it is to stop.
const WAKE: Duration = Duration::from_secs(1);

/// How much a server lets others do.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// How many connections are served at a time; whoever comes then is turned away.
    pub connections: usize,
    /// How long a connection may say nothing, and how long the head of a request may take.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connections: 512, idle: Duration::from_secs(30) }
    }
}

/// A server. It stops when it is dropped: no connection is taken any more, and those that are open are shut.
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
    /// How many connections were taken up so far.
    taken: AtomicU64,
    /// The open connections by number, to shut them.
    open: Mutex<BTreeMap<u64, TcpStream>>,
}

impl Server {
    /// Starts to listen at one address, with the usual limits.
    pub fn at<A, F>(address: A, answer: F) -> io::Result<Self>
    where
        A: ToSocketAddrs,
        F: Fn(&Request<'_>) -> Reply + Send + Sync + 'static,
    {
        Self::start(vec![TcpListener::bind(address)?], Limits::default(), answer)
    }

    /// Answers what comes to some listeners.
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
            taken: AtomicU64::new(0),
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

    /// The first of the addresses that it listens at.
    ///
    /// # Panics
    ///
    /// If it was started without a listener.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        *self.addresses.first().expect("a server has a listener")
    }

    /// How many requests were answered so far.
    #[must_use]
    pub fn answered(&self) -> u64 {
        self.shared.answered.load(Ordering::Relaxed)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_stopped.store(true, Ordering::SeqCst);
        for (address, listening) in self.addresses.iter().zip(self.listening.drain(..)) {
            // A connection wakes it up, and it sees that it is to stop.
            if TcpStream::connect_timeout(&reachable(*address), WAKE).is_ok() {
                // A thread that panicked has stopped too.
                let _ = listening.join();
            }
        }
        for stream in self.shared.open().values() {
            // One that is gone need not be shut.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Shared {
    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, TcpStream>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where a listener at an address can be reached from this machine.
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
            std::thread::sleep(REST);
            continue;
        };
        // Whoever has too many comes again; a stream that cannot be cloned is closed.
        if let Some(connection) = Connection::new(stream, shared) {
            let answer = Arc::clone(answer);
            let converse = move || connection.converse(answer.as_ref());
            // Without a thread the connection is closed, and the listener goes on.
            let _ = thread("answer", ANSWERING_STACK).spawn(converse);
        }
    }
}

/// A connection that is counted for as long as it is there.
struct Connection {
    stream: TcpStream,
    number: u64,
    shared: Arc<Shared>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.open().remove(&self.number);
    }
}

impl Connection {
    /// Takes a connection up, unless there are too many.
    fn new(stream: TcpStream, shared: &Arc<Shared>) -> Option<Self> {
        let mut open = shared.open();
        if open.len() >= shared.limits.connections {
            return None;
        }
        let number = shared.taken.fetch_add(1, Ordering::Relaxed);
        open.insert(number, stream.try_clone().ok()?);
        drop(open);
        Some(Self { stream, number, shared: Arc::clone(shared) })
    }

    /// Answers requests, one after the other, until one side has enough.
    fn converse(self, answer: &dyn Fn(&Request<'_>) -> Reply) {
        // Whoever breaks off is gone.
        let _ = self.answer_all(answer);
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    fn answer_all(&self, answer: &dyn Fn(&Request<'_>) -> Reply) -> io::Result<()> {
        let idle = self.shared.limits.idle;
        let mut stream = &self.stream;
        stream.set_read_timeout(Some(idle))?;
        stream.set_write_timeout(Some(idle))?;
        stream.set_nodelay(true)?;
        let local = stream.local_addr()?;
        let mut buffer = Vec::new();
        loop {
            let written = next(&mut &*stream, &mut buffer, local, idle, |request| {
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

/// Answers one request.
fn respond(
    request: &Request<'_>,
    answer: &dyn Fn(&Request<'_>) -> Reply,
    out: &mut dyn io::Write,
) -> io::Result<Then> {
    if request.method != "GET" && request.method != "HEAD" {
        // The connection cannot go on after a body that was not read.
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
