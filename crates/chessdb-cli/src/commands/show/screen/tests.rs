use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;

fn screen() -> Screen {
    let text = "[Event \"Bled\"]\n[White \"Tal\"]\n[Black \"Keres\"]\n[Date \"1959.09.08\"]\n\n\
                1. e4 e5 (1... c5 2. Nf3 {Sicilian}) 2. Nf3 $1 Nc6 *";
    let mut screen = Screen::new("games.pgn", false, false);
    screen.games = vec![3, 8];
    screen.show(&Game::from_pgn(text).unwrap(), &"".parse().unwrap());
    screen
}

fn drawn(screen: &Screen, width: u16, height: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| screen.draw(frame)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn every_size_of_a_terminal_has_its_board() {
    let mut screen = screen();
    for key in [KeyCode::Right, KeyCode::Right, KeyCode::Right] {
        assert_eq!(screen.key(key), KeyAction::Nothing);
    }
    let small = drawn(&screen, 80, 24);
    assert!(small.contains("Tal – Keres"), "{small}");
    assert!(
        small.contains("1.e4 e5 (1...c5 2.Nf3 Sicilian) 2.Nf3! Nc6"),
        "{small}"
    );
    let large = drawn(&screen, 120, 40);
    assert!(large.contains("♘") && large.lines().count() == 40);
    for (width, height) in [(1, 1), (10, 5), (20, 12), (300, 100)] {
        drawn(&screen, width, height);
    }
}

#[test]
fn keys_go_through_the_game() {
    let mut screen = screen();
    let ply = |screen: &Screen| screen.moves.nodes[screen.node.unwrap()].ply;
    screen.key(KeyCode::End);
    assert_eq!(ply(&screen), 4);
    screen.key(KeyCode::Home);
    assert_eq!(screen.node, None);
    screen.key(KeyCode::Right);
    screen.key(KeyCode::Right);
    screen.key(KeyCode::Down);
    assert_eq!(screen.moves.word(screen.node.unwrap()), "1...c5");
    screen.key(KeyCode::Right);
    screen.key(KeyCode::Up);
    screen.key(KeyCode::Up);
    assert_eq!(screen.moves.word(screen.node.unwrap()), "e5");
    assert_eq!(screen.key(KeyCode::Char('n')), KeyAction::Game(1));
    assert_eq!(screen.key(KeyCode::Char('p')), KeyAction::Nothing);
    assert!(drawn(&screen, 80, 24).contains("no more games"));
    screen.key(KeyCode::Char('f'));
    assert!(drawn(&screen, 80, 24).contains("h   g   f   e"));
    screen.key(KeyCode::Char('?'));
    assert!(drawn(&screen, 80, 24).contains("flip the board"));
    screen.key(KeyCode::Char('q'));
    assert!(!drawn(&screen, 80, 24).contains("flip the board"));
    screen.key(KeyCode::Char('/'));
    for c in "Taq".chars() {
        screen.key(KeyCode::Char(c));
    }
    screen.key(KeyCode::Backspace);
    assert!(drawn(&screen, 80, 24).contains("/Ta "));
    assert_eq!(screen.key(KeyCode::Enter), KeyAction::Find("Ta".to_owned()));
    assert_eq!(screen.key(KeyCode::Char('q')), KeyAction::End);
}

#[test]
fn moves_played_in_the_position_are_shown_and_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("games.pgn");
    std::fs::write(&base, "1. e4 e5 1-0\n\n1. e4 c5 0-1\n").unwrap();
    let open = || Database::options().index(true).open(&base).unwrap();
    open().write_index(|_| {}).unwrap();
    let db = open();
    let mut screen = screen();
    screen.look_up(&db).unwrap();
    assert!(drawn(&screen, 80, 24).contains("e4               2   50 %    0 %"));
    for (width, height) in [(1, 1), (10, 5), (20, 12), (300, 100)] {
        drawn(&screen, width, height);
    }
    screen.key(KeyCode::Right);
    screen.look_up(&db).unwrap();
    let shown = drawn(&screen, 80, 24);
    assert!(
        shown.contains("e5               1  100 %") && shown.contains("c5  "),
        "{shown}"
    );
    screen.key(KeyCode::Char('t'));
    screen.look_up(&db).unwrap();
    assert!(!drawn(&screen, 80, 24).contains("100 %"));
}
