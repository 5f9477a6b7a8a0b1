import { describe, expect, test } from "vitest";
import { defineServer } from "../../src/core/define-server.js";
import { tasks } from "../../src/tasks/index.js";
import { type Endpoint, FETCH, read, SERVED } from "../../../../tests/support/http-faces.js";
import { modernCall, modernPost } from "../../../../tests/support/http-messages.js";

/** `resources/read` compared the `Mcp-Name` header with the URI, but read the resource with the given name. */

const setUp = () =>
  defineServer({ name: "targets", version: "1.0.0" })
    .extension(tasks())
    .resource("open", { uri: "test://open", handler: () => "the open resource" })
    .resource("secret", { uri: "test://secret", handler: () => "the secret resource" })
    .tool("open", { handler: () => "the open tool" })
    .tool("secret", { handler: () => "the secret tool" })
    .prompt("open", { handler: () => "the open prompt" })
    .prompt("secret", { handler: () => "the secret prompt" })
    .tool("job", { task: "required", handler: () => "done" })
    .build();

const CAPABILITIES = { extensions: { "io.modelcontextprotocol/tasks": {} } };

type Params = Readonly<Record<string, string>>;

/** All combinations of values, including absent ones. */
function combine(values: Readonly<Record<string, readonly string[]>>): readonly Params[] {
  return Object.entries(values).reduce<readonly Params[]>(
    (all, [field, options]) =>
      all.flatMap((params) => [params, ...options.map((value) => ({ ...params, [field]: value }))]),
    [{}],
  );
}

/** Sends a request and returns the text of its response if it succeeded. */
async function send(
  endpoint: Endpoint,
  method: string,
  { params, header }: { readonly params: Params; readonly header: string | undefined },
): Promise<string | undefined> {
  const extras = { capabilities: CAPABILITIES, headers: { "mcp-name": header } };
  const { status, body } = await read(await endpoint.fetch(modernPost(method, params, extras)));
  const isAccepted = status === 200 && body["result"] !== undefined;
  return isAccepted ? JSON.stringify(body["result"]) : undefined;
}

describe.each([FETCH, SERVED])("the target of a stateless request on $name", (face) => {
  test.each([
    ["tools/call", "name", { name: ["open", "secret"], uri: ["open", "secret"], taskId: ["open", "secret"] }],
    ["prompts/get", "name", { name: ["open", "secret"], uri: ["open", "secret"] }],
    ["resources/read", "uri", { name: ["open", "secret"], uri: ["test://open", "test://secret"] }],
  ] as const)("%s is always the %s in the header", async (method, field, values) => {
    const endpoint = await face.open(setUp());
    const targets = values[field] ?? [];
    let accepted = 0;
    for (const params of combine(values)) {
      for (const header of [undefined, "open", "secret", "test://open", "test://secret"]) {
        const text = await send(endpoint, method, { params, header });
        const shown = { params, header };
        if (text === undefined) {
          expect({ ...shown, mustPass: header !== undefined && params[field] === header }).toEqual({
            ...shown,
            mustPass: false,
          });
          continue;
        }
        accepted++;
        const target = targets.find((name) => name === header)?.replace("test://", "");
        expect({ ...shown, text }).toEqual({
          ...shown,
          text: expect.stringContaining(`the ${target} `) as string,
        });
      }
    }
    expect(accepted).toBeGreaterThan(0);
  });

  test("tasks/get and tasks/cancel is always the task in the header", async () => {
    const endpoint = await face.open(setUp());
    const create = async () => {
      const { body } = await read(
        await endpoint.fetch(modernCall("job", {}, { capabilities: CAPABILITIES })),
      );
      return (body["result"] as { readonly taskId: string }).taskId;
    };
    const ids = [await create(), await create()];
    for (const params of combine({ taskId: ids, name: ids, uri: ids })) {
      for (const header of [undefined, ...ids]) {
        const isMatch = header !== undefined && params["taskId"] === header;
        const found = await send(endpoint, "tasks/get", { params, header });
        expect(found?.includes(`"taskId":"${header}"`) ?? false).toBe(isMatch);
        expect((await send(endpoint, "tasks/cancel", { params, header })) !== undefined).toBe(isMatch);
      }
    }
  });
});

test("a stateless request cannot read a resource by its name alone", async () => {
  const endpoint = await FETCH.open(setUp());
  const { body } = await read(await endpoint.fetch(modernPost("resources/read", { name: "secret" })));
  expect(body["error"]).toEqual({ code: -32602, message: "invalid params: uri must be a string" });
});
