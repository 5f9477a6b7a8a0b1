/**
 * @fileoverview Checks tools that run as tasks: their results, errors, questions, and cancellation.
 * @module examples/everything/check-tasks
 */
import assert from "node:assert/strict";
import { type CallResult, type Client, ClientError, createClient } from "tenon/client";
import { server } from "./server.js";

/** Runs the checks. @throws if a task does not end as expected */
export async function checkTasks(): Promise<void> {
  const client = await createClient(server, {
    tasks: true,
    input: ({ message }) => ({ action: "accept", content: ANSWERS[String(message)] ?? {} }),
  });
  try {
    await checkOutcomes(client);
    await checkQuestions(client);
    await checkCancel(client);
  } finally {
    await client.close();
  }
  await checkWithoutExtension();
}

type EverythingClient = Client<typeof server.types>;

const ANSWERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "Delete notes.txt?": { confirm: true },
  "What is your name?": { name: "Ada" },
  "Who sends it?": { name: "Grace" },
  "Who receives it?": { name: "Edsger" },
};

async function checkOutcomes(client: EverythingClient): Promise<void> {
  const greeting = await client.request("tools/call", { name: "greet", arguments: { name: "Ada" } });
  assert.equal(greeting["resultType"], "complete");
  const computing = await client.startTask("slow_compute", { seconds: 0, label: "a sum" });
  assert.equal(text(await computing.result()), "Computed a sum in 0 s.");
  const failing = await client.startTask("failing_job");
  assert.equal((await failing.result()).isError, true);
  assert.equal((await failing.get()).status, "completed");
  const broken = await client.startTask("protocol_error_job");
  await assert.rejects(broken.result(), ClientError);
  assert.equal((await broken.get()).status, "failed");
}

async function checkQuestions(client: EverythingClient): Promise<void> {
  const deleting = await client.startTask("confirm_delete", { filename: "notes.txt" });
  assert.equal(text(await deleting.result()), "Deleted notes.txt.");
  const sending = await client.startTask("multi_input");
  assert.equal(text(await sending.result()), "From Grace to Edsger.");
  // This tool asks before the task exists: the first response to the call is the question.
  const first = await client.request("tools/call", { name: "test_tool_with_task", arguments: {} });
  assert.equal(first["resultType"], "input_required");
  const greeting = await client.startTask("test_tool_with_task");
  assert.equal(text(await greeting.result()), "Hello, Ada!");
}

async function checkCancel(client: EverythingClient): Promise<void> {
  const computing = await client.startTask("slow_compute", { seconds: 60 });
  await computing.cancel();
  await assert.rejects(computing.result(), { name: "AbortError" });
  assert.equal((await computing.get()).status, "cancelled");
}

/** Checks a client that does not declare the extension. */
async function checkWithoutExtension(): Promise<void> {
  const client = await createClient(server, { revision: "2026-07-28" });
  assert.equal(text(await client.callTool("slow_compute", { seconds: 0 })), "Computed the result in 0 s.");
  const isMissing = (error: unknown) => error instanceof ClientError && error.code === -32_021;
  await assert.rejects(client.callTool("failing_job"), isMissing);
  await client.close();
}

function text({ content: [block] }: CallResult<unknown>): string {
  assert.equal(block?.type, "text");
  return block.text;
}
