//! The part of HTTP/1.1 that one browser on the same machine needs; httparse parses the request
//! headers.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The maximum size of the headers of a request.
const MAX_HEADERS: usize = 16 << 10;
/// The maximum size of the body of a request.
const MAX_BODY: usize = 1 << 20;
/// The maximum time for a request, or for a connection without one.
const TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit before the first request, which a browser sends at once.
const FIRST_TIMEOUT: Duration = Duration::from_secs(10);

/// The headers of every answer: no caching, no frames, and no access for other pages. The policy of
/// the page itself is in the page.
const HEADERS: &str = "Cache-Control: no-store\r\n\
    Content-Security-Policy: connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\n\
    Cross-Origin-Resource-Policy: same-origin\r\n\
    Referrer-Policy: no-referrer\r\n\
    X-Content-Type-Options: nosniff\r\n";

/// The parts of a request that matter here.
#[derive(Default, Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    /// The part after the `?`.
    pub(super) query: String,
    pub(super) host: Option<String>,
    pub(super) origin: Option<String>,
    /// The header `Sec-Fetch-Site`.
    pub(super) site: Option<String>,
    pub(super) body: Vec<u8>,
}

/// A status code and its text.
pub(super) type Status = (u16, &'static str);

pub(super) const OK: Status = (200, "OK");
pub(super) const SEE_OTHER: Status = (303, "See Other");
pub(super) const BAD: Status = (400, "Bad Request");
pub(super) const FORBIDDEN: Status = (403, "Forbidden");
pub(super) const NOT_FOUND: Status = (404, "Not Found");
pub(super) const NO_METHOD: Status = (405, "Method Not Allowed");
const TOO_LARGE: Status = (413, "Content Too Large");
const LONG_HEADERS: Status = (431, "Request Header Fields Too Large");
pub(super) const BUSY: Status = (503, "Service Unavailable");

/// A connection, and the bytes that have been received but not parsed yet.
pub(super) struct Connection {
    stream: Arc<TcpStream>,
    pending: Vec<u8>,
    timeout: Duration,
}

impl Connection {
    pub(super) fn new(stream: Arc<TcpStream>) -> io::Result<Connection> {
        stream.set_read_timeout(Some(FIRST_TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        // Answers are complete, so waiting for more bytes would only delay them.
        stream.set_nodelay(true)?;
        Ok(Connection {
            stream,
            pending: Vec::new(),
            timeout: FIRST_TIMEOUT,
        })
    }

    /// Gives the peer more time, now that it has proved to know the secret.
    pub(super) fn trust(&mut self) -> io::Result<()> {
        self.timeout = TIMEOUT;
        self.stream.set_read_timeout(Some(TIMEOUT))
    }

    /// Returns the next request. `None` if the peer has closed the connection, or its request was
    /// refused.
    pub(super) fn next(&mut self) -> io::Result<Option<Request>> {
        let begun = Instant::now();
        let refused = loop {
            match parse(&self.pending) {
                Ok(Some((header, length, mut request))) => {
                    let whole = header.saturating_add(length);
                    if self.pending.len() < whole {
                        if !self.more(begun)? {
                            return Ok(None);
                        }
                        continue;
                    }
                    // The bytes after it begin the next request.
                    request.body = self.pending.drain(..whole).skip(header).collect();
                    return Ok(Some(request));
                }
                Ok(None) if self.pending.len() > MAX_HEADERS => break LONG_HEADERS,
                Ok(None) => {
                    if !self.more(begun)? {
                        return Ok(None);
                    }
                }
                Err(status) => break status,
            }
        };
        self.refuse(refused)?;
        Ok(None)
    }

    /// Receives more bytes. Returns whether there were any and time is left.
    fn more(&mut self, begun: Instant) -> io::Result<bool> {
        let mut piece = [0; 8 << 10];
        let size = (&*self.stream).read(&mut piece)?;
        self.pending.extend(piece.iter().take(size));
        Ok(size > 0 && begun.elapsed() < self.timeout)
    }

    /// Sends an answer with a body. The connection remains open.
    pub(super) fn answer(&mut self, status: Status, header: &str, body: &[u8]) -> io::Result<()> {
        let (code, words) = status;
        let size = body.len();
        let header =
            format!("HTTP/1.1 {code} {words}\r\n{HEADERS}{header}Content-Length: {size}\r\n\r\n");
        // Written at once, so that a small answer is one packet.
        let mut whole = header.into_bytes();
        whole.extend_from_slice(body);
        (&*self.stream).write_all(&whole)
    }

    /// Sends an error and ends the connection.
    pub(super) fn refuse(&mut self, status: Status) -> io::Result<()> {
        let header = "Connection: close\r\nContent-Type: text/plain; charset=utf-8\r\n";
        let words = format!("{}\n", status.1);
        self.answer(status, header, words.as_bytes())?;
        self.stream.shutdown(Shutdown::Write)
    }

    /// Starts an answer that ends with the connection.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        let (code, words) = OK;
        let header = format!(
            "HTTP/1.1 {code} {words}\r\n{HEADERS}Connection: close\r\nContent-Type: application/octet-stream\r\n\r\n"
        );
        (&*self.stream).write_all(header.as_bytes())
    }

    /// Sends the next part of the answer.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        (&*self.stream).write_all(bytes)
    }

    /// Waits until the peer has closed the connection.
    pub(super) fn wait_for_close(&mut self) {
        // The system reports at once when the process or page that held the connection has ended.
        let _ = self.stream.set_read_timeout(None);
        let _ = (&*self.stream).read(&mut [0; 1]);
    }
}

/// Parses the headers. Returns their size, the size of the body, and the request; `None` if the
/// headers are incomplete.
fn parse(bytes: &[u8]) -> Result<Option<(usize, usize, Request)>, Status> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut parsed = httparse::Request::new(&mut headers);
    let size = match parsed.parse(bytes) {
        Ok(httparse::Status::Complete(size)) => size,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(BAD),
    };
    let target = parsed.path.unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
        ..Request::default()
    };
    let mut length = None;
    for header in parsed.headers.iter() {
        let slot = match header.name.to_ascii_lowercase().as_str() {
            "host" => &mut request.host,
            "origin" => &mut request.origin,
            "sec-fetch-site" => &mut request.site,
            "content-length" => &mut length,
            // A browser states the length of its small requests. A second way to measure the body
            // could be played off against it.
            "transfer-encoding" => return Err(BAD),
            _ => continue,
        };
        let value = std::str::from_utf8(header.value).map_err(|_| BAD)?;
        // A repeated header could be interpreted in two ways (request smuggling).
        if slot.replace(value.to_owned()).is_some() {
            return Err(BAD);
        }
    }
    let length = match length {
        Some(digits) => digits.parse().map_err(|_| BAD)?,
        None => 0,
    };
    if length > MAX_BODY {
        return Err(TOO_LARGE);
    }
    Ok(Some((size, length, request)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_and_an_odd_one_refused() {
        let plain =
            b"POST /a/call?7 HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 3\r\n\r\n{} ";
        let (header, length, request) = parse(plain).unwrap().unwrap();
        assert_eq!((plain.len() - header, length), (3, 3));
        assert_eq!(
            (&*request.method, &*request.path, &*request.query),
            ("POST", "/a/call", "7")
        );
        for cut in 0..plain.len() - 3 {
            assert!(parse(plain.get(..cut).unwrap()).unwrap().is_none());
        }
        for (odd, status) in [
            ("Host: a\r\nHost: b\r\n", BAD),
            ("Content-Length: 1\r\nContent-Length: 2\r\n", BAD),
            ("Content-Length: -1\r\n", BAD),
            ("Transfer-Encoding: chunked\r\n", BAD),
            ("Content-Length: 99999999\r\n", TOO_LARGE),
            ("no colon\r\n", BAD),
        ] {
            let text = format!("GET / HTTP/1.1\r\n{odd}\r\n");
            assert_eq!(parse(text.as_bytes()).unwrap_err(), status, "{odd}");
        }
    }
}
