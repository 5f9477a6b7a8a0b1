/**
 * @fileoverview The server that real clients talk to: that of the transports' contract, and what only they can try.
 * @module tests/clients/fixture-server
 */
import { EventEmitter, once } from "node:events";
import { z } from "zod";
import type { Server } from "tenon";
import { createContractServer } from "../contract/transport-server.js";

/** Makes the server anew. */
export function createFixtureServer(): Server {
  const word = new EventEmitter();
  return createContractServer().update((editor) =>
    editor
      .tool("deploy", {
        description: "Its region is mirrored in a header",
        input: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
        handler: ({ region }) => `deployed to ${region}`,
      })
      .tool("steps", {
        description:
          "Goes on when the word is given: the clients lose progress that comes together with a result",
        input: z.object({}),
        deadlineMs: 10_000,
        handler: async (_, call) => {
          for (const [step, message] of ["one", "two", "three"].entries()) {
            const given = once(word, "given");
            await call.progress(step + 1, 3, message);
            await given;
          }
          return "stepped";
        },
      })
      .tool("slow", {
        description: "Says that it began, and ends when the word is given",
        input: z.object({}),
        deadlineMs: 10_000,
        handler: async (_, call) => {
          const given = once(word, "given");
          await call.progress(1, 2);
          await given;
          await call.progress(2, 2);
          return "ended at last";
        },
      })
      .tool("give_word", {
        input: z.object({}),
        handler: () => {
          word.emit("given");
          return "given";
        },
      })
      .tool("hang_up", {
        description: "Ends its own stream, and goes on",
        input: z.object({}),
        handler: async (_, call) => {
          await call.progress(1, 2);
          call.hangUp();
          await call.progress(2, 2);
          return "the rest";
        },
      }),
  );
}
