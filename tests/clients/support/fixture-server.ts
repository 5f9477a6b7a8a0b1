/**
 * @fileoverview Fixture server for real clients: the transport contract's server with additional tools that only real
 * clients require.
 * @module tests/clients/support/fixture-server
 */
import { EventEmitter, once } from "node:events";
import { z } from "zod";
import type { Server } from "tenon";
import { createContractServer } from "../../support/contract/transport-server.js";

/** Creates the fixture server. */
export function createFixtureServer(): Server {
  const word = new EventEmitter();
  return createContractServer().update((editor) =>
    editor
      .tool("deploy", {
        description: "Takes a region that clients repeat in a header",
        input: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
        handler: ({ region }) => `deployed to ${region}`,
      })
      .tool("steps", {
        description:
          "Waits for give_word after each step, because clients lose progress that arrives together with a result",
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
        description: "Sends progress, then waits for give_word",
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
        description: "Closes its own stream and continues",
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
