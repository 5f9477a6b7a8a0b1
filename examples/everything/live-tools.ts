/**
 * @fileoverview Tools that report progress, send log messages, or close the response stream while they run.
 * @module examples/everything/live-tools
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerBuilder } from "tenon";

/** Adds the tools to a server. */
export function addLiveTools(builder: ServerBuilder) {
  return builder
    .tool("test_tool_with_progress", {
      description: "Reports progress three times while it runs.",
      handler: async (_args, call) => {
        await call.progress(0, 100);
        await sleep(STEP_MS, undefined, { signal: call.signal });
        await call.progress(50, 100);
        await sleep(STEP_MS, undefined, { signal: call.signal });
        await call.progress(100, 100);
        return "Completed three steps.";
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
        return "Sent three log messages.";
      },
    })
    .tool("test_logging_tool", {
      description: "Logs at four levels. Messages below the client's log level are not sent.",
      handler: async (_args, call) => {
        await call.log("debug", "A detail");
        await call.log("info", "Information");
        await call.log("warning", "A warning");
        await call.log("error", "An error");
        return "Sent four log messages.";
      },
    })
    .tool("test_reconnection", {
      description:
        "Closes its response stream during the call. The client must reconnect to receive the result.",
      handler: async (_args, call) => {
        call.hangUp();
        await sleep(2 * STEP_MS, undefined, { signal: call.signal });
        return "The client reconnected.";
      },
    });
}

const STEP_MS = 50;
