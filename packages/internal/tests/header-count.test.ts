import { checkHeaderCount } from "@tenon/internal/security/header-count";
import { describe, expect, test } from "vitest";

const request = (count: number, socket: object) => ({
  rawHeaders: Array.from({ length: count * 2 }, () => "x"),
  socket,
});

describe("checkHeaderCount", () => {
  test.each<[string, object, number]>([
    ["the parser's limit", { parser: { maxHeaderPairs: 20 }, server: { maxHeadersCount: 500 } }, 9],
    ["the server's limit if the parser is gone", { parser: null, server: { maxHeadersCount: 50 } }, 49],
    ["Node's default without either", {}, 999],
    ["Node's default if the server has no limit of its own", { server: { maxHeadersCount: null } }, 999],
  ])("uses %s", (_case, socket, limit) => {
    expect(checkHeaderCount(request(limit, socket))).toEqual({ ok: true });
    expect(checkHeaderCount(request(limit + 1, socket))).toEqual({ ok: false, limit });
    expect(checkHeaderCount(request(limit + 100, socket))).toEqual({ ok: false, limit });
  });

  test.each([{ parser: { maxHeaderPairs: 0 } }, { server: { maxHeadersCount: 0 } }])(
    "accepts any number if Node keeps all headers: %j",
    (socket) => {
      expect(checkHeaderCount(request(5_000, socket))).toEqual({ ok: true });
    },
  );
});
