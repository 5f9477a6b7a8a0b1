/**
 * @fileoverview Tools that are heard of while they run: progress, log messages, a stream that is let go.
 * @module examples/everything/live-tools
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerBuilder, ToolMap } from "tenon";

/** Adds them. */
export function addLiveTools<Tools extends ToolMap>(builder: ServerBuilder<unknown, Tools>) {
  return builder
    .tool("test_tool_with_progress", {
      description: "Reports progress three times while it runs.",
      handler: async (_args, call) => {
        await call.progress(0, 100);
        await sleep(STEP_MS, undefined, { signal: call.signal });
        await call.progress(50, 100);
        await sleep(STEP_MS, undefined, { signal: call.signal });
        await call.progress(100, 100);
        return "Three steps are done.";
      },
    })
    .tool("test_tool_with_logging", {
      description: "Sends three log messages while it runs.",
      handler: async (_args, call) => {
        await call.log("info", "Tool execution started");
        await sleep(STEP_MS, undefined, { signal: call.signal });
        await call.log("info", "Tool processing data");
        await sleep(STEP_MS, undefined, { signal: call.signal });
        await call.log("info", "Tool execution completed");
        return "Three messages were logged.";
      },
    })
    .tool("test_logging_tool", {
      description: "Logs at every level; a client gets the messages that it asked for, and no others.",
      handler: async (_args, call) => {
        await call.log("debug", "A detail");
        await call.log("info", "A fact");
        await call.log("warning", "A warning");
        await call.log("error", "An error");
        return "Four messages were logged.";
      },
    })
    .tool("test_reconnection", {
      description: "Lets its response stream go halfway. The result waits for the client to come back.",
      handler: async (_args, call) => {
        call.hangUp();
        await sleep(2 * STEP_MS, undefined, { signal: call.signal });
        return "The client came back for this.";
      },
    });
}

const STEP_MS = 50;
