/**
 * @fileoverview Tests the `save_note` tool end to end, with official clients on a real port.
 * @module tests/mcp-server/tools/saveNoteTool/integration.test
 */
import { afterEach, describe, expect, it } from "vitest";
import { notesProvider } from "../../../../src/services/notes/notesProvider.js";
import { OFFICIAL_CLIENTS } from "../../../support/officialClients.js";
import { serveForTest } from "../../../support/serving.js";

describe.each(OFFICIAL_CLIENTS)("save_note, called by the official client %s", (_, connect) => {
  afterEach(() => notesProvider.close());

  it("saves a note that search_notes finds", async () => {
    const client = await connect((await serveForTest()).url);
    const saved = await client.callTool({
      name: "save_note",
      arguments: { title: "Groceries", text: "milk" },
    });
    expect(saved.structuredContent).toMatchObject({ id: 1, title: "Groceries" });
    const found = await client.callTool({ name: "search_notes", arguments: { query: "MILK" } });
    expect(found.structuredContent).toMatchObject({ total: 1, notes: [{ title: "Groceries" }] });
  });

  it("rejects a note without visible characters", async () => {
    const client = await connect((await serveForTest()).url);
    const result = await client.callTool({
      name: "save_note",
      arguments: { title: "\u200B", text: "x" },
    });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: "Error: The title and the text must contain visible characters." }],
    });
  });

  it("rejects invalid input before the logic runs", async () => {
    const client = await connect((await serveForTest()).url);
    const result = await client.callTool({ name: "save_note", arguments: { title: "no text" } });
    expect(result.isError).toBe(true);
  });
});
