/**
 * @fileoverview Worker that responds to every request with the responses of the hello-world. workerd cannot print.
 * @module tools/runtimes/worker
 */
import { hello } from "./hello.mjs";

// oxlint-disable-next-line import/no-default-export -- workerd requires a default export
export default {
  async fetch() {
    return Response.json(await hello());
  },
};
