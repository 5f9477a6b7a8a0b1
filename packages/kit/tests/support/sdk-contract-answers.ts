/**
 * @fileoverview Contract server responses for official SDK servers, by method. They are written for one
 * revision at a time, because the SDK sends any response in any revision.
 * @module tests/kit/support/sdk-contract-answers
 */
import { z } from "zod";
import type { JsonObject } from "@tenon/internal/json";
import { type Revision, TRAITS } from "tenon/protocol";
import { NEWS } from "../../../../tests/support/contract/transport-server.js";
import { type ContractTool, createContractTools, type Doings, GROWN, Refusal } from "./sdk-contract-tools.js";

/** SDK functions that are available during one request. */
export interface SdkCall extends Pick<Doings, "signal" | "elicit" | "sample" | "roots"> {
  readonly progressToken: string | number | undefined;
  /** Sends a notification on the request's stream. */
  notify(method: string, params: JsonObject): Promise<void>;
  /** Sends a notification on the session's stream. */
  announce(method: string, params?: JsonObject): Promise<void>;
}

type Answer = (params: JsonObject, call: SdkCall) => unknown;

/** Returns the methods of one server, by name. */
export function createContractAnswers(revision: Revision): Readonly<Record<string, Answer>> {
  const { formElicitation, progressMessages, structuredOutput } = TRAITS[revision];
  const tools = createContractTools();
  const resources: JsonObject[] = [
    { name: "news", uri: NEWS, title: "News", mimeType: "text/plain" },
    { name: "dot", uri: "contract://dot", mimeType: "image/png" },
  ];
  const prompts: JsonObject[] = [
    {
      name: "pack",
      description: "What to pack",
      arguments: [{ name: "city", required: true }, { name: "days" }],
    },
    { name: "plain" },
  ];
  const subscribed = new Set<unknown>();
  let level = "info";

  const doingsOf = (call: SdkCall): Doings => ({
    signal: call.signal,
    sample: () => call.sample(),
    roots: () => call.roots(),
    async elicit(message) {
      if (!formElicitation) throw new Refusal("The client does not support elicitation.");
      return call.elicit(message);
    },
    async progress(progress, total, message) {
      const { progressToken } = call;
      if (progressToken === undefined) return;
      await call.notify("notifications/progress", {
        progressToken,
        progress,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined || !progressMessages ? {} : { message }),
      });
    },
    async log(of, data, logger) {
      if (LEVELS.indexOf(of) < LEVELS.indexOf(level)) return;
      const params = { level: of, data, ...(logger === undefined ? {} : { logger }) };
      await call.notify("notifications/message", params);
    },
    async grow() {
      tools.set("grown", GROWN);
      resources.push({ name: "grown", uri: "contract://grown" });
      prompts.push({ name: "grown" });
      for (const kind of ["tools", "resources", "prompts"]) {
        await call.announce(`notifications/${kind}/list_changed`);
      }
    },
    async touch(uri) {
      if (subscribed.has(uri)) await call.announce("notifications/resources/updated", { uri });
    },
  });

  const listed = ([name, { input, output, more }]: [string, ContractTool]) => ({
    name,
    ...more,
    inputSchema: schemaOf(input),
    ...(output === undefined || !structuredOutput ? {} : { outputSchema: schemaOf(output) }),
  });

  return {
    "tools/list": ({ cursor }) => pageOf("tools", [...tools].map(listed), cursor),
    async "tools/call"({ name, arguments: args }, call) {
      const found = tools.get(String(name));
      if (found === undefined) throw rpcError(-32601, `Unknown tool: ${String(name)}`);
      const parsed = found.input.safeParse(args ?? {});
      if (!parsed.success) return failure(`Validation failed: ${issuesOf(parsed.error)}`);
      try {
        const given = await found.run(parsed.data, doingsOf(call));
        if (found.output === undefined) return { content: [text(String(given))] };
        return {
          content: [text(JSON.stringify(given))],
          ...(structuredOutput ? { structuredContent: given } : {}),
        };
      } catch (error) {
        return failure(error instanceof Refusal ? error.message : `Tool ${String(name)} failed`);
      }
    },
    "resources/list": ({ cursor }) => pageOf("resources", resources, cursor),
    "resources/templates/list": () => ({ resourceTemplates: [{ name: "weather", uriTemplate: WEATHER }] }),
    "resources/read": ({ uri }) => ({ contents: [contentsOf(String(uri))] }),
    "resources/subscribe"({ uri }) {
      subscribed.add(uri);
      return {};
    },
    "resources/unsubscribe"({ uri }) {
      subscribed.delete(uri);
      return {};
    },
    "prompts/list": ({ cursor }) => pageOf("prompts", prompts, cursor),
    "prompts/get"({ name, arguments: args }) {
      if (name !== "pack") throw rpcError(-32602, `Unknown prompt: ${String(name)}`);
      const { city, days } = (args ?? {}) as { readonly city?: string; readonly days?: string }; // strings, by the SDK's schema
      if (city === undefined) throw rpcError(-32602, "city is missing");
      const asked = text(`What do I pack for ${days ?? "some"} days in ${city}?`);
      return { messages: [{ role: "user", content: asked }] };
    },
    "completion/complete"({ argument }) {
      const { value } = argument as { readonly value: string }; // by the SDK's schema
      return { completion: { values: CITIES.filter((city) => city.startsWith(value)) } };
    },
    "logging/setLevel"(params) {
      level = String(params["level"]);
      return {};
    },
  };
}

/** Capabilities of the server. */
export const CONTRACT_CAPABILITIES = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
};

const WEATHER = "contract://weather/{city}{?unit}";
const CITIES = ["Riga", "Rome", "Oslo"];
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
const PAGE = 5;

/** Returns a page of a list. The cursor is its start index. */
function pageOf(key: string, all: readonly unknown[], cursor: unknown) {
  const from = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isInteger(from))
    throw rpcError(-32602, "The cursor is invalid or outdated. Request the first page again.");
  const next = from + PAGE < all.length ? { nextCursor: String(from + PAGE) } : {};
  return { [key]: all.slice(from, from + PAGE), ...next };
}

function contentsOf(uri: string) {
  if (uri === NEWS) return { uri, mimeType: "text/plain", text: "Nothing new ✓" };
  if (uri === "contract://dot") return { uri, mimeType: "image/png", blob: "iVBOR/8A" };
  const [, city, unit = "C"] = /^contract:\/\/weather\/([^?]+)(?:\?unit=(.*))?$/.exec(uri) ?? [];
  if (city === undefined) throw rpcError(-32002, `Resource not found: ${uri}`, { uri });
  return { uri, text: `${decodeURIComponent(city)}: 21 ${unit}` };
}

/** Creates an error that every version of the SDK sends unchanged. */
function rpcError(code: number, message: string, data?: JsonObject): Error {
  return Object.assign(new Error(message), { code, ...(data === undefined ? {} : { data }) });
}

function text(said: string) {
  return { type: "text" as const, text: said };
}

function failure(said: string) {
  return { content: [text(said)], isError: true };
}

function issuesOf(error: z.ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ");
}

function schemaOf(schema: z.ZodType): unknown {
  return z.toJSONSchema(schema, { io: "input" });
}
