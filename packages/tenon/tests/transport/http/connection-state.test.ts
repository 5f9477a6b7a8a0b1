import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { findWaitingParsers, isBusy, isLastRequest } from "../../../src/transport/node/connection-state.js";
import { until } from "../../../../../tests/support/http-faces.js";

/** Socket without the properties that Node's HTTP server adds. */
const PLAIN = { writableLength: 0, bytesRead: 10, isPaused: () => false };
const socketOf = (state: object = {}) => ({ ...PLAIN, ...state }) as unknown as Socket;
const PARSER = {};

describe("a connection", () => {
  test.each<[string, object, boolean]>([
    ["without traffic", {}, false],
    ["with unsent data", { writableLength: 1 }, true],
    ["that Node has paused", { isPaused: () => true }, true],
    ["with a response in progress", { _httpMessage: {} }, true],
    ["without a response in progress", { _httpMessage: null, parser: {} }, false],
    ["with part of a request", { parser: PARSER }, true],
    ["whose first byte has not arrived", { parser: PARSER, bytesRead: 0 }, false],
    ["whose parser is gone", { parser: null }, false],
  ])("%s is busy: %s", (_case, state, expected) => {
    expect(isBusy(socketOf(state), new Set([PARSER]))).toBe(expected);
  });

  test("is not busy on a runtime without a list of connections", () => {
    expect([...findWaitingParsers({})]).toEqual([]);
    expect([...findWaitingParsers(undefined)]).toEqual([]);
  });
});

/** Listens until the test ends, and connects a client. */
const listen = async (): Promise<{ server: Server; client: Socket; socket: Socket }> => {
  const server = createServer((_request, response) => response.end("ok")).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [socket] = (await once(server, "connection")) as [Socket];
  return { server, client, socket };
};

describe("a connection of this version of Node", () => {
  test("is busy from the first byte of a request until its response is complete", async () => {
    const { server, client, socket } = await listen();
    const busy = () => isBusy(socket, findWaitingParsers(server));
    expect(busy()).toBe(false);
    for (const part of ["POST / HT", "TP/1.1\r\nHost: a\r\nContent-Le", "ngth: 2\r\n\r\n", "{"]) {
      const before = socket.bytesRead;
      client.write(part);
      await until(() => socket.bytesRead === before + part.length, "the part");
      expect(busy(), part).toBe(true);
    }
    client.write("}");
    await until(() => !busy(), "the response");
    client.write("G");
    await until(busy, "the next request");
  });
});

describe("a request", () => {
  test("is the last one on its connection unless the parser has a part of another", async () => {
    const key = Object.getOwnPropertySymbols((await listen()).server).find(
      ({ description }) => description === "http.server.connections",
    );
    const request = { socket: socketOf() } as IncomingMessage;
    const withParser = (parser: object, active: readonly object[] = []) => {
      Object.assign(request.socket, { parser, server: { [key ?? ""]: { active: () => active } } });
      return isLastRequest(request);
    };
    expect(isLastRequest(request)).toBe(true);
    expect(withParser({ incoming: request })).toBe(true);
    expect(withParser({ incoming: null })).toBe(true);
    expect(withParser({ incoming: {} })).toBe(false);
    const own = { incoming: request };
    expect(withParser(own, [own])).toBe(false);
    Object.assign(request.socket, { isPaused: () => true, parser: undefined });
    expect(isLastRequest(request)).toBe(false);
  });
});
