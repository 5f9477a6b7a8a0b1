/**
 * @fileoverview Hostile program, as JavaScript text: `node -e PROGRAM FILE`. It answers each request with the next group
 * of the file and an empty result, and regular calls of the tool `probe` with their result.
 * @module tools/fuzz/targets/hostile-program
 */

/** Source of the program. */
export const PROGRAM = `
const { once } = require("node:events");
const { readFileSync } = require("node:fs");
const groups = JSON.parse(readFileSync(process.argv[1], "utf8"));
const { stdout } = process;
stdout.on("error", () => process.exit());
const write = async (bytes) => { if (!stdout.write(bytes)) await once(stdout, "drain"); };
const reply = (id, result) => write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
const lines = require("node:readline").createInterface({ input: process.stdin });
lines.on("close", () => process.exit());
lines.on("line", async (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  if (method === "server/discover")
    return reply(id, { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
  if (params.name === "probe") return reply(id, { content: [{ type: "text", text: "probe" }] });
  for (const chunk of groups.shift() ?? [])
    await write(Buffer.from(Buffer.from(chunk, "base64").toString("latin1").replaceAll('"@id"', String(id)), "latin1"));
  await write("\\n");
  await reply(id, { content: [] });
});
`;
