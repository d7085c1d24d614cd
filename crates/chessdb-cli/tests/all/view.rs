//! Tests of `view`: access control of the server, and its end. The page is tested in a browser by
//! web/test/all.mjs.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::Lab;

pub(crate) const PAGE: &str = "<!doctype html><title>page</title>";

/// A running `chessdb view`.
pub(crate) struct View {
    child: Child,
    _out: BufReader<ChildStdout>,
    pub(crate) host: String,
    pub(crate) token: String,
}

/// An answer of the server.
pub(crate) struct Answer {
    pub(crate) status: u16,
    header: String,
    pub(crate) body: Vec<u8>,
}

impl View {
    pub(crate) fn of(lab: &Lab, args: &[&str]) -> View {
        lab.write("page.html", PAGE);
        let mut command = lab.command();
        command.args(["view", "--no-open", "--page", "page.html"]);
        View::started(command.args(args))
    }

    pub(crate) fn started(command: &mut std::process::Command) -> View {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let rest = line.trim_end().strip_prefix("http://").unwrap();
        let (host, token) = rest.split_once('/').unwrap();
        View {
            host: host.to_owned(),
            token: token.trim_end_matches('/').to_owned(),
            _out: out,
            child,
        }
    }

    pub(crate) fn send(&self, text: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let patience = Some(Duration::from_secs(20));
        stream.set_read_timeout(patience).unwrap();
        // The request may be refused before all of it is sent.
        let _ = stream.write_all(text);
        stream
    }

