//! The official conformance suite of the protocol, against the endpoint of a server. Its expected failures
//! are in `tools/conformance/baseline.yml`.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use kit::registries::npm;
use kit::served::Server;
use kit::unchecked::not_checked;

/// The suite, and a runtime that is new enough for it.
const PACKAGES: [&str; 2] = ["@modelcontextprotocol/conformance@0.1.16", "node@22.23.3"];

const BASELINE: &str = "tools/conformance/baseline.yml";

/// Runs every scenario for servers.
pub(super) fn run(target: &Path, program: &Path) -> Result<()> {
    let folder = match npm(&target.join("sdk/conformance"), &PACKAGES) {
        Ok(folder) => folder,
        Err(why) => {
            not_checked(&format!("{} of npm", PACKAGES.join(", ")), why);
            return Ok(());
        }
    };
    let home = tempfile::tempdir()?;
    let server = Server::start(program, home.path(), &[])?;
    let installed = folder.join("node_modules");
    let mut suite = Command::new(installed.join("node/bin/node"));
    suite
        .arg(installed.join("@modelcontextprotocol/conformance/dist/index.js"))
        .args(["server", "--suite", "all", "--url"])
        .arg(format!("{}/mcp", server.store))
        .args(["--expected-failures", BASELINE, "--output-dir"])
        .arg(home.path().join("results"));
    // Only the summary of its long output matters.
    let output = suite.output().context("the suite does not run")?;
    let said = String::from_utf8_lossy(&output.stdout);
    let summary = said
        .find("=== SUMMARY ===")
        .map_or(&*said, |at| &said[at..]);
    if !output.status.success() {
        println!("{summary}{}", String::from_utf8_lossy(&output.stderr));
        anyhow::bail!(
            "the conformance suite found what {BASELINE} does not name, or no longer needs to"
        );
    }
    let total = summary.lines().find(|line| line.starts_with("Total:"));
    println!(
        "conformance suite: {}; each failure is in {BASELINE}",
        total.unwrap_or("no total")
    );
    Ok(())
}
