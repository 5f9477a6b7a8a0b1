/**
 * @fileoverview Behavior of the official SDK servers in these tests, for every version and API level.
 * @module tests/kit/support/sdk-tools
 */
import { EventEmitter, once } from "node:events";
import { z } from "zod";

/** Resource that supports subscriptions. */
export const NEWS = "sdk://news";

/** Functions that a tool can use during a call. */
export interface Doings {
  readonly signal: AbortSignal;
  readonly sessionId: string | undefined;
  readonly clientId: string | undefined;
  elicit(message: string): Promise<{ readonly action: string; readonly content?: unknown }>;
  sample(text: string): Promise<{ readonly model: string }>;
  progress(step: number): Promise<void>;
  log(data: string): Promise<void>;
  grow(): void;
  touch(): Promise<void>;
  close(): Promise<void>;
}

/** Result of a tool. */
export interface SdkToolResult {
  [key: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
}

/** Creates the tools: input, structured output if any, and behavior. */
export function createSdkTools() {
  const aborted: string[] = [];
  const noticed = new EventEmitter();
  let calls = 0;
  const text = (said: unknown): SdkToolResult => ({ content: [{ type: "text", text: String(said) }] });
  const run = async (name: string, args: Record<string, unknown>, doings: Doings): Promise<SdkToolResult> => {
    calls++;
    switch (name) {
      case "add": {
        const structuredContent = { sum: Number(args["a"]) + Number(args["b"]) };
        return { ...text(JSON.stringify(structuredContent)), structuredContent };
      }
      case "ask":
        return text(JSON.stringify(await doings.elicit("Who are you?")));
      case "think":
        return text((await doings.sample("Think")).model);
      case "count":
        for (const step of [1, 2, 3]) await doings.progress(step);
        return text("counted");
      case "chatter":
        await doings.log("a step");
        return text("said");
      case "grow":
        doings.grow();
        return text("grown");
      case "touch":
        await doings.touch();
        return text("touched");
      case "wait":
        doings.signal.addEventListener("abort", () => {
          aborted.push("one");
          noticed.emit("aborted");
        });
        await doings.progress(0);
        return new Promise<never>(() => {});
      case "aborted":
        while (aborted.length === 0) await once(noticed, "aborted");
        return text(aborted.join(" "));
      case "who":
        return text(
          JSON.stringify({ session: doings.sessionId !== undefined, client: doings.clientId, calls }),
        );
      case "close":
        await doings.close();
        return new Promise<never>(() => {});
      default:
        throw new Error(`no tool ${name}`);
    }
  };
  return { run };
}

/** Names of the tools without arguments. */
export const PLAIN_TOOLS = [
  "ask",
  "think",
  "count",
  "chatter",
  "grow",
  "touch",
  "wait",
  "aborted",
  "who",
  "close",
] as const;

/** Tool with structured output. */
export const ADD = {
  input: { a: z.number(), b: z.number() },
  output: { sum: z.number() },
};

/** Server information. */
export const SDK_INFO = { name: "official", version: "3.2.1" };

/** Server capabilities. */
export const SDK_CAPABILITIES = {
  logging: {},
  tools: { listChanged: true },
  resources: { subscribe: true },
};

/** Form shown to the user. */
export const NAME_FORM = {
  type: "object" as const,
  properties: { name: { type: "string" as const } },
  required: ["name"],
};
