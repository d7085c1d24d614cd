# nixpkgs: pkgs/by-name/ch/chessdb/package.nix. The program is static, so nothing has to be patched.
{
  lib,
  stdenvNoCC,
  fetchurl,
  installShellFiles,
}:

let
  version = "@version@";
  sources = {
    x86_64-linux = {
      target = "x86_64-unknown-linux-musl";
      sha256 = "@sha256:chessdb-@version@-x86_64-unknown-linux-musl.tar.xz@";
    };
    aarch64-linux = {
      target = "aarch64-unknown-linux-musl";
      sha256 = "@sha256:chessdb-@version@-aarch64-unknown-linux-musl.tar.xz@";
    };
    x86_64-darwin = {
      target = "x86_64-apple-darwin";
      sha256 = "@sha256:chessdb-@version@-x86_64-apple-darwin.tar.xz@";
    };
    aarch64-darwin = {
      target = "aarch64-apple-darwin";
      sha256 = "@sha256:chessdb-@version@-aarch64-apple-darwin.tar.xz@";
    };
  };
  source = sources.${stdenvNoCC.hostPlatform.system};
in
stdenvNoCC.mkDerivation {
  pname = "chessdb";
  inherit version;
  src = fetchurl {
    url = "@download@/chessdb-${version}-${source.target}.tar.xz";
    inherit (source) sha256;
  };
  nativeBuildInputs = [ installShellFiles ];
  installPhase = ''
    runHook preInstall
    install -D chessdb -t $out/bin
    installManPage man/*
    installShellCompletion completions/chessdb.bash completions/chessdb.fish --zsh completions/_chessdb
    runHook postInstall
  '';
  meta = {
    description = "Read, search, repair and convert chess databases";
    homepage = "@repository@";
    license = lib.licenses.gpl3Plus;
    mainProgram = "chessdb";
    platforms = builtins.attrNames sources;
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
  };
}
