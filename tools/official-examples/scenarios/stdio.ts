/**
 * @fileoverview Scenarios for the examples that run over stdio.
 * @module tools/official-examples/scenarios/stdio
 */
import { ExampleClient, overStdio } from "../example-client.js";
import { listTools, type StdioScenario } from "./scenario.js";

/** A tool with structured output. */
export const mcpServerOutputSchema: StdioScenario = {
  kind: "stdio",
  async run(command) {
    const connected = await ExampleClient.connect(overStdio(command));
    await listTools(connected);
    await connected.call("get_weather", { city: "Riga", country: "LV" });
    await connected.call("get_weather", { city: "Riga" });
    await connected.call("unknown");
    return connected.close();
  },
};

/** A tool that reports progress, and can be cancelled. */
export const progressExample: StdioScenario = {
  kind: "stdio",
  async run(command) {
    const connected = await ExampleClient.connect(overStdio(command));
    await listTools(connected);
    // The record contains the progress. The client may call this function too late, if the result arrives with it.
    const onprogress = () => undefined;
    await connected.step("with progress", (client) =>
      client.callTool({ name: "count", arguments: { n: 3 } }, undefined, { onprogress }),
    );
    await connected.call("count", { n: 1 });
    await connected.call("count", { n: 101 });
    const stop = new AbortController();
    await connected.rejected("cancelled", (client) =>
      client.callTool({ name: "count", arguments: { n: 100 } }, undefined, {
        signal: stop.signal,
        onprogress: ({ progress: done }) => done >= 2 && stop.abort("enough"),
      }),
    );
    await connected.step("ping", (client) => client.ping());
    // The number of notifications in the cancelled call depends on the time that the cancellation takes to arrive.
    const { notifications, ...record } = await connected.close();
    return { ...record, notifications: notifications.slice(0, 3) };
  },
};

/** A tool that asks the client's model. */
export const toolWithSampleServer: StdioScenario = {
  kind: "stdio",
  async run(command) {
    const summary = { type: "text", text: "It is short." } as const;
    const connected = await ExampleClient.connect(overStdio(command), {
      capabilities: { sampling: {} },
      sampling: { model: "example-model", role: "assistant", content: summary, stopReason: "endTurn" },
    });
    await listTools(connected);
    await connected.call("summarize", { text: "A long text." });
    const plain = await ExampleClient.connect(overStdio(command));
    await plain.call("summarize", { text: "A long text." });
    return [await connected.close(), await plain.close()];
  },
};
