# Homebrew: Formula/chessdb.rb in a tap.
class Chessdb < Formula
  desc "Read, search, repair and convert chess databases"
  homepage "@repository@"
  version "@version@"
  license "GPL-3.0-or-later"

  on_macos do
    on_arm do
      url "@download@/chessdb-@version@-aarch64-apple-darwin.tar.xz"
      sha256 "@sha256:chessdb-@version@-aarch64-apple-darwin.tar.xz@"
    end
    on_intel do
      url "@download@/chessdb-@version@-x86_64-apple-darwin.tar.xz"
      sha256 "@sha256:chessdb-@version@-x86_64-apple-darwin.tar.xz@"
    end
  end
  on_linux do
    on_arm do
      url "@download@/chessdb-@version@-aarch64-unknown-linux-musl.tar.xz"
      sha256 "@sha256:chessdb-@version@-aarch64-unknown-linux-musl.tar.xz@"
    end
    on_intel do
      url "@download@/chessdb-@version@-x86_64-unknown-linux-musl.tar.xz"
      sha256 "@sha256:chessdb-@version@-x86_64-unknown-linux-musl.tar.xz@"
    end
  end

  def install
    bin.install "chessdb"
    man1.install Dir["man/*"]
    bash_completion.install "completions/chessdb.bash" => "chessdb"
    zsh_completion.install "completions/_chessdb"
    fish_completion.install "completions/chessdb.fish"
  end

  test do
    (testpath/"a.pgn").write "1. e4 e5 *\n"
    system bin/"chessdb", "convert", "a.pgn", "a.si4"
    assert_path_exists testpath/"a.sg4"
  end
end
