/**
 * @fileoverview Values that the tests of the page share.
 * @module tests/cli/support/page-app/samples
 */
import type { Timer } from "@tenon/ui/support/timer.js";
import type { CallSummary, LogEntry, ServerState, ToolEntry } from "../../../src/page/protocol.js";

/** Creates a call. */
export function call(id: string, part: Partial<CallSummary> = {}): CallSummary {
  return {
    id,
    client: { kind: "page", name: "This page" },
    era: "modern",
    method: "tools/call",
    name: "forecast",
    at: 1_000,
    ms: 20,
    outcome: "ok",
    phases: [],
    isRepeatable: true,
    ...part,
  };
}

/** Creates a line of the log. */
export function line(id: number, part: Partial<LogEntry> = {}): LogEntry {
  return { id, at: id, source: "output", level: "info", text: `line ${id}`, ...part };
}

/** Creates a tool. */
export function tool(
  name: unknown,
  part: Partial<ToolEntry> & { readonly schema?: unknown } = {},
): ToolEntry {
  const { schema = { type: "object" }, ...entry } = part;
  return { definition: { name, inputSchema: schema }, tokens: 10, findings: [], ...entry };
}

/** Creates a server. */
export function server(part: Partial<ServerState> = {}): ServerState {
  return {
    name: "weather",
    version: "1.0.0",
    capabilities: {},
    tools: [],
    resources: [],
    resourceTemplates: [],
    prompts: [],
    views: [],
    findings: [],
    changes: [],
    ...part,
  };
}

/** Timer whose functions the test runs. */
export interface ManualTimer extends Timer {
  /** Delays of the functions that wait, in milliseconds. */
  readonly delays: () => readonly number[];
  /** Runs the function that waits for this time. Throws if there is none. */
  readonly run: (milliseconds: number) => void;
}

/** Creates a timer whose functions the test runs. */
export function manualTimer(): ManualTimer {
  const waiting = new Set<{ readonly milliseconds: number; readonly run: () => void }>();
  return {
    after(milliseconds, run) {
      const entry = { milliseconds, run };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
    delays: () => [...waiting].map(({ milliseconds }) => milliseconds),
    run(milliseconds) {
      const entry = [...waiting].find((one) => one.milliseconds === milliseconds);
      if (entry === undefined) throw new Error(`Nothing waits for ${milliseconds} ms.`);
      waiting.delete(entry);
      entry.run();
    },
  };
}