    /// Sends a request with the correct host and these additional lines.
    pub(crate) fn ask(&self, method: &str, path: &str, lines: &str, body: &str) -> Answer {
        let (host, size) = (&self.host, body.len());
        let text = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {size}\r\n{lines}\r\n{body}"
        );
        answer(self.send(text.as_bytes()))
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "", "")
    }

    /// Opens a page, which stays open as long as the stream, and returns its number.
    pub(crate) fn page(&self) -> (BufReader<TcpStream>, String) {
        let (host, token) = (&self.host, &self.token);
        let text = format!("GET /{token}/alive HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let mut stream = BufReader::new(self.send(text.as_bytes()));
        let mut line = String::new();
        while stream.read_line(&mut line).unwrap() > 2 {
            line.clear();
        }
        line.clear();
        stream.read_line(&mut line).unwrap();
        (stream, line.trim().to_owned())
    }

    pub(crate) fn call(&self, page: &str, request: &Value) -> Value {
        let path = format!("/{}/call?{page}", self.token);
        let answer = self.ask("POST", &path, "", &request.to_string());
        assert_eq!(answer.status, 200);
        serde_json::from_slice(&answer.body).unwrap()
    }

    /// Waits until the program has ended by itself.
    fn outlast(mut self) -> i32 {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(30) {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code().unwrap();
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("it does not end");
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads one answer. Without a length it ends with the connection.
pub(crate) fn answer(stream: TcpStream) -> Answer {
    let mut stream = BufReader::new(stream);
    let (mut header, mut line) = (String::new(), String::new());
    while stream.read_line(&mut line).unwrap() > 2 {
        header += &line;
        line.clear();
    }
    let mut words = header.split(' ');
    let status = words.nth(1).and_then(|code| code.parse().ok());
    let length = header
        .lines()
        .find_map(|line| line.strip_prefix("Content-Length: "));
    let mut body = Vec::new();
    match length.map(|length| length.parse().unwrap()) {
        Some(length) => {
            body.resize(length, 0);
            stream.read_exact(&mut body).unwrap();
        }
        None => {
            let _ = stream.read_to_end(&mut body);
        }
    }
    Answer {
        status: status.unwrap_or(0),
        header,
        body,
    }
}

#[test]
fn the_page_asks_and_is_answered_and_its_end_is_that_of_the_program() {
    let lab = Lab::new();
    let before = lab.names();
    let view = View::of(&lab, &["games.si4"]);
    let page = view.get(&format!("/{}/", view.token));
    assert_eq!((page.status, &*page.body), (200, PAGE.as_bytes()));
    for wanted in [
        "frame-ancestors 'none'",
        "Cache-Control: no-store",
        "Referrer-Policy: no-referrer",
        "Cross-Origin-Resource-Policy: same-origin",
    ] {
        assert!(page.header.contains(wanted), "{}", page.header);
    }
    let (first, number) = view.page();
    let bases = view.call(&number, &json!({ "op": "bases" }));
    assert_eq!(bases["bases"][0]["name"], "games.si4");
    let info = view.call(&number, &json!({ "op": "open", "base": 0 }));
    assert_eq!(
        (&info["games"], &info["format"]["id"]),
        (&json!(3), &json!("si4"))
    );
    // A second page has its own list.
    let (second, other) = view.page();
    view.call(&other, &json!({ "op": "open", "base": 0 }));
    let begun = view.call(
        &other,
        &json!({ "op": "start", "task": "filter", "query": "Karpov" }),
    );
    let step = json!({ "op": "step", "task": begun["task"], "most": 99 });
    assert_eq!(view.call(&other, &step)["result"]["found"], 1);
    let rows = json!({ "op": "rows", "from": 0, "count": 9 });
    assert_eq!(
        view.call(&other, &rows)["rows"].as_array().unwrap().len(),
        1
    );
    assert_eq!(
        view.call(&number, &rows)["rows"].as_array().unwrap().len(),
        3
    );
    drop(first);
    std::thread::sleep(Duration::from_millis(300));
    let gone = view.ask("POST", &format!("/{}/call?{number}", view.token), "", "{}");
    assert_eq!(gone.status, 404);
    // The page is reloaded.
    drop(second);
    std::thread::sleep(Duration::from_millis(500));
    let (third, number) = view.page();
    let bases = view.call(&number, &json!({ "op": "bases" }));
    assert_eq!(bases["bases"].as_array().unwrap().len(), 1);
    drop(third);
    assert_eq!(view.outlast(), 0);
    let mut after = lab.names();
    after.retain(|name| name != "page.html");
    assert_eq!(after, before, "nothing is left behind");
}

#[test]
fn nobody_else_is_let_in() {
    let lab = Lab::new();
    let view = View::of(&lab, &["games.pgn"]);
    let (_alive, number) = view.page();
    let (token, host) = (&view.token, &view.host);
    let wrong = "0".repeat(32);
    for path in [
        "/".to_owned(),
        "/favicon.ico".to_owned(),
        format!("/{wrong}/"),
        format!("/{wrong}/call?{number}"),
        format!("/{}/", &token[..31]),
        format!("/once/{wrong}"),
        "/once/".to_owned(),
        format!("/once/{token}"),
    ] {
        assert_eq!(view.get(&path).status, 403, "{path}");
    }
    let call = format!("/{token}/call?{number}");
    let bases = "{\"op\":\"bases\"}";
    for line in [
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Origin: http://127.0.0.1:1\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
    ] {
        assert_eq!(view.ask("POST", &call, line, bases).status, 403, "{line}");
    }
    let own = format!("Origin: http://{host}\r\nSec-Fetch-Site: same-origin\r\n");
    assert_eq!(view.ask("POST", &call, &own, bases).status, 200);
    // An attacker's host name that resolves to this machine (DNS rebinding).
    for name in [
        "evil.example",
        "evil.example:80",
        "127.0.0.1",
        "127.0.0.1:1",
    ] {
        let text = format!("GET /{token}/ HTTP/1.1\r\nHost: {name}\r\n\r\n");
        assert_eq!(answer(view.send(text.as_bytes())).status, 403, "{name}");
    }
    let text = format!("GET /{token}/ HTTP/1.0\r\n\r\n");
    assert_eq!(answer(view.send(text.as_bytes())).status, 400);
    for (method, path, status) in [
        ("GET", call.as_str(), 405),
        ("OPTIONS", call.as_str(), 405),
        ("PUT", &format!("/{token}/"), 405),
        ("GET", &format!("/{token}/../games.pgn"), 404),
        ("GET", &format!("/{token}/games.pgn"), 404),
        ("POST", &format!("/{token}/call?99"), 404),
        ("POST", &format!("/{token}/call"), 404),
    ] {
        assert_eq!(
            view.ask(method, path, "", "").status,
            status,
            "{method} {path}"
        );
    }
}

#[test]
fn garbage_is_refused_and_harms_nobody() {
    let lab = Lab::new();
    let view = View::of(&lab, &["games.pgn"]);
    let (_alive, number) = view.page();
    let long = format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "x".repeat(40_000));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(200));
    let path = format!("/{}/call?{number}", view.token);
    let large = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nContent-Length: 9999999\r\n\r\n",
        view.host
    );
    for (text, status) in [
        (
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".as_slice(),
            400,
        ),
        (b"\0\0\0\0\r\n\r\n", 400),
        (long.as_bytes(), 431),
        (many.as_bytes(), 400),
        (large.as_bytes(), 413),
    ] {
        assert_eq!(answer(view.send(text)).status, status);
    }
    // Half a request, then the connection is closed.
    let half = view.send(b"GET / HT");
    half.shutdown(Shutdown::Both).unwrap();
    for body in ["", "[]", "{\"op\":\"open\",\"base\":7}", "\u{1}\u{2}"] {
        let answer = view.ask("POST", &path, "", body);
        assert_eq!(answer.status, 200, "{body}");
        assert!(answer.body.starts_with(b"{\"error\""), "{body}");
    }
    let bases = view.call(&number, &json!({ "op": "bases" }));
    assert_eq!(bases["bases"][0]["name"], "games.pgn");
}

