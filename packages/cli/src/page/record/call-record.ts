/**
 * @fileoverview Record of one call: its messages, its phases, and its outcome. Messages are kept as text, because text
 * can be counted and cut.
 * @module cli/page/record/call-record
 */
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import type { Revision } from "tenon/protocol";
import { roundMs } from "../../clock.js";
import type { CallDetail, CallOutcome, CallSummary, Phase, WireEntry } from "../protocol.js";
import {
  byteLength,
  MAX_CALL_BYTES,
  MAX_PARAMS_TEXT,
  MAX_RESULT_TEXT,
  MAX_WIRE_ENTRIES,
  MAX_WIRE_TEXT,
  toLabel,
} from "./limits.js";
import { toNetworkPhases } from "./phases.js";

/** Facts about a call when it starts. */
export interface CallStart extends Pick<CallSummary, "client" | "era" | "method"> {
  readonly revision: Revision | undefined;
  readonly params: JsonObject | undefined;
  /** JSON of the parameters, if it is known, or `null` if it is too long to be written. */
  readonly paramsText?: string | null | undefined;
  /** Milliseconds since 1970, with fractions. */
  readonly at: number;
}

/** Message to record. */
export interface RecordedMessage extends Omit<WireEntry, "isCut"> {
  /** Milliseconds since 1970, with fractions. */
  readonly at: number;
  /** Size of the whole message in bytes, if the text is only its start. */
  readonly wholeBytes?: number | undefined;
}

/** End of a call. */
export interface CallEnd {
  readonly outcome: Exclude<CallOutcome, "running">;
  readonly message?: string | undefined;
  /** JSON of the result. */
  readonly result?: string | undefined;
  readonly error?: CallDetail["error"];
  /** Milliseconds since 1970, with fractions. */
  readonly at: number;
}

/** Methods of calls that the page can repeat. */
export const REPEATABLE_METHODS: ReadonlySet<string> = new Set([
  "tools/call",
  "resources/read",
  "prompts/get",
]);

const MAX_NAME = 500;
const MAX_MESSAGE = 1_000;
const MAX_PHASES = 200;
const MAX_TASK_ID = 1_000;

/** Recorded call. */
export class CallRecord {
  readonly id: string;
  readonly start: Omit<CallStart, "params" | "paramsText">;
  readonly #onChange: (record: CallRecord) => void;
  readonly #name: string | undefined;
  readonly #params: string | undefined;
  readonly #wire: WireEntry[] = [];
  readonly #phases: Phase[] = [];
  #outcome: CallOutcome = "running";
  #end: CallEnd | undefined;
  #progress: CallSummary["progress"];
  #taskId: string | undefined;
  #requestBytes: number | undefined;
  #responseBytes: number | undefined;
  #size = 0;

  /** @param onChange called after each change */
  constructor(id: string, start: CallStart, onChange: (record: CallRecord) => void) {
    this.id = id;
    const { params, paramsText, ...facts } = start;
    this.start = facts;
    this.#onChange = onChange;
    this.#name = nameOf(params ?? {});
    const text = paramsText === undefined ? params && JSON.stringify(params) : (paramsText ?? undefined);
    this.#params = this.#keepJson(text, MAX_PARAMS_TEXT);
  }

  /** Size of the texts in bytes. */
  get size(): number {
    return this.#size;
  }

  /** False once the call has ended. */
  get isRunning(): boolean {
    return this.#outcome === "running";
  }

  get outcome(): CallOutcome {
    return this.#outcome;
  }

