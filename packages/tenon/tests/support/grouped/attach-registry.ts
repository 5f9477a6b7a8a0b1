/**
 * @fileoverview The registry that these tests attach: one tool for everybody, one for administrators.
 * @module tests/support/grouped/attach-registry
 */
import { z } from "zod";
import { createTool, success, ToolRegistry } from "../../../src/grouped/index.js";

/** Arguments and contexts that the handlers received. */
export interface Seen {
  readonly contexts: unknown[];
  readonly wiped: string[];
}

/** Creates a registry and a record of its handlers' calls. */
export function createRegistry(): { readonly registry: ToolRegistry; readonly seen: Seen } {
  const seen: Seen = { contexts: [], wiped: [] };
  const platform = createTool("platform")
    .description("Run the platform")
    .tags("public")
    .group("users", (g) =>
      g.action({
        name: "create",
        description: "Create a user",
        schema: z.object({ name: z.string() }),
        handler: (ctx, { name }) => {
          seen.contexts.push(ctx);
          return success({ id: 1, name });
        },
      }),
    )
    .group("billing", (g) =>
      g.action({
        name: "refund",
        schema: z.object({ invoice: z.string() }),
        destructive: true,
        handler: (_ctx, { invoice }) => {
          throw new Error(`no invoice ${invoice}`);
        },
      }),
    );
  const admin = createTool("admin")
    .tags("internal")
    .action({
      name: "wipe",
      destructive: true,
      handler: () => {
        seen.wiped.push("all");
        return success("gone");
      },
    });
  return { registry: new ToolRegistry().registerAll(platform, admin), seen };
}

/** Expected result for an unknown tool. */
export const UNKNOWN = {
  text: 'Unknown tool: "platfrom". Available tools: platform, admin\nDid you mean "platform"?',
  isError: true,
};
