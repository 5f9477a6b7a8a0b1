import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import { META } from "tenon/protocol";
import { allMessages, readEvents } from "../../../tests/support/http-events.js";
import { post, read, until } from "../../../tests/support/http-faces.js";
import {
  type LegacyClient,
  modernCall,
  modernPost,
  openSession,
} from "../../../tests/support/http-messages.js";
import { request } from "../../../tests/support/requests.js";
import type { Door } from "../../../tools/tokens/doors.js";
import {
  BOARD,
  openStage,
  type Principal,
  type Stage,
  VAULT,
  VAULT_SCOPES,
} from "./support/isolation-server.js";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const INTRUDERS: readonly Principal[] = ["eve", "adaElsewhere", "nobodyAtTheDesk", "crafted", "guard"];
const ASKING = { elicitation: {} };
const NOT_FOUND = {
  status: 404,
  body: {
    jsonrpc: "2.0",
    id: null,
    error: { code: -32600, message: "Session not found. Send `initialize` to open a new session." },
  },
};

describe.each([
  ["serve", 0],
  ["toFetch", 1],
  ["express", 2],
])("on %s", (_name, index) => {
  const door = (): Door => stage.doors[index] as Door; // there are three endpoints
  const server = () => stage.servers[index];
  const open = (who: Principal, capabilities: JsonObject = {}) =>
    openSession(door(), { headers: stage.as(who), capabilities });

  /** Returns a session's headers with a different principal's token. */
  const steal = (client: LegacyClient, who: Principal) => ({ ...client.headers, ...stage.as(who) });

  describe.each(INTRUDERS)("T57: %s with ada's session", (who) => {
    const OPERATIONS: readonly (readonly [
      string,
      (headers: Readonly<Record<string, string>>) => RequestInit,
    ])[] = [
      ["calls a tool", (headers) => post(request("tools/call", { name: "whoami" }), headers)],
      ["lists tools", (headers) => post(request("tools/list"), headers)],
      ["reads", (headers) => post(request("resources/read", { uri: BOARD }), headers)],
      ["subscribes", (headers) => post(request("resources/subscribe", { uri: BOARD }), headers)],
      ["unsubscribes", (headers) => post(request("resources/unsubscribe", { uri: BOARD }), headers)],
      ["sets the log level", (headers) => post(request("logging/setLevel", { level: "debug" }), headers)],
      [
        "cancels",
        (headers) =>
          post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, headers),
      ],
      ["answers", (headers) => post({ jsonrpc: "2.0", id: 1, result: { action: "accept" } }, headers)],
      ["listens", (headers) => ({ method: "GET", headers: { ...headers, accept: "text/event-stream" } })],
      [
        "resumes",
        (headers) => ({
          method: "GET",
          headers: { ...headers, accept: "text/event-stream", "last-event-id": "0-0" },
        }),
      ],
      ["ends", (headers) => ({ method: "DELETE", headers })],
    ];

    test.each(OPERATIONS)(
      "T57: finds no session when it %s, and ada's session stays open",
      async (_operation, init) => {
        const ada = await open("ada");
        expect(await read(await door().fetch(init(steal(ada, who))))).toEqual(NOT_FOUND);
        const [reply] = await allMessages(await ada.call("whoami"));
        expect(JSON.stringify(reply?.["result"])).toContain("ada");
        await ada.end();
      },
    );
  });

  test("T57: ada's session rejects a request without a token, and accepts a new token for ada", async () => {
    const ada = await open("ada");
    const { authorization: _authorization, ...bare } = ada.headers;
    expect((await door().fetch(post(request("tools/list"), bare))).status).toBe(401);
    expect((await door().fetch(post(request("tools/list"), steal(ada, "ada")))).status).toBe(200);
  });

  test.each(INTRUDERS)("T57: %s cannot resume ada's stream from a different session", async (who) => {
    const [ada, other] = await Promise.all([open("ada"), open(who)]);
    const events = readEvents(
      await ada.post(
        request("tools/call", {
          name: "wait",
          arguments: { label: `${who} resumes` },
          _meta: { progressToken: 1 },
        }),
      ),
    );
    const ids: string[] = [];
    for (let found = false; !found;) {
      const event = await events.next();
      if (event?.id !== undefined) ids.push(event.id);
      found = event?.data?.includes("begun") ?? true;
    }
    expect(ids.length).toBeGreaterThan(0);
    const controller = new AbortController();
    const heard: string[] = [];
    for (const id of ids) {
      const response = await other.get(id, controller.signal);
      if (response.status === 200) void drain(response, heard);
    }
    await events.cut();
    stage.release();
    await new Promise((resolve) => {
      setTimeout(resolve, 30);
    });
    controller.abort();
    expect(heard.join("")).not.toContain("resumes");
    const rest = await allMessages(await ada.get(ids.at(-1)));
    expect(JSON.stringify(rest)).toContain(`waited ${who} resumes`);
  });

  test("T57: a different caller cannot cancel ada's call by its ID", async () => {
    const ada = await open("ada");
    const label = `${door().name} uncancelled`;
    const events = readEvents(
      await ada.post(
        request("tools/call", { name: "wait", arguments: { label }, _meta: { progressToken: 1 } }, 77),
      ),
    );
    await events.message();
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 77 } };
    for (const who of INTRUDERS) {
      const other = await open(who);
      expect((await other.post(cancel)).status).toBe(202);
      const version = modernPost("tools/list").headers as Record<string, string>;
      const headers = { ...stage.as(who), "mcp-protocol-version": version["mcp-protocol-version"] };
      expect((await door().fetch(post(cancel, headers))).status).toBe(202);
    }
    stage.release();
    expect(await events.message()).toMatchObject({
      id: 77,
      result: { content: [{ text: `waited ${label}` }] },
    });
    expect(stage.cancelled).not.toContain(label);
  });

  test("T57: ada can cancel the call", async () => {
    const ada = await open("ada");
    const label = `${door().name} cancelled`;
    const events = readEvents(
      await ada.post(
        request("tools/call", { name: "wait", arguments: { label }, _meta: { progressToken: 1 } }, 78),
      ),
    );
    await events.message();
    await ada.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 78 } });
    await until(() => stage.cancelled.includes(label));
  });

  test("T57: a different caller cannot respond to a request sent to ada", async () => {
    const ada = await open("ada", ASKING);
    const events = readEvents(await ada.post(request("tools/call", { name: "ask" }, 5)));
    const { id } = await events.message();
    const answer = (name: string) => ({
      jsonrpc: "2.0",
      id,
      result: { action: "accept", content: { name } },
    });
    for (const who of INTRUDERS) await (await open(who, ASKING)).post(answer(who));
    await ada.post(answer("Ada"));
    expect(await events.message()).toMatchObject({ id: 5, result: { content: [{ text: "hello Ada" }] } });
  });

  test("T57: only subscribers get resource updates, and only they can end their subscriptions", async () => {
    const [ada, eve] = await Promise.all([open("ada"), open("eve")]);
    const controllers = [new AbortController(), new AbortController()] as const;
    const adaHears: string[] = [];
    const eveHears: string[] = [];
    void drain(await ada.get(undefined, controllers[0].signal), adaHears);
    void drain(await eve.get(undefined, controllers[1].signal), eveHears);
    await ada.post(request("resources/subscribe", { uri: BOARD }));
    await eve.post(request("resources/unsubscribe", { uri: BOARD }));
    void server()?.resourceUpdated(BOARD);
    await until(() => adaHears.join("").includes("notifications/resources/updated"));
    expect(eveHears.join("")).not.toContain("resources/updated");
    controllers.forEach((controller) => controller.abort());
  });

  test.each(INTRUDERS)("T57: state sealed for ada is accepted from ada and rejected from %s", async (who) => {
    const extras = { capabilities: ASKING };
    const asked = await read(
      await door().fetch(modernCall("ask", {}, { ...extras, headers: stage.as("ada") })),
    );
    const { requestState } = asked.body["result"] as { readonly requestState: string };
    const retry = (principal: Principal) =>
      modernPost(
        "tools/call",
        {
          name: "ask",
          arguments: {},
          requestState,
          inputResponses: { name: { action: "accept", content: { name: "X" } } },
        },
        { ...extras, headers: stage.as(principal) },
      );
    expect(await read(await door().fetch(retry(who)))).toMatchObject({
      status: 200,
      body: { error: { code: -32602 } },
    });
    expect(await read(await door().fetch(retry("ada")))).toMatchObject({
      body: { result: { content: [{ text: "hello X" }] } },
    });
  });

  describe("T57: items that require scopes", () => {
    const LISTS = [
      ["tools/list", "open_vault"],
      ["resources/list", VAULT],
      ["resources/templates/list", "vault://{year}/ledger"],
      ["prompts/list", "heist"],
    ] as const;

    test.each(LISTS)(
      "T57: %s shows %s only to callers with all scopes, in both eras",
      async (method, name) => {
        const seen: Record<string, boolean> = {};
        for (const who of ["ada", "halfGuard", "guard"] as const) {
          const modern = await read(await door().fetch(modernPost(method, {}, { headers: stage.as(who) })));
          const legacy = await read(await (await open(who)).post(request(method)));
          expect(modern.body["result"]).toMatchObject({ cacheScope: "private" });
          expect(legacy.status).toBe(200);
          seen[`${who} modern`] = JSON.stringify(modern.body).includes(name);
          seen[`${who} legacy`] = JSON.stringify(legacy.body).includes(name);
        }
        expect(seen).toEqual({
          "ada modern": false,
          "ada legacy": false,
          "halfGuard modern": false,
          "halfGuard legacy": false,
          "guard modern": true,
          "guard legacy": true,
        });
      },
    );

    const CHALLENGE =
      'Bearer error="insufficient_scope", scope="vault:open vault:read", resource_metadata="http://127.0.0.1/.well-known/oauth-protected-resource/mcp"';

    test.each(["ada", "halfGuard"] as const)(
      "T57: %s cannot call the tool, and the error names every scope",
      async (who) => {
        const modern = await door().fetch(modernCall("open_vault", {}, { headers: stage.as(who) }));
        const legacy = await (await open(who)).call("open_vault");
        for (const response of [modern, legacy]) {
          expect(response.headers.get("www-authenticate")).toBe(CHALLENGE);
          expect(await read(response)).toMatchObject({
            status: 403,
            body: { error: { code: -32600, data: { requiredScopes: VAULT_SCOPES } } },
          });
        }
      },
    );

    const OTHERS = [
      ["resources/read", { uri: VAULT }],
      ["resources/read", { uri: "vault://1999/ledger" }],
      ["prompts/get", { name: "heist" }],
    ] as const;

    test.each(OTHERS)(
      "T57: %s of %j is rejected without the scopes and granted with them",
      async (method, params) => {
        for (const who of ["ada", "halfGuard", "guard"] as const) {
          const modern = await read(
            await door().fetch(modernPost(method, params, { headers: stage.as(who) })),
          );
          const legacy = await read(await (await open(who)).post(request(method, params)));
          const isGranted = who === "guard";
          expect([who, "result" in modern.body, "result" in legacy.body]).toEqual([
            who,
            isGranted,
            isGranted,
          ]);
          if (!isGranted)
            expect(JSON.stringify([modern, legacy])).not.toMatch(/bars and coins|entries|a plan/);
        }
      },
    );

    test.each(OTHERS)(
      "T57: %s of %j is reported as not found, and names no scopes",
      async (method, params) => {
        const response = await door().fetch(modernPost(method, params, { headers: stage.as("ada") }));
        expect([response.headers.get("www-authenticate"), await response.text()]).toEqual([
          null,
          expect.stringMatching(/"error":\{"code":-3260[12]/),
        ]);
      },
    );

    test("T57: a token with fewer scopes sees fewer items in the same session", async () => {
      const session = await open("guard");
      expect((await session.call("open_vault")).status).toBe(200);
      const response = await door().fetch(
        post(request("tools/call", { name: "open_vault" }), steal(session, "halfGuard")),
      );
      expect(response.status).toBe(403);
    });

    test("T57: a caller is not notified of a hidden resource", async () => {
      const legacy = await read(
        await (await open("ada")).post(request("resources/subscribe", { uri: VAULT })),
      );
      expect(legacy.body).toMatchObject({ error: { code: -32002 } });
      const heard = await listen("ada", [VAULT, BOARD]);
      // The acknowledgement does not tell a hidden resource from one that does not exist.
      expect(heard.acknowledged).toEqual({ resourceSubscriptions: [VAULT, BOARD] });
      void server()?.resourceUpdated(VAULT);
      void server()?.resourceUpdated(BOARD);
      expect(await heard.next()).toMatchObject({ params: { uri: BOARD } });
      await heard.end();
    });

    test("T57: a caller cannot subscribe to a hidden resource before it exists", async () => {
      const uri = `vault://new-${index}`;
      const heard = await listen("ada", [uri, BOARD]);
      server()?.update((editor) =>
        editor.resource(uri, { uri, scopes: VAULT_SCOPES, handler: () => "new bars" }),
      );
      void server()?.resourceUpdated(uri);
      void server()?.resourceUpdated(BOARD);
      const next = await heard.next();
      await heard.end();
      expect(next).toMatchObject({ method: "notifications/resources/updated", params: { uri: BOARD } });
    });

    async function listen(who: Principal, uris: readonly string[]) {
      const controller = new AbortController();
      const response = await door().fetch(
        modernPost(
          "subscriptions/listen",
          { notifications: { resourceSubscriptions: uris } },
          { headers: stage.as(who), signal: controller.signal, meta: { [META.clientCapabilities]: {} } },
        ),
      );
      const events = readEvents(response);
      const { params } = (await events.message()) as { readonly params: { readonly notifications: unknown } };
      return { acknowledged: params.notifications, next: () => events.message(), end: () => events.cut() };
    }
  });
});

async function drain(response: Response, into: string[]): Promise<void> {
  try {
    for await (const chunk of response.body ?? []) into.push(Buffer.from(chunk as Uint8Array).toString());
  } catch {
    // the test has closed the connection
  }
}
