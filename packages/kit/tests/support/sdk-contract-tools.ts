/**
 * @fileoverview Contract server tools for the official SDK. They behave like the originals, and their
 * dependencies are passed in.
 * @module tests/kit/support/sdk-contract-tools
 */
import { EventEmitter, once } from "node:events";
import { z } from "zod";
import type { JsonObject } from "@tenon/internal/json";

/** Functions that a tool can use during a call. */
export interface Doings {
  readonly signal: AbortSignal;
  elicit(message: string): Promise<{ readonly action: string; readonly content?: unknown }>;
  sample(): Promise<{ readonly model: string }>;
  roots(): Promise<readonly { readonly uri: string }[]>;
  progress(progress: number, total?: number, message?: string): Promise<void>;
  log(level: string, data: unknown, logger?: string): Promise<void>;
  /** Adds the item `grown` and sends a notification. */
  grow(): Promise<void>;
  touch(uri: string): Promise<void>;
}

/** Tool definition and handler. It returns text, or structured content if it has an `output`. */
export interface ContractTool {
  readonly input: z.ZodType;
  readonly output?: z.ZodType;
  readonly more?: JsonObject;
  run(args: unknown, doings: Doings): Promise<unknown>;
}

/** Error that is sent to the client. */
export class Refusal extends Error {}

function tool<Input extends z.ZodType>(
  input: Input,
  run: (args: z.output<Input>, doings: Doings) => unknown,
  more: Omit<ContractTool, "input" | "run"> = {},
): ContractTool {
  return { input, run: async (args, doings) => run(args as z.output<Input>, doings), ...more }; // parsed by `input`
}

/** Creates a new set of tools, by name. */
export function createContractTools(): Map<string, ContractTool> {
  const aborted: string[] = [];
  const noticed = new EventEmitter();
  const tools: Record<string, ContractTool> = {
    echo: tool(TEXT, ({ text }) => text, { more: { description: "Returns its input" } }),
    add: tool(z.object({ a: z.number(), b: z.number() }), ({ a, b }) => ({ sum: a + b }), {
      output: z.object({ sum: z.number() }),
    }),
    // Structured content must be an object.
    squares: tool(
      z.object({ upTo: z.number() }),
      ({ upTo }) => ({ result: Array.from({ length: upTo }, (_, index) => (index + 1) ** 2) }),
      { output: z.object({ result: z.array(z.number()) }) },
    ),
    refuse: tool(NOTHING, () => Promise.reject(new Refusal("Not found"))),
    crash: tool(NOTHING, () => Promise.reject(new Error("an internal secret"))),
    count: tool(NOTHING, async (_, doings) => {
      await doings.progress(1, 3, "one");
      await doings.progress(2, 3, "two");
      await doings.progress(3, 3);
      return "counted";
    }),
    chatter: tool(NOTHING, async (_, doings) => {
      await doings.log("debug", "a detail");
      await doings.log("info", { step: "a step" }, "steps");
      await doings.log("warning", "a doubt ✓");
      await doings.log("error", "a fault");
      return "said";
    }),
    ask: tool(z.object({ message: z.string().default("Who are you?") }), async ({ message }, doings) =>
      describe(await doings.elicit(message)),
    ),
    think: tool(NOTHING, async (_, doings) => JSON.stringify(await doings.sample())),
    places: tool(NOTHING, async (_, doings) => (await doings.roots()).map(({ uri }) => uri).join(" ")),
    ask_all: tool(NOTHING, async (_, doings) => {
      const [answer, thought, roots] = await Promise.all([
        doings.elicit("Who are you?"),
        doings.sample(),
        doings.roots(),
      ]);
      return `${describe(answer)}, ${thought.model}, ${roots.length}`;
    }),
    wait: tool(TEXT, async ({ text }, doings) => {
      const over = new Promise<never>((_, reject) => {
        doings.signal.addEventListener("abort", () => {
          aborted.push(text);
          noticed.emit("aborted");
          reject(doings.signal.reason);
        });
      });
      await doings.progress(0);
      return over;
    }),
    aborted: tool(z.object({ count: z.number() }), async ({ count }) => {
      while (aborted.length < count) await once(noticed, "aborted");
      return aborted.join(" ");
    }),
    grow: tool(NOTHING, async (_, doings) => {
      await doings.grow();
      return "grown";
    }),
    touch: tool(z.object({ uri: z.string() }), async ({ uri }, doings) => {
      await doings.touch(uri);
      return "touched";
    }),
    end_subscriptions: tool(NOTHING, () => "ended"),
  };
  return new Map(Object.entries(tools));
}

/** Tool that is added later. */
export const GROWN: ContractTool = { input: z.object({}), run: async () => "here I am" };

const NOTHING = z.object({});
const TEXT = z.object({ text: z.string().max(1_000) });

function describe(answer: { readonly action: string; readonly content?: unknown }): string {
  if (answer.action !== "accept") return answer.action;
  return `Hello, ${(answer.content as { readonly name: string }).name}`; // the form's field
}
