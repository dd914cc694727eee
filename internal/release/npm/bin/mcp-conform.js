#!/usr/bin/env node
// Runs the program that was installed for this system, with the same arguments, streams and
// exit code.
import { spawn } from "node:child_process";
import { constants } from "node:os";
import { program } from "../program.js";

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
// A signal of the terminal reaches the child by itself; others are passed on, so that the
// report is written.
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
process.on("SIGINT", () => {});
child.on("error", (problem) => {
  console.error(`mcp-conform: the program cannot be started: ${problem.message}`);
  process.exit(3);
});
child.on("close", (code, signal) => {
  process.exit(code ?? 128 + (constants.signals[signal] ?? 0));
});