  /** Parameters of the request. Absent if there are none, or if they are too long to be kept. */
  get params(): JsonObject | undefined {
    return parse(this.#params);
  }

  /** Result of the call. Absent if there is none, or if it is too long to be kept. */
  get result(): JsonObject | undefined {
    return parse(this.#end?.result);
  }

  /** JSON-RPC error. */
  get error(): CallDetail["error"] {
    return this.#end?.error;
  }

  get wire(): readonly WireEntry[] {
    return this.#wire;
  }

  get taskId(): string | undefined {
    return this.#taskId;
  }

  /** Records a message. Beyond the limits, each further message replaces the last one, which is marked as cut. */
  addMessage({ direction, at, http, text, wholeBytes }: RecordedMessage): void {
    const isLong = wholeBytes !== undefined || text.length > MAX_WIRE_TEXT;
    const isFull = this.#wire.length >= MAX_WIRE_ENTRIES || this.#size >= MAX_CALL_BYTES;
    const kept = isLong ? text.slice(0, MAX_WIRE_TEXT) : text;
    const entry: WireEntry = {
      direction,
      at: roundMs(at - this.start.at),
      ...(http === undefined ? {} : { http }),
      text: kept,
      isCut: isLong || isFull,
    };
    const replaced = isFull ? this.#wire.pop() : undefined;
    this.#wire.push(entry);
    this.#size += sizeOf(entry) - (replaced === undefined ? 0 : sizeOf(replaced));
    const bytes = byteLength(kept);
    const whole = wholeBytes ?? (isLong ? byteLength(text) : bytes);
    if (direction === "sent") this.#requestBytes ??= whole;
    else if (text !== "") this.#responseBytes = whole;
    this.#onChange(this);
  }

  /** Adds phases, in milliseconds since 1970. Phases before the start of the call are cut. */
  addPhases(phases: readonly Phase[]): void {
    const { at } = this.start;
    for (const { name, start, end } of phases) {
      if (this.#phases.length >= MAX_PHASES) break;
      const from = roundMs(Math.max(0, start - at));
      const to = roundMs(end - at);
      if (to <= from) continue;
      const last = this.#phases.at(-1);
      const continues = last?.name === name && last.end === from;
      if (continues) this.#phases[this.#phases.length - 1] = { name, start: last.start, end: to };
      else this.#phases.push({ name, start: from, end: to });
    }
    this.#onChange(this);
  }

  /** Records progress. Ignores values that are not valid. */
  setProgress({ progress, total, message }: JsonObject): void {
    if (typeof progress !== "number" || !this.isRunning) return;
    this.#progress = {
      progress,
      ...(typeof total === "number" ? { total } : {}),
      ...(typeof message === "string" ? { message: toLabel(message, MAX_MESSAGE) } : {}),
    };
    this.#onChange(this);
  }

  /** Records the task that the call runs as. Ignores IDs that are too long to be kept. */
  setTask(taskId: string): void {
    if (taskId.length > MAX_TASK_ID) return;
    this.#taskId = taskId;
    this.#onChange(this);
  }

  /** Ends the call. Later ends have no effect. */
  finish(end: CallEnd): void {
    if (!this.isRunning) return;
    this.#outcome = end.outcome;
    const { message, error, result } = end;
    this.#end = {
      ...end,
      message: message && toLabel(message, MAX_MESSAGE),
      error: error && this.#keepError(error),
      result: this.#keepJson(result, MAX_RESULT_TEXT),
    };
    this.#onChange(this);
  }

  /** Returns the call without its messages. */
  toSummary(): CallSummary {
    const { client, era, revision, method, at } = this.start;
    const { message } = this.#end ?? {};
    return {
      id: this.id,
      client,
      era,
      revision,
      method: toLabel(method, MAX_NAME),
      name: this.#name,
      at,
      ms: this.#end && roundMs(Math.max(0, this.#end.at - at)),
      outcome: this.#outcome,
      message,
      phases: this.#toPhases(),
      progress: this.#progress,
      taskId: this.#taskId,
      requestBytes: this.#requestBytes,
      responseBytes: this.#responseBytes,
      isRepeatable: REPEATABLE_METHODS.has(method) && this.#params !== undefined,
    };
  }

  /** Returns the phases. The rest of a page's call that has ended is the time on the network. */
  #toPhases(): readonly Phase[] {
    if (this.start.client.kind !== "page" || this.#end === undefined) return [...this.#phases];
    const end = roundMs(Math.max(0, this.#end.at - this.start.at));
    // The server can report phases after the call, because a client does not wait for a call that it has cancelled.
    const within = this.#phases
      .map((phase) => ({ ...phase, end: Math.min(phase.end, end) }))
      .filter((phase) => phase.end > phase.start);
    return [...within, ...toNetworkPhases({ start: 0, end }, within)];
  }

  /** Counts an error. Leaves out its data if it is too long to be kept. */
  #keepError(error: NonNullable<CallDetail["error"]>): CallDetail["error"] {
    const { code, message } = error;
    const isKept = JSON.stringify(error).length <= MAX_PARAMS_TEXT;
    const kept = isKept ? error : { code, message: toLabel(message, MAX_MESSAGE) };
    this.#size += byteLength(JSON.stringify(kept));
    return kept;
  }

  /** Counts a JSON text. Returns `undefined` if it is too long to be kept. */
  #keepJson(text: string | undefined, limit: number): string | undefined {
    if (text === undefined || text.length > limit) return undefined;
    this.#size += byteLength(text);
    return text;
  }
}

/** Returns the size of a message and its headers in bytes. */
function sizeOf({ text, http }: WireEntry): number {
  return (http?.headers ?? []).reduce(
    (sum, [name, value]) => sum + name.length + value.length,
    byteLength(text),
  );
}

function parse(text: string | undefined): JsonObject | undefined {
  const value = text === undefined ? undefined : readJson(text);
  return isJsonObject(value) ? value : undefined;
}

/** Returns the name of the tool or prompt, the URI, or the ID of the task. */
function nameOf({ name, uri, taskId }: JsonObject): string | undefined {
  const found = [name, uri, taskId].find((one) => typeof one === "string");
  return found === undefined ? undefined : toLabel(found, MAX_NAME);
}
