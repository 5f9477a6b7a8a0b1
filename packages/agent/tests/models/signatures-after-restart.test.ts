import { expect, test } from "vitest";
import { fromAiSdk } from "../../src/models/ai-sdk/from-ai-sdk.js";
import { defineTool } from "../../src/tools/define-tool.js";
import { join, over, say, startAgent } from "../support/conversation/agents.js";
import { PACKAGES } from "../support/models/ai-sdk-packages.js";
import { SIGNATURE } from "../support/models/messages-format.js";
import { startProviderServer } from "../support/models/provider-server.js";

const write = defineTool({
  name: "write",
  description: "Writes",
  whenToUse: "Always",
  params: [],
  useExamples: [],
  approval: "ask",
  invoke: async () => ({ message: "Written", toolResult: null }),
});

test("a call that waits for approval is continued with its signature after a restart", async () => {
  const provider = await startProviderServer([
    { think: ["hm"], text: ["Let me see"], calls: [{ id: "c1", name: "write", arguments: ["{}"] }] },
    { text: ["Done."] },
  ]);
  const callOptions = {
    providerOptions: { anthropic: { thinking: { type: "enabled", budgetTokens: 1024 } } },
  };
  const [packages] = PACKAGES;
  const createAgent = async (storage?: string) => {
    const model = await packages?.createModel("messages", provider.baseUrl);
    if (model === undefined) return expect.unreachable();
    return startAgent({
      answers: [fromAiSdk(model, { callOptions })],
      tools: [write],
      toolCalls: "native",
      ...(storage === undefined ? {} : { storage }),
    });
  };
  const first = await createAgent();
  const client = await join(first.url);
  const taskId = await say(client, "Go");
  const { sent } = await over(client);
  const approval = sent.find(({ type }) => type === "approval");
  await first.server.stop();

  const second = await createAgent(first.storage);
  const again = await join(second.url);
  const approvalId = approval?.data["approvalId"];
  again.send({ type: "answerApproval", data: { taskId, approvalId, decision: "approve" } });
  expect((await over(again)).reason).toBe("answered");
  expect(provider.requests[1]?.body).toMatchObject({
    messages: [
      { role: "user" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: SIGNATURE },
          { type: "text", text: "Let me see" },
          { type: "tool_use", id: "c1", name: "write", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c1" }] },
    ],
  });
});
