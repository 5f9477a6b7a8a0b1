/**
 * @fileoverview Parses text that may be a tool call. The text is held back until the tags of all required parameters
 * have appeared, because a mention of a tool is not a call.
 * @module agent/xml/call-candidate
 */
import type { AgentToolDescription } from "../tools/define-tool.js";
import { type CallLimits, CallReader } from "./call-reader.js";
import { type ObjectPlan, planTool } from "./plan.js";
import { type Place, type Reader, Scanner } from "./scanner.js";

/** A tool with everything that the parser needs. */
export interface CallableTool {
  readonly description: AgentToolDescription;
  readonly plan: ObjectPlan;
  /** Names of the required parameters. */
  readonly required: readonly string[];
}

/** Prepares a tool for the parser. */
export function toCallableTool(description: AgentToolDescription): CallableTool {
  const { name, params } = description;
  const required = params.filter(({ optional }) => !optional).map((param) => param.name);
  return { description, plan: planTool(name, params), required };
}

/** Options for `CallCandidate`. */
export interface CandidateParts {
  readonly tools: ReadonlyMap<string, CallableTool>;
  readonly limits: CallLimits;
  /** True if every opening tag of a tool starts a call, even if the call turns out to be invalid. */
  readonly reportsInvalid: boolean;
}

/**
 * State of a candidate:
 *
 * - `held`: It may be a call or text.
 * - `started`: It is a call. Its end has not arrived yet.
 * - `complete`: It is a call and has ended.
 * - `incomplete`: It has ended, but required parameters are missing. It is a failed call if no other text follows.
 * - `rejected`: It is text.
 */
export type CandidateState = "held" | "started" | "complete" | "incomplete" | "rejected";

/** Possible call. Starts at the `<` of its opening tag. */
export class CallCandidate {
  readonly #parts: CandidateParts;
  readonly #scanner: Scanner;
  #tool: CallableTool | undefined;
  #reader: CallReader | undefined;
  #state: CandidateState = "held";
  #held = "";
  #length = 0;

  constructor(parts: CandidateParts) {
    this.#parts = parts;
    this.#scanner = new Scanner(this.#createReader());
  }

  get state(): CandidateState {
    return this.#state;
  }

  /** Text of the candidate. Not available once the call has started. */
  get held(): string {
    return this.#held;
  }

  /** Number of characters of the candidate. */
  get length(): number {
    return this.#length;
  }

  /** Number of characters that the scanner has read, including repeated reads. */
  get steps(): number {
    return this.#scanner.steps;
  }

  /** True if the candidate exceeded a limit. Its end is not known. */
  get isOverflowed(): boolean {
    return this.#reader?.state === "overflowed";
  }

  /** The tool and the call's parser, once the opening tag has arrived. */
  get opened(): { readonly tool: AgentToolDescription; readonly reader: CallReader } | undefined {
    if (this.#tool === undefined || this.#reader === undefined) return undefined;
    return { tool: this.#tool.description, reader: this.#reader };
  }

  /** Parses a piece from a position. Returns the position at which the candidate ended, or the piece's length. */
  feed(piece: string, at: number): number {
    const end = this.#scanner.feed(piece, at);
    this.#length += end - at;
    if (this.#state === "started" || this.#state === "complete") this.#held = "";
    else this.#held += piece.slice(at, end);
    return end;
  }

  /** Ends the text. A call that has started is complete, with an issue for each open tag. */
  finish(): void {
    if (this.#state === "held") this.#state = "rejected";
    if (this.#state !== "started") return;
    this.#reader?.finish();
    this.#state = "complete";
  }

  get #isDone(): boolean {
    return this.#state !== "held" && this.#state !== "started";
  }

  #open(name: string, isEmpty: boolean): void {
    this.#tool = this.#parts.tools.get(name);
    if (this.#tool === undefined) return;
    this.#reader = new CallReader(this.#tool.plan, this.#parts.limits);
    if (this.#parts.reportsInvalid) this.#state = "started";
    if (isEmpty) this.#close(this.#reader);
  }

  /** Updates the state after the reader has changed. */
  #update(reader: CallReader): void {
    if (reader.state !== "open") return this.#close(reader);
    if (this.#state !== "held") return;
    if (reader.issues.length > 0) this.#state = "rejected";
    else if (reader.hasParams && this.#hasRequired(reader)) this.#state = "started";
  }

  #close(reader: CallReader): void {
    if (this.#state === "started" || reader.state === "overflowed") this.#state = "complete";
    else if (reader.issues.length > 0) this.#state = "rejected";
    else if (this.#hasRequired(reader)) this.#state = "complete";
    else this.#state = reader.hasParams ? "incomplete" : "rejected";
  }

  #hasRequired(reader: CallReader): boolean {
    return this.#tool?.required.every((name) => reader.hasParam(name)) === true;
  }

  #createReader(): Reader {
    const inside = (act: (reader: CallReader) => void) => {
      if (this.#isDone) return;
      if (this.#reader === undefined) this.#state = "rejected";
      else {
        act(this.#reader);
        this.#update(this.#reader);
      }
    };
    return {
      place: (): Place => this.#reader?.place ?? "before",
      isDone: () => this.#isDone,
      knowsTag: (name, isClosing) =>
        this.#reader?.knowsTag(name, isClosing) ?? (!isClosing && this.#parts.tools.has(name)),
      openTag: (name, raw, isEmpty) => {
        if (this.#reader === undefined) this.#open(name, isEmpty);
        else inside((reader) => reader.openTag(name, raw, isEmpty));
      },
      closeTag: (name, raw) => inside((reader) => reader.closeTag(name, raw)),
      raw: (text) => inside((reader) => reader.raw(text)),
      exact: (text) => inside((reader) => reader.exact(text)),
      openCdata: () => inside((reader) => reader.openCdata()),
      cdata: (text) => inside((reader) => reader.cdata(text)),
      closeCdata: () => inside((reader) => reader.closeCdata()),
    };
  }
}
