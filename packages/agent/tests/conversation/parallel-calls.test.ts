import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { defineTool, type ToolDefinition } from "../../src/tools/define-tool.js";
import type { ModelMessage, ModelPiece } from "../../src/models/model-port.js";
import { join, over, say, startAgent } from "../support/conversation/agents.js";

/** Creates the pieces of a response with native calls. */
function callsOf(...names: readonly string[]): readonly ModelPiece[] {
  return names.map((name, index) => ({ call: { index, id: `c${index}`, name, arguments: "{}" } }));
}

/** Creates a tool that notes when it starts and ends. */
function slowTool(name: string, log: string[], { ms = 0, parallel = true } = {}): ToolDefinition {
  return defineTool({
    name,
    description: name,
    whenToUse: "Always",
    params: [],
    useExamples: [],
    parallel,
    async invoke() {
      log.push(`${name} starts`);
      await wait(ms);
      log.push(`${name} ends`);
      return { message: `${name} done`, toolResult: null };
    },
  });
}

function resultsIn(messages: readonly ModelMessage[] | undefined): readonly string[] {
  return (messages ?? []).flatMap((message) => (message.role === "tool" ? [message.content] : []));
}

describe("parallel native calls", () => {
  test("run at the same time, and their results are in the order of the calls", async () => {
    const log: string[] = [];
    const tools = [
      slowTool("slow", log, { ms: 60 }),
      slowTool("middle", log, { ms: 30 }),
      slowTool("fast", log),
    ];
    const agent = await startAgent({
      tools,
      toolCalls: "native",
      answers: [callsOf("slow", "middle", "fast"), ["Done."]],
    });
    const client = await join(agent.url);
    await say(client, "Go");
    expect((await over(client)).reason).toBe("answered");
    expect(log.slice(0, 3).toSorted()).toEqual(["fast starts", "middle starts", "slow starts"]);
    expect(log.slice(3)).toEqual(["fast ends", "middle ends", "slow ends"]);
    expect(resultsIn(agent.asked[1]?.messages)).toEqual(["slow done", "middle done", "fast done"]);
  });

  test("a tool with `parallel: false` runs alone, after the calls before it and before the calls after it", async () => {
    const log: string[] = [];
    const tools = [
      slowTool("first", log, { ms: 20 }),
      slowTool("alone", log, { ms: 5, parallel: false }),
      slowTool("last", log),
    ];
    const agent = await startAgent({
      tools,
      toolCalls: "native",
      answers: [callsOf("first", "alone", "last", "last"), ["Done."]],
    });
    const client = await join(agent.url);
    await say(client, "Go");
    await over(client);
    expect(log).toEqual([
      "first starts",
      "first ends",
      "alone starts",
      "alone ends",
      "last starts",
      "last starts",
      "last ends",
      "last ends",
    ]);
  });

  test("an interrupt cancels all of them, and every call has a result", async () => {
    let started = 0;
    const hang = defineTool({
      name: "hang",
      description: "Waits",
      whenToUse: "Always",
      params: [],
      useExamples: [],
      async invoke({ signal }) {
        started++;
        await wait(60_000, undefined, { signal });
        return { message: "", toolResult: null };
      },
    });
    const agent = await startAgent({
      tools: [hang],
      toolCalls: "native",
      answers: [callsOf("hang", "hang", "hang"), ["After the interrupt."]],
    });
    const client = await join(agent.url);
    const taskId = await say(client, "Go");
    await expect.poll(() => started).toBe(3);
    client.send({ type: "interrupt", data: { taskId } });
    expect((await over(client)).reason).toBe("interrupted");
    await say(client, "And now?", taskId);
    await over(client);
    expect(resultsIn(agent.asked[1]?.messages)).toEqual(Array(3).fill("Tool 'hang' was cancelled"));
  });

  test("one tool that fails does not stop the others", async () => {
    const log: string[] = [];
    const bad = { ...slowTool("bad", log), invoke: () => Promise.reject(new Error("secret")) };
    const agent = await startAgent({
      tools: [bad, slowTool("good", log, { ms: 10 })],
      toolCalls: "native",
      answers: [callsOf("bad", "good"), ["Done."]],
    });
    const client = await join(agent.url);
    await say(client, "Go");
    expect((await over(client)).reason).toBe("answered");
    expect(resultsIn(agent.asked[1]?.messages)).toEqual(["Tool 'bad' failed", "good done"]);
  });
});
