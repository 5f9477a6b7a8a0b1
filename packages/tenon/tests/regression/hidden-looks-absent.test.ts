import { describe, expect, test } from "vitest";
import { defineServer } from "../../src/index.js";
import { tasks } from "../../src/tasks/index.js";
import type { JsonObject } from "@tenon/internal/json";
import { exchangeOf, handle, modernRequest, request } from "../../../../tests/support/requests.js";

/** Responses for a resource, template, or prompt that the caller may not see differed from those for an absent one. */

const define = () =>
  defineServer({ name: "s", version: "1" })
    .extension(tasks())
    .resource("open", { uri: "doc://open", handler: () => "open" })
    .resourceTemplate("files", {
      uriTemplate: "file://{name}",
      complete: { name: () => ["x"] },
      handler: ({ name }) => name,
    })
    .prompt("ask", { arguments: [{ name: "a" }], complete: { a: () => ["x"] }, handler: () => "ask" });

const absent = () => define().build();

/** The same server with a hidden resource, template, and prompt. */
const hidden = () =>
  define()
    .resource("secret", { uri: "doc://secret", scopes: ["admin"], handler: () => "42" })
    .resourceTemplate("vault", {
      uriTemplate: "vault://{key}",
      scopes: ["admin"],
      complete: { key: () => ["gold"] },
      handler: ({ key }) => key,
    })
    .prompt("plan", {
      scopes: ["admin"],
      arguments: [{ name: "a" }],
      complete: { a: () => ["attack"] },
      handler: () => "attack",
    })
    .build();

const argument = { name: "key", value: "" };

const REQUESTS: readonly (readonly [title: string, method: string, params: JsonObject])[] = [
  [
    "completion for a resource",
    "completion/complete",
    { ref: { type: "ref/resource", uri: "doc://secret" }, argument },
  ],
  [
    "completion for a template",
    "completion/complete",
    { ref: { type: "ref/resource", uri: "vault://{key}" }, argument },
  ],
  ["completion for a prompt", "completion/complete", { ref: { type: "ref/prompt", name: "plan" }, argument }],
  ["a read of a resource", "resources/read", { uri: "doc://secret" }],
  ["a read through a template", "resources/read", { uri: "vault://gold" }],
  ["a prompt", "prompts/get", { name: "plan", arguments: { a: "x" } }],
  ["a prompt with invalid arguments", "prompts/get", { name: "plan", arguments: 7 }],
  ["the resources", "resources/list", {}],
  ["the templates", "resources/templates/list", {}],
  ["the prompts", "prompts/list", {}],
  ["a task", "tasks/get", { taskId: "secret" }],
];

const LEGACY: typeof REQUESTS = [
  ...REQUESTS,
  ["a subscription to a resource", "resources/subscribe", { uri: "doc://secret" }],
  ["a subscription through a template", "resources/subscribe", { uri: "vault://gold" }],
  ["the end of a subscription", "resources/unsubscribe", { uri: "doc://secret" }],
];

const auth = { principal: "eve", scopes: ["other"] };

describe("a caller without the scopes gets the same bytes as if the item did not exist, for", () => {
  test.each(REQUESTS)("%s in the modern era", async (_title, method, params) => {
    const [one, other] = await Promise.all(
      [hidden(), absent()].map(async (server) => {
        const response = await handle(
          server,
          modernRequest(method, params),
          exchangeOf({ era: "modern" }, { auth }),
        );
        return [response.status, withoutCache(response.toText())];
      }),
    );
    expect(one).toEqual(other);
  });

  test.each(LEGACY)("%s in the legacy eras", async (_title, method, params) => {
    const [one, other] = await Promise.all(
      [hidden(), absent()].map(async (server) => {
        const response = await handle(
          server,
          request(method, params),
          exchangeOf({ era: "legacy" }, { auth }),
        );
        return [response.status, response.toText()];
      }),
    );
    expect(one).toEqual(other);
  });

  test("the acknowledgement of subscriptions/listen, and the caller is not notified", async () => {
    const listen = (server: ReturnType<typeof hidden>) => {
      const sent: unknown[] = [];
      const exchange = exchangeOf({ era: "modern" }, { auth, notify: (one) => void sent.push(one) });
      const notifications = {
        resourceSubscriptions: ["doc://secret", "vault://gold", "doc://nothing", "doc://open"],
      };
      void handle(server, modernRequest("subscriptions/listen", { notifications }), exchange);
      return sent;
    };
    const server = hidden();
    const sent = listen(server);
    const other = listen(absent());
    await expect.poll(() => [sent.length, other.length]).toEqual([1, 1]);
    expect(sent).toEqual(other);
    for (const uri of ["doc://secret", "vault://gold", "doc://open"]) void server.resourceUpdated(uri);
    await expect.poll(() => sent.slice(1)).toMatchObject([{ params: { uri: "doc://open" } }]);
    server.close();
  });

  test("a caller with the scopes is served", async () => {
    const exchange = () => exchangeOf({ era: "modern" }, { auth: { principal: "ada", scopes: ["admin"] } });
    const reply = async (method: string, params: JsonObject) =>
      (await handle(hidden(), modernRequest(method, params), exchange())).toText();
    const ref = { type: "ref/resource", uri: "vault://{key}" };
    expect(await reply("completion/complete", { ref, argument })).toContain('"values":["gold"]');
    expect(await reply("completion/complete", { ref: { ...ref, uri: "doc://secret" }, argument })).toContain(
      '"values":[]',
    );
  });

  test("a hidden resource protects its URI even if a template that the caller may use matches", async () => {
    const server = defineServer({ name: "s", version: "1" })
      .resource("secret", { uri: "doc://secret", scopes: ["admin"], handler: () => "42" })
      .resourceTemplate("all", { uriTemplate: "doc://{name}", handler: ({ name }) => `template ${name}` })
      .build();
    const response = await handle(
      server,
      request("resources/read", { uri: "doc://secret" }),
      exchangeOf({}, { auth }),
    );
    expect(response.error).toBe("RESOURCE_NOT_FOUND");
  });
});

/** Lists that depend on the caller are private. This does not tell which items exist. */
function withoutCache(text: string): string {
  return text.replace(/"cacheScope":"(?:public|private)"/, '"cacheScope":"…"');
}
