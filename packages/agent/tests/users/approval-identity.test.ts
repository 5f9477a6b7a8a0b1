import { describe, expect, test } from "vitest";
import type { ConversationOptions } from "../../src/conversation/options.js";
import type { ModelPiece, ModelPort } from "../../src/models/model-port.js";
import { defineTool } from "../../src/tools/define-tool.js";
import type { AgentUsers } from "../../src/users/user.js";
import { startServer, temporaryFolder } from "../support/socket/clients.js";
import type { TestClient } from "../support/socket/test-client.js";
import { enter, say } from "../support/users/attack-agents.js";

/** Everybody may write to every task. Each user has a token with the user's name. */
const users: AgentUsers = { identify: (id) => ({ id }), access: () => "write" };

/** Makes one call for each word of the user's message, and then, if the message says so, one more. */
const model: ModelPort = Object.assign(
  async function* ({ messages }: Parameters<ModelPort>[0]): AsyncGenerator<ModelPiece> {
    const asked = messages.findLastIndex(({ role }) => role === "user");
    const words = messages[asked]?.content.split(" ") ?? [];
    const rounds = messages.slice(asked).filter(({ role }) => role === "assistant").length;
    const texts = rounds === 0 ? words : rounds === 1 && words.includes("more") ? ["later"] : [];
    if (texts.length === 0) yield "Done.";
    for (const [index, text] of texts.entries()) {
      yield { call: { index, id: `c${index}`, name: "act", arguments: JSON.stringify({ text }) } };
    }
    yield { finish: { reason: "stop", usage: { inputTokens: 10 } } };
  },
  { toolCalls: "native" as const },
);

async function start(options: ConversationOptions = {}, storagePath = temporaryFolder()) {
  /** Calls that ran, with the user that the tool received. */
  const calls: string[] = [];
  /** Users that hooks and policies received, without repetitions. */
  const seen = new Set<string | undefined>();
  const act = defineTool({
    name: "act",
    description: "Acts with the user's own credentials",
    whenToUse: "Always",
    params: [{ name: "text", optional: false, description: "Text" }],
    useExamples: [],
    approval: ({ user }) => {
      seen.add(user?.id);
      return user?.id === "admin" ? "auto" : "ask";
    },
    async invoke({ params, user }) {
      calls.push(`${params.text} as ${user?.id ?? "nobody"}`);
      return { message: "Done", toolResult: null };
    },
  });
  const note = ({ user }: { readonly user: { readonly id: string } | undefined }) => void seen.add(user?.id);
  const running = await startServer(
    (builder) =>
      builder
        .storagePath(storagePath)
        .model(model, options)
        .registerTool(act)
        .hooks({ beforeModel: note, beforeTool: note, afterTool: note }),
    { users },
  );
  return { ...running, storagePath, calls, seen };
}

/** Sends a message, and returns the IDs of the calls that wait then, by their text. */
async function ask(client: TestClient, message: string, taskId: string) {
  await say(client, { message, taskId });
  await client.take("conversationOver");
  const waiting = client.received.splice(0).filter(({ type }) => type === "approval");
  return new Map(
    waiting.map(({ data }) => [(data["params"] as { text: string }).text, String(data["approvalId"])]),
  );
}

async function decide(client: TestClient, data: object): Promise<unknown> {
  client.send({ type: "answerApproval", data });
  return (await client.take("ack")).data["status"];
}

async function endingOf(client: TestClient): Promise<unknown> {
  return (await client.take("conversationOver")).data["reason"];
}

