import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { defineTool } from "../../src/tools/define-tool.js";
import { createOpenAiModel } from "../../src/models/openai-model.js";
import { startModelServer } from "../support/models/model-server.js";
import { startServer } from "../support/socket/clients.js";
import { join, load, outline, over, say } from "../support/conversation/agents.js";

const KEY = "sk-canary-0123456789";

const weather = defineTool({
  name: "weather",
  description: "Tells the weather",
  whenToUse: "When the user asks for it",
  params: [{ name: "city", optional: false, description: "Where" }],
  useExamples: [],
  invoke: async ({ params }) => ({ message: `It rains in ${params.city}`, toolResult: { mm: 3 } }),
});

/** Sends chunks in the streaming format. */
function stream(response: ServerResponse, deltas: readonly object[], finish?: string): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const delta of deltas) {
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
  }
  if (finish === undefined) return;
  response.write(
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })}\n\n`,
  );
  response.end("data: [DONE]\n\n");
}

const words = (text: string) => text.split("").map((content) => ({ content }));

/** A call in either format, split into single characters. */
const CALLS = {
  xml: [...words("I look it up.\n<weather><city>Ålesund & Bergen</city></weather>")],
  native: [
    ...words("I look it up.\n"),
    {
      tool_calls: [
        { index: 0, id: "call_1", type: "function", function: { name: "weather", arguments: "" } },
      ],
    },
    ...'{"city":"Ålesund & Bergen"}'.split("").map((part) => ({
      tool_calls: [{ index: 0, function: { arguments: part } }],
    })),
  ],
} as const;

describe.each(["xml", "native"] as const)(
  "the whole loop against an HTTP server, with %s calls",
  (toolCalls) => {
    async function start(behave: Parameters<typeof startModelServer>[0]) {
      const models = await startModelServer(behave);
      const model = createOpenAiModel({ model: "test-1", apiKey: KEY, baseUrl: models.baseUrl, toolCalls });
      const agent = await startServer((builder) => builder.registerTool(weather).model(model));
      return { models, agent, client: await join(agent.url) };
    }

    test("survives a 429, a call split over many chunks, a dropped connection, an interrupt, and a resume", async () => {
      const { models, agent, client } = await start((response, count) => {
        if (count === 1) {
          response.writeHead(429, { "retry-after": "0" });
          response.end(`{"error":{"message":"slow down, ${KEY}"}}`);
        } else if (count === 2) stream(response, CALLS[toolCalls], "stop");
        else if (count === 3) {
          stream(response, words("Take an umb"));
          setTimeout(() => response.destroy(), 20);
        } else if (count === 4) stream(response, words("Take an umbrella."), "stop");
        else if (count === 5) stream(response, words("Tomorrow"));
        else stream(response, words("Tomorrow too."), "stop");
      });
      const taskId = await say(client, "How is the weather?");
      const first = await over(client);
      expect(first.reason).toBe("answered");
      expect(outline(first.sent)).toEqual([
        "message: I look it up.",
        "tool: weather (done)",
        "message:  (discarded)",
        "alert: The connection to the model server was lost. Retrying.",
        "message: Take an umbrella.",
      ]);
      const card = first.sent.findLast(({ type }) => type === "tool");
      expect(card?.data).toMatchObject({
        params: { city: "Ålesund & Bergen" },
        message: "It rains in Ålesund & Bergen",
        toolResult: { mm: 3 },
      });
      const writing = first.sent.filter(({ data }) => data["status"] === "writing");
      expect(writing.length).toBeGreaterThan(5);

      await say(client, "And tomorrow?", taskId);
      let soFar = "";
      while (soFar !== "Tomorrow") soFar += String((await client.take("message")).data["message"]);
      client.send({ type: "interrupt", data: { taskId } });
      expect((await over(client)).reason).toBe("interrupted");
      await models.closed();
      client.send({ type: "resume", data: { taskId } });
      expect((await over(client)).reason).toBe("answered");
      expect(outline((await load(client, taskId)).messages)).toEqual([
        "userSendMessage: How is the weather?",
        "message: I look it up.",
        "tool: weather (done)",
        "alert: The connection to the model server was lost. Retrying.",
        "message: Take an umbrella.",
        "userSendMessage: And tomorrow?",
        "message: Tomorrow (interrupted)",
        "interrupt: ",
        "message: Tomorrow too.",
      ]);

      expect(models.requests).toHaveLength(6);
      expect(models.requests.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);
      // The request after the lost connection is the same as the one before.
      expect(models.requests[3]?.body).toEqual(models.requests[2]?.body);
      const { messages, tools } = (models.requests[2]?.body ?? {}) as {
        readonly messages: readonly { readonly role: string; readonly content: string }[];
        readonly tools?: readonly object[];
      };
      expect(messages.map(({ role }) => role)).toEqual(
        toolCalls === "xml"
          ? ["system", "user", "assistant", "user"]
          : ["system", "user", "assistant", "tool"],
      );
      expect(messages.at(-1)?.content).toContain('It rains in Ålesund & Bergen\n{"mm":3}');
      expect(messages[0]?.content.includes("## weather")).toBe(toolCalls === "xml");
      expect(tools === undefined).toBe(toolCalls === "xml");
      expect(JSON.stringify([first, agent.lines])).not.toContain("canary");
    });

    test("a rejected key is reported without details, and resume tries again", async () => {
      const { client } = await start((response, count) => {
        if (count > 1) return stream(response, words("Now."), "stop");
        response.writeHead(401);
        response.end(`invalid key ${KEY}`);
      });
      const taskId = await say(client, "Hello?");
      const { reason, sent } = await over(client);
      expect(reason).toBe("error");
      expect(outline(sent)).toEqual(["error: The model server rejected the API key (status 401)."]);
      client.send({ type: "resume", data: { taskId } });
      expect((await over(client)).reason).toBe("answered");
    });

    test("stopping the server closes the connection to the model", async () => {
      const { models, agent, client } = await start((response) => stream(response, words("Well")));
      await say(client, "Hello?");
      await client.take("message");
      await agent.server.stop();
      await models.closed();
      expect((await client.closed).code).toBe(1001);
    });
  },
);
