/**
 * @fileoverview Tools of a snapshot by name. Tools that were checked before compile on first use.
 * @module tenon/core/snapshot/tool-table
 */
import type { ToolDraft, ToolEntry } from "../definitions/tool.js";

/** Tools by name. */
export interface ToolTable {
  /** Number of tools. */
  readonly size: number;
  /** Returns a tool, and compiles it first if necessary. */
  get(name: string): ToolEntry | undefined;
  /** Returns all tools, in the order of their drafts. Compiles those that are not compiled yet. */
  values(): Iterable<ToolEntry>;
}

/** Table whose tools compile on first use. */
export class ToolsOnDemand implements ToolTable {
  readonly #drafts: ReadonlyMap<string, ToolDraft>;
  readonly #compile: (draft: ToolDraft) => ToolEntry;
  /** Not a `WeakMap` of all servers: its values outlive their server until a full garbage collection. */
  readonly #entries = new Map<ToolDraft, ToolEntry>();

  constructor(drafts: ReadonlyMap<string, ToolDraft>, compile: (draft: ToolDraft) => ToolEntry) {
    this.#drafts = drafts;
    this.#compile = compile;
  }

  get size(): number {
    return this.#drafts.size;
  }

  get(name: string): ToolEntry | undefined {
    const draft = this.#drafts.get(name);
    return draft && this.#entryOf(draft);
  }

  values(): Iterable<ToolEntry> {
    return Array.from(this.#drafts.values(), (draft) => this.#entryOf(draft));
  }

  #entryOf(draft: ToolDraft): ToolEntry {
    const known = this.#entries.get(draft);
    if (known !== undefined) return known;
    const entry = this.#compile(draft);
    this.#entries.set(draft, entry);
    return entry;
  }
}
