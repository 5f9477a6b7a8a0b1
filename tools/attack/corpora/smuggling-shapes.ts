/**
 * @fileoverview Requests whose end servers disagree about. Each contains a second request that must not be handled.
 * @module tools/attack/corpora/smuggling-shapes
 */

/** Parts of a shape. */
export interface ShapeParts {
  /** Lines of the outer request that are always valid: a request line and the headers of a call. */
  readonly lines: readonly string[];
  /** Body of the outer request. */
  readonly body: string;
  /** Complete request that must not be handled. */
  readonly hidden: string;
}

/** Shape of a request. */
export interface Shape {
  readonly name: string;
  readonly create: (parts: ShapeParts) => string;
  /** True if a server may wait for more of the body. */
  readonly mayWait?: boolean;
}

const head = (lines: readonly string[]) => `${lines.join("\r\n")}\r\n\r\n`;
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const END = "0\r\n\r\n";

/** A `Transfer-Encoding` that one side may not see: with its view of the length, the hidden request is the next one. */
const TRANSFER_ENCODINGS = [
  "Transfer-Encoding: chunked",
  "transfer-encoding: CHUNKED",
  "Transfer-Encoding:chunked",
  "Transfer-Encoding: chunked ",
  "Transfer-Encoding:\tchunked",
  "Transfer-Encoding: \x0bchunked",
  "Transfer-Encoding: chunked\x0c",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding: chunkedx",
  'Transfer-Encoding: "chunked"',
  "Transfer-Encoding: chunked;q=1",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding: identity, chunked",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: chunked, chunked",
  "Transfer-Encoding: ,chunked",
  "Transfer-Encoding: chunked,",
  "Transfer-Encoding: identity",
  "Transfer-Encoding:",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding\t: chunked",
  " Transfer-Encoding: chunked",
  "\tTransfer-Encoding: chunked",
  "Transfer_Encoding: chunked",
  "X-Transfer-Encoding: chunked",
  "Transfer-Encoding\x00: chunked",
  "Transfer-Encoding: chunked\x00",
  "Transfer-Encoding\xad: chunked",
  "Transfer-Encoding: \xa0chunked",
  "Transfer-Encoding:\r\n chunked",
  "Transfer-Encoding:\r\n\tchunked",
  "X: 1\r\n Transfer-Encoding: chunked",
  "X: 1\nTransfer-Encoding: chunked",
  "X: 1\rTransfer-Encoding: chunked",
  "X: 1\r\n\rTransfer-Encoding: chunked",
  "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
  "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: chun\r\n ked",
];

/** Headers that name no encoding. With them, only the length counts, and the text after it is a regular request. */
const NO_ENCODINGS: ReadonlySet<string> = new Set([
  "Transfer-Encoding:",
  "Transfer_Encoding: chunked",
  "X-Transfer-Encoding: chunked",
]);

const AMBIGUOUS: readonly Shape[] = [
  ...TRANSFER_ENCODINGS.map((encoding): Shape => ({
    name: `a length and ${JSON.stringify(encoding)}`,
    create({ lines, hidden }) {
      const body = `${END}${hidden}`;
      return `${head([...lines, `Content-Length: ${body.length}`, encoding])}${body}`;
    },
  })),
  ...TRANSFER_ENCODINGS.filter((encoding) => !NO_ENCODINGS.has(encoding)).map((encoding): Shape => ({
    name: `${JSON.stringify(encoding)} and a short length`,
    create: ({ lines, hidden }) => `${head([...lines, encoding, "Content-Length: 4"])}${chunk(hidden)}${END}`,
    mayWait: true,
  })),
];

