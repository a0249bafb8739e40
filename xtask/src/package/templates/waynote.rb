class Waynote < Formula
  desc "Durable notes for language-model agents and their people"
  homepage "{repository}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]
  depends_on :linux
  depends_on arch: :{brew_cpu}

  url "{url}"
  sha256 "{sha256}"

  def install
    bin.install "waynote"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/waynote.bash" => "waynote"
    zsh_completion.install "completions/_waynote"
    fish_completion.install "completions/waynote.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/waynote --version")
  end
end