#[test]
fn two_at_once_know_nothing_of_each_other_and_one_that_is_killed_leaves_nothing() {
    let lab = Lab::new();
    let before: Vec<Vec<u8>> = lab.names().iter().map(|name| lab.read(name)).collect();
    let (one, mut two) = (
        View::of(&lab, &["games.si4"]),
        View::of(&lab, &["games.si4"]),
    );
    assert_ne!((&one.token, &one.host), (&two.token, &two.host));
    assert_eq!(one.get(&format!("/{}/", two.token)).status, 403);
    let ((_a, first), (_b, second)) = (one.page(), two.page());
    for (view, page) in [(&one, &first), (&two, &second)] {
        let info = view.call(page, &json!({ "op": "open", "base": 0 }));
        assert_eq!(info["games"], 3);
    }
    two.child.kill().unwrap();
    two.child.wait().unwrap();
    assert!(TcpStream::connect(&two.host).is_err());
    let rows = one.call(&first, &json!({ "op": "rows", "from": 0, "count": 9 }));
    assert_eq!(rows["rows"].as_array().unwrap().len(), 3);
    drop(one);
    std::fs::remove_file(lab.path("page.html")).unwrap();
    let after: Vec<Vec<u8>> = lab.names().iter().map(|name| lab.read(name)).collect();
    assert!(after == before);
    let again = View::of(&lab, &["games.si4"]);
    assert_eq!(again.get(&format!("/{}/", again.token)).status, 200);
}

/// Returns the pieces of a save: JSON and data.
fn pieces(mut body: &[u8]) -> Vec<(Value, Vec<u8>)> {
    let mut pieces = Vec::new();
    while !body.is_empty() {
        let (lengths, rest) = body.split_at(8);
        let length =
            |at: usize| u32::from_le_bytes(lengths[at..at + 4].try_into().unwrap()) as usize;
        let (words, rest) = rest.split_at(length(0));
        let (bytes, rest) = rest.split_at(length(4));
        pieces.push((serde_json::from_slice(words).unwrap(), bytes.to_owned()));
        body = rest;
    }
    pieces
}

