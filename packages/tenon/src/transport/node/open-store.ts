/**
 * @fileoverview Opens the shared store of a server before it listens.
 * @module tenon/transport/node/open-store
 */
import { messageOf } from "@tenon/internal/thrown";
import { printableLine } from "@tenon/internal/text";
import type { SharedStore } from "../../stores/shared-store.js";
import { toLogLine } from "../default-log.js";

/**
 * Opens a store and prints its warnings, one line each. Returns a function that releases it.
 *
 * @throws an error with one sentence and no stack if the store cannot be used
 */
export async function openStore(
  store: SharedStore,
  print: (text: string) => void,
): Promise<() => Promise<void>> {
  try {
    return await store.open((warning) => print(toLogLine(printableLine(warning))));
  } catch (cause) {
    const reason = printableLine(messageOf(cause) ?? "unknown error");
    const name = printableLine(store.name);
    // No cause and no stack: in a program that does not catch the error, Node would print them after the sentence.
    const error = new Error(reason.includes(name) ? reason : `Could not open the store (${name}): ${reason}`);
    error.stack = String(error);
    return Promise.reject(error);
  }
}
