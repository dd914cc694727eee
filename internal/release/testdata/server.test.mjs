// The example of the README: a server's own tests judge the server.
import assert from "node:assert";
import test from "node:test";
import { complaints, judge } from "mcp-conform";

test("the server conforms", async () => {
  const report = await judge({ command: ["npx", "mcp-conform", "serve"], cases: ["tools/list-answered"] });
  assert.deepEqual(complaints(report), []);
  assert.equal(report.verdict.exitCode, 0);
});

test("a mistake is an error", async () => {
  await assert.rejects(judge({ command: ["x"], cases: ["no/such"] }), /no\/such/);
});
