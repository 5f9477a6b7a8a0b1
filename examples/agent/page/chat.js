/**
 * @fileoverview The page's entry point. Connects the state, the socket, the view, and the user's input.
 * @module examples/agent/page/chat
 */
import { createComposer } from "./composer.js";
import { byId } from "./dom.js";
import { createSidebar } from "./sidebar.js";
import { openSocket } from "./socket.js";
import {
  initialState,
  isRunning,
  openTask,
  receive,
  withConnection,
  withNothingReturned,
  withSent,
  withStopping,
} from "./state.js";
import { createView } from "./view.js";

/** Returns the conversation ID from the URL hash, or "" if the hash is not a valid ID. */
const namedByAddress = () => /^#([A-Za-z0-9][A-Za-z0-9_-]{0,127})$/.exec(location.hash)?.[1] ?? "";

let state = initialState(namedByAddress());
let isDrawn = true;

const composer = createComposer({ onSend: (text) => send(text) });
const sidebar = createSidebar();
const view = createView({ onSend: (text) => send(text) });
const socket = openSocket(location.origin.replace(/^http/, "ws"), {
  onState(connection) {
    set(withConnection(state, connection));
    if (connection === "open") load();
  },
  onFrame: (frame) => set(receive(state, frame)),
});

/** @type {(next: import("./types.js").State) => void} */
function set(next) {
  const before = state;
  state = next;
  if (next.taskId !== before.taskId && next.taskId !== namedByAddress()) {
    history.replaceState(null, "", `#${next.taskId}`);
    composer.rename(next.taskId);
  }
  if (next.returned !== undefined) {
    state = withNothingReturned(next);
    composer.giveBack(next.returned);
  }
  if (!isDrawn) return;
  // Many messages may arrive between two animation frames, so the page renders once per frame.
  isDrawn = false;
  requestAnimationFrame(() => {
    isDrawn = true;
    view.render(state);
  });
}

/** @type {(text: string) => boolean} */
function send(text) {
  if (isRunning(state) || state.sending !== undefined || state.isLoading) return false;
  const data = state.taskId === "" ? { message: text } : { message: text, taskId: state.taskId };
  if (!socket.send({ type: "userSendMessage", data })) return false;
  set(withSent(state, text));
  composer.focus();
  return true;
}

function load() {
  if (state.taskId !== "") socket.send({ type: "loadTask", data: { taskId: state.taskId } });
}

function stop() {
  if (!isRunning(state) || state.isStopping) return;
  if (socket.send({ type: "interrupt", data: { taskId: state.taskId } })) set(withStopping(state));
  // The button is about to be hidden, so the focus moves to the input.
  composer.focus();
}

/** @type {(taskId: string) => void} */
function open(taskId) {
  sidebar.close();
  if (taskId !== state.taskId) {
    set(openTask(state, taskId));
    composer.open(taskId);
    load();
  }
  composer.focus();
}

byId("new", HTMLButtonElement).addEventListener("click", () => {
  if (location.hash !== "") history.pushState(null, "", location.pathname);
  open("");
});
byId("stop", HTMLButtonElement).addEventListener("click", stop);
byId("resume", HTMLButtonElement).addEventListener("click", () => {
  socket.send({ type: "resume", data: { taskId: state.taskId } });
  composer.focus();
});
window.addEventListener("hashchange", () => open(namedByAddress()));
window.addEventListener("popstate", () => open(namedByAddress()));
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.isComposing) return;
  if (!sidebar.close()) stop();
});

composer.open(state.taskId);
view.render(state);