/** Lengths that servers read differently. */
const LENGTHS: readonly (readonly [name: string, lines: (length: number) => readonly string[]])[] = [
  ["two lengths, the right one first", (length) => [`Content-Length: ${length}`, "Content-Length: 0"]],
  ["two lengths, the right one last", (length) => ["Content-Length: 0", `Content-Length: ${length}`]],
  ["a list of lengths", (length) => [`Content-Length: ${length}, 0`]],
  ["a list of equal lengths", (length) => [`Content-Length: ${length}, ${length}`]],
  ["a negative length", (length) => [`Content-Length: -${length}`]],
  ["a length with a plus sign", (length) => [`Content-Length: +${length}`]],
  ["a hexadecimal length", (length) => [`Content-Length: 0x${length.toString(16)}`]],
  ["a length with an exponent", () => ["Content-Length: 1e1"]],
  ["a length with a decimal point", (length) => [`Content-Length: ${length}.0`]],
  ["a length with letters", (length) => [`Content-Length: ${length}abc`]],
  ["a length with a space inside", () => ["Content-Length: 1 0"]],
  ["a length with a NUL", (length) => [`Content-Length: ${length}\x00`]],
  ["a length of 2^64 and more", (length) => [`Content-Length: ${(2n ** 64n + BigInt(length)).toString()}`]],
  ["a length of 2^32 and more", (length) => [`Content-Length: ${(2n ** 32n + BigInt(length)).toString()}`]],
  ["a length of 30 digits", () => [`Content-Length: ${"9".repeat(30)}`]],
  ["no digits", () => ["Content-Length:"]],
  ["a space before the colon", (length) => [`Content-Length : ${length}`]],
  ["a tab before the colon", (length) => [`Content-Length\t: ${length}`]],
  ["a folded length", (length) => [`Content-Length:\r\n ${length}`]],
  ["a length with digits that are not ASCII", () => ["Content-Length: \xb2"]],
  ["a length in a folded line", (length) => ["X: 1", ` Content-Length: ${length}`]],
  ["a length after a bare line feed", (length) => [`X: 1\nContent-Length: ${length}`]],
  ["a length after a bare carriage return", (length) => [`X: 1\rContent-Length: ${length}`]],
];

/** A server that ignores such a length handles the body as the next request. */
const LENGTH_SHAPES: readonly Shape[] = LENGTHS.map(([name, lines]) => ({
  name,
  create: ({ lines: outer, hidden }) => `${head([...outer, ...lines(hidden.length)])}${hidden}`,
  mayWait: true,
}));

const CHUNKED = "Transfer-Encoding: chunked";

/** Bodies in chunks that servers read differently. */
const CHUNKS: readonly (readonly [name: string, body: (parts: ShapeParts) => string])[] = [
  [
    "a chunk extension",
    ({ body, hidden }) => `${body.length.toString(16)};x="${hidden.slice(0, 20)}"\r\n${body}\r\n${END}`,
  ],
  ["a line feed in an extension", ({ hidden }) => `5;\n${hidden.length}\r\n${hidden}\r\n${END}`],
  ["a carriage return in an extension", ({ hidden }) => `2;\rx\r\n{}\r\n0;\r${hidden}\r\n\r\n`],
  ["an extension with a hidden request", ({ hidden }) => `2;${hidden}\r\n{}\r\n${END}`],
  [
    "an extension of 20,000 characters",
    ({ body }) => `${body.length.toString(16)};${"x".repeat(20_000)}\r\n${body}\r\n${END}`,
  ],
  ["a size with 0x", ({ hidden }) => `0x2\r\n{}\r\n${END}${hidden}`],
  ["a size with a plus sign", ({ hidden }) => `+2\r\n{}\r\n${END}${hidden}`],
  ["a negative size", ({ hidden }) => `-2\r\n{}\r\n${END}${hidden}`],
  ["a size with a space before it", ({ hidden }) => ` 2\r\n{}\r\n${END}${hidden}`],
  ["a size of 2^64 and more", ({ hidden }) => `10000000000000002\r\n{}\r\n${END}${hidden}`],
  ["a size of 16 digits", ({ hidden }) => `FFFFFFFFFFFFFFFF\r\n{}\r\n${END}${hidden}`],
  ["no size", ({ hidden }) => `\r\n{}\r\n${END}${hidden}`],
  ["a size of letters", ({ hidden }) => `zz\r\n{}\r\n${END}${hidden}`],
  ["line feeds only", ({ hidden }) => `2\n{}\n0\n\n${hidden}`],
  ["no line break after the data", ({ hidden }) => `2\r\n{}${END}${hidden}`],
  ["data longer than its size", ({ hidden }) => `2\r\n{}xx\r\n${END}${hidden}`],
  ["a carriage return without a line feed", ({ hidden }) => `2\r{}\r\n${END}${hidden}`],
  ["a line feed after the last chunk", ({ hidden }) => `2\r\n{}\r\n0\n\n${hidden}`],
  [
    "trailers with a length",
    ({ body, hidden }) => `${chunk(body)}0\r\nContent-Length: ${hidden.length}\r\n\r\n`,
  ],
  ["trailers with a hidden request", ({ body, hidden }) => `${chunk(body)}0\r\nX: 1\n${hidden}`],
  [
    "trailers with headers",
    ({ body }) => `${chunk(body)}0\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n\r\n`,
  ],
  ["a trailer of 20,000 characters", ({ body }) => `${chunk(body)}0\r\nX: ${"x".repeat(20_000)}\r\n\r\n`],
  ["chunks of one byte", ({ body }) => `${body.split("").map(chunk).join("")}${END}`],
  ["a hidden request in a chunk", ({ hidden }) => `${chunk(hidden)}${END}`],
  [
    "a hidden request in two chunks",
    ({ hidden }) => `${chunk(hidden.slice(0, 40))}${chunk(hidden.slice(40))}${END}`,
  ],
];

