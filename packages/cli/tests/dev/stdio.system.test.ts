import { Client as ClientV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { MODERN_REVISIONS } from "tenon/protocol";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { onLines } from "../../../../tests/support/lines.js";
import { programFile } from "../../../../tests/support/program.js";
import { isRunning, type PrintedEvent } from "../../../../tools/reload/dev-program.js";
import { Project } from "../../../../tools/reload/project.js";
import { SIGNALS, startDev } from "../support/dev/dev-run.js";

const ME = { name: "test", version: "1.0.0" };

/** Project, and the parameters with which a client starts `tenon dev --stdio` on it. */
function prepare(source: string) {
  const project = new Project({ "server.ts": source });
  onTestFinished(() => project.remove());
  return {
    project,
    start: {
      command: process.execPath,
      args: [programFile("tenon"), "dev", "server.ts", "--stdio"],
      cwd: project.folder,
      stderr: "pipe" as const,
    },
  };
}

/** Collects the events that a client's server prints to standard error. */
function readLog(transport: { readonly stderr: unknown }) {
  const events: PrintedEvent[] = [];
  onLines(transport.stderr as NodeJS.ReadableStream as never, (line) =>
    events.push(JSON.parse(line) as PrintedEvent),
  );
  return {
    events,
    reloaded: (count: number) =>
      vi.waitFor(() => expect(events.filter(({ event }) => event === "reloaded")).toHaveLength(count)),
  };
}

const text = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;

const versioned = (version: number, more = "") => `${SIGNALS}
import { defineServer, form } from "tenon";
import { z } from "zod";
console.log("loading ${version}");
export default defineServer({ name: "versioned", version: "${version}.0.0" })
  .tool("version", { handler: () => "${version}" })
  .tool("ask", { handler: async (_args, call) => {
    const answer = await call.input("name", form({ message: "Name?", schema: z.object({ name: z.string() }) }));
    return answer.action === "accept" ? answer.content.name + " ${version}" : answer.action;
  } })
  .tool("steps", { handler: async (_args, call) => {
    await call.progress(1, 2);
    await signalled("progressed");
    return "done ${version}";
  } })
  ${more};
`;

describe("tenon dev --stdio", () => {
  test("keeps the official client v1 connected, and notifies it of new tools", async () => {
    const { project, start } = prepare(versioned(1));
    const client = new ClientV1(ME, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ann" } }));
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
    const transport = new StdioV1(start);
    const log = readLog(transport);
    await client.connect(transport);
    const process = transport.pid;
    expect(text(await client.callTool({ name: "version" }))).toBe("1");

    project.save("server.ts", versioned(2, `.tool("extra", { handler: () => "extra" })`));
    await log.reloaded(1);
    await vi.waitFor(() => expect(changes).toBe(1));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
      "version",
      "ask",
      "steps",
      "extra",
    ]);
    expect(text(await client.callTool({ name: "extra" }))).toBe("extra");
    expect(text(await client.callTool({ name: "ask" }))).toBe("Ann 2");
    const progress: unknown[] = [];
    // This client drops a notification that arrives together with the response, so the response has to wait.
    const onprogress = (one: unknown) => {
      progress.push(one);
      project.write("progressed", "");
    };
    expect(text(await client.callTool({ name: "steps" }, undefined, { onprogress }))).toBe("done 2");
    expect(progress).toEqual([{ progress: 1, total: 2 }]);
    expect(transport.pid).toBe(process);
    expect(log.events.filter(({ event }) => event === "output")).toMatchObject([
      { stream: "stdout", text: "loading 1" },
      { stream: "stdout", text: "loading 2" },
    ]);
    await client.close();
  });

  test("keeps the official client v2 connected, without a session", async () => {
    const { project, start } = prepare(versioned(1));
    const client = new ClientV2(ME, {
      versionNegotiation: { mode: "auto" },
      capabilities: { elicitation: { form: {} } },
    });
    client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Ann" } }));
    let changes = 0;
    client.setNotificationHandler("notifications/tools/list_changed", () => void changes++);
    const transport = new StdioV2(start);
    const log = readLog(transport);
    await client.connect(transport);
    expect(client.getNegotiatedProtocolVersion()).toBe(MODERN_REVISIONS.at(-1));
    const subscription = await client.listen({ toolsListChanged: true });
    expect(text(await client.callTool({ name: "ask" }))).toBe("Ann 1");
    for (const version of [2, 3]) {
      project.save(
        "server.ts",
        versioned(version, `.tool("extra_${version}", { handler: () => "${version}" })`),
      );
      await log.reloaded(version - 1);
      await vi.waitFor(() => expect(changes).toBe(version - 1));
      expect(text(await client.callTool({ name: "ask" }))).toBe(`Ann ${version}`);
    }
    const { tools } = await client.listTools({}, { cacheMode: "refresh" });
    expect(tools.map(({ name }) => name)).toContain("extra_3");
    await subscription.close();
    await client.close();
  });

  test("cancels calls in flight when its client closes standard input, and leaves no process behind", async () => {
    const { program, signalled } = startDev(
      {
        "server.ts": `${SIGNALS}
import { defineServer } from "tenon";
export default defineServer({ name: "endless", version: "1.0.0" })
  .tool("endless", { handler: async () => { signal("started"); await new Promise(() => undefined); return ""; } });`,
      },
      { args: ["server.ts", "--stdio"] },
    );
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "endless" } };
    program.child.stdin.write(`${JSON.stringify(call)}\n`);
    await signalled("started");
    const children = program.children();
    expect(children.length).toBeGreaterThan(1);
    program.child.stdin.end();
    expect(await program.exited).toEqual([0, null]);
    await vi.waitFor(() => expect(program.calls).toMatchObject([{ name: "endless", outcome: "cancelled" }]));
    await vi.waitFor(() => expect(children.filter(isRunning)).toEqual([]));
  });

  test("writes only protocol messages to standard output, and exits with its client", async () => {
    const { program } = startDev({ "server.ts": versioned(1) }, { args: ["server.ts", "--stdio"] });
    const lines: string[] = [];
    onLines(program.child.stdout, (line) => lines.push(line));
    program.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\nnot json\n`);
    await program.next("started");
    await vi.waitFor(() => expect(lines).toHaveLength(2));
    program.child.stdin.end();
    expect(await program.exited).toEqual([0, null]);
    const messages = lines.map((line) => JSON.parse(line) as { id: number | null });
    expect(messages.find(({ id }) => id === 1)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    expect(messages.find(({ id }) => id === null)).toMatchObject({ error: { code: -32700 } });
    expect(program.otherLines).toEqual([]);
  });
});
