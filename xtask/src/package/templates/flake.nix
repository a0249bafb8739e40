{
  description = "{summary}";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      system = "{cpu}-linux";
      pkgs = nixpkgs.legacyPackages.${system};
    in {
      packages.${system}.default = pkgs.stdenv.mkDerivation {
        pname = "waynote";
        version = "{version}";
        src = pkgs.fetchurl {
          url = "{url}";
          sha256 = "{sha256}";
        };
        nativeBuildInputs = [ pkgs.autoPatchelfHook pkgs.installShellFiles ];
        buildInputs = [ pkgs.stdenv.cc.cc.lib ];
        installPhase = ''
          install -Dm755 waynote $out/bin/waynote
          installManPage man/*.1
          installShellCompletion --bash --name waynote completions/waynote.bash
          installShellCompletion --zsh completions/_waynote --fish completions/waynote.fish
        '';
        meta.mainProgram = "waynote";
      };
    };
}
