//! Tests of `view --engine`.

use std::env;
use std::io::{BufRead, BufReader, ErrorKind, Read, stdin};
use std::net::{TcpListener, TcpStream};

use chessdb_testkit::time::patience;
use serde_json::json;

use crate::common::Lab;
use crate::view::{PAGE, View, answer};

/// The variable with the address to which the test program connects as an engine.
const ENGINE: &str = "CHESSDB_TEST_ENGINE";

/// The test program as an engine, because no other one is on every system. Its connection ends with
/// its process.
#[test]
fn acts_as_engine() {
    let Ok(address) = env::var(ENGINE) else {
        return;
    };
    let _connection = TcpStream::connect(address).unwrap();
    // The first line also has the name of this test.
    println!("\nid name Fake\nuciok");
    for line in stdin().lines() {
        println!("info string {}", line.unwrap());
    }
}

/// Creates a script that starts the engine, and returns its name.
fn write_engine(lab: &Lab) -> &'static str {
    let program = env::current_exe().unwrap();
    let command = format!(
        "\"{}\" --exact view_engine::acts_as_engine --nocapture",
        program.display()
    );
    if cfg!(windows) {
        lab.write("engine.bat", format!("@{command}\r\n"));
        return "./engine.bat";
    }
    lab.write("engine.sh", format!("#!/bin/sh\nexec {command}\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(lab.path("engine.sh"), executable).unwrap();
    }
    "./engine.sh"
}

/// The lines that `view` passes on until one contains `last`.
fn lines_until(stream: &mut BufReader<TcpStream>, last: &str) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        assert_ne!(stream.read_line(&mut line).unwrap(), 0, "{lines:?}");
        lines.push(line.trim().to_owned());
        if line.contains(last) {
            return lines;
        }
    }
}

#[test]
fn the_engine_of_the_user_analyses_and_ends_with_the_question() {
    let lab = Lab::new();
    lab.write("page.html", PAGE);
    let engine = write_engine(&lab);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = lab.command();
    command.env(ENGINE, listener.local_addr().unwrap().to_string());
    command.args(["view", "--no-open", "--page", "page.html", "games.si4"]);
    let view = View::started(command.args(["--engine", engine]));
    let (_page, number) = view.page();
    let ask = |page: &str, request: &str| {
        let (host, token, size) = (&view.host, &view.token, request.len());
        view.send(format!("POST /{token}/analyse?{page} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {size}\r\n\r\n{request}").as_bytes())
    };
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let request = json!({ "fen": fen, "lines": 2 }).to_string();
    let mut stream = BufReader::new(ask(&number, &request));
    let lines = lines_until(&mut stream, "go infinite");
    assert!(lines.iter().any(|line| line == "id name Fake"), "{lines:?}");
    assert!(
        lines.iter().any(|line| line.ends_with("MultiPV value 2")),
        "{lines:?}"
    );
    let position = lines
        .iter()
        .find(|line| line.contains("position fen"))
        .unwrap();
    assert!(position.ends_with(fen), "{position}");
    let (mut connection, _) = listener.accept().unwrap();
    drop(stream);
    connection.set_read_timeout(Some(patience(20))).unwrap();
    let has_ended = match connection.read(&mut [0]) {
        Ok(length) => length == 0,
        Err(error) => error.kind() == ErrorKind::ConnectionReset,
    };
    assert!(has_ended, "the engine does not end");
    // A page that is not open, and a position that no engine must see.
    assert_eq!(answer(ask("99", &request)).status, 404);
    let none = json!({ "fen": "8/8/8/8/8/8/8/8 w - - 0 1", "lines": 1 }).to_string();
    assert_eq!(answer(ask(&number, &none)).status, 400);
}

#[test]
fn without_an_engine_nothing_analyses_and_a_wrong_one_is_reported() {
    let lab = Lab::new();
    let request = json!({
        "fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "lines": 1
    });
    for (args, status, words) in [
        (&["games.si4"][..], 404, ""),
        (
            &["games.si4", "--engine", "./none"][..],
            200,
            "error ./none: ",
        ),
    ] {
        let view = View::of(&lab, args);
        let (_page, number) = view.page();
        let path = format!("/{}/analyse?{number}", view.token);
        let found = view.ask("POST", &path, "", &request.to_string());
        assert_eq!(found.status, status);
        let body = String::from_utf8(found.body).unwrap();
        assert!(body.contains(words), "{body}");
    }
}
