import type { JsonObject } from "@tenon/internal/json";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Call, form, McpError, RequestError } from "../../src/index.js";
import { REVISIONS } from "../../src/protocol/index.js";
import { createClient } from "../../src/testing/index.js";
import {
  accept,
  CAPABILITIES,
  connect,
  DECLARED,
  errorOf,
  MODERN,
  taskServer,
  textOf,
} from "../support/tasks/task-client.js";

const NAME = form({ message: "Who are you?", schema: z.object({ name: z.string() }) });
const ada = accept({ name: "Ada" });

const nameOf = async (call: Call, key = "name") => {
  const answer = await call.input(key, NAME);
  return answer.action === "accept" ? answer.content.name : answer.action;
};

/** Creates a server whose tool asks before its task, and in the task if `again` is a key. */
function newServer(mode: "optional" | "required" = "optional", again = "name") {
  const log: string[] = [];
  const server = taskServer()
    .tool("greet", {
      input: z.object({ greeting: z.string().default("Hello") }),
      task: {
        mode,
        async prepare({ greeting }, call) {
          log.push(`prepare ${greeting}`);
          await call.once("reserve", () => log.push("reserve"));
          await nameOf(call);
        },
      },
      async handler({ greeting }, call) {
        log.push("run");
        await call.once("reserve", () => log.push("reserve again"));
        return `${greeting}, ${await nameOf(call, again)}!`;
      },
    })
    .build();
  return { server, log };
}

describe("`prepare` before a task", () => {
  test("asks in the ordinary rounds, and the answer reaches the handler", async () => {
    const { server, log } = newServer("required");
    const { call, settled } = await connect(server);
    const first = await call("greet");
    expect(first["resultType"]).toBe("input_required");
    expect(first).not.toHaveProperty("taskId");
    expect(first["inputRequests"]).toMatchObject({ name: { method: "elicitation/create" } });

    const { requestState } = first;
    const second = await call("greet", {}, { requestState, inputResponses: { name: ada } });
    expect(second).toMatchObject({ resultType: "task", status: "working" });
    expect(second).not.toHaveProperty("requestState");
    const task = await settled(String(second["taskId"]));
    expect(textOf(task.result)).toBe("Hello, Ada!");
    expect(task).not.toHaveProperty("requestState");
    expect(log).toEqual(["prepare Hello", "reserve", "prepare Hello", "run"]);
  });

  test("takes several rounds", async () => {
    const server = taskServer()
      .tool("trip", {
        task: {
          mode: "required",
          async prepare(_args, call) {
            await nameOf(call, "from");
            await nameOf(call, "to");
          },
        },
        handler: async (_args, call) => `${await nameOf(call, "from")} to ${await nameOf(call, "to")}`,
      })
      .build();
    const { call, settled } = await connect(server);
    let result = await call("trip");
    for (const [key, name] of [
      ["from", "Riga"],
      ["to", "Oslo"],
    ] as const) {
      expect(Object.keys(result["inputRequests"] as JsonObject)).toEqual([key]);
      const { requestState } = result;
      result = await call("trip", {}, { requestState, inputResponses: { [key]: accept({ name }) } });
    }
    expect(textOf((await settled(String(result["taskId"]))).result)).toBe("Riga to Oslo");
  });

  test("no task exists before the answer, even if `prepare` catches the error", async () => {
    const server = taskServer({ maxTasks: 1 })
      .tool("greet", {
        task: {
          mode: "required",
          async prepare(_args, call) {
            await nameOf(call).catch(() => undefined);
          },
        },
        handler: (_args, call) => nameOf(call),
      })
      .build();
    const { call, settled } = await connect(server);
    const { resultType, requestState } = await call("greet");
    expect(resultType).toBe("input_required");
    const { taskId } = await call("greet", {}, { requestState, inputResponses: { name: ada } });
    expect(textOf((await settled(String(taskId))).result)).toBe("Ada");
  });

  test("answers of `prepare` and keys of the task are separate", async () => {
    const { server } = newServer("required", "nickname");
    const { call, until, answer, settled } = await connect(server);
    const { requestState } = await call("greet");
    const { taskId } = await call("greet", {}, { requestState, inputResponses: { name: ada } });
    const { inputRequests } = await until(String(taskId), "input_required");
    expect(Object.keys(inputRequests ?? {})).toEqual(["nickname"]);
    await answer(String(taskId), { nickname: accept({ name: "Countess" }) });
    expect(textOf((await settled(String(taskId))).result)).toBe("Hello, Countess!");
  });

  test("the state of another call is rejected", async () => {
    const { server } = newServer();
    const { call } = await connect(server);
    const { requestState } = await call("greet", { greeting: "Hi" });
    const error = await errorOf(
      call("greet", { greeting: "Bye" }, { requestState, inputResponses: { name: ada } }),
    );
    expect(error.code).toBe(-32602);
    expect(error.message).toMatch(/^`requestState` is invalid or expired/);
  });

  test("invalid answers are rejected, and no task exists", async () => {
    const { server, log } = newServer();
    const { call } = await connect(server);
    const { requestState } = await call("greet");
    const inputResponses = { name: accept({ name: 7 }) };
    expect(await errorOf(call("greet", {}, { requestState, inputResponses }))).toMatchObject({
      code: -32602,
    });
    expect(log).not.toContain("run");
  });

  test("a client without elicitation is rejected with -32021", async () => {
    const { server, log } = newServer();
    const { call } = await connect(server, { capabilities: DECLARED });
    expect(await errorOf(call("greet"))).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
    expect(log).toEqual(["prepare Hello", "reserve"]);
  });

  test("a client without the extension is rejected before `prepare` if the tool requires a task", async () => {
    const { server, log } = newServer("required");
    const client = await createClient(server, {
      revision: MODERN,
      capabilities: { elicitation: { form: {} } },
    });
    expect(await errorOf(client.request("tools/call", { name: "greet", arguments: {} }))).toMatchObject({
      code: -32021,
    });
    expect(log).toEqual([]);
  });
});

