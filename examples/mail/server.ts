/**
 * @fileoverview A server with a tool that reads the user's mail with the user's own token, and tools that manage
 * accounts.
 * @module examples/mail/server
 */
import { defineServer, McpError } from "tenon";
import { buildAuthResponse, defineToolModule, jsonResult, registerTools } from "@tenon/kit";
import { accountIdOf, AuthRequiredError, createAccountTools, type LoopbackAdapter } from "@tenon/oauth";
import { z } from "zod";
import type { Message } from "./mail-api.js";

/** Dependencies that the tools receive. */
export interface MailContext {
  readonly auth: LoopbackAdapter;
  /** Base URL of the mail service. */
  readonly api: string;
}

const messageSchema = z.object({ id: z.string(), from: z.string(), subject: z.string() });

/** Lists messages. If the user must sign in first, the tool succeeds and returns the sign-in URL. */
export const messageList = defineToolModule({
  name: "message-list",
  description: "Lists the messages in the user's mailbox.",
  inputSchema: z.object({}),
  outputSchema: z.object({
    type: z.enum(["success", "auth_required"]),
    items: z.array(messageSchema).optional(),
    authUrl: z.string().optional(),
    message: z.string().optional(),
  }),
  annotations: { readOnlyHint: true },
  async handler(_args, extra, { auth, api }: MailContext) {
    try {
      // Clients can select an account for a single call with `_meta.accountId`.
      const items = await readMessages(auth, api, accountIdOf(extra));
      return jsonResult({ type: "success" as const, items: [...items] });
    } catch (error) {
      if (error instanceof AuthRequiredError) return buildAuthResponse(error.message, error.authUrl);
      throw error;
    }
  },
});

async function readMessages(
  auth: LoopbackAdapter,
  api: string,
  accountId: string | undefined,
): Promise<readonly Message[]> {
  const ask = async () => {
    const token = await auth.getAccessToken(accountId);
    return fetch(`${api}/messages`, { headers: { authorization: `Bearer ${token}` } });
  };
  let response = await ask();
  if (response.status === 401) {
    // The token was revoked before it expired. Retry once with a new token.
    await auth.invalidate(accountId);
    response = await ask();
  }
  if (!response.ok)
    throw new McpError("SERVICE_UNAVAILABLE", "The mail service is unavailable. Try again later.");
  return z.array(messageSchema).parse(await response.json());
}

/** Creates the server. */
export function createMailServer(context: MailContext) {
  const server = defineServer({ name: "mail", version: "1.0.0" });
  return registerTools(server, [messageList, ...createAccountTools(context.auth)], context);
}
