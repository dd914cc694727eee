import { createRequire } from "node:module";
import { join, dirname } from "node:path";

/** The path of the program for this system. */
export function program() {
  const name = `@mcp-conform/${process.platform}-${process.arch}`;
  try {
    const about = createRequire(import.meta.url).resolve(`${name}/package.json`);
    return join(dirname(about), "bin", process.platform === "win32" ? "mcp-conform.exe" : "mcp-conform");
  } catch {
    throw new Error(
      `${name} is not installed. Install mcp-conform without --omit=optional; where there is no such package, ` +
        "build the program with go install github.com/mcp-conform/mcp-conform/cmd/mcp-conform@latest",
    );
  }
}
