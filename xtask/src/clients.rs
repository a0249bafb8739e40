//! The clients for other languages, under `clients/`: their tests with a server, and the suites of the libraries that
//! they have adapters for.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use kit::registries::{npm, python_with, quietly, target};
use kit::steps::{program, step};
use kit::unchecked::not_checked;

/// The compiler of TypeScript, and the SDK that the memory tool is for.
const TYPESCRIPT: [&str; 3] = [
    "typescript@5.9.3",
    "@types/node@20.19.0",
    "@anthropic-ai/sdk@1.14.0",
];

/// The libraries of the suites, and what runs them.
const SUITES: [&str; 8] = [
    "anthropic==2.14.0",
    "langchain-tests==1.1.9",
    "langgraph-checkpoint==4.3.2",
    "langgraph-checkpoint-sqlite==3.1.2",
    "mypy==2.4.1",
    "pytest==9.2.0",
    "pytest-asyncio==1.5.0",
    "pytest-mock==3.17.0",
];

/// Tests that need only Python and Node.
pub(crate) fn check() -> Result<()> {
    let program = program("dev")?;
    let tests = "-Wignore -m unittest discover --start-directory clients/python/tests";
    let tests: Vec<&str> = tests.split(' ').collect();
    with("python3", "client for Python", &program, &tests)?;
    let tests = ["--test", "clients/typescript/tests/client.test.mjs"];
    with("node", "client for TypeScript", &program, &tests)
}

/// Runs tests by an interpreter, if the machine has it.
fn with(interpreter: &str, name: &str, program: &Path, arguments: &[&str]) -> Result<()> {
    if let Err(why) = quietly(Command::new(interpreter).arg("--version")) {
        not_checked(name, why);
        return Ok(());
    }
    let mut tests = Command::new(interpreter);
    tests.args(arguments).env("WAYNOTE_PROGRAM", program);
    step(name, tests)
}

/// Compiles the tests, beside the packages that they import.
fn in_typescript(folder: &Path) -> Result<()> {
    let copy = folder.join("typescript");
    let mut copied = Command::new("cp");
    copied.args(["-rT", "clients/typescript"]).arg(&copy);
    step("client for TypeScript, copied", copied)?;
    let mut compiler = Command::new(folder.join("node_modules/.bin/tsc"));
    compiler.arg("--project").arg(copy.join("tests"));
    step("types of the client for TypeScript", compiler)?;
    let mut tests = Command::new("node");
    tests
        .arg("--test")
        .arg(copy.join("tests/anthropic.test.mjs"));
    step("memory tool in Anthropic's SDK", tests)
}

/// The types, the suites of the libraries, and the memory tool in an SDK: with packages of npm and PyPI.
pub(crate) fn suites() -> Result<()> {
    match npm(&target().join("clients"), &TYPESCRIPT) {
        Ok(folder) => in_typescript(&folder)?,
        Err(why) => not_checked(&format!("{} of npm", TYPESCRIPT.join(", ")), why),
    }
    let program = program("dev")?;
    let folder = target().join("python/clients");
    let python = match python_with(&folder, &SUITES) {
        Ok(python) => python,
        Err(why) => {
            not_checked(&format!("{} of PyPI", SUITES.join(", ")), why);
            return Ok(());
        }
    };
    let mut suites = Command::new(python);
    suites
        .arg("clients/python/tests/suites.py")
        .arg(folder.join("suites"))
        .env("WAYNOTE_PROGRAM", program)
        .env("PYTHONPATH", "clients/python");
    step("suites of the clients' adapters", suites)
}
