/**
 * @fileoverview `npm run example -- tasks`: serves the report server on localhost, and runs a client that creates two
 * tasks. With `--serve`, only serves, for your own client.
 * @module examples/tasks/main
 */
import { parseArgs } from "node:util";
import { serve } from "tenon/node";
import { runDemo } from "./demo.js";
import { createReportServer } from "./server.js";

const { values } = parseArgs({
  // `npm run example` passes the example's name first.
  allowPositionals: true,
  options: {
    serve: { type: "boolean", default: false },
    port: { type: "string", default: "0" },
    directory: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  console.log(`Usage: npm run example -- tasks [--serve] [--port N] [--directory FOLDER]
  --serve      only serve, until Ctrl+C; connect your own client
  --port       port to listen on (default: a free port)
  --directory  folder for task records that survive a restart (default: tasks are kept in memory)`);
} else {
  await run();
}

async function run(): Promise<void> {
  const { directory } = values;
  const server = createReportServer({
    tasks: directory === undefined ? {} : { directory },
    print: (line) => console.log(`server  ${line}`),
  });
  const running = await serve(server, { port: Number(values.port), signals: values.serve, banner: false });
  const url = running.url ?? "";
  if (values.serve) {
    console.log(`Tenon's report server is ready.\n\n  endpoint   ${url}\n\nPress Ctrl+C to stop.`);
    await running.closed;
    return;
  }
  try {
    await runDemo({ url, print: (line) => console.log(line) });
    console.log('\nThe handler of the first task ran twice, but its outline and "publish" ran once.');
  } finally {
    await running.close();
  }
}