describe("an error in `prepare`", () => {
  const newServerOf = (error: () => unknown) => {
    let runs = 0;
    const server = taskServer({ maxTasks: 1 })
      .tool("greet", {
        task: {
          mode: "optional",
          prepare() {
            throw error();
          },
        },
        handler: () => String(++runs),
      })
      .tool("plain", { task: "optional", handler: () => "" })
      .build();
    return { server, runs: () => runs };
  };

  test.each<[string, () => unknown, string]>([
    ["an McpError is an error result", () => new McpError("FORBIDDEN", "Not yours."), "Not yours."],
    ["an unexpected error is not shown", () => new Error("hunter2"), "Tool greet failed"],
  ])("rejects the call: %s", async (_what, error, text) => {
    const { server, runs } = newServerOf(error);
    const { call, create } = await connect(server);
    const result = await call("greet");
    expect(result).toMatchObject({ resultType: "complete", isError: true });
    expect(textOf(result)).toBe(text);
    expect(runs()).toBe(0);
    // The only task that the server can keep is still free.
    await create("plain");
  });

  test("rejects the call: a RequestError is a JSON-RPC error", async () => {
    const { server, runs } = newServerOf(() => new RequestError("CONFLICT", "Already running.", { id: 1 }));
    const { call, create } = await connect(server);
    expect(await errorOf(call("greet"))).toEqual({
      code: -32600,
      message: "Already running.",
      data: { id: 1 },
    });
    expect(runs()).toBe(0);
    await create("plain");
  });
});

describe("`prepare` for clients without the extension", () => {
  test.each(REVISIONS.filter((revision) => revision >= "2025-06-18"))(
    "asks once in revision %s, and the handler gets the same answer",
    async (revision) => {
      const { server, log } = newServer();
      let asked = 0;
      const client = await createClient(server, {
        revision,
        capabilities: { elicitation: { form: {} } },
        input: () => ({ action: "accept", content: { name: `Ada ${++asked}` } }),
      });
      const { content } = await client.callTool("greet", { greeting: "Hi" });
      expect(content).toEqual([{ type: "text", text: "Hi, Ada 1!" }]);
      expect(asked).toBe(1);
      expect(log.filter((one) => one === "run")).toHaveLength(1);
      expect(log.filter((one) => one.startsWith("reserve"))).toEqual(["reserve"]);
    },
  );

  test("the handler's own questions follow", async () => {
    const { server } = newServer("optional", "nickname");
    const asked: unknown[] = [];
    for (const revision of [MODERN, "2025-11-25"] as const) {
      const client = await createClient(server, {
        revision,
        capabilities: { elicitation: CAPABILITIES.elicitation },
        input: () => ({ action: "accept", content: { name: `Ada ${asked.push(revision)}` } }),
      });
      await client.callTool("greet", {});
    }
    expect(asked).toEqual([MODERN, MODERN, "2025-11-25", "2025-11-25"]);
  });
});