#[test]
fn what_is_saved_is_what_convert_writes_and_can_be_broken_off() {
    let lab = Lab::new();
    let view = View::of(&lab, &["games.si4"]);
    lab.run(["convert", "-q", "games.si4", "again.pgn"])
        .expect(0);
    let (_alive, number) = view.page();
    view.call(&number, &json!({ "op": "open", "base": 0 }));
    let path = format!("/{}/save?{number}", view.token);
    let request = json!({ "format": "pgn", "scope": "all" }).to_string();
    let pieces = pieces(&view.ask("POST", &path, "", &request).body);
    assert_eq!(pieces[0].0, json!(["create", "pgn"]));
    let (words, report) = pieces.last().unwrap();
    assert_eq!(*words, json!(["done"]));
    let report: Value = serde_json::from_slice(report).unwrap();
    assert_eq!(report["report"]["written"], 3);
    let written = pieces.iter().filter(|(words, _)| words[0] == "write");
    let written: Vec<u8> = written.flat_map(|(_, bytes)| bytes.clone()).collect();
    assert_eq!(written, lab.read("again.pgn"));
    drop(view);

    lab.write(
        "long.pgn",
        "[White \"A\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n".repeat(100_000),
    );
    let view = View::of(&lab, &["long.pgn"]);
    let (_alive, number) = view.page();
    view.call(&number, &json!({ "op": "open", "base": 0 }));
    let (token, host, size) = (&view.token, &view.host, request.len());
    let text = format!(
        "POST /{token}/save?{number} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {size}\r\n\r\n{request}"
    );
    let mut stream = view.send(text.as_bytes());
    stream.read_exact(&mut [0; 1000]).unwrap();
    drop(stream);
    // The session can be used again, and the database is still open.
    let rows = view.call(
        &number,
        &json!({ "op": "rows", "from": 99_999, "count": 9 }),
    );
    assert_eq!(rows["rows"].as_array().unwrap().len(), 1);
}

#[test]
fn folders_charsets_and_what_cannot_be_shown() {
    let lab = Lab::new();
    lab.write(
        "sub/letters.pgn",
        b"[White \"\xd2\xe0\xeb\xfc\"]\n\n1. e4 *\n".as_slice(),
    );
    lab.write("sub/other.pgn", "[White \"Keres\"]\n\n1. e4 *\n");
    let view = View::of(&lab, &["sub", "-e", "windows-1251"]);
    let (_alive, number) = view.page();
    let bases = view.call(&number, &json!({ "op": "bases" }));
    let names: Vec<&str> = bases["bases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|base| base["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["letters.pgn", "other.pgn"]);
    for (encoding, name) in [("", "Таль"), ("IBM866", "╥ры№"), ("", "Таль")] {
        view.call(
            &number,
            &json!({ "op": "open", "base": 0, "encoding": encoding }),
        );
        let game = view.call(&number, &json!({ "op": "game", "game": 0 }));
        assert_eq!(game["white"], name);
    }
    drop(view);
    lab.write("nothing.txt", "no games");
    for base in ["absent.si4", "nothing.txt"] {
        let ran = lab.run(["view", "--no-open", "--page", "page.html", base]);
        ran.expect(3);
    }
    lab.run(["view", "--no-open", "--page", "absent.html", "games.pgn"])
        .expect(3);
}

/// Other users can see the command line of a browser, so its address opens the page only once.
#[cfg(target_os = "linux")]
#[test]
fn the_browser_gets_an_address_that_works_once() {
    use std::os::unix::fs::PermissionsExt;

    let lab = Lab::new();
    lab.write("page.html", PAGE);
    lab.write(
        "bin/xdg-open",
        "#!/bin/sh\necho \"$1\" > \"$ADDRESS.tmp\"\nmv \"$ADDRESS.tmp\" \"$ADDRESS\"\n",
    );
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(lab.path("bin/xdg-open"), executable).unwrap();
    let mut path = std::ffi::OsString::from(lab.path("bin"));
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut command = lab.command();
    command
        .env("PATH", path)
        .env("ADDRESS", lab.path("address"));
    let view = View::started(command.args(["view", "--page", "page.html", "games.pgn"]));
    let begun = Instant::now();
    while !lab.path("address").exists() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let address = lab.text("address");
    let (_, once) = address.trim().split_once("/once/").unwrap();
    assert_ne!(once, view.token);
    let path = format!("/once/{once}");
    let first = view.get(&path);
    assert_eq!(first.status, 303);
    assert!(
        first
            .header
            .contains(&format!("Location: /{}/\r\n", view.token)),
        "{}",
        first.header
    );
    assert_eq!(view.get(&path).status, 403);
}
