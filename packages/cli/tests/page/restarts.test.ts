import { expect, test } from "vitest";
import { inspectCommand } from "../support/page/inspected.js";

/** Program that accepts every connection, and exits when its tools are listed. */
const EXITS_LATER = `
  process.stderr.write("started\\n");
  let text = "";
  process.stdin.on("data", (chunk) => {
    const lines = (text += chunk).split("\\n");
    text = lines.pop();
    for (const line of lines) reply(JSON.parse(line));
  });
  function reply({ id, method, params }) {
    if (id === undefined) return;
    if (method === "tools/list") process.exit(1);
    const result = {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "short", version: "1.0.0" },
    };
    const outcome = method === "initialize" ? { result } : { error: { code: -32601, message: "Unknown" } };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }) + "\\n");
  }`;

test("a program that exits soon after every connection is started again five times at most", async () => {
  const lines: string[] = [];
  const { client } = await inspectCommand([process.execPath, "-e", EXITS_LATER], lines);
  const failures = () => client.all("connection").filter(({ connection }) => connection.status === "failed");
  await client.until(() => (failures().length >= 4 ? true : undefined), "the last failure");
  const started = lines.filter((line) => line.includes("started")).length;
  expect(started).toBeGreaterThan(1);
  expect(started).toBeLessThanOrEqual(5);

  // The user can start it again.
  await client.command("refresh", {}).catch(() => undefined);
  await expect.poll(() => lines.filter((line) => line.includes("started")).length).toBeGreaterThan(started);
});
