/**
 * @fileoverview Passes frames to `receive` in this process, each on a new connection, with and without an era.
 * @module tools/fuzz/targets/receive
 */
import { Connection, receive, replyText } from "tenon/host";
import { REVISIONS, TRAITS } from "tenon/protocol";
import type { Frame, Problem, Target } from "../block.js";
import { decodeStrictly } from "../model/json-rules.js";
import { checkReplies, show } from "../model/check-replies.js";
import { checkProbe, probeText } from "../model/probe.js";
import { ServerModel } from "../model/server-model.js";
import { createFuzzServer } from "../fuzz-server.js";
import { toFrame } from "../frames/chunks.js";
import { withTimeout } from "./line-client.js";
import { patience } from "./patience.js";

type State = (typeof REVISIONS)[number] | "unpinned" | "none";

const STATES: readonly State[] = ["none", "unpinned", ...REVISIONS];

/** Creates the target. */
export function createReceiveTarget(): Target {
  const server = createFuzzServer();
  const send = async (frame: Frame, state: State): Promise<readonly [readonly Problem[], string]> => {
    const connection = new Connection(isRevision(state) ? { era: TRAITS[state].era, revision: state } : {});
    const rule = modelOf(state).expect(frame);
    const exchange = state === "none" ? undefined : { connection, notify: () => undefined };
    // Text and bytes take different paths through the parser.
    const text = frame.bytes.length % 2 === 0 ? decodeStrictly(frame.bytes) : undefined;
    const reply = receive(server, text ?? frame.bytes, { context: undefined, exchange });
    if (rule.replies.some(({ isHeld }) => isHeld)) connection.close();
    const sent = replyText(await withTimeout(Promise.resolve(reply), patience.replyMs));
    const problems = [...checkReplies([rule], sent === "" ? [] : [sent])];
    if (connection.callsInFlight > 0) problems.push({ promise: "hang", text: "A call is still in flight." });
    if (Object.keys(Object.prototype).length > 0)
      problems.push({ promise: "wrong", text: "Object.prototype was modified." });
    return [problems, sent];
  };
  return {
    name: "receive",
    async run({ frames, seed }) {
      const problems: Problem[] = [];
      const replies: string[] = [];
      for (const frame of frames) {
        const state = stateFor(frame, seed);
        try {
          const [found, sent] = await send(frame, state);
          problems.push(
            ...found.map(({ promise, text }) => ({ promise, text: `${text} (state: ${state})` })),
          );
          replies.push(sent);
        } catch (error) {
          const problem = toProblem(error);
          problems.push(problem);
          // Every further frame of this kind would take as long.
          if (problem.promise === "hang") break;
        }
      }
      const city = `Riga ${seed}`;
      const [, last] = await send(toFrame(probeText(city)), "unpinned").catch((error: unknown) => [
        [],
        String(error),
      ]);
      const failed = checkProbe(typeof last === "string" ? last : undefined, city);
      return { problems: failed === undefined ? problems : [...problems, failed], replies };
    },
    close: () => Promise.resolve(),
  };
}

/** Picks the state by the bytes of a frame, so that it does not depend on other frames of the block. */
function stateFor({ bytes }: Frame, seed: number): State {
  let mixed = seed;
  for (let at = 0; at < bytes.length; at += 7) mixed = (mixed * 31 + (bytes[at] ?? 0)) % 1_000_003;
  return STATES[mixed % STATES.length] ?? "none";
}

function toProblem(error: unknown): Problem {
  if (error instanceof Error && error.message.startsWith("Timed out"))
    return { promise: "hang", text: error.message };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { promise: "crash", text: `\`receive\` failed: ${show(text)}` };
}

function modelOf(state: State): ServerModel {
  if (state === "none") return new ServerModel({ hasConnection: false });
  return new ServerModel(isRevision(state) ? { era: TRAITS[state].era, revision: state } : {});
}

function isRevision(state: State): state is (typeof REVISIONS)[number] {
  return state !== "none" && state !== "unpinned";
}
