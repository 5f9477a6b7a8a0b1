/**
 * @fileoverview Checks the everything server in memory, in the latest stateful and stateless revisions. `npm run
 * conformance` runs the official suite against it over HTTP.
 * @module examples/everything/check
 */
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { type Client, createClient } from "tenon/testing";
import { checkRounds } from "./check-rounds.js";
import { checkTasks } from "./check-tasks.js";
import { RED_PIXEL } from "./media.js";
import { WATCHED } from "./resources.js";
import { server } from "./server.js";

/** Runs the example. @throws if its behavior differs from the documentation */
export async function check(): Promise<void> {
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    const asked: Asked[] = [];
    const client = await createClient(server, {
      revision,
      logLevel: "info",
      input: (params) => {
        asked.push(params as unknown as Asked); // this server sends only forms
        return { action: "accept", content: answerForm(params as unknown as Asked) };
      },
      sample: () => "The model's response",
      roots: [{ uri: "file:///work", name: "Work" }],
    });
    try {
      await checkContent(client);
      await checkLiveTools(client);
      await checkQuestions(client, asked);
      await checkResourcesAndPrompts(client);
      await checkChanges(client);
    } finally {
      await client.close();
    }
  }
  await checkRounds();
  await checkTasks();
}

type EverythingClient = Client<typeof server.types>;

/** Form as clients receive it. */
interface Asked {
  readonly message: string;
  readonly requestedSchema: { readonly properties: Readonly<Record<string, Field>> };
}

interface Field {
  readonly type: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string; readonly title: string }[];
  readonly enumNames?: readonly string[];
  readonly items?: Omit<Field, "type"> & { readonly anyOf?: readonly { readonly const: string }[] };
}

async function checkContent(client: EverythingClient): Promise<void> {
  const kindsOf = async (name: Parameters<EverythingClient["callTool"]>[0]) =>
    (await client.callTool(name)).content.map(({ type }) => type);
  const [first] = await client.listTools();
  assert.equal(first?.name, "test_simple_text");
  assert.equal(
    await text(client.callTool("test_simple_text")),
    "This is a simple text response for testing.",
  );
  assert.deepEqual(await kindsOf("test_image_content"), ["image"]);
  assert.deepEqual(await kindsOf("test_audio_content"), ["audio"]);
  assert.deepEqual(await kindsOf("test_embedded_resource"), ["resource"]);
  assert.deepEqual(await kindsOf("test_multiple_content_types"), ["text", "image", "resource"]);
  assert.equal((await client.callTool("test_error_handling")).isError, true);

  const rich = (await client.listTools()).find(({ name }) => name === "json_schema_2020_12_tool");
  for (const keyword of ["$schema", "$defs", "allOf", "if", "then", "else", "additionalProperties"]) {
    assert.ok(keyword in (rich?.inputSchema ?? {}), keyword);
  }
  const reach = (args: Record<string, string>) => client.callTool("json_schema_2020_12_tool", args);
  assert.equal((await reach({ contactMethod: "phone", email: "a@b.c" })).isError, true);
  assert.equal((await reach({ contactMethod: "phone", phone: "1" })).isError, undefined);
  assert.equal(await text(client.callTool("test_header_argument", { region: "eu" })), "The region is eu.");
}

async function checkLiveTools(client: EverythingClient): Promise<void> {
  const seen: number[] = [];
  await client.callTool("test_tool_with_progress", {}, { onProgress: ({ progress }) => seen.push(progress) });
  assert.deepEqual(seen, [0, 50, 100]);
  await client.callTool("test_tool_with_logging");
  const logged = client.notifications.filter(({ method }) => method === "notifications/message");
  assert.deepEqual(
    logged.map(({ params }) => params?.["data"]),
    ["Tool execution started", "Tool processing data", "Tool execution completed"],
  );
  assert.equal(await text(client.callTool("test_reconnection")), "The client reconnected.");
}

