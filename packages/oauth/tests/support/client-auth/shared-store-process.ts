/**
 * @fileoverview A process that calls a tool with tokens from a file that it shares with others. It starts when it
 * receives a line, and prints the result.
 * @module tests/oauth/support/client-auth/shared-store-process
 */
import { once } from "node:events";
import { signIn } from "../../../../../examples/mail/user-agent.js";
import { createClientAuth, createFileTokenStore } from "../../../src/index.js";
import { callTool } from "./real-client.js";

const [url = "", path = "", key = "", aheadMs = "0"] = process.argv.slice(2);
const opened: URL[] = [];
const auth = createClientAuth({
  store: createFileTokenStore({ path, key }),
  ports: { now: () => Date.now() + Number(aheadMs) },
  openBrowser: async (target) => {
    opened.push(target);
    void signIn(target, { email: "ada@example.com" });
  },
});
process.stdout.write("ready\n");
await once(process.stdin, "data");
process.stdin.destroy();
const text = await callTool(auth, new URL(url), "read");
process.stdout.write(`${JSON.stringify({ text, signIns: opened.length })}\n`);
