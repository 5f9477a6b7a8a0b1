import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "tenon/testing";
import { notes } from "../src/notes.js";
import server from "../src/server.js";

/** Connects a client to a server without notes, and returns a function that calls an action. */
async function connect() {
  const context = { notes: new Map<string, string>() };
  const client = await createClient(server, { context });
  const act = async (action: string, fields: Readonly<Record<string, string>> = {}) => {
    const { content, isError = false } = await client.callTool("notes", { action, ...fields });
    const [block] = content;
    return { text: block?.type === "text" ? block.text : "", isError };
  };
  return { act, context };
}

test("saves, lists, and deletes a note", async () => {
  const { act, context } = await connect();
  assert.deepEqual(await act("save", { id: "a", text: "Buy milk" }), { text: "Saved a.", isError: false });
  assert.deepEqual(JSON.parse((await act("list")).text), { a: "Buy milk" });
  assert.deepEqual(await act("delete", { id: "a" }), { text: "Deleted a.", isError: false });
  assert.equal(context.notes.size, 0);
});

test("reports a note that does not exist", async () => {
  const { act } = await connect();
  assert.deepEqual(await act("delete", { id: "b" }), { text: "Note b does not exist.", isError: true });
});

test("tells the model how to correct an invalid call", async () => {
  const { act } = await connect();
  const { text, isError } = await act("delet", { id: "a" });
  assert.equal(isError, true);
  assert.match(text, /Did you mean "delete"\?/);
});

test("describes every action to the model in one tool", () => {
  const { name, description } = notes.buildToolDefinition();
  assert.equal(name, "notes");
  assert.match(description ?? "", /Actions: list, save, delete/);
});
