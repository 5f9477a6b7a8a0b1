/**
 * @fileoverview A small notebook as modules: tools, resources, and prompts.
 * @module tests/kit/support/note-modules
 */
import { McpError as SdkMcpError } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { McpError } from "tenon";
import {
  defineResourceModule,
  definePromptModule,
  defineToolModule,
  jsonResult,
  outputVocabulary,
  paged,
  toShape,
} from "../../src/index.js";

/** Context for the handlers. */
export interface NotesContext {
  readonly notes: ReadonlyMap<string, string>;
}

const { itemOutput, itemsOutput, pagination, shapedOutput, shapeInput } = outputVocabulary(z);
const Note = z.object({ id: z.string(), text: z.string() });
const all = ({ notes }: NotesContext) => [...notes].map(([id, text]) => ({ id, text }));

/** Returns one note, or an error that is meant for the client. */
export const noteGet = defineToolModule({
  name: "note-get",
  title: "One note",
  description: "Gives one note by its id.",
  inputSchema: z.object({ id: z.string() }),
  outputSchema: itemOutput(Note),
  annotations: { readOnlyHint: true },
  handler: ({ id }, _extra, { notes }: NotesContext) => {
    const text = notes.get(id);
    if (text === undefined) throw new McpError("NOT_FOUND", `There is no note ${id}`);
    return jsonResult({ type: "success" as const, item: { id, text } });
  },
});

const noteList = defineToolModule({
  name: "note-list",
  description: "Lists the notes, in pages.",
  inputSchema: z.object({ ...pagination.input }),
  outputSchema: itemsOutput(Note),
  handler: async ({ pageToken }, _extra, context: NotesContext) =>
    paged(all(context), { maxBytes: 400, pageToken }),
});

const noteSearch = defineToolModule({
  name: "note-search",
  description: "Finds notes, as objects or as a table.",
  inputSchema: z.object({ text: z.string(), shape: shapeInput() }),
  outputSchema: shapedOutput(Note),
  handler: ({ text, shape }, _extra, context: NotesContext) =>
    toShape(
      all(context).filter((note) => note.text.includes(text)),
      shape,
    ),
});

const plain = defineToolModule({
  name: "plain",
  description: "Says text, without output schema.",
  inputSchema: z.object({ times: z.number().default(2) }),
  handler: ({ times }) => "ho ".repeat(times).trim(),
});

const breaks = defineToolModule({
  name: "breaks",
  description: "Fails in a way of the caller's choice.",
  inputSchema: z.object({ how: z.enum(["error", "sdk", "sync", "output", "result"]) }),
  outputSchema: itemOutput(Note),
  handler: ({ how }) => {
    if (how === "sync") throw new Error("postgres://ada:hunter22@db failed");
    return fail(how);
  },
});

async function fail(how: string): Promise<never> {
  await Promise.resolve();
  if (how === "sdk") throw new SdkMcpError(-32602, "not like that");
  if (how === "output") return { type: "success", item: { id: 7 } } as never; // wrong on purpose
  if (how === "result") return { content: [{ type: "text", text: "sorry" }], isError: true } as never;
  throw new Error("postgres://ada:hunter22@db failed");
}

const looks = defineToolModule({
  name: "looks",
  description: "Tells what it knows of the request.",
  inputSchema: z.object({}),
  handler: async (_args, extra) => {
    await extra.progress(1, 2, "half");
    return {
      account: extra._meta["accountId"],
      aborted: extra.signal.aborted,
      hasId: extra.requestId !== undefined,
      hasRaw: extra.raw !== undefined,
      auth: extra.authInfo?.clientId ?? null,
    };
  },
});

/** All notebook tools. */
export const TOOLS = [noteGet, noteList, noteSearch, plain, breaks, looks] as const;

/** A resource and a template. */
export const RESOURCES = [
  defineResourceModule({
    name: "count",
    uri: "notes://count",
    mimeType: "text/plain",
    handler: ({ uri }, _extra, { notes }: NotesContext) => `${uri} ${notes.size}`,
  }),
  defineResourceModule({
    name: "note",
    description: "One note",
    uriTemplate: "notes://note/{id}",
    handler: ({ uri, variables }, _extra, { notes }: NotesContext) => {
      const text = notes.get(variables.id);
      if (text === "broken") throw new Error("hunter22");
      if (text === undefined)
        throw new McpError("NOT_FOUND", `There is no note ${variables.id}`, { id: variables.id });
      return [{ uri, text }];
    },
  }),
  defineResourceModule({ name: "bytes", uri: "notes://bytes", handler: () => new Uint8Array([1, 2, 3]) }),
] as const;

/** Two prompts. */
export const PROMPTS = [
  definePromptModule({
    name: "summarize",
    description: "Asks for a summary",
    argsSchema: z.object({ id: z.string().describe("Which note"), tone: z.string().optional() }),
    handler: ({ id, tone }, _extra, { notes }: NotesContext) =>
      `Summarize in a ${tone ?? "dry"} tone: ${notes.get(id) ?? ""}`,
  }),
  definePromptModule({
    name: "greet",
    handler: () => [{ role: "assistant", content: { type: "text", text: "Hello" } }],
  }),
] as const;
