/**
 * @fileoverview Users: a tool with three actions and no groups.
 * @module examples/grouped/users
 */
import { createTool, error, success } from "tenon/grouped";
import { z } from "zod";
import type { App } from "./app.js";
import { audited, managersOnly } from "./middleware.js";

/** Shared by multiple actions. If actions declare a field differently, a grouped tool shows the first declaration. */
const role = z.enum(["member", "manager"]).describe("The user's role");

/** Creates the users tool. */
export function createUsersTool() {
  return createTool<App>("users")
    .description("Manage users")
    .tags("people")
    .use(audited)
    .action({
      name: "list",
      description: "List users",
      readOnly: true,
      schema: z.object({ role: role.optional() }),
      handler: ({ users }, { role }) =>
        success([...users.values()].filter((user) => role === undefined || user.role === role)),
    })
    .action({
      name: "create",
      description: "Create a user",
      schema: z.object({
        name: z.string().min(1).describe("Display name"),
        role: role.default("member"),
      }),
      handler: ({ users }, { name, role }) => {
        const user = { id: `u${users.size + 1}`, name, role };
        users.set(user.id, user);
        return success(user);
      },
    })
    .action({
      name: "ban",
      description: "Ban a user",
      destructive: true,
      idempotent: true,
      middleware: [managersOnly],
      schema: z.object({ id: z.string().describe("User ID") }),
      handler: ({ users }, { id }) => {
        const user = users.get(id);
        if (user === undefined)
          return error(`User "${id}" was not found. Use the list action to find its ID.`);
        users.set(id, { ...user, banned: true });
        return success(`${user.name} is banned.`);
      },
    });
}
