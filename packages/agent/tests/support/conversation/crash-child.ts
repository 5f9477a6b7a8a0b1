/**
 * @fileoverview Agent server in a child process that the test kills. Prints its URL.
 * @module tests/agent/support/conversation/crash-child
 */
import { AgentServerBuilder } from "../../../src/builder.js";

const [storage = ""] = process.argv.slice(2);
const server = new AgentServerBuilder()
  .storagePath(storage)
  .model(async function* ({ messages }) {
    yield `You said: `;
    yield messages.at(-1)?.content ?? "";
  })
  .build();
const { url } = await server.start({ port: 0 });
process.stdout.write(`${url}\n`);
