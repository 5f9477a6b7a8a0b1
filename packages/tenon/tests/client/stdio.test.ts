import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Client, createClient } from "../../src/client/index.js";
import { LATEST_LEGACY, MODERN_REVISIONS, type Revision } from "../../src/protocol/index.js";
import { ROOT } from "../../../../tools/source-files.js";

/** A server over stdio that can exit, and says how often it was started. */
const PROGRAM = `
import { readFileSync, writeFileSync } from "node:fs";
import { defineServer } from "${ROOT}/packages/tenon/dist/index.js";
import { serveStdio } from "${ROOT}/packages/tenon/dist/transport/stdio/index.js";
const file = process.argv[2];
const starts = Number(readFileSync(file, "utf8")) + 1;
writeFileSync(file, String(starts));
console.error("started " + starts);
await serveStdio(
  defineServer({ name: "program", version: "1" })
    .tool("starts", { handler: () => String(starts) })
    .tool("exit", { handler: () => process.exit(7) }),
);
`;

function createProgram() {
  const folder = mkdtempSync(join(tmpdir(), "tenon-client-"));
  const [program, file] = [join(folder, "program.mjs"), join(folder, "starts")];
  writeFileSync(program, PROGRAM);
  writeFileSync(file, "0");
  return { command: process.execPath, args: [program, file] };
}

function closing(client: Client): Client {
  onTestFinished(() => client.close());
  return client;
}

describe.each<Revision>([LATEST_LEGACY, ...MODERN_REVISIONS])("a client over stdio in %s", (revision) => {
  test("starts the program, and starts it again after it has exited", async () => {
    const stderr: string[] = [];
    const onStderr = (chunk: Uint8Array) => void stderr.push(new TextDecoder().decode(chunk));
    const client = closing(await createClient({ ...createProgram(), onStderr }, { revision }));
    expect(await client.callTool("starts")).toMatchObject({ content: [{ text: "1" }] });
    await expect(client.callTool("exit")).rejects.toMatchObject({
      name: "ConnectionError",
      code: "closed",
      message: "The program exited with code 7.",
    });
    const results = await Promise.all([client.callTool("starts"), client.callTool("starts")]);
    expect(results).toMatchObject([{ content: [{ text: "2" }] }, { content: [{ text: "2" }] }]);
    expect(stderr.join("")).toContain("started 2");
  });

  test("does not start the program again with `reconnect: false`", async () => {
    const client = closing(await createClient(createProgram(), { revision, reconnect: false }));
    await expect(client.callTool("exit")).rejects.toThrow(
      "exited with code 7. Standard error output:\nstarted 1",
    );
    await expect(client.callTool("starts")).rejects.toThrow("exited with code 7");
  });
});

test("gives up on a program that always exits", async () => {
  const client = closing(await createClient(createProgram()));
  for (let attempt = 0; attempt < 6; attempt++)
    await expect(client.callTool("exit")).rejects.toThrow("exited with code 7");
  await expect(client.callTool("starts")).rejects.toThrow("exited with code 7");
});

test.each([
  [{ command: "no-such-program-anywhere" }, 'Could not start "no-such-program-anywhere": program not found.'],
  [
    {
      command: process.execPath,
      args: ["-e", "process.stderr.write('no \\u001b[2Jlicense'); process.exitCode = 3"],
    },
    "The program exited with code 3. Standard error output:\nno [2Jlicense",
  ],
])("fails for %j", async (program, problem) => {
  await expect(createClient(program)).rejects.toThrow(problem);
});
