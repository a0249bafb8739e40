//! The server, driven by other people's clients: the official SDKs of Python and TypeScript, in both eras of the
//! protocol, over standard input and output and over HTTP; and the official conformance suite. They come from their registries into the target
//! folder; missing ones are listed as not checked.

mod suite;

use std::process::Command;

use anyhow::Result;

use kit::registries::{npm, python, quietly, target};
use kit::steps::{program, step};
use kit::unchecked::not_checked;

/// The SDKs of Python: the last of version 1, and version 2, which speaks both eras.
const PYTHON: [&str; 2] = ["mcp==1.30.0", "mcp==2.3.0"];

/// Those of TypeScript.
const TYPESCRIPT: [&str; 2] = [
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
];

/// Plays the scenario through each of them.
fn main() -> Result<()> {
    kit::main(|_| run())
}

fn run() -> Result<()> {
    let program = program("dev")?;
    let target = target();
    for package in PYTHON {
        match python(&target, package) {
            Ok(python) => {
                let mut check = Command::new(python);
                check.arg("tools/conformance/check.py").arg(&program);
                step(package, check)?;
            }
            Err(why) => not_checked(&format!("{package} of PyPI"), why),
        }
    }
    let sdks = quietly(Command::new("node").arg("--version"))
        .and_then(|()| npm(&target.join("sdk/typescript"), &TYPESCRIPT));
    match sdks {
        Ok(folder) => {
            let mut check = Command::new("node");
            check
                .arg("tools/conformance/check.mjs")
                .arg(&program)
                .arg(folder);
            step("SDKs of TypeScript", check)?;
        }
        Err(why) => {
            not_checked(&format!("{} of npm", TYPESCRIPT.join(", ")), why);
        }
    }
    suite::run(&target, &program)
}
