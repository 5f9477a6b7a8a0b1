/**
 * @fileoverview Records the data that a provider wants back with the results of its calls, such as the signatures of
 * reasoning. Some providers reject results without it.
 * @module agent/models/ai-sdk/response-record
 */
import { exceedsDepth, isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";

/** Part of a response. Text and calls are stored elsewhere, so their parts contain only their length or index. */
type RecordedPart =
  | { readonly type: "reasoning"; text: string; options?: unknown }
  | { readonly type: "text"; chars: number; options?: unknown }
  | { readonly type: "call"; readonly index: number; readonly options?: unknown };

type Block = Exclude<RecordedPart, { readonly type: "call" }>;

/** Parts of one response, in order. */
export class ResponseRecord {
  readonly #parts: RecordedPart[] = [];
  readonly #open = new Map<string, Block>();
  #hasCalls = false;
  #isComplete = true;

  /** Records a stream part of a text or of reasoning. */
  note(part: JsonObject): void {
    const { type, id, delta, providerMetadata: options } = part;
    // The results of calls that the provider runs itself are not recorded.
    if (part["providerExecuted"] === true) this.#isComplete = false;
    const kind = KINDS.get(type);
    if (kind === undefined || typeof id !== "string") return;
    const key = `${kind} ${id}`;
    const block = this.#open.get(key) ?? this.#begin(key, kind);
    if (typeof delta === "string") {
      if (block.type === "text") block.chars += delta.length;
      else block.text += delta;
    }
    // The latest metadata counts, because signatures arrive at the end of a block.
    if (isJsonObject(options)) block.options = options;
    if (type === "text-end" || type === "reasoning-end") this.#open.delete(key);
  }

  /** Records a complete call with its metadata. */
  addCall(index: number, options: unknown): void {
    this.#hasCalls = true;
    this.#parts.push({ type: "call", index, ...(isJsonObject(options) && { options }) });
  }

  /** Returns the data for the next request, or `undefined` if the provider does not need any. */
  toMetadata(provider: string): JsonObject | undefined {
    const hasOptions = this.#parts.some(({ options }) => options !== undefined);
    if (!hasOptions || !this.#hasCalls || !this.#isComplete) return undefined;
    return copyAsJson({ provider, parts: this.#parts });
  }

  #begin(key: string, kind: Block["type"]): Block {
    const block: Block = kind === "text" ? { type: kind, chars: 0 } : { type: kind, text: "" };
    this.#open.set(key, block);
    this.#parts.push(block);
    return block;
  }
}

const KINDS: ReadonlyMap<unknown, Block["type"]> = /* @__PURE__ */ new Map([
  ["text-start", "text"],
  ["text-delta", "text"],
  ["text-end", "text"],
  ["reasoning-start", "reasoning"],
  ["reasoning-delta", "reasoning"],
  ["reasoning-end", "reasoning"],
]);

/** Limits for the data as JSON. The log does not store more. */
const MAX_CHARS = 262_144;
const MAX_DEPTH = 32;

/** Copies a value. Returns `undefined` if it exceeds a limit or cannot be represented in JSON. */
function copyAsJson(value: JsonObject): JsonObject | undefined {
  try {
    const text = JSON.stringify(value);
    if (text.length > MAX_CHARS || exceedsDepth(text, MAX_DEPTH)) return undefined;
    const copy = readJson(text);
    return isJsonObject(copy) ? copy : undefined;
  } catch {
    return undefined;
  }
}
