/**
 * @fileoverview Runs the commands of the page on a workbench.
 * @module cli/page/workbench/commands
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { messageOf } from "@tenon/internal/thrown";
import type { Era } from "tenon/protocol";
import { CommandError } from "../command-error.js";
import type { PageFeed } from "../feed/page-feed.js";
import type { Commands, Nothing } from "../protocol.js";
import { isRecordable, toRecording } from "../record/recording.js";
import type { CommandHandlers } from "../serve/page-listener.js";
import type { Workbench } from "./workbench.js";

/** Creates the functions that run the commands. */
export function createCommands(workbench: Workbench, feed: PageFeed): CommandHandlers {
  const { calls, connections, questions, replays, store } = workbench;
  const start = (era: Era, method: string, params: JsonObject) => ({
    id: calls.start({ era, method, params }).record.id,
  });
  return {
    call: ({ tool, arguments: args, era, timeoutMs }) => {
      const params = { name: tool, arguments: args };
      return { id: calls.start({ era, method: "tools/call", params, timeoutMs }).record.id };
    },
    compare: ({ tool, arguments: args }) => compare(workbench, { name: tool, arguments: args }),
    read: ({ uri, era }) => start(era, "resources/read", { uri }),
    prompt: ({ name, arguments: args, era }) => start(era, "prompts/get", { name, arguments: args }),
    cancel: ({ id }) => done(() => calls.cancel(id)),
    repeat: ({ id }) => ({ id: calls.repeat(find(workbench, id)).record.id }),
    validate: (params) => validate(workbench, params),
    complete: (params) => complete(workbench, params),
    subscribe: ({ uri, isOn }) => asked(() => workbench.subscriptions.set(uri, isOn)),
    answer: ({ id, answer }) => done(() => questions.answer(id, answer)),
    "cancel-task": ({ id }) => asked(() => cancelTask(workbench, id)),
    "clear-calls": () =>
      done(() => {
        store.clear();
        feed.publish({ type: "calls-cleared" });
        for (const record of store.records()) feed.publish({ type: "call", call: record.toSummary() });
      }),
    "log-level": ({ level }) => asked(() => connections.setLogLevel(level)),
    refresh: () => refresh(workbench),
    export: ({ ids }) => {
      const records = ids?.map((id) => find(workbench, id)) ?? store.records().filter(isRecordable);
      return toRecording(records, workbench.catalog.server);
    },
    replay: ({ recording }) => ({ id: replays.start(recording) }),
    "cancel-replay": ({ id }) => done(() => replays.cancel(id)),
    "sign-in": () => done(() => signIn(workbench)),
    "sign-out": () => signOut(workbench),
  };
}

const NOTHING: Nothing = {};

function done(work: () => void): Nothing {
  work();
  return NOTHING;
}

/** Runs work that sends a request. @throws {CommandError} with the reason if the server rejects it */
async function asked<T>(work: () => Promise<T>): Promise<Nothing> {
  await toCommandError(work);
  return NOTHING;
}

async function toCommandError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(502, messageOf(error) ?? "The request failed for an unknown reason.");
  }
}

function find({ store }: Workbench, id: string) {
  const record = store.get(id);
  if (record === undefined) throw new CommandError(404, "This call is not recorded anymore.");
  return record;
}

/** Cancels a task. Its call ends with it, also if the call waits for an answer of the user. */
async function cancelTask({ tasks, store, calls }: Workbench, id: string): Promise<void> {
  const record = store.get(await tasks.cancel(id));
  if (record?.isRunning === true) calls.cancel(record.id);
}

/** Calls a tool in each era that the server supports. */
function compare({ calls, connections }: Workbench, params: JsonObject): Commands["compare"][1] {
  const call = (era: Era) =>
    connections.eras.includes(era) ? calls.start({ era, method: "tools/call", params }).record.id : undefined;
  if (connections.eras.length === 0) throw new CommandError(409, "The page is not connected to the server.");
  return { legacy: call("legacy"), modern: call("modern") };
}

async function validate(
  { catalog, questions }: Workbench,
  params: Commands["validate"][0],
): Promise<Commands["validate"][1]> {
  const [schema, value] =
    "tool" in params
      ? [catalog.findTool(params.tool)?.["inputSchema"], params.arguments]
      : [questions.schemaOf(params.question), params.answer];
  if (!isJsonObject(schema)) throw new CommandError(404, "The server does not list this tool.");
  const { findProblems } = await import("../schema/find-problems.js");
  const outcome = findProblems(schema, value);
  return { problems: outcome.ok ? outcome.problems : [{ path: [], message: outcome.reason }] };
}

async function complete(
  { connections }: Workbench,
  { ref, argument, value, known, era }: Commands["complete"][0],
): Promise<Commands["complete"][1]> {
  const { client } = connections.get(era);
  const target =
    ref.type === "prompt" ? { type: "ref/prompt", name: ref.name } : { type: "ref/resource", uri: ref.uri };
  const result = await toCommandError(() =>
    client.request("completion/complete", {
      ref: target,
      argument: { name: argument, value },
      ...(Object.keys(known).length === 0 ? {} : { context: { arguments: known } }),
    }),
  );
  const { values, hasMore } = isJsonObject(result["completion"]) ? result["completion"] : {};
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  return {
    values: list.filter((one) => typeof one === "string").slice(0, MAX_VALUES),
    hasMore: hasMore === true,
  };
}

/** Maximum number of completions. The specification has the same limit. */
const MAX_VALUES = 100;

/** Lists the definitions again. Without a connection, connects again. */
async function refresh({ catalog, connections }: Workbench): Promise<Nothing> {
  if (connections.primary === undefined) connections.start();
  else await catalog.refresh();
  return NOTHING;
}

function signIn({ server, connections }: Workbench): void {
  if (server.onSignIn === undefined) throw new CommandError(409, NO_SIGN_IN);
  connections.start();
}

async function signOut({ server, connections }: Workbench): Promise<Nothing> {
  const { signOut: leave } = server;
  if (leave === undefined) throw new CommandError(409, NO_SIGN_IN);
  await toCommandError(leave);
  await connections.stop("You have signed out. Sign in again to use the server.");
  return NOTHING;
}

const NO_SIGN_IN =
  "The page signs in only to servers that `tenon inspect` connects to by URL, without a token.";
