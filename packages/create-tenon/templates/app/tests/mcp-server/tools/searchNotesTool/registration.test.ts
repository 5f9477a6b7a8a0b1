/**
 * @fileoverview Tests the registration of `search_notes` on a real server: metadata, scopes, and failures.
 * @module tests/mcp-server/tools/searchNotesTool/registration.test
 */
import { createClient } from "tenon/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { registerSearchNotesTool } from "../../../../src/mcp-server/tools/searchNotesTool/index.js";
import { notesProvider } from "../../../../src/services/notes/notesProvider.js";
import { logged } from "../../../support/log.js";
import { createTestServer } from "../../../support/serving.js";

describe("the registration of search_notes", () => {
  let server: ReturnType<typeof createTestServer>;

  beforeEach(async () => {
    server = createTestServer();
    await registerSearchNotesTool(server);
  });

  afterEach(() => notesProvider.close());

  it("publishes the title, description, and schemas without running the handler", async () => {
    const client = await createClient(server.build());
    expect(await client.listTools()).toMatchObject([
      {
        name: "search_notes",
        title: "Search Notes",
        description: "Finds notes in the notebook that all clients of this server share.",
        annotations: { readOnlyHint: true, openWorldHint: false },
        outputSchema: { required: ["notes", "total"] },
      },
    ]);
  });

  it("throws if the name is already registered", async () => {
    await expect(registerSearchNotesTool(server)).rejects.toMatchObject({
      code: "INITIALIZATION_FAILED",
    });
    expect(logged.at(-1)).toMatchObject({ level: "crit", context: { operation: "RegisterTool" } });
  });

  it("requires a scope", async () => {
    const call = async (scopes: readonly string[]) => {
      const client = await createClient(server.build(), { auth: { principal: "eve", scopes } });
      return (await client.callTool("search_notes", {})).isError ?? false;
    };
    expect([await call([]), await call(["notes:read"])]).toEqual([true, false]);
  });
});
