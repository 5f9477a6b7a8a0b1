import { setTimeout } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signIn } from "../../../examples/mail/user-agent.js";
import { defineServer } from "tenon";
import { createExtra, type ToolModule } from "../../kit/src/modules/modules.js";
import { registerTools } from "../../kit/src/modules/register-modules.js";
import {
  accountIdOf,
  AuthRequiredError,
  createAccountTools,
  createMemoryTokenStore,
  type TokenStore,
} from "../src/index.js";
import { createClient } from "tenon/testing";
import { ADA, GRACE, setUp, type Setup, type Stand, startStand } from "./support/fixture.js";

let stand: Stand;

beforeAll(async () => {
  stand = await startStand();
});
afterAll(() => stand.close());

async function setUpTwo(): Promise<Setup> {
  const setup = await setUp(stand);
  await setup.adapter.getAccessToken();
  setup.user = { email: "Grace@Example.com" };
  await setup.adapter.accounts.add();
  return setup;
}

const linkedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;

describe("two accounts", () => {
  test("Z14: are listed, and the one added last is active", async () => {
    const { adapter } = await setUpTwo();
    expect(await adapter.accounts.list()).toEqual([
      { accountId: ADA, email: ADA, isActive: false, linkedAt },
      { accountId: GRACE, email: "Grace@Example.com", isActive: true, linkedAt },
    ]);
    expect(await adapter.getUserEmail()).toBe("Grace@Example.com");
  });

  test("have separate tokens, selected by account ID or by the active account", async () => {
    const { adapter } = await setUpTwo();
    const [ada, grace] = [await adapter.getAccessToken(ADA), await adapter.getAccessToken(GRACE)];
    expect(ada).not.toBe(grace);
    expect(await adapter.getAccessToken()).toBe(grace);
    await adapter.accounts.activate("ADA@example.com");
    expect(await adapter.getAccessToken()).toBe(ada);
    expect(await adapter.getUserEmail(GRACE)).toBe("Grace@Example.com");
  });

  test("are removed with their tokens and metadata, and the remaining account becomes active", async () => {
    const { adapter, store } = await setUpTwo();
    expect(await adapter.accounts.remove(GRACE)).toMatchObject({ accountId: GRACE, isActive: false });
    expect(await store.get(`${GRACE}:mail:token`)).toBeUndefined();
    expect(await store.get(`${GRACE}:mail:metadata`)).toBeUndefined();
    expect(await adapter.getUserEmail()).toBe(ADA);
    await adapter.accounts.remove(ADA);
    expect(await adapter.accounts.list()).toEqual([]);
    expect(await store.get("mail:active")).toBeUndefined();
    expect(await store.get("mail:linked")).toBeUndefined();
  });

  test.each([
    ["unknown@example.com", "NOT_FOUND", 'Account "unknown@example.com" is not linked. Sign in to it first.'],
    [
      "ada@example.com:mail",
      "INVALID_INPUT",
      '`accountId` must not contain a colon; got "ada@example.com:mail".',
    ],
    [" ", "INVALID_INPUT", "`accountId` must not be empty."],
  ])("reject the ID %j without starting a login", async (accountId, code, message) => {
    const { adapter, opened } = await setUpTwo();
    for (const ask of [adapter.getAccessToken, adapter.getUserEmail, adapter.accounts.activate]) {
      await expect(ask(accountId)).rejects.toMatchObject({ code, message });
    }
    await expect(adapter.accounts.remove(accountId)).rejects.toMatchObject({ code, message });
    if (code === "INVALID_INPUT") {
      await expect(adapter.accounts.add(accountId)).rejects.toMatchObject({ code, message });
    }
    expect(opened).toHaveLength(2);
  });

  test("survive concurrent changes", async () => {
    const { adapter } = await setUpTwo();
    await Promise.all([
      adapter.accounts.activate(ADA),
      adapter.accounts.remove(GRACE),
      adapter.invalidate(ADA),
    ]);
    expect(await adapter.accounts.list()).toMatchObject([{ accountId: ADA, isActive: true }]);
  });

  test("are both stored after concurrent sign-ins, even with a slow store", async () => {
    const inner = createMemoryTokenStore();
    const tokenStore: TokenStore = {
      get: (key) => setTimeout(5).then(() => inner.get(key)),
      set: (key, value) => setTimeout(5).then(() => inner.set(key, value)),
      delete: (key) => setTimeout(5).then(() => inner.delete(key)),
    };
    const { adapter } = await setUp(stand, { config: { headless: true, tokenStore } });
    const callbacks = await Promise.all(
      [ADA, GRACE].map(async (email) => {
        const error: unknown = await adapter.accounts.add(email).catch((thrown: unknown) => thrown);
        if (!(error instanceof AuthRequiredError)) throw new Error("Expected an AuthRequiredError.");
        const stopsAt = new URL(error.authUrl).searchParams.get("redirect_uri") ?? "";
        return (await signIn(error.authUrl, { email, stopsAt })).url;
      }),
    );
    await Promise.all(callbacks.map((url) => fetch(url)));
    expect((await adapter.accounts.list()).map(({ accountId }) => accountId).toSorted()).toEqual([
      ADA,
      GRACE,
    ]);
  });

  test("for two services in one store are separate", async () => {
    const { adapter, store } = await setUpTwo();
    const calendar = await setUp(stand, { config: { tokenStore: store, service: "calendar" } });
    expect(await calendar.adapter.accounts.list()).toEqual([]);
    expect(await calendar.adapter.getAccessToken()).not.toBe(await adapter.getAccessToken(ADA));
  });

  test("are added with the parameters that show the provider's account chooser", async () => {
    const provider = { ...stand.provider, addAccountParameters: { prompt: "login consent" } };
    const setup = await setUp(stand, { config: { provider } });
    await setup.adapter.getAccessToken();
    setup.user = { email: GRACE };
    await setup.adapter.accounts.add();
    expect(setup.opened.map((url) => url.searchParams.get("prompt"))).toEqual(["consent", "login consent"]);
  });
});

