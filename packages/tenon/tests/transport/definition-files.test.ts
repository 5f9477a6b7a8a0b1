import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { loadResources, loadTools, NodeServer } from "../../src/transport/node/index.js";
import { createClient } from "../../src/testing/index.js";
import { runModule } from "../../../../tests/support/run-module.js";
import { readSourceFiles, ROOT } from "../../../../tools/source-files.js";

const folder = mkdtempSync(join(tmpdir(), "tenon-"));
const toolsFile = join(folder, "tools.json");
const resourcesFile = join(folder, "resources.json");
writeFileSync(toolsFile, '[{"name":"echo","inputSchema":{"type":"object","required":["text"]}}]');
writeFileSync(resourcesFile, '[{"name":"readme","uri":"doc://readme"}]');

describe("definitions in files", () => {
  test("R6, R33: tools and resources are read from files, by path or URL, and added to existing ones", async () => {
    const server = NodeServer.builder()
      .toolsFile(toolsFile)
      .tools([{ name: "second", inputSchema: { type: "object" } }])
      .toolsJson('[{"name":"third"}]')
      .tool("fourth", { input: z.object({ n: z.number() }), handler: ({ n }) => n + 1 })
      .resourcesFile(pathToFileURL(resourcesFile))
      .build()
      .handleTool("echo", { call: ({ text }) => String(text) })
      .handleResource("readme", { call: () => "read" });
    const client = await createClient(server);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["echo", "second", "third", "fourth"]);
    expect((await client.callTool("echo", { text: "a" })).content).toEqual([{ type: "text", text: "a" }]);
    expect((await client.callTool("fourth", { n: 1 })).content).toEqual([{ type: "text", text: "2" }]);
    expect((await client.readResource("doc://readme")).contents).toEqual([
      { uri: "doc://readme", text: "read" },
    ]);
    expect(loadTools(toolsFile)[0]?.name).toBe("echo");
    expect(loadResources(resourcesFile)[0]?.uri).toBe("doc://readme");
  });

  test("a missing or invalid file fails immediately, with its name", () => {
    const missing = join(folder, "nope.json");
    expect(() => loadTools(missing)).toThrow(
      `${missing}: could not read the file (ENOENT). Check the path and its permissions.`,
    );
    const broken = join(folder, "broken.json");
    writeFileSync(broken, '[{"name":"a"},{}]');
    expect(() => NodeServer.builder().toolsFile(broken)).toThrow(
      `${broken}[1]: \`name\` must be a non-empty string; got undefined.`,
    );
    writeFileSync(broken, "[");
    expect(() => NodeServer.builder().resourcesFile(broken)).toThrow(
      `${broken}: the content is not valid JSON`,
    );
  });
});

test("files are read without process.getBuiltinModule", () => {
  const { code, stdout, stderr } = runModule(
    `
      delete process.getBuiltinModule;
      const { loadTools } = await import("${ROOT}/packages/tenon/src/transport/node/index.ts");
      console.log(process.getBuiltinModule, loadTools(${JSON.stringify(toolsFile)})[0].name);
    `,
    ["--import", "tsx"],
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toBe("undefined echo\n");
});

test("only four modules use getBuiltinModule", () => {
  const users = readSourceFiles().filter(({ text }) => /\bgetBuiltinModule\b/.test(text));
  expect(users.map(({ path }) => path)).toEqual([
    "internal/ports.ts",
    "internal/outgoing/node-network.ts",
    "tenon/client/transports/stdio.ts",
    "tenon/transport/node/builtin-fs.ts",
  ]);
});
