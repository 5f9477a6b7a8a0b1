/**
 * @fileoverview `npm run reload`: measures the reloads of `tenon dev`, over HTTP and over stdio. Prints the time from
 * saving a file to `list_changed`, and the calls that were lost in 1,000 reloads under load.
 * @module scripts/reload
 */
import { parseArgs } from "node:util";
import { readCount, runCommand } from "../tools/command.js";
import { runReload } from "../tools/reload/run-reload.js";
import { TRANSPORTS } from "../tools/reload/server-source.js";

const HELP = `npm run reload -- [options]

  --reloads N   reloads under load for each transport (default: 1000)
  --timed N     timed reloads for each transport (default: 50)
  --only NAME   measures one transport: ${TRANSPORTS.join(", ")}
  --short       the form that npm test runs, without limits on times
  --help        prints this text`;

await runCommand("reload", async () => {
  const { values } = parseArgs({
    options: {
      reloads: { type: "string" },
      timed: { type: "string" },
      only: { type: "string" },
      short: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return true;
  }
  const only = TRANSPORTS.filter((name) => values.only === undefined || name === values.only);
  if (only.length === 0)
    throw new TypeError(`--only must be one of ${TRANSPORTS.join(", ")}; got ${values.only}.`);
  return runReload({
    timed: readCount("timed", values.timed ?? (values.short ? "3" : "50")),
    reloads: readCount("reloads", values.reloads ?? (values.short ? "12" : "1000")),
    transports: only,
    isTimed: !values.short,
    print: (line) => console.log(line),
  });
});