describe("a run after an approval", () => {
  test("belongs to the user whose message started it, and the decider is recorded", async () => {
    const { url, calls, seen } = await start();
    const [ada, admin] = await Promise.all([enter(url, "ada"), enter(url, "admin")]);
    const approvalId = (await ask(ada, "more", "t")).get("more");
    await decide(admin, { taskId: "t", approvalId, decision: "approve" });
    // The next call of the same run needs an approval of its own, although the administrator's calls do not.
    expect(await endingOf(ada)).toBe("approval");
    const shown = ada.received.filter(({ type }) => type === "approval").map(({ data }) => data);
    expect(shown).toMatchObject([
      { approvalId, status: "approved", decidedBy: "admin" },
      { params: { text: "later" }, status: "waiting" },
    ]);
    expect(calls).toEqual(["more as ada"]);
    expect(seen).toEqual(new Set(["ada"]));
  });

  test("uses the budget of that user", async () => {
    const { url, calls, server } = await start({ budgets: { userPerDay: 10 } });
    const [ada, admin] = await Promise.all([enter(url, "ada"), enter(url, "admin")]);
    const approvalId = (await ask(ada, "pay", "t")).get("pay");
    await decide(admin, { taskId: "t", approvalId, decision: "approve" });
    expect(await endingOf(admin)).toBe("budget");
    expect(calls).toEqual(["pay as ada"]);
    expect((await server.run("pay", { user: { id: "admin" } })).reason).toBe("budget");
    expect(calls).toEqual(["pay as ada", "pay as admin"]);
  });

  test("keeps its user if several users decide about several calls at the same time", async () => {
    const { url, calls } = await start();
    const [ada, bob, admin] = await Promise.all(["ada", "bob", "admin"].map((id) => enter(url, id)));
    if (ada === undefined || bob === undefined || admin === undefined) throw new Error("not connected");
    const waiting = await ask(ada, "one two three four", "t");
    const decisions = [...waiting].map(([text, approvalId], index) =>
      decide(index % 2 === 0 ? bob : admin, {
        taskId: "t",
        approvalId,
        decision: text === "three" ? "deny" : "approve",
      }),
    );
    expect(await Promise.all(decisions)).toEqual(["acked", "acked", "acked", "acked"]);
    expect(await endingOf(ada)).toBe("answered");
    expect(calls.toSorted()).toEqual(["four as ada", "one as ada", "two as ada"]);
    // A decision counts once.
    const approvalId = waiting.get("one");
    expect(await decide(bob, { taskId: "t", approvalId, decision: "approve" })).toBe("failed");
    expect(calls).toHaveLength(3);
  });

  test("is not mixed up with the run of another user", async () => {
    const { url, calls } = await start();
    const names = Array.from({ length: 10 }, (_, index) => `user${index}`);
    const admin = await enter(url, "admin");
    const clients = await Promise.all(names.map((name) => enter(url, name)));
    const waiting = await Promise.all(
      clients.map(async (client, index) => {
        const approvals = await ask(client, `for-${names[index]}`, `task${index}`);
        return { taskId: `task${index}`, approvalId: [...approvals.values()][0] };
      }),
    );
    await Promise.all(waiting.map((data) => decide(admin, { ...data, decision: "approve" })));
    expect(new Set(await Promise.all(clients.map(endingOf)))).toEqual(new Set(["answered"]));
    expect(calls.toSorted()).toEqual(names.map((name) => `for-${name} as ${name}`).toSorted());
  });

  test("keeps its user after a restart", async () => {
    const before = await start();
    const waiting = await ask(await enter(before.url, "ada"), "one two", "t");
    await before.server.stop();
    const { url, calls, seen } = await start({}, before.storagePath);
    const [bob, admin] = await Promise.all([enter(url, "bob"), enter(url, "admin")]);
    await decide(bob, { taskId: "t", approvalId: waiting.get("one"), decision: "approve" });
    await decide(admin, { taskId: "t", approvalId: waiting.get("two"), decision: "approve" });
    expect(await endingOf(admin)).toBe("answered");
    expect(calls).toEqual(["one as ada", "two as ada"]);
    expect(seen).toEqual(new Set(["ada"]));
  });

  test("keeps its user if another user resumes the task after the decision", async () => {
    const { url, server, calls } = await start();
    const [ada, bob] = await Promise.all([enter(url, "ada"), enter(url, "bob")]);
    for (const taskId of ["in-process", "socket"]) {
      const approvalId = (await ask(ada, "go", taskId)).get("go") ?? "";
      await server.decide({ taskId, approvalId }, { decision: "approve", user: { id: "admin" } });
    }
    await server.resume("in-process", { user: { id: "admin" } });
    bob.send({ type: "resume", data: { taskId: "socket" } });
    expect(await endingOf(bob)).toBe("answered");
    expect(calls).toEqual(["go as ada", "go as ada"]);
  });
});

test("a message of another user starts a run of that user, to which earlier approvals do not apply", async () => {
  const { url, calls } = await start();
  const [ada, bob] = await Promise.all([enter(url, "ada"), enter(url, "bob")]);
  const approvalId = (await ask(ada, "go", "t")).get("go");
  await decide(bob, { taskId: "t", approvalId, decision: "always" });
  expect(await endingOf(ada)).toBe("answered");
  ada.received.length = 0;
  expect((await ask(ada, "again", "t")).size).toBe(0);
  expect(calls).toEqual(["go as ada", "again as ada"]);
  // Bob watches the task since he has decided.
  await endingOf(bob);
  await endingOf(bob);
  bob.received.length = 0;
  const waiting = await ask(bob, "mine", "t");
  expect([...waiting.keys()]).toEqual(["mine"]);
  expect(calls).toHaveLength(2);
});
