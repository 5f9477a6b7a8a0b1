import { LATEST_LEGACY } from "tenon/protocol";
import { describe, expect, test, vi } from "vitest";
import { readEvents } from "../../../../tests/support/http-events.js";
import { modernCall, modernPost, openSession } from "../../../../tests/support/http-messages.js";
import { request } from "../../../../tests/support/requests.js";
import { findFreePort } from "../../../../tools/server-process.js";
import { lastMessage, serveDev, SIGNALS, startDev, textOf, toEndpoint } from "../support/dev/dev-run.js";

/** Server whose tool returns its version. */
const versioned = (version: number, more = "") => `
import { defineServer } from "tenon";
export default defineServer({ name: "versioned", version: "${version}.0.0" })
  .tool("version", { handler: (_args, call) => "${version} for " + call.client.name })
  ${more};
`;

describe("a reload", () => {
  test("keeps sessions and their streams, and sends list_changed only for lists that changed", async () => {
    const { endpoint, save } = await serveDev({ "server.ts": versioned(1) });
    const client = await openSession(endpoint);
    const stream = readEvents(await client.get());
    expect(await textOf(client.call("version"))).toBe("1 for tests");

    expect((await save(versioned(2))).changes).toEqual([]);
    expect(await textOf(client.call("version"))).toBe("2 for tests");

    const prompt = `.prompt("hello", { handler: () => "Hello" })`;
    expect((await save(versioned(3, prompt))).changes).toEqual([
      { sign: "+", noun: "prompt", name: "hello" },
    ]);
    // The first message on the stream is the one for the prompts: the second version did not change a list.
    expect(await stream.message()).toMatchObject({ method: "notifications/prompts/list_changed" });

    const renamed = `.tool("edition", { description: "Edition", handler: () => "4" })`;
    const { changes } = await save(versioned(4, renamed));
    expect(changes.map(({ sign, noun, name }) => `${sign} ${noun} ${name}`)).toEqual([
      "+ tool edition",
      "- prompt hello",
    ]);
    expect(changes[0]?.tokens).toBeGreaterThan(0);
    const methods = [await stream.message(), await stream.message()].map(({ method }) => method);
    expect(methods).toEqual(["notifications/tools/list_changed", "notifications/prompts/list_changed"]);
    expect(await textOf(client.call("edition"))).toBe("4");
    await stream.cut();
  });

  test("lets calls in flight finish on the old code, with their progress", async () => {
    const source = (version: number) => `${SIGNALS}
import { defineServer } from "tenon";
export default defineServer({ name: "slow", version: "1.0.0" }).tool("slow", {
  handler: async (_args, call) => {
    signal("started-${version}");
    await signalled("release-${version}");
    await call.progress(1, 2, "from ${version}");
    return "done by ${version}";
  },
});`;
    const { endpoint, save, signal, signalled, program } = await serveDev({ "server.ts": source(1) });
    const client = await openSession(endpoint);
    const params = { name: "slow", arguments: {}, _meta: { progressToken: "t" } };
    const old = client.post(request("tools/call", params, "old"));
    await signalled("started-1");
    await save(source(2));
    const next = client.post(request("tools/call", params, "next"));
    await signalled("started-2");
    signal("release-2");
    expect(await textOf(next)).toBe("done by 2");
    signal("release-1");
    const events = readEvents(await old);
    expect(await events.message()).toMatchObject({
      method: "notifications/progress",
      params: { progressToken: "t", message: "from 1" },
    });
    expect(await events.message()).toMatchObject({ id: "old", result: { content: [{ text: "done by 1" }] } });
    await vi.waitFor(() => {
      const calls = program.calls.filter(({ method }) => method === "tools/call");
      expect(calls.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual(["slow ok", "slow ok"]);
    });
  });

  test("gives the new code the state of a connection: log level, client, and subscriptions", async () => {
    const source = (version: number) => `
import { defineServer } from "tenon";
const server = defineServer({ name: "state", version: "1.0.0" })
  .resource("news", { uri: "text://news", handler: () => "news ${version}" })
  .tool("touch", { handler: () => { server.resourceUpdated("text://news"); return "touched"; } })
  .tool("talk", { handler: async (_args, call) => {
    await call.log("info", "quiet ${version}");
    await call.log("error", "loud ${version}");
    return call.client.name + " " + call.client.revision;
  } })
  .build();
export default server;`;
    const { endpoint, save } = await serveDev({ "server.ts": source(1) });
    const client = await openSession(endpoint);
    const stream = readEvents(await client.get());
    await lastMessage(client.post(request("logging/setLevel", { level: "warning" }, 2)));
    await lastMessage(client.post(request("resources/subscribe", { uri: "text://news" }, 3)));
    await save(source(2));
    const updated = { method: "notifications/resources/updated", params: { uri: "text://news" } };
    expect(await stream.message()).toMatchObject(updated);
    expect(await textOf(client.call("touch"))).toBe("touched");
    expect(await stream.message()).toMatchObject(updated);
    const talk = readEvents(await client.call("talk"));
    expect(await talk.message()).toMatchObject({ params: { level: "error", data: "loud 2" } });
    expect(await talk.message()).toMatchObject({ result: { content: [{ text: `tests ${LATEST_LEGACY}` }] } });
    await lastMessage(client.post(request("resources/unsubscribe", { uri: "text://news" }, 4)));
    await save(`${source(3)}\nserver.update((editor) => editor.prompt("p", { handler: () => "p" }));`);
    // The resource is not updated anymore, so the next message is about the new prompt.
    expect(await stream.message()).toMatchObject({ method: "notifications/prompts/list_changed" });
    await stream.cut();
  });

  test("passes headers on, and checks those that repeat arguments", async () => {
    const { endpoint } = await serveDev({
      "server.ts": `
import { defineServer } from "tenon";
import { z } from "zod";
export default defineServer({ name: "headers", version: "1.0.0" }).tool("regional", {
  input: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) }),
  handler: ({ region }, call) => region + " " + call.header("x-mood") + " " + call.header("constructor"),
});`,
    });
    const call = (headers: Record<string, string>) =>
      textOf(endpoint.fetch(modernCall("regional", { region: "eu" }, { headers })));
    expect(await call({ "mcp-param-region": "eu", "x-mood": "good" })).toBe("eu good undefined");
    expect(await call({ "mcp-param-region": "us" })).toContain("mcp-param-region header does not match");
  });

  test("holds requests that arrive before the first version is loaded", async () => {
    const port = await findFreePort("127.0.0.1");
    const { program, signal, signalled } = startDev(
      { "server.ts": `${SIGNALS}\nsignal("loading"); await signalled("go");\n${versioned(1)}` },
      { args: ["server.ts", "--port", String(port)] },
    );
    await signalled("loading");
    const endpoint = toEndpoint(`http://127.0.0.1:${port}/mcp`);
    const modern = textOf(endpoint.fetch(modernCall("version")));
    const session = openSession(endpoint);
    const discovered = lastMessage(endpoint.fetch(modernPost("server/discover")));
    expect(program.events).toEqual([]);
    signal("go");
    expect(await modern).toBe("1 for undefined");
    expect(await discovered).toHaveProperty("result");
    expect(await textOf((await session).call("version"))).toBe("1 for tests");
  });

  test("happens for imported files, JSON, and .env, and for none that is not imported", async () => {
    const { endpoint, program, project } = await serveDev({
      "server.ts": `
import { defineServer } from "tenon";
import { greeting } from "./lib/greeting.js";
import data from "./data.json" with { type: "json" };
export default defineServer({ name: "files", version: "1.0.0" })
  .tool("all", { handler: () => [greeting, data.color, process.env.MOOD].join(" ") });`,
      "lib/greeting.ts": `export const greeting: string = "hello";`,
      "data.json": `{ "color": "red" }`,
      ".env": "MOOD=good\nPATH=/nowhere\n",
      "notes.txt": "",
    });
    const all = () => textOf(endpoint.fetch(modernCall("all")));
    expect(await all()).toBe("hello red good");
    await program.save(project, ["lib/greeting.ts", `export const greeting: string = "bye";`]);
    expect(await all()).toBe("bye red good");
    project.save("notes.txt", "not imported");
    await program.save(project, ["data.json", `{ "color": "blue" }`]);
    expect(await all()).toBe("bye blue good");
    await program.save(project, [".env", "MOOD=better\n"]);
    expect(await all()).toBe("bye blue better");
    expect(program.events.filter(({ event }) => event === "reloaded")).toHaveLength(3);
  });

  test("happens for the file of --env-file", async () => {
    const { program, project } = startDev(
      {
        "server.ts": `
import { defineServer } from "tenon";
export default defineServer({ name: "env", version: "1.0.0" })
  .tool("mood", { handler: () => process.env.MOOD + " " + process.env.GIVEN });`,
        "dev.env": "MOOD=good\nGIVEN=ignored\n",
        ".env": "MOOD=ignored\n",
      },
      { args: ["server.ts", "--port", "0", "--env-file", "dev.env"], env: { GIVEN: "given" } },
    );
    const endpoint = toEndpoint(await program.url());
    expect(await textOf(endpoint.fetch(modernCall("mood")))).toBe("good given");
    await program.save(project, ["dev.env", "MOOD=better\n"]);
    expect(await textOf(endpoint.fetch(modernCall("mood")))).toBe("better given");
  });

  test("notices changes with --poll, and files that are written in place", async () => {
    const { program, project } = startDev(
      { "server.ts": versioned(1) },
      { args: ["server.ts", "--port", "0", "--poll"] },
    );
    const endpoint = toEndpoint(await program.url());
    project.write("server.ts", versioned(2));
    await program.next("reloaded");
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("2 for undefined");
  });

  test("keeps the location of each source file, and supports CommonJS files and aliases", async () => {
    const { endpoint, project } = await serveDev({
      "tsconfig.json": `{ "compilerOptions": { "paths": { "#lib/*": ["./lib/*"] } } }`,
      "server.ts": `#!/usr/bin/env node
import { createRequire } from "node:module";
import { defineServer } from "tenon";
import { where } from "./lib/where.js";
import legacy from "./lib/legacy.cjs";
import { aliased } from "#lib/aliased.js";
const require = createRequire(import.meta.url);
export default defineServer({ name: "places", version: "1.0.0" }).tool("places", {
  handler: () => JSON.stringify([import.meta.url, where, legacy, aliased, typeof require("node:fs").readFileSync]),
});`,
      "lib/where.ts": `export const where = [import.meta.url, import.meta.dirname, import.meta.filename];`,
      "lib/legacy.cjs": `const { basename } = require("node:path"); module.exports = [basename(__filename), __dirname];`,
      "lib/aliased.ts": `export const aliased = "aliased";`,
    });
    const path = (name: string) => `${project.folder}/${name}`;
    expect(JSON.parse(await textOf(endpoint.fetch(modernCall("places"))))).toEqual([
      `file://${path("server.ts")}`,
      [`file://${path("lib/where.ts")}`, path("lib"), path("lib/where.ts")],
      ["legacy.cjs", path("lib")],
      "aliased",
      "function",
    ]);
  });
});
