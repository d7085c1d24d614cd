//! Tests of `view` with silent connections of other users of the machine.

use std::io::{BufReader, Read, Write};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::common::Lab;
use crate::view::{PAGE, View};

#[test]
fn half_open_connections_of_others_do_not_shut_the_owner_out() {
    let lab = Lab::new();
    let view = View::of(&lab, &["games.pgn"]);
    let (_alive, number) = view.page();
    let long = "x".repeat(9000);
    let (host, token) = (&view.host, &view.token);
    let slow_body = format!("POST /call HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99\r\n\r\n{{");
    let starts = [
        "",
        "G",
        "GET / HTTP/1.1\r\n",
        &format!("GET /{long}"),
        &slow_body,
        &format!("GET /{}/ HTTP/1.1\r\n", &token[..31]),
    ];
    // The connections stay open; some are closed by the server meanwhile.
    let mut strangers = Vec::new();
    let mut times = Vec::new();
    for n in 0..300 {
        strangers.push(view.send(starts[n % starts.len()].as_bytes()));
        if n % 100 != 99 {
            continue;
        }
        let begun = Instant::now();
        let page = view.get(&format!("/{token}/"));
        assert_eq!((page.status, &*page.body), (200, PAGE.as_bytes()));
        let bases = view.call(&number, &json!({ "op": "bases" }));
        assert_eq!(bases["bases"][0]["name"], "games.pgn");
        let (_second, other) = view.page();
        assert_ne!(other, number);
        times.push(begun.elapsed());
    }
    // On a busy machine the others may take longer.
    assert!(
        times.iter().min() < Some(&Duration::from_secs(1)),
        "{times:?}"
    );
    assert!(
        times.iter().max() < Some(&Duration::from_secs(8)),
        "{times:?}"
    );
    // A connection that has sent the secret once is not ended by others.
    let text = format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let mut own = view.send(text.as_bytes());
    let mut start = [0; 15];
    own.read_exact(&mut start).unwrap();
    for n in 0..100 {
        strangers.push(view.send(starts[n % starts.len()].as_bytes()));
    }
    own.write_all(text.as_bytes()).unwrap();
    let mut rest = String::new();
    let mut own = BufReader::new(own);
    while !rest.ends_with(PAGE) || rest.matches("HTTP/1.1 200").count() < 1 {
        let mut line = [0; 1];
        own.read_exact(&mut line).unwrap();
        rest.push(char::from(line[0]));
    }
}
