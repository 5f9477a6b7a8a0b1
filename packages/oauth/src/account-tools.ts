/**
 * @fileoverview Four tools that let a model show and change the user's accounts for a service.
 * @module oauth/account-tools
 */
import { z } from "zod";
import { McpError } from "tenon/protocol";
import type { Account } from "./account-records.js";
import { AuthRequiredError } from "./login/auth-required.js";
import type { Accounts, LoopbackAdapter } from "./loopback-adapter.js";

/** Tool result, both as structured content and as JSON text. */
export interface AccountToolResult<Out> {
  readonly content: readonly { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: Out;
}

/** Tool module for `registerTools` from `@tenon/kit`. Its handler can also be called directly. */
export interface AccountTool<In, Out> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType<In>;
  readonly outputSchema: z.ZodType<Out>;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  handler(args: In, extra?: unknown, context?: unknown): Promise<AccountToolResult<Out>>;
}

const accountSchema = z.object({
  accountId: z
    .string()
    .describe("Account ID. Pass it to the other account tools, or as _meta.accountId in any call."),
  email: z.string(),
  isActive: z.boolean().describe("True if calls without an account ID use this account."),
  linkedAt: z.string().optional().describe("Time of the last sign-in (ISO 8601)."),
});

const itemSchema = z.object({ type: z.literal("success"), item: accountSchema });
const itemsSchema = z.object({ type: z.literal("success"), items: z.array(accountSchema) });

// One object instead of a union, because older protocol revisions require an object as the output schema.
const switchSchema = z.object({
  type: z.enum(["success", "auth_required"]),
  item: accountSchema.optional(),
  authUrl: z.string().optional().describe("URL where the user signs in, if type is auth_required."),
  message: z.string().optional(),
});

const idSchema = z.string().min(1).max(320);

type Item = z.infer<typeof itemSchema>;
type Items = z.infer<typeof itemsSchema>;
type Switched = z.infer<typeof switchSchema>;

/** The four account tools: me, list, switch, and remove. */
export type AccountTools = readonly [
  AccountTool<Record<string, never>, Item>,
  AccountTool<Record<string, never>, Items>,
  AccountTool<{ readonly accountId?: string | undefined }, Switched>,
  AccountTool<{ readonly accountId: string }, Item>,
];

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const CHANGES = { ...READS, readOnlyHint: false };

/** Creates `account-me`, `account-list`, `account-switch`, and `account-remove` for an adapter. */
export function createAccountTools({ accounts }: Pick<LoopbackAdapter, "accounts">): AccountTools {
  return [
    {
      name: "account-me",
      description: "Shows the active account.",
      inputSchema: z.object({}),
      outputSchema: itemSchema,
      annotations: READS,
      handler: async () => success(await findActive(accounts)),
    },
    {
      name: "account-list",
      description: "Lists the accounts that the user has signed in to and shows which one is active.",
      inputSchema: z.object({}),
      outputSchema: itemsSchema,
      annotations: READS,
      handler: async () => toResult<Items>({ type: "success", items: [...(await accounts.list())] }),
    },
    {
      name: "account-switch",
      description:
        "Switches to a different account. If the account is not linked yet, or accountId is omitted, the " +
        "user signs in and the account is added.",
      inputSchema: z.object({
        accountId: idSchema.optional().describe("Account ID. Omit it to add an account."),
      }),
      outputSchema: switchSchema,
      annotations: { ...CHANGES, openWorldHint: true },
      handler: ({ accountId }) => switchAccount(accounts, accountId),
    },
    {
      name: "account-remove",
      description: "Removes an account and its tokens from this server. Ask the user first.",
      inputSchema: z.object({
        accountId: idSchema.describe("ID of the account to remove, from account-list."),
      }),
      outputSchema: itemSchema,
      annotations: { ...CHANGES, destructiveHint: true },
      handler: async ({ accountId }) => success(await accounts.remove(accountId)),
    },
  ];
}

async function findActive(accounts: Accounts): Promise<Account> {
  const account = await accounts.find();
  if (account === undefined) {
    throw new McpError("NOT_FOUND", "No account is linked yet. Add one with account-switch.");
  }
  return account;
}

async function switchAccount(
  accounts: Accounts,
  accountId: string | undefined,
): Promise<AccountToolResult<Switched>> {
  const wanted = accountId?.trim().toLowerCase();
  const linked = await accounts.list();
  if (wanted !== undefined && linked.some((one) => one.accountId === wanted)) {
    return success(await accounts.activate(wanted));
  }
  try {
    return success(await accounts.add(wanted));
  } catch (error) {
    if (!(error instanceof AuthRequiredError)) throw error;
    const { authUrl, message } = error;
    return {
      content: [{ type: "text", text: message }],
      structuredContent: { type: "auth_required", authUrl, message },
    };
  }
}

function success(item: Account): AccountToolResult<Item> {
  return toResult<Item>({ type: "success", item });
}

function toResult<Out>(value: Out): AccountToolResult<Out> {
  return { content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value };
}