describe("the account tools", () => {
  test("are kit modules with names and hints", async () => {
    const tools: readonly ToolModule[] = createAccountTools((await setUp(stand)).adapter);
    expect(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.destructiveHint]),
    ).toEqual([
      ["account-me", true, false],
      ["account-list", true, false],
      ["account-switch", false, false],
      ["account-remove", false, true],
    ]);
  });

  test("Z14: show, switch, and remove accounts", async () => {
    const { adapter } = await setUpTwo();
    const server = registerTools(
      defineServer({ name: "mail", version: "1" }),
      createAccountTools(adapter),
      {},
    );
    const client = await createClient(server);
    const call = async (name: string, args: object) =>
      (await client.callTool(name as never, args as never)) as object;
    expect(await call("account-me", {})).toMatchObject({
      structuredContent: { type: "success", item: { accountId: GRACE, isActive: true } },
    });
    expect(await call("account-switch", { accountId: ADA })).toMatchObject({
      structuredContent: { type: "success", item: { accountId: ADA, isActive: true } },
    });
    expect(await call("account-list", {})).toMatchObject({
      structuredContent: {
        type: "success",
        items: [{ accountId: ADA, isActive: true }, { accountId: GRACE }],
      },
    });
    expect(await call("account-remove", { accountId: ADA })).toMatchObject({
      structuredContent: { type: "success", item: { accountId: ADA } },
    });
    expect(await call("account-remove", { accountId: ADA })).toEqual({
      isError: true,
      content: [{ type: "text", text: expect.stringContaining("is not linked.") as string }],
      structuredContent: undefined,
    });
    await client.close();
  });

  test("work with the official SDK, whose client validates their results", async () => {
    const setup = await setUp(stand, { config: { headless: true } });
    const server = registerTools(
      new McpServer({ name: "mail", version: "1" }),
      createAccountTools(setup.adapter),
      {},
    );
    const [one, other] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: "test", version: "1" });
    await Promise.all([server.connect(one), client.connect(other)]);
    await client.listTools();
    const call = (name: string) => client.callTool({ name, arguments: {} });
    expect(await call("account-me")).toMatchObject({ isError: true });
    const asked = (await call("account-switch")).structuredContent as { readonly authUrl: string };
    expect(asked).toEqual({
      type: "auth_required",
      authUrl: expect.stringContaining(stand.base) as string,
      message: expect.stringContaining("Sign in with Example first.") as string,
    });
    await signIn(asked.authUrl, { email: GRACE });
    expect(await call("account-me")).toMatchObject({ structuredContent: { item: { accountId: GRACE } } });
    await client.close();
  });

  test("are plain objects whose handlers can be called directly", async () => {
    const setup = await setUp(stand);
    const [me, list, switchTo, remove] = createAccountTools(setup.adapter);
    await expect(me.handler({})).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: "No account is linked yet. Add one with account-switch.",
    });
    expect((await list.handler({})).structuredContent).toEqual({ type: "success", items: [] });
    const added = await switchTo.handler({ accountId: "Ada@example.com" });
    expect(added.structuredContent).toMatchObject({
      type: "success",
      item: { accountId: ADA, isActive: true },
    });
    expect(added.content).toEqual([{ type: "text", text: JSON.stringify(added.structuredContent) }]);
    expect((await remove.handler({ accountId: ADA })).structuredContent.item.isActive).toBe(false);
  });
});

describe("accountIdOf", () => {
  test.each([
    ["a module's extra", createExtra({ _meta: { accountId: ADA } }), ADA],
    ["a call", { meta: { accountId: ADA } }, ADA],
    ["a request without it", createExtra(), undefined],
    ["a request without _meta", {}, undefined],
  ])("reads %s", (_case, extra, accountId) => {
    expect(accountIdOf(extra)).toBe(accountId);
  });

  test.each([
    [7, "7"],
    ["", "0 characters"],
    [null, "null"],
    [["a"], '["a"]'],
    ["x".repeat(321), "321 characters"],
  ])("rejects %j", (accountId, got) => {
    expect(() => accountIdOf({ _meta: { accountId } })).toThrow(
      `\`_meta.accountId\` must be a string of 1 to 320 characters; got ${got}.`,
    );
  });

  test("selects an account other than the active one for a single call", async () => {
    const { adapter } = await setUpTwo();
    const server = defineServer({ name: "mail", version: "1" }).tool("whoami", {
      description: "Says whose mail it is",
      handler: (_args, call) => adapter.getUserEmail(accountIdOf(call)),
    });
    const built = server.build();
    const ask = async (_meta?: object) => {
      const params = { name: "whoami", arguments: {}, ...(_meta === undefined ? {} : { _meta }) };
      const response = await built.handle({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, {});
      return response.toText();
    };
    expect(await ask()).toContain('"text":"Grace@Example.com"');
    expect(await ask({ accountId: ADA })).toContain('"text":"ada@example.com"');
    expect(await ask({ accountId: "eve@example.com" })).toContain("is not linked. Sign in to it first.");
  });
});
