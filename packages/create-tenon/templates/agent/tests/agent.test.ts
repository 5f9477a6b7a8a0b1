import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createScriptedModel } from "@tenon/agent";
import { serveAgentPage } from "@tenon/agent/page";
import { createAgent } from "../src/agent.js";
import { createDemoModel } from "../src/demo-model.js";
import { chooseModel } from "../src/model.js";

const storagePath = mkdtempSync(join(tmpdir(), "agent-test-"));
after(() => rmSync(storagePath, { recursive: true }));

test("the model can list the notes", async () => {
  const model = createScriptedModel(["<list_notes></list_notes>", "You have one note."]);
  const server = createAgent({ model, storagePath, notes: new Map([["Milk", "Buy two bottles."]]) });
  const { reason, text } = await server.run("Which notes do I have?");
  assert.equal(reason, "answered");
  assert.equal(text, "You have one note.");
});

test("the agent waits for approval before it saves a note", async () => {
  const notes = new Map<string, string>();
  const server = createAgent({ model: createDemoModel(), storagePath, notes });
  const { reason, approvals } = await server.run("Save a note about oak");
  assert.equal(reason, "approval");
  assert.equal(approvals[0]?.toolName, "save_note");
  assert.equal(notes.size, 0);
});

test("the decision of the user counts", async () => {
  const notes = new Map<string, string>();
  const server = createAgent({ model: createDemoModel(), storagePath, notes });
  await server.run("Save a note about oak", { onApproval: () => ({ decision: "deny" }) });
  assert.equal(notes.size, 0);
  await server.run("Save a note about ash", { onApproval: () => ({ decision: "approve" }) });
  assert.deepEqual([...notes.keys()], ["ash"]);
});

test("a variable selects a real model", () => {
  assert.match(chooseModel({}).description, /^scripted\./);
  assert.equal(chooseModel({ OPENAI_API_KEY: "sk-test" }).description, "gpt-5-mini from OpenAI");
  const local = { OPENAI_BASE_URL: "http://localhost:11434/v1", OPENAI_MODEL: "qwen3" };
  assert.equal(chooseModel(local).description, "qwen3 from localhost:11434");
});

test("the page is served", async () => {
  const server = createAgent({ model: createDemoModel(), storagePath, notes: new Map() });
  const page = await serveAgentPage(server, { port: 0 });
  assert.equal((await fetch(page.url)).status, 200);
  await page.close();
});