const CHUNK_SHAPES: readonly Shape[] = CHUNKS.map(([name, body]) => ({
  name: `chunks: ${name}`,
  create: (parts) => `${head([...parts.lines, CHUNKED])}${body(parts)}`,
  mayWait: true,
}));

/** Requests that are rejected before their body is read. The body must not become the next request. */
const UNREAD: readonly (readonly [name: string, change: (lines: readonly string[]) => readonly string[]])[] =
  [
    ["a foreign origin", (lines) => [...lines, "Origin: http://evil.example"]],
    [
      "a foreign host",
      (lines) => lines.map((line) => (line.startsWith("Host:") ? "Host: evil.example" : line)),
    ],
    [
      "a wrong content type",
      (lines) =>
        lines.map((line) => line.replace("Content-Type: application/json", "Content-Type: text/plain")),
    ],
    [
      "a wrong Accept header",
      (lines) => lines.map((line) => (line.startsWith("Accept:") ? "Accept: text/html" : line)),
    ],
    ["an unknown path", (lines) => lines.map((line) => line.replace(" /mcp ", " /other "))],
    ["the health check", (lines) => lines.map((line) => line.replace(" /mcp ", " /healthz "))],
    ["GET", (lines) => lines.map((line) => line.replace(/^POST /, "GET "))],
    ["HEAD", (lines) => lines.map((line) => line.replace(/^POST /, "HEAD "))],
    ["DELETE", (lines) => lines.map((line) => line.replace(/^POST /, "DELETE "))],
    ["OPTIONS", (lines) => lines.map((line) => line.replace(/^POST /, "OPTIONS "))],
    ["PUT", (lines) => lines.map((line) => line.replace(/^POST /, "PUT "))],
    ["TRACE", (lines) => lines.map((line) => line.replace(/^POST /, "TRACE "))],
    ["an expectation", (lines) => [...lines, "Expect: 100-continue"]],
    ["an unknown expectation", (lines) => [...lines, "Expect: 200-ok"]],
    ["an upgrade to WebSocket", (lines) => [...lines, "Connection: Upgrade", "Upgrade: websocket"]],
    [
      "an upgrade to HTTP/2",
      (lines) => [...lines, "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAAA"],
    ],
    ["an unknown session", (lines) => [...lines, "Mcp-Session-Id: unknown"]],
    ["a JSON error", (lines) => lines],
  ];

