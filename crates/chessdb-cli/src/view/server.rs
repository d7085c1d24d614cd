//! The server: access control, and the answers to requests.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::analysis::analyse;
use super::http::{
    BAD, BUSY, Connection, FORBIDDEN, NO_METHOD, NOT_FOUND, OK, Request, SEE_OTHER, Status,
};
use super::library::{Library, SessionJob, piece_channel, session};

/// The time after which a closed page is considered gone; a reload closes it for a moment.
const GRACE: Duration = Duration::from_secs(4);
/// The maximum number of pages open at a time. Each has the database open.
const MAX_PAGES: usize = 8;
/// The maximum number of connections at a time that have sent the secret.
const MAX_CONNECTIONS: usize = 96;
/// The maximum number of other connections. Each program of any user on this machine can open them,
/// so that one more ends the oldest instead of being refused.
const MAX_STRANGERS: usize = 64;
/// The time that each connection has for its first request, however many others come. A browser
/// sends it with the connection.
const MIN_PATIENCE: Duration = Duration::from_millis(50);

/// The page's bytes, and whether they are compressed with gzip.
pub(super) struct Page {
    pub(super) bytes: Vec<u8>,
    pub(super) is_packed: bool,
}

/// A server for one user's browser.
pub(super) struct Server {
    page: Page,
    library: Arc<Library>,
    /// The user's engine, if there is one.
    engine: Option<PathBuf>,
    /// The number of engines at work.
    engines: AtomicUsize,
    port: u16,
    /// The secret part of every address, known only to the user.
    token: String,
    /// A secret that opens the page once, because other users of the machine can read the command
    /// line of the browser.
    once: Mutex<Option<String>>,
    sessions: Mutex<Sessions>,
    changed: Condvar,
    /// The connections that have not sent the secret yet, oldest first.
    strangers: Mutex<VecDeque<Stranger>>,
    /// The number of the other connections.
    connections: AtomicUsize,
}

/// A connection that has not sent the secret yet.
struct Stranger {
    stream: Arc<TcpStream>,
    since: Instant,
}

/// The open pages.
#[derive(Default)]
struct Sessions {
    pages: BTreeMap<u32, Sender<SessionJob>>,
    last: u32,
}

/// The kind of a request.
enum Endpoint {
    Once,
    Page,
    Alive,
    Call,
    Save,
    Analyse,
}

/// Returns 128 random bits as hexadecimal digits.
fn secret() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    }))
}

/// Compares in constant time, so that timing does not reveal the first difference.
fn is_same(a: &str, b: &str) -> bool {
    let differences = a
        .bytes()
        .zip(b.bytes())
        .fold(0, |all, (a, b)| all | (a ^ b));
    a.len() == b.len() && differences == 0
}

