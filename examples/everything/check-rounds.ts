/**
 * @fileoverview Checks tools whose calls end with a request to the client. Sends each round's messages itself.
 * @module examples/everything/check-rounds
 */
import assert from "node:assert/strict";
import { type Client, ClientError, createClient } from "tenon/client";
import { server } from "./server.js";

/** Runs the checks. @throws if a call does not send its requests, continue, or fail as expected */
export async function checkRounds(): Promise<void> {
  const client = await createClient(server, { revision: "2026-07-28", capabilities: EVERYTHING });
  try {
    for (const one of CASES) await checkCase(client, one);
    await checkTampering(client);
    await checkWithoutState(client);
  } finally {
    await client.close();
  }
  await checkCapabilities();
}

const EVERYTHING = { elicitation: {}, sampling: {}, roots: {} };
const SAID = { role: "assistant", model: "m", content: { type: "text", text: "Paris." } };
const ROOTS = { roots: [{ uri: "file:///work", name: "Work" }] };
const accept = (content: Record<string, unknown>) => ({ action: "accept", content });

interface Case {
  readonly tool: string;
  /** Responses for each round. Their keys must equal the names of the requests. */
  readonly rounds: readonly Readonly<Record<string, object>>[];
  readonly text: RegExp;
}

const CASES: readonly Case[] = [
  { tool: "elicitation", rounds: [{ user_name: accept({ name: "Ada" }) }], text: /^Hello, Ada!$/ },
  { tool: "sampling", rounds: [{ capital_question: SAID }], text: /^Paris\.$/ },
  { tool: "list_roots", rounds: [{ client_roots: ROOTS }], text: /^Roots: Work$/ },
  {
    tool: "request_state",
    rounds: [{ confirm: accept({ ok: true }) }],
    text: /^state-ok: ticket [0-9a-f-]{36}, accept$/,
  },
  {
    tool: "multiple_inputs",
    rounds: [{ user_name: accept({ name: "Ada" }), greeting: SAID, client_roots: ROOTS }],
    text: /^Paris\. Ada has 1 root\.$/,
  },
  {
    tool: "multi_round",
    rounds: [{ step1: accept({ name: "Ada" }) }, { step2: accept({ color: "blue" }) }],
    text: /^Ada likes blue\.$/,
  },
  {
    tool: "capabilities",
    rounds: [{ user_name: accept({ name: "Ada" }), greeting: SAID, client_roots: ROOTS }],
    text: /^Responses: 3$/,
  },
];

async function checkCase(client: Client, { tool, rounds, text }: Case): Promise<void> {
  let result = await call(client, tool);
  const states = new Set<unknown>();
  for (const inputResponses of rounds) {
    assert.equal(result["resultType"], "input_required", tool);
    assert.deepEqual(Object.keys(result["inputRequests"] ?? {}), Object.keys(inputResponses), tool);
    states.add(result["requestState"]);
    result = await call(client, tool, { inputResponses, requestState: result["requestState"] });
  }
  assert.equal(states.size, rounds.length, tool);
  assert.equal(result["resultType"], "complete", tool);
  assert.match(
    JSON.stringify(result["content"]).replace(/^\[\{"type":"text","text":"(.*)"\}\]$/, "$1"),
    text,
  );
}

async function checkTampering(client: Client): Promise<void> {
  const { requestState } = await call(client, "tampered_state");
  const inputResponses = { confirm: accept({ ok: true }) };
  const altered = call(client, "tampered_state", {
    inputResponses,
    requestState: `${String(requestState)}x`,
  });
  await assert.rejects(altered, (error) => error instanceof ClientError && error.code === -32602);
  const { resultType } = await call(client, "tampered_state", { inputResponses, requestState });
  assert.equal(resultType, "complete");
}

/** Checks that the server accepts responses before it has sent requests, and rejects invalid responses. */
async function checkWithoutState(client: Client): Promise<void> {
  const answers = { user_name: accept({ name: "Ada" }), unknown: accept({}) };
  assert.equal((await call(client, "elicitation", { inputResponses: answers })).resultType, "complete");
  const missing = await call(client, "elicitation", { inputResponses: { unknown: accept({}) } });
  assert.equal(missing["resultType"], "input_required");
  const unfit = call(client, "elicitation", { inputResponses: { user_name: 12_345 } });
  await assert.rejects(unfit, (error) => error instanceof ClientError && error.code === -32602);
}

async function checkCapabilities(): Promise<void> {
  const sampling = await createClient(server, { revision: "2026-07-28", capabilities: { sampling: {} } });
  const { inputRequests } = await call(sampling, "capabilities");
  assert.deepEqual(Object.keys(inputRequests ?? {}), ["greeting"]);
  await sampling.close();

  const plain = await createClient(server, { revision: "2026-07-28" });
  const refused = plain.request("tools/call", { name: "test_missing_capability", arguments: {} });
  await assert.rejects(refused, (error) => {
    assert.ok(error instanceof ClientError);
    assert.equal(error.code, -32_021);
    assert.deepEqual(error.data, { requiredCapabilities: { sampling: {} } });
    return true;
  });
  await plain.close();
}

function call(client: Client, tool: string, more: Record<string, unknown> = {}) {
  return client.request("tools/call", {
    name: `test_input_required_result_${tool}`,
    arguments: {},
    ...more,
  });
}
