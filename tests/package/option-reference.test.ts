import { describe, expect, test } from "vitest";
import { defineOptions } from "../../packages/internal/src/options/define-options.js";
import { integer, object, text } from "../../packages/internal/src/options/option-rows.js";
import type { FoundTable } from "../../tools/option-reference/read-tables.js";
import { writeReference } from "../../tools/option-reference/write-reference.js";

const SHARED = defineOptions("shared", { host: text({ default: "127.0.0.1", env: "HOST" }) });
const STREAMS = defineOptions("streams", { maxBytes: integer({ default: 65_536 }) });
const SERVE = defineOptions("serve", {
  ...SHARED.rows,
  port: integer({ min: 0, max: 65_535, required: true }),
  streams: object(STREAMS),
});
const TABLES: readonly FoundTable[] = [SHARED, STREAMS, SERVE].map((table) => ({ table, package: "tenon" }));

function write(comments: ReadonlyMap<unknown, string>) {
  return writeReference({ tables: TABLES, commentOf: (row) => comments.get(row) });
}

describe("the reference of options", () => {
  const comments = new Map<unknown, string>([
    [SHARED.rows.host, 'Address to listen on.\n@default "127.0.0.1"'],
    [SERVE.rows.port, "Port | path."],
    [SERVE.rows.streams, "Limits."],
    [STREAMS.rows.maxBytes, "Maximum size in bytes. @default 64 KiB"],
  ]);

  test("has one section for each table that is not part of another, with the options inside options", () => {
    const { text: page, problems } = write(comments);
    expect(problems).toEqual([]);
    expect(page.match(/^### .+$/gm)).toEqual(["### serve"]);
    expect(page).toContain(
      '| `host` | a non-empty string | "127.0.0.1" | `HOST` | Address to listen on. |\n' +
        "| `port` | an integer from 0 to 65535 | required |  | Port \\| path. |\n" +
        "| `streams` | an object |  |  | Limits. |\n" +
        "| `streams.maxBytes` | a positive integer (bytes) | 64 KiB |  | Maximum size in bytes. |\n",
    );
  });

  test("reports options without a comment, and comments with a wrong default", () => {
    const wrong = new Map([...comments, [SHARED.rows.host, 'Address. @default "localhost"']]);
    wrong.delete(SERVE.rows.port);
    expect(write(wrong).problems).toEqual([
      '`host`: the comment says @default "localhost", but the default is "127.0.0.1".',
      "tenon: serve: `port` has no comment.",
    ]);
  });
});
