//! Tests of `view --engine`.

#[cfg(unix)]
use std::io::{BufRead, BufReader};
#[cfg(unix)]
use std::net::TcpStream;
#[cfg(unix)]
use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::Lab;
use crate::view::View;
#[cfg(unix)]
use crate::view::answer;

/// The lines that `view` passes on until one contains `last`.
#[cfg(unix)]
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

#[cfg(unix)]
#[test]
fn the_engine_of_the_user_analyses_and_ends_with_the_question() {
    use std::os::unix::fs::PermissionsExt;

    let lab = Lab::new();
    let script = "#!/bin/sh\necho id name Fake\necho uciok\n\
                  while read -r line; do echo \"info string $$ $line\"; done\n";
    lab.write("engine.sh", script);
    let path = lab.path("engine.sh");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let view = View::of(&lab, &["games.si4", "--engine", "./engine.sh"]);
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
    let process = position.split(' ').nth(2).unwrap();
    let is_running = || {
        std::path::Path::new("/proc")
            .join(process)
            .join("stat")
            .exists()
    };
    let has_proc = is_running();
    drop(stream);
    let begun = Instant::now();
    while has_proc && is_running() {
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "the engine does not end"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
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
