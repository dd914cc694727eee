import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { program } from "./program.js";

/** Judges a server and returns the report, as report.json has it. */
export async function judge(options = {}) {
  const out = await mkdtemp(join(tmpdir(), "mcp-conform-"));
  const args = ["run", "--quiet", "--format", "json", "--out", out];
  if (options.config) args.push("--config", options.config);
  if (options.url) args.push("--url", options.url);
  for (const [name, value] of Object.entries(options.headers ?? {})) args.push("--header", `${name}: ${value}`);
  for (const [name, value] of Object.entries(options.env ?? {})) args.push("--env", `${name}=${value}`);
  if (options.cwd) args.push("--cwd", options.cwd);
  if (options.revision) args.push("--revision", options.revision);
  for (const suite of options.suites ?? []) args.push("--suite", suite);
  for (const one of options.cases ?? []) args.push("--case", one);
  args.push(...(options.flags ?? []));
  if (options.command) args.push("--", ...options.command);
  try {
    const { code, complaint } = await run(args);
    let text;
    try {
      text = await readFile(join(out, "report.json"), "utf8");
    } catch {
      throw new Error(complaint.trim() || `mcp-conform ended with exit code ${code} and wrote no report`);
    }
    return JSON.parse(text);
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

function run(args) {
  return new Promise((resolve, reject) => {
    let complaint = "";
    const child = spawn(program(), args, { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr.on("data", (text) => (complaint += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, complaint }));
  });
}

/** The findings of a report that fail or warn, each as one line. */
export function complaints(report) {
  return report.findings
    .filter((finding) => finding.status === "fail" || finding.status === "warn")
    .map((finding) => `${finding.status} ${finding.case} at ${finding.revision} over ${finding.transport}: ${finding.problem ?? ""}`);
}
