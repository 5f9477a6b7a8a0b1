import { expect, test, vi } from "vitest";
import { endWith } from "../../../src/transport/node/end-with.js";
import { listen } from "../../../../../tests/support/http-faces.js";
import { exchange, openSocket } from "../../../../../tests/support/http-raw.js";

const GET = "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n";

test("a response with a body is one write, on every version of Node", async () => {
  const writes: unknown[] = [];
  const port = await listen((request, response) => {
    const spy = vi.spyOn(request.socket, "write");
    response.once("finish", () => {
      writes.push(...spy.mock.calls.map(([content]) => content));
      spy.mockRestore();
    });
    response.writeHead(200, { "content-length": 7 });
    endWith(response, "größe");
  });
  const socket = await openSocket(port);
  for (const count of [1, 2]) {
    const [reply] = await exchange(socket, GET, 1);
    expect(Buffer.from(reply?.body ?? "", "latin1").toString()).toBe("größe");
    expect(writes).toHaveLength(count);
  }
});

test("pipelined responses are complete and in order", async () => {
  let count = 0;
  const port = await listen((_, response) => {
    const text = `response ${count++}`;
    setTimeout(() => {
      response.writeHead(200, { "content-length": text.length });
      endWith(response, text);
    }, 10 - count);
  });
  const replies = await exchange(await openSocket(port), GET.repeat(3), 3);
  expect(replies.map(({ body }) => body)).toEqual(["response 0", "response 1", "response 2"]);
});
