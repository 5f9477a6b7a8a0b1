/**
 * @fileoverview An agent server in a process of its own, which the test may kill: prints its address.
 * @module tests/agent/conversation/crash-child
 */
import { AmigoServerBuilder } from "../../src/builder.js";

const [storage = ""] = process.argv.slice(2);
const server = new AmigoServerBuilder()
  .storagePath(storage)
  .model(async function* ({ messages }) {
    yield `You said: `;
    yield messages.at(-1)?.content ?? "";
  })
  .build();
const { url } = await server.start({ port: 0 });
process.stdout.write(`${url}\n`);