impl Server {
    /// Opens a free port on the loopback interface.
    pub(super) fn open(
        page: Page,
        library: Library,
        engine: Option<PathBuf>,
    ) -> io::Result<(Arc<Server>, TcpListener)> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let server = Server {
            page,
            library: Arc::new(library),
            engine,
            engines: AtomicUsize::new(0),
            port: listener.local_addr()?.port(),
            token: secret()?,
            once: Mutex::new(Some(secret()?)),
            sessions: Mutex::default(),
            changed: Condvar::new(),
            strangers: Mutex::default(),
            connections: AtomicUsize::new(0),
        };
        Ok((Arc::new(server), listener))
    }

    /// Returns the address of the page.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Returns an address that redirects to the page once.
    pub(super) fn address_once(&self) -> String {
        let once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        let word = once.as_deref().unwrap_or_default();
        format!("http://127.0.0.1:{}/once/{word}", self.port)
    }

    /// Accepts connections forever.
    pub(super) fn accept_connections(self: &Arc<Server>, listener: &TcpListener) {
        for stream in listener.incoming() {
            // For example out of file handles; the next one may work again.
            let Ok(stream) = stream else {
                thread::sleep(Duration::from_millis(20));
                continue;
            };
            let stream = Arc::new(stream);
            self.admit(&stream);
            let server = Arc::clone(self);
            let serve = move || {
                // A broken connection does not concern the others.
                let _ = server.serve(&stream);
                server.forget(&stream);
            };
            // Without a thread the connection is closed, and its browser tries again.
            let _ = thread::Builder::new().spawn(serve);
        }
    }

    /// Counts a new connection as a stranger. If there are too many, the oldest ends.
    fn admit(&self, stream: &Arc<TcpStream>) {
        let mut strangers = self.strangers();
        while strangers.len() >= MAX_STRANGERS
            && let Some(oldest) = strangers.front()
        {
            match MIN_PATIENCE.checked_sub(oldest.since.elapsed()) {
                Some(remaining) if !remaining.is_zero() => {
                    drop(strangers);
                    thread::sleep(remaining);
                    strangers = self.strangers();
                }
                _ => {
                    // Its thread sees the end of the stream.
                    let _ = oldest.stream.shutdown(Shutdown::Both);
                    strangers.pop_front();
                }
            }
        }
        strangers.push_back(Stranger {
            stream: Arc::clone(stream),
            since: Instant::now(),
        });
    }

    /// Removes a connection from the strangers.
    fn forget(&self, stream: &Arc<TcpStream>) {
        let is_other = |stranger: &Stranger| !Arc::ptr_eq(&stranger.stream, stream);
        self.strangers().retain(is_other);
    }

    fn strangers(&self) -> MutexGuard<'_, VecDeque<Stranger>> {
        self.strangers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until at least one page has been open and all pages are closed.
    pub(super) fn wait_until_closed(&self) {
        let mut sessions = self.sessions();
        loop {
            // Before the first page, the browser is still starting.
            if sessions.last == 0 || !sessions.pages.is_empty() {
                let changed = self.changed.wait(sessions);
                sessions = changed.unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let none = |sessions: &mut Sessions| sessions.pages.is_empty();
            let waited = self.changed.wait_timeout_while(sessions, GRACE, none);
            let (again, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            if timeout.timed_out() {
                return;
            }
            sessions = again;
        }
    }

    fn sessions(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, stream: &Arc<TcpStream>) -> io::Result<()> {
        let mut connection = Connection::new(Arc::clone(stream))?;
        let mut counted = None;
        while let Some(request) = connection.next()? {
            match self.authorize(&request) {
                Ok(endpoint) => {
                    // The request had the secret, so the connection no longer competes with
                    // strangers.
                    if counted.is_none() {
                        self.forget(stream);
                        let Some(place) = CountedConnection::new(&self.connections) else {
                            return connection.refuse(BUSY);
                        };
                        counted = Some(place);
                        connection.trust()?;
                    }
                    if !self.respond(&mut connection, &endpoint, request)? {
                        break;
                    }
                }
                Err(status) => return connection.refuse(status),
            }
        }
        Ok(())
    }

    /// Returns the kind of a request, if it is permitted.
    fn authorize(&self, request: &Request) -> Result<Endpoint, Status> {
        // Rejects foreign host names that resolve to this machine (DNS rebinding).
        let names = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let host = request.host.as_ref().ok_or(BAD)?;
        if !names.contains(host) {
            return Err(FORBIDDEN);
        }
        // Requests of other sites' pages in the same browser.
        let own = format!("http://{host}");
        if request.origin.as_ref().is_some_and(|origin| *origin != own) {
            return Err(FORBIDDEN);
        }
        let mut parts = request.path.strip_prefix('/').unwrap_or("").splitn(2, '/');
        let (first, rest) = (parts.next().unwrap_or(""), parts.next());
        let method = request.method.as_str();
        if first == "once" {
            let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
            let is_right = |word: &String| is_same(word, rest.unwrap_or_default());
            // The word is used up, so that no one can open the page with it again.
            return match (method, once.take_if(|word| is_right(word))) {
                ("GET", Some(_)) => Ok(Endpoint::Once),
                _ => Err(FORBIDDEN),
            };
        }
        if !is_same(first, &self.token) {
            return Err(FORBIDDEN);
        }
        let (endpoint, wanted) = match rest {
            Some("") => (Endpoint::Page, "GET"),
            Some("alive") => (Endpoint::Alive, "GET"),
            Some("call") => (Endpoint::Call, "POST"),
            Some("save") => (Endpoint::Save, "POST"),
            Some("analyse") => (Endpoint::Analyse, "POST"),
            _ => return Err(NOT_FOUND),
        };
        let is_page = matches!(endpoint, Endpoint::Page);
        let is_foreign = |site: &String| !matches!(site.as_str(), "same-origin" | "none");
        // A link on another site may open the page, but only the page may send the rest.
        if !is_page && request.site.as_ref().is_some_and(is_foreign) {
            return Err(FORBIDDEN);
        }
        if method == wanted { Ok(endpoint) } else { Err(NO_METHOD) }
    }

    /// Answers a request. Returns whether the connection can be reused.
    fn respond(
        &self,
        to: &mut Connection,
        endpoint: &Endpoint,
        request: Request,
    ) -> io::Result<bool> {
        match endpoint {
            Endpoint::Once => {
                let header = format!("Location: /{}/\r\n", self.token);
                to.answer(SEE_OTHER, &header, &[])?;
            }
            Endpoint::Page => {
                let packed = if self.page.is_packed { "Content-Encoding: gzip\r\n" } else { "" };
                let header = format!("Content-Type: text/html; charset=utf-8\r\n{packed}");
                to.answer(OK, &header, &self.page.bytes)?;
            }
            Endpoint::Alive => {
                self.hold_session(to)?;
                return Ok(false);
            }
            Endpoint::Analyse => {
                self.analyse(to, &request)?;
                return Ok(false);
            }
            Endpoint::Call | Endpoint::Save => {
                let page = request.query.parse().ok();
                let page = page.and_then(|page: u32| self.sessions().pages.get(&page).cloned());
                let text = String::from_utf8(request.body);
                let (Some(page), Ok(text)) = (page, text) else {
                    to.refuse(NOT_FOUND)?;
                    return Ok(false);
                };
                if matches!(endpoint, Endpoint::Save) {
                    save(to, &page, text)?;
                    return Ok(false);
                }
                // A buffer for the only answer, so that the session never waits for this thread.
                let (answer, answers) = mpsc::sync_channel(1);
                let sent = page.send(SessionJob::Call(text, answer));
                let answer = sent.ok().and_then(|()| answers.recv().ok());
                let header = "Content-Type: application/json\r\n";
                to.answer(OK, header, answer.unwrap_or_default().as_bytes())?;
            }
        }
        Ok(true)
    }

    /// Lets the engine analyse for a page that is open.
    fn analyse(&self, to: &mut Connection, request: &Request) -> io::Result<()> {
        let page = request.query.parse().ok();
        let is_open = page.is_some_and(|page: u32| self.sessions().pages.contains_key(&page));
        let text = std::str::from_utf8(&request.body);
        let (true, Some(engine), Ok(text)) = (is_open, &self.engine, text) else {
            return to.refuse(NOT_FOUND);
        };
        let before = self.engines.fetch_add(1, Ordering::Relaxed);
        let done = if before < MAX_PAGES { analyse(to, engine, text) } else { to.refuse(BUSY) };
        self.engines.fetch_sub(1, Ordering::Relaxed);
        done
    }

    /// Registers a page for as long as its connection is open.
    fn hold_session(&self, to: &mut Connection) -> io::Result<()> {
        let mut sessions = self.sessions();
        if sessions.pages.len() >= MAX_PAGES {
            drop(sessions);
            return to.refuse(BUSY);
        }
        sessions.last += 1;
        let number = sessions.last;
        sessions.pages.insert(number, session(&self.library));
        // Other pages must not wait for this one, which stays open for hours.
        drop(sessions);
        self.changed.notify_all();
        let greeted = to
            .begin()
            .and_then(|()| to.write(format!("{number}\n").as_bytes()));
        if greeted.is_ok() {
            to.wait_for_close();
        }
        self.sessions().pages.remove(&number);
        self.changed.notify_all();
        greeted
    }
}

/// One of at most [`MAX_CONNECTIONS`], until it is dropped.
struct CountedConnection<'c>(&'c AtomicUsize);

impl CountedConnection<'_> {
    fn new(count: &AtomicUsize) -> Option<CountedConnection<'_>> {
        let counted = CountedConnection(count);
        (count.fetch_add(1, Ordering::Relaxed) < MAX_CONNECTIONS).then_some(counted)
    }
}

impl Drop for CountedConnection<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Sends the pieces of a new database as they are produced. If the page is closed, the receiver is
/// dropped and the work stops.
fn save(to: &mut Connection, page: &Sender<SessionJob>, request: String) -> io::Result<()> {
    let (sender, receiver) = piece_channel();
    if page.send(SessionJob::Save(request, sender)).is_err() {
        return to.refuse(NOT_FOUND);
    }
    to.begin()?;
    receiver.iter().try_for_each(|piece| to.write(&piece))
}

#[cfg(test)]
mod tests {
    use super::{is_same, secret};

    #[test]
    fn secrets_are_long_and_differ() {
        let (a, b) = (secret().unwrap(), secret().unwrap());
        assert_eq!((a.len(), b.len()), (32, 32));
        assert!(is_same(&a, &a) && !is_same(&a, &b));
        assert!(!is_same(&a, "") && !is_same(&a, a.get(..31).unwrap()));
    }
}
