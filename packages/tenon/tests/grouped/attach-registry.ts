/**
 * @fileoverview The registry that is attached in these tests: one tool for everybody, one for administrators.
 * @module tests/grouped/attach-registry
 */
import { z } from "zod";
import { createTool, success, ToolRegistry } from "../../src/grouped/index.js";

/** What the handlers were run with. */
export interface Seen {
  readonly contexts: unknown[];
  readonly wiped: string[];
}

/** A registry, and what its handlers have seen so far. */
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

/** What is told of a tool that is not there. */
export const UNKNOWN = {
  text: 'Unknown tool: "platfrom". Available tools: platform, admin\nDid you mean "platform"?',
  isError: true,
};
