/**
 * @fileoverview Tests the registration of `save_note` on a real server: metadata, scopes, limits, and failures.
 * @module tests/mcp-server/tools/saveNoteTool/registration.test
 */
import { rateLimiter } from "@tenon/app";
import { createClient } from "tenon/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { registerSaveNoteTool } from "../../../../src/mcp-server/tools/saveNoteTool/index.js";
import { notesProvider } from "../../../../src/services/notes/notesProvider.js";
import { logged } from "../../../support/log.js";
import { createTestServer } from "../../../support/serving.js";

const NOTE = { title: "Groceries", text: "milk" };

describe("the registration of save_note", () => {
  let server: ReturnType<typeof createTestServer>;

  beforeEach(async () => {
    server = createTestServer();
    await registerSaveNoteTool(server);
  });

  afterEach(() => {
    notesProvider.close();
    rateLimiter.configure({ limit: 100 });
    rateLimiter.reset();
  });

  it("publishes the title, description, and schemas without running the handler", async () => {
    const client = await createClient(server.build());
    expect(await client.listTools()).toMatchObject([
      {
        name: "save_note",
        title: "Save Note",
        description: "Saves a note in the notebook that all clients of this server share.",
        annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
        inputSchema: { required: ["title", "text"] },
      },
    ]);
  });

  it("throws if the name is already registered", async () => {
    await expect(registerSaveNoteTool(server)).rejects.toMatchObject({
      code: "INITIALIZATION_FAILED",
    });
    expect(logged.at(-1)).toMatchObject({ level: "crit", context: { operation: "RegisterTool" } });
  });

  it("requires a scope, and logs the rejection with its context", async () => {
    const auth = { principal: "eve", scopes: ["notes:read"] };
    const client = await createClient(server.build(), { auth });
    const { content } = await client.callTool("save_note", NOTE);
    const text = "Error: Insufficient permissions. Missing required scopes: notes:write";
    expect(content).toEqual([{ type: "text", text }]);
    const errors = logged.filter(({ level }) => level === "error");
    expect(errors).toMatchObject([{ context: { toolName: "save_note" } }]);
  });

  it("is rate limited per caller", async () => {
    rateLimiter.configure({ limit: 1 });
    const save = async (principal: string) => {
      const auth = { principal, scopes: ["notes:write"] };
      const client = await createClient(server.build(), { auth });
      return (await client.callTool("save_note", NOTE)).isError ?? false;
    };
    expect([await save("ada"), await save("ada"), await save("grace")]).toEqual([
      false,
      true,
      false,
    ]);
  });
});