const UNREAD_SHAPES: readonly Shape[] = UNREAD.flatMap(([name, change]): readonly Shape[] => {
  // Node drops text that arrives in the same packet as a request for an upgrade.
  const mayWait = name.startsWith("an upgrade");
  return [
    {
      name: `an unread body: ${name}`,
      create: ({ lines, hidden }) =>
        `${head([...change(lines), `Content-Length: ${hidden.length}`])}${hidden}`,
      mayWait,
    },
    {
      name: `an unread body in chunks: ${name}`,
      create: ({ lines, hidden }) => `${head([...change(lines), CHUNKED])}${chunk(hidden)}${END}`,
      mayWait,
    },
  ];
});

const requestLine = (line: string) => (parts: ShapeParts) =>
  `${head([line, ...parts.lines.slice(1), `Content-Length: ${parts.hidden.length}`])}${parts.hidden}`;

/** Request lines and line breaks that servers read differently. */
const LINE_SHAPES: readonly Shape[] = [
  ...[
    "POST http://evil.example/mcp HTTP/1.1",
    "POST http://localhost/mcp HTTP/1.1",
    "POST https://localhost@evil.example/mcp HTTP/1.1",
    "POST //evil.example/mcp HTTP/1.1",
    "POST * HTTP/1.1",
    "POST localhost:80 HTTP/1.1",
    "CONNECT localhost:80 HTTP/1.1",
    "POST /mcp HTTP/1.0",
    "POST /mcp HTTP/0.9",
    "POST /mcp HTTP/1.2",
    "POST /mcp HTTP/2.0",
    "POST /mcp http/1.1",
    "POST /mcp",
    "POST  /mcp  HTTP/1.1",
    "POST\t/mcp\tHTTP/1.1",
    " POST /mcp HTTP/1.1",
    "\r\n\r\nPOST /mcp HTTP/1.1",
    "post /mcp HTTP/1.1",
    "POST /mcp HTTP/1.1 HTTP/1.1",
    "POST /mcp\x00 HTTP/1.1",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nPOST /mcp HTTP/1.1",
  ].map((line): Shape => ({
    name: `the request line ${JSON.stringify(line)}`,
    create: requestLine(line),
    mayWait: true,
  })),
  {
    name: "line feeds only",
    create: ({ lines, hidden }) =>
      `${[...lines, `Content-Length: ${hidden.length}`].join("\n")}\n\n${hidden}`,
    mayWait: true,
  },
  {
    name: "a header without a colon",
    create: ({ lines, hidden }) =>
      `${head([...lines, "NoColon", `Content-Length: ${hidden.length}`])}${hidden}`,
  },
  {
    name: "an empty header name",
    create: ({ lines, hidden }) => `${head([...lines, ": x", `Content-Length: ${hidden.length}`])}${hidden}`,
  },
  {
    name: "a header of 20,000 characters",
    create: ({ lines, hidden }) =>
      `${head([...lines, `X: ${"x".repeat(20_000)}`, `Content-Length: ${hidden.length}`])}${hidden}`,
  },
  {
    name: "3,000 headers before the length",
    create: ({ lines, hidden }) =>
      `${head([...lines, ...Array.from({ length: 3_000 }, () => "a:"), `Content-Length: ${hidden.length}`])}${hidden}`,
  },
  {
    name: "3,000 headers before the encoding",
    create: ({ lines, hidden }) =>
      `${head([...lines, ...Array.from({ length: 3_000 }, () => "a:"), CHUNKED])}${chunk(hidden)}${END}`,
  },
  {
    name: "HTTP/1.0 with chunks",
    create: ({ lines, hidden }) =>
      `${head(["POST /mcp HTTP/1.0", ...lines.slice(1), "Connection: keep-alive", CHUNKED])}${chunk(hidden)}${END}`,
    mayWait: true,
  },
];

/** All shapes. */
export const SHAPES: readonly Shape[] = [
  ...AMBIGUOUS,
  ...LENGTH_SHAPES,
  ...CHUNK_SHAPES,
  ...UNREAD_SHAPES,
  ...LINE_SHAPES,
];
