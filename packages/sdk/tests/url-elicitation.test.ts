import { UrlElicitationRequiredError } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import { createClient } from "../../tenon/src/testing/index.js";
import { answersOf, McpServer, type Register } from "./support/both-sides.js";

const page = {
  mode: "url" as const,
  elicitationId: "1",
  url: "https://example.com/login",
  message: "Log in",
};

/** Throws "URL elicitation required" until `isReady` returns true. */
const guarded =
  (isReady: () => boolean): Register =>
  (server) => {
    const check = () => {
      if (!isReady()) throw new UrlElicitationRequiredError([page]);
    };
    server.registerTool("open", {}, () => {
      check();
      return { content: [{ type: "text", text: "done" }] };
    });
    server.registerPrompt("open", {}, () => {
      check();
      return { messages: [] };
    });
    server.registerResource("open", "mem://open", {}, () => {
      check();
      return { contents: [] };
    });
  };

/** Our server with a client of the stateless revision that responds to links with `action`. */
async function modern(isReady: () => boolean, action: "accept" | "decline") {
  const server = new McpServer({ name: "s", version: "1" });
  guarded(isReady)(server as never);
  const asked: unknown[] = [];
  const client = await createClient(server.build(), {
    revision: "2026-07-28",
    input: (request) => {
      asked.push(request);
      return { action };
    },
  });
  return { client, asked };
}

describe("the error -32042", () => {
  test("is sent to legacy clients as in the official SDK", async () => {
    for (const ask of ["callTool", "getPrompt"] as const) {
      const [wanted, given] = await answersOf(
        guarded(() => false),
        ({ client }) => client[ask]({ name: "open" }),
      );
      expect(given).toEqual(wanted);
      expect(given).toMatchObject({ refused: { code: -32042, data: { elicitations: [page] } } });
    }
  });

  test("D25: becomes a request to open the page in the stateless revision, and the callback runs again", async () => {
    let visits = 0;
    const { client, asked } = await modern(() => visits++ > 0, "accept");
    const result = await client.callTool("open");
    expect(result).toMatchObject({ content: [{ type: "text", text: "done" }] });
    expect(asked).toMatchObject([{ mode: "url", url: page.url, message: page.message }]);
  });

  test("never reaches a client of the stateless revision, even if the page did not help", async () => {
    for (const action of ["accept", "decline"] as const) {
      const { client, asked } = await modern(() => false, action);
      const result = await client.callTool("open");
      expect(result).toMatchObject({ isError: true });
      expect(asked).toHaveLength(1);
      const errors = await Promise.all([
        client.getPrompt("open").catch((error: unknown) => error),
        client.readResource("mem://open").catch((error: unknown) => error),
      ]);
      for (const error of errors) {
        expect(error).toBeInstanceOf(Error);
        expect(JSON.stringify(error)).not.toContain('"code":-32042');
      }
    }
  });
});
