/**
 * @fileoverview WebSocket connection that reconnects automatically.
 * @module examples/agent/page/socket
 */
import { record, text } from "./values.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

/**
 * Connects to the server, and reconnects until the page is closed.
 * @param {string} url
 * @param {{ onState: (state: "open" | "lost") => void, onFrame: (frame: import("./types.js").Frame) => void }}
 * handlers
 */
export function openSocket(url, { onState, onFrame }) {
  /** @type {WebSocket} */
  let socket;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let wait = FIRST_WAIT_MS;

  const connect = () => {
    clearTimeout(timer);
    timer = undefined;
    const mine = new WebSocket(url);
    socket = mine;
    mine.addEventListener("open", () => {
      wait = FIRST_WAIT_MS;
      onState("open");
    });
    mine.addEventListener("message", ({ data }) => {
      const frame = parse(data);
      if (frame !== undefined) onFrame(frame);
    });
    mine.addEventListener("close", () => {
      onState("lost");
      // Jitter keeps clients that lost their connections together from reconnecting together.
      timer = setTimeout(connect, wait * (0.5 + Math.random() / 2));
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    });
  };
  const hurry = () => {
    if (timer !== undefined && document.visibilityState === "visible") connect();
  };
  window.addEventListener("online", hurry);
  document.addEventListener("visibilitychange", hurry);
  connect();

  return {
    /**
     * Sends a frame if the connection is open. Returns false otherwise.
     * @param {import("./types.js").Frame} frame
     */
    send(frame) {
      if (socket.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(frame));
      return true;
    },
  };
}

/** @type {(data: unknown) => import("./types.js").Frame | undefined} */
function parse(data) {
  try {
    const frame = record(JSON.parse(text(data)));
    return { type: text(frame["type"]), data: record(frame["data"]) };
  } catch {
    return undefined;
  }
}
