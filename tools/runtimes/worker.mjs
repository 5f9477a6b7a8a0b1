/**
 * @fileoverview Answers every request with the hello-world's replies: for workerd, which has no output of its own.
 * @module tools/runtimes/worker
 */
import { hello } from "./hello.mjs";

// oxlint-disable-next-line import/no-default-export -- the shape that workerd asks of a worker
export default {
  async fetch() {
    return Response.json(await hello());
  },
};
