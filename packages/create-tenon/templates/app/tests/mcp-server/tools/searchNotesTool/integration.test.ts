/**
 * @fileoverview Tests the `search_notes` tool end to end, with official clients on a real port.
 * @module tests/mcp-server/tools/searchNotesTool/integration.test
 */
import { requestContextService } from "@tenon/app";
import { afterEach, describe, expect, it } from "vitest";
import { notesProvider } from "../../../../src/services/notes/notesProvider.js";
import { OFFICIAL_CLIENTS } from "../../../support/officialClients.js";
import { serveForTest } from "../../../support/serving.js";

const context = requestContextService.createRequestContext({ operation: "test" });

describe.each(OFFICIAL_CLIENTS)("search_notes, called by the official client %s", (_, connect) => {
  afterEach(() => notesProvider.close());

  it("returns structured content and text", async () => {
    const { id, title, text, savedAt } = await notesProvider.save(
      { title: "Groceries", text: "milk" },
      context,
    );
    const client = await connect((await serveForTest()).url);
    const result = await client.callTool({ name: "search_notes", arguments: {} });
    const expected = { notes: [{ id, title, text, savedAt }], total: 1 };
    expect(result.structuredContent).toEqual(expected);
    expect(result.content).toEqual([
      { type: "text", text: `Success: ${JSON.stringify(expected, null, 2)}` },
    ]);
  });

  it("rejects a limit that is too high", async () => {
    const client = await connect((await serveForTest()).url);
    const result = await client.callTool({ name: "search_notes", arguments: { limit: 51 } });
    expect(result.isError).toBe(true);
  });
});
