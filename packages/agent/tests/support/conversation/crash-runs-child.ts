/**
 * @fileoverview Agent server in a child process that the test kills. Its model makes parallel calls, one of which
 * requires approval, and its conversations are summarized. Each tool call appends a line to a file. Prints its URL.
 * @module tests/agent/support/conversation/crash-runs-child
 */
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { AgentServerBuilder } from "../../../src/builder.js";
import type { ModelPort } from "../../../src/models/model-port.js";
import type { ApprovalRule } from "../../../src/tools/approval-policy.js";
import { defineTool } from "../../../src/tools/define-tool.js";

const [storage = "", effects = ""] = process.argv.slice(2);

function createTool(name: string, approval: ApprovalRule) {
  return defineTool({
    name,
    description: "Appends a line",
    whenToUse: "Always",
    params: [{ name: "line", optional: false, description: "The line" }],
    useExamples: [],
    approval,
    async invoke({ params }) {
      appendFileSync(effects, `${params.line}\n`);
      await wait(3);
      return { message: `Appended ${params.line}`, toolResult: null };
    },
  });
}

const model: ModelPort = async function* ({ messages, taskId }) {
  const last = messages.at(-1);
  await wait(1);
  if (messages[0]?.content.startsWith("You write the summary") === true) {
    yield "The user counts.";
    return;
  }
  const [, number] = (last?.role === "user" && /^Message (\d+)/.exec(last.content)) || [];
  if (number === undefined) {
    yield `Done. ${"x".repeat(200)}`;
    return;
  }
  for (const [index, name] of ["run", "ask", "run", "ask"].entries()) {
    const line = `${taskId} ${number} ${index}`;
    yield { call: { index, id: `${number}-${index}`, name, arguments: JSON.stringify({ line }) } };
  }
};

const server = new AgentServerBuilder()
  .storagePath(storage)
  .model(Object.assign(model, { toolCalls: "native" as const }), { maxContext: 4_000 })
  .registerTool(createTool("run", "auto"))
  .registerTool(createTool("ask", "ask"))
  .build();
const { url } = await server.start({ port: 0 });
process.stdout.write(`${url}\n`);
