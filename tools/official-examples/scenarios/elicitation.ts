/**
 * @fileoverview Scenarios for the examples that ask the user for input: with a form, and with a URL.
 * @module tools/official-examples/scenarios/elicitation
 */
import type { ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { ExampleClient, overHttp } from "../example-client.js";
import { logIn } from "./log-in.js";
import { type HttpScenario, listTools, request } from "./scenario.js";

const REPLIES: readonly ElicitResult[] = [
  { action: "accept", content: { username: "ada", email: "ada@example.com", password: "long enough" } },
  { action: "decline" },
  { action: "cancel" },
  { action: "accept", content: { title: "Tea" } },
  { action: "accept", content: { date: "2026-05-01", startTime: "16:00", duration: 30 } },
  { action: "decline" },
  {
    action: "accept",
    content: { name: "Ada", street: "Main 1", city: "Riga", state: "RI", zipCode: "10001" },
  },
  // Too short, which the server must notice.
  { action: "accept", content: { name: "", street: "", city: "", state: "R", zipCode: "1" } },
];

/** Forms that the user accepts, declines, cancels, and fills in wrongly. */
export const elicitationFormExample: HttpScenario = {
  kind: "http",
  async run({ origin }) {
    const connected = await ExampleClient.connect(overHttp(`${origin}/mcp`), {
      capabilities: { elicitation: { form: {} } },
      elicitation: REPLIES,
    });
    await listTools(connected);
    for (let call = 0; call < 3; call++) await connected.call("register_user");
    for (let call = 0; call < 2; call++) await connected.call("create_event");
    for (let call = 0; call < 2; call++) await connected.call("update_shipping_address");
    const without = await ExampleClient.connect(overHttp(`${origin}/mcp`));
    await without.call("register_user");
    return [await connected.close(), await without.close()];
  },
};

/**
 * Pages in the browser: a payment, and a login elsewhere. The example also means to ask for an API key, but sends that
 * request only after the client's GET stream has ended.
 */
export const elicitationUrlExample: HttpScenario = {
  kind: "http",
  start: { hasAuthServer: true },
  async run({ origin, authOrigin }) {
    const url = `${origin}/mcp`;
    const { token, cookie } = await logIn(authOrigin, url);
    const connected = await ExampleClient.connect(overHttp(url, { authorization: `Bearer ${token}` }), {
      capabilities: { elicitation: { url: {} } },
      elicitation: [{ action: "accept" }],
    });
    await listTools(connected);
    await connected.rejected("payment-confirm", (client) =>
      client.callTool({ name: "payment-confirm", arguments: { cartId: "cart 1" } }),
    );
    const page = new URL(/http:[^"]*confirm-payment[^"]*/.exec(JSON.stringify(connected.steps))?.[0] ?? "");
    const { session = "", elicitation = "" } = Object.fromEntries(page.searchParams);
    const body = new URLSearchParams({ session, elicitation, action: "confirm" });
    const pages = [
      await request(page.href, { headers: { cookie } }),
      await request(page.href),
      await request(`${origin}/confirm-payment`, { method: "POST", headers: { cookie }, body }),
      await request(url, { method: "POST" }),
    ];
    await connected.receives(COMPLETE, 1);
    await connected.rejected("third-party-auth", (client) =>
      client.callTool({ name: "third-party-auth", arguments: { param1: "x" } }),
    );
    await connected.receives(COMPLETE, 2);
    return { record: await connected.close(), pages };
  },
};

const COMPLETE = "notifications/elicitation/complete";
