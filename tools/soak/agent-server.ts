/**
 * @fileoverview Agent server of the soak test, with a scripted model.
 * @module tools/soak/agent-server
 */
import { createServer } from "node:net";
import { AgentServerBuilder, createScriptedModel, defineMessage, defineTool } from "@tenon/agent";
import { z } from "zod";
import type { Break } from "./breaks.js";

/** Text of a user that the model responds to slowly. */
export const SLOW = "Tell a long story";

/** Text of a user that lets the model call a tool. */
export const SHOUT = "Call the tool";

/** Final response of the model, except to `SLOW`. */
export const DONE = "That is all.";

const STORY = "Once upon a time there was a server that never lost a reply. ".repeat(60);

/** Starts the server on a free port. */
export async function startAgent(folder: string, faults: ReadonlySet<Break>) {
  const kept: object[] = [];
  const shout = defineTool({
    name: "shout",
    description: "Repeats a text in uppercase letters",
    whenToUse: "When the user asks for it",
    params: [{ name: "text", optional: false, description: "Text to repeat" }],
    useExamples: [],
    invoke: async ({ params }) => ({ message: "Done", toolResult: params.text.toUpperCase() }),
  });
  const model = createScriptedModel(
    ({ messages }) => {
      const { role, content } = messages.at(-1) ?? { role: "user", content: "" };
      if (role !== "user") return DONE;
      if (content === SLOW) return STORY;
      return content === SHOUT ? "<shout><text>hello</text></shout>" : DONE;
    },
    { delayMs: 2 },
  );
  const server = new AgentServerBuilder()
    .storagePath(folder)
    // Reservations that are not given back use up the budget within minutes, and requests then wait forever.
    .model(model, { grace: 200, maxTasks: 100_000, budgets: { userPerDay: 4_000_000 } })
    .registerTool(shout)
    .registerMessage(
      defineMessage({
        type: "ping",
        dataSchema: z.object({ number: z.int() }),
        handler: ({ number }, reply) => {
          if (faults.has("reply") && number % 5 === 4) return;
          if (faults.has("handle")) createServer().listen(0, "127.0.0.1");
          if (faults.has("timer")) setTimeout(() => undefined, 2 ** 30).unref();
          if (faults.has("listener")) process.setMaxListeners(0).on("warning", () => undefined);
          if (faults.has("session") || faults.has("heap"))
            kept.push([new AbortController(), "x".repeat(number)]);
          reply({ type: "pong", data: { number } });
        },
      }),
    )
    .registerMessage(defineMessage({ type: "pong", dataSchema: z.object({ number: z.int() }) }))
    .build();
  const { port } = await server.start({ port: 0 });
  return { port, counts: () => ({ "agent clients": server.connectionCount }) };
}
