import { describe, expect, test } from "vitest";
import { runBounded } from "../../../../tools/process.js";
import { formatResults, newDiagnostics, selectNames } from "../../../../tools/official-examples/report.js";
import { rewriteImports } from "../../../../tools/official-examples/rewrite-imports.js";
import { OFFICIAL_V1, TENON_V1 } from "../../../../tools/official-examples/v1-rules.js";
import { ROOT } from "../../../../tools/source-files.js";

const tenon = (code: string) => rewriteImports("example.ts", code, TENON_V1);
const official = (code: string) => rewriteImports("example.ts", code, OFFICIAL_V1);

describe("rewriteImports", () => {
  test.each([
    ["import { McpServer } from '../../server/mcp.js';", 'import { McpServer } from "@tenon/sdk";'],
    ["import { Server as Low } from '../../server/index.js';", 'import { Server as Low } from "@tenon/sdk";'],
    ["import { McpServer } from '../../../src/server/mcp.js';", 'import { McpServer } from "@tenon/sdk";'],
    ["import type { McpServer } from '../../server/mcp.js';", 'import type { McpServer } from "@tenon/sdk";'],
    [
      "import { McpServer, type RegisteredTool } from '../../server/mcp.js';",
      'import { McpServer } from "@tenon/sdk"; import type { RegisteredTool } from "@modelcontextprotocol/sdk/server/mcp.js";',
    ],
    [
      "import { isTerminal } from '../../experimental/tasks/interfaces.js';",
      'import { isTerminal } from "@modelcontextprotocol/sdk/experimental/tasks/interfaces.js";',
    ],
    [
      "import { InMemoryEventStore } from '../shared/inMemoryEventStore.js';",
      'import { InMemoryEventStore } from "@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js";',
    ],
    ["import express, { Request } from 'express';", 'import express, { Request } from "express";'],
    ["import * as z from 'zod/v4';", 'import * as z from "zod/v4";'],
    ["import './setup.js';", 'import "./setup.js";'],
    [
      "export { McpError } from '../../types.js';",
      'export { McpError } from "@modelcontextprotocol/sdk/types.js";',
    ],
  ])("%s", (before, after) => {
    expect(tenon(before).code).toBe(after);
  });

  test("keeps everything else, and the number of every line", () => {
    const code =
      "import {\n  McpServer,\n  ResourceTemplate\n} from '../../server/mcp.js';\nnew McpServer('../../x');\n";
    const { code: rewritten, moved } = tenon(code);
    expect(rewritten).toBe(
      "import { McpServer, ResourceTemplate } from \"@tenon/sdk\";\n\n\n\nnew McpServer('../../x');\n",
    );
    expect(moved).toEqual(["McpServer", "ResourceTemplate"]);
    expect(official(code).moved).toEqual([]);
    expect(official(code).code).toBe(
      code.replace("'../../server/mcp.js'", '"@modelcontextprotocol/sdk/server/mcp.js"'),
    );
  });

  test("reports code that cannot be parsed", () => {
    expect(() => tenon("import {")).toThrow("Could not parse example.ts: ");
  });
});

describe("the report", () => {
  test("contains only diagnostics that the unmodified example does not have", () => {
    const diagnostics = new Map([
      ["official/a.ts", ["1: TS1: old"]],
      ["tenon/a.ts", ["1: TS1: old", "2: TS2: new"]],
    ]);
    expect(newDiagnostics(diagnostics, "tenon/a.ts", "official/a.ts")).toEqual(["2: TS2: new"]);
    expect(newDiagnostics(diagnostics, "tenon/b.ts", "official/b.ts")).toEqual([]);
  });

  test("is a table with the reasons", () => {
    const passed = { moved: ["McpServer"], compileErrors: [], runErrors: [] };
    const table = formatResults([
      { ...passed, name: "good" },
      { ...passed, name: "quiet", moved: [], skipped: "No client." },
      { ...passed, name: "bad", compileErrors: ["7: TS2: wrong"], runErrors: ["it\nfailed"] },
    ]);
    expect(table).toBe(
      [
        "example  compiles  runs     from Tenon",
        "good     yes       yes      McpServer",
        "quiet    yes       not run",
        "    No client.",
        "bad      no        no       McpServer",
        "    line 7: TS2: wrong",
        "    it",
        "      failed",
        "",
        "2 of 3 examples passed, 1 of them only compiled",
      ].join("\n"),
    );
  });

  test("names all examples if the wanted one does not exist", () => {
    expect(selectNames(["a", "b"], undefined)).toEqual(["a", "b"]);
    expect(selectNames(["a", "b"], "b")).toEqual(["b"]);
    expect(() => selectNames(["a", "b"], "c")).toThrow('There is no example "c". Examples: a, b.');
  });
});

describe("npm run examples:official", () => {
  test.each([
    [[], "Pass the folder of one checkout."],
    [["docs"], '"docs" is not a checkout of the official SDK (v1 or v2).'],
  ])("%j fails with a message and the usage", async (args, message) => {
    const command = ["--import", "tsx", "scripts/official-examples.ts", ...args];
    const { ok, output } = await runBounded(process.execPath, command, { cwd: ROOT, timeoutMs: 60_000 });
    expect(ok).toBe(false);
    expect(output).toContain(`${message}\n\nUsage: npm run examples:official -- CHECKOUT`);
  });
});
