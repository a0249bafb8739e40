#!/usr/bin/env node
// Runs the program of the package for this platform. Nothing is downloaded or compiled.
const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `waynote-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/waynote`);
} catch {
  const isLinux = process.platform === "linux" && ["x64", "arm64"].includes(process.arch);
  console.error(
    isLinux
      ? `waynote: the package ${name} is missing. Install again without --omit=optional.`
      : `waynote: there is no package for ${process.platform} on ${process.arch}. Build it with Rust: cargo install waynote-cli`,
  );
  process.exit(1);
}
const words = process.argv.slice(2);
// From Node.js 22.15 on, the program takes this process's place.
if (process.execve) process.execve(program, [program, ...words], process.env);
const child = spawn(program, words, { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`waynote: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