async function checkQuestions(client: EverythingClient, asked: readonly Asked[]): Promise<void> {
  assert.equal(
    await text(client.callTool("test_sampling", { prompt: "Well?" })),
    "LLM response: The model's response",
  );
  assert.equal(
    await text(client.callTool("test_elicitation", { message: "Who?" })),
    'User response: action=accept, content={"username":"text","email":"text"}',
  );
  assert.equal(asked.at(-1)?.message, "Who?");
  await client.callTool("test_elicitation_sep1034_defaults");
  const defaults = Object.values(asked.at(-1)?.requestedSchema.properties ?? {}).map(
    (field) => field.default,
  );
  assert.deepEqual(defaults, ["John Doe", 30, 95.5, "active", true]);
  const chosen = await text(client.callTool("test_elicitation_sep1330_enums"));
  assert.match(chosen, /^Elicitation completed: action=accept, content=\{"untitledSingle":"option1"/);
  const { titledSingle, legacyEnum, titledMulti } = asked.at(-1)?.requestedSchema.properties ?? {};
  assert.deepEqual(titledSingle?.oneOf?.[0], { const: "value1", title: "First Option" });
  assert.equal(legacyEnum?.enumNames?.[0], "Option One");
  assert.equal(titledMulti?.items?.anyOf?.length, 3);
  assert.equal(await text(client.callTool("test_streaming_elicitation")), "Continued.");
}

async function checkResourcesAndPrompts(client: EverythingClient): Promise<void> {
  const read = async (uri: string) => (await client.readResource(uri)).contents[0];
  assert.deepEqual(await read("test://static-text"), {
    uri: "test://static-text",
    mimeType: "text/plain",
    text: "This is the content of the static text resource.",
  });
  const picture = { uri: "test://static-binary", mimeType: "image/png", blob: RED_PIXEL };
  assert.deepEqual(await read("test://static-binary"), picture);
  assert.deepEqual(await read("test://template/123/data"), {
    uri: "test://template/123/data",
    mimeType: "application/json",
    text: '{"id":"123","templateTest":true,"data":"Data for ID: 123"}',
  });

  const kindsOf = async (name: string, args?: Record<string, string>) =>
    (await client.getPrompt(name, args)).messages.map(({ content }) => content.type);
  assert.deepEqual(await kindsOf("test_simple_prompt"), ["text"]);
  assert.deepEqual(await kindsOf("test_prompt_with_image"), ["image", "text"]);
  const embedded = await kindsOf("test_prompt_with_embedded_resource", { resourceUri: "test://a" });
  assert.deepEqual(embedded, ["resource", "text"]);
  const { messages } = await client.getPrompt("test_prompt_with_arguments", { arg1: "a", arg2: "b" });
  assert.deepEqual(messages[0]?.content, {
    type: "text",
    text: "Prompt with arguments: arg1='a', arg2='b'",
  });
  const ref = { type: "ref/prompt", name: "test_prompt_with_arguments" } as const;
  assert.deepEqual((await client.complete(ref, { name: "arg1", value: "par" })).values, [
    "paris",
    "park",
    "party",
  ]);
  const asking = await client.getPrompt("test_input_required_result_prompt");
  assert.deepEqual(asking.messages[0]?.content, { type: "text", text: "Use this context: text" });
}

/** Makes each change twice, so that the server returns to its initial state. */
async function checkChanges(client: EverythingClient): Promise<void> {
  const stateless = client.revision === "2026-07-28";
  const listening = stateless
    ? client.listen({ toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: [WATCHED] })
    : undefined;
  if (!stateless) await client.request("resources/subscribe", { uri: WATCHED });
  await turn();
  const before = client.notifications.length;
  for (let count = 0; count < 2; count++) {
    await client.callTool("test_trigger_tool_change");
    await client.callTool("test_trigger_prompt_change");
  }
  await client.callTool("test_trigger_resource_update");
  await turn();
  const lists = ["notifications/tools/list_changed", "notifications/prompts/list_changed"];
  assert.deepEqual(
    client.notifications.slice(before).map(({ method }) => method),
    [...lists, ...lists, "notifications/resources/updated"],
  );
  listening?.stop();
}

/** Fills in a form: the first choice for choice fields, and a fixed value for other fields. */
function answerForm({ requestedSchema }: Asked): Record<string, unknown> {
  const first = (field: Omit<Field, "type">) => field.enum?.[0] ?? field.oneOf?.[0]?.const;
  const answers = { string: "text", integer: 1, number: 1.5, boolean: true } as const;
  return Object.fromEntries(
    Object.entries(requestedSchema.properties).map(([name, field]) => [
      name,
      field.type === "array"
        ? [field.items?.enum?.[0] ?? field.items?.anyOf?.[0]?.const]
        : (first(field) ?? answers[field.type as keyof typeof answers]),
    ]),
  );
}

async function text(result: ReturnType<EverythingClient["callTool"]>): Promise<string> {
  const [block] = (await result).content;
  assert.equal(block?.type, "text");
  return block.text;
}
