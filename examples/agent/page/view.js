/**
 * @fileoverview Renders the page's state. It writes only text, never markup, and leaves unchanged elements untouched.
 * @module examples/agent/page/view
 */
import { announcementOf } from "./announcements.js";
import { button, byId, setChildren } from "./dom.js";
import { createItem } from "./items.js";
import { canResume, isRunning } from "./state.js";
import { createTaskList } from "./task-list.js";

/** @typedef {import("./types.js").State} State */
/** @typedef {import("./types.js").Item} Item */

const CONNECTION = { connecting: "Connecting…", open: "Connected", lost: "Reconnecting…" };

/** @type {Readonly<Record<string, string>>} */
const WHY_OVER = {
  interrupted: "The agent was stopped.",
  error: "The agent stopped because of an error.",
  stepLimit: "The agent paused because it reached its step limit.",
};

const IDEAS = [
  "Write a note about tenon joints",
  "Count down from 5",
  "Ask me a question",
  "Do a task in parts",
];

/**
 * Creates the view. `onSend` receives the text of a suggestion or an answer that the user clicks.
 * @param {{ onSend: (text: string) => void }} handlers
 * @returns {{ render: (state: State) => void }}
 */
export function createView({ onSend }) {
  const parts = findParts();
  const renderTasks = createTaskList(byId("tasks", HTMLUListElement));
  const renderItems = createItems(byId("items", HTMLElement), onSend);
  const follow = createFollower(parts.scroller, parts.latest);
  parts.ideas.append(...IDEAS.map((idea) => button(idea, () => onSend(idea))));
  /** @type {State | undefined} */
  let before;
  return {
    render(state) {
      if (state === before) return;
      if (state.tasks !== before?.tasks || state.taskId !== before.taskId || state.busy !== before.busy) {
        renderTasks(state);
        parts.noTasks.hidden = state.tasks.length > 0;
      }
      renderHead(parts, state);
      renderItems(state);
      renderFoot(parts, state);
      const said = announcementOf(before, state);
      if (said !== "") parts.announcer.textContent = said;
      const isNew =
        before !== undefined && (before.taskId !== state.taskId || before.isLoading !== state.isLoading);
      follow(isNew || (state.sending !== undefined && state.sending !== before?.sending));
      before = state;
    },
  };
}

function findParts() {
  return {
    scroller: byId("scroller", HTMLElement),
    latest: byId("latest", HTMLButtonElement),
    ideas: byId("ideas", HTMLElement),
    noTasks: byId("no-tasks", HTMLElement),
    announcer: byId("announcer", HTMLElement),
    title: byId("title", HTMLElement),
    whole: byId("whole", HTMLAnchorElement),
    connection: byId("connection", HTMLElement),
    welcome: byId("welcome", HTMLElement),
    loading: byId("loading", HTMLElement),
    working: byId("working", HTMLElement),
    resumeBar: byId("resume-bar", HTMLElement),
    resumeText: byId("resume-text", HTMLElement),
    resume: byId("resume", HTMLButtonElement),
    box: byId("box", HTMLTextAreaElement),
    send: byId("send", HTMLButtonElement),
    stop: byId("stop", HTMLButtonElement),
  };
}

/** @type {(parts: ReturnType<typeof findParts>, state: State) => void} */
function renderHead({ title, whole, connection, welcome, loading }, state) {
  const name = titleOf(state);
  setText(title, name);
  document.title = state.taskId === "" ? "Tenon agent" : `${name} · Tenon agent`;
  const parent = state.parents.get(state.taskId) ?? "";
  whole.hidden = parent === "";
  whole.href = `#${parent}`;
  setText(connection, CONNECTION[state.connection]);
  connection.dataset["state"] = state.connection;
  welcome.hidden = state.taskId !== "" || state.items.length > 0;
  loading.hidden = !state.isLoading || state.items.length > 0;
}

/** @type {(parts: ReturnType<typeof findParts>, state: State) => void} */
function renderFoot({ working, resumeBar, resumeText, resume, box, send, stop }, state) {
  const running = isRunning(state);
  const isOpen = state.connection === "open";
  const last = state.items.at(-1);
  working.hidden = !running || (last !== undefined && isMoving(last));
  resumeBar.hidden = !canResume(state) || state.sending !== undefined;
  setText(resumeText, WHY_OVER[state.over] ?? "");
  resume.disabled = !isOpen;
  send.hidden = running;
  send.disabled = !isOpen || state.isLoading || state.sending !== undefined;
  stop.hidden = !running;
  stop.disabled = !isOpen || state.isStopping;
  stop.setAttribute("aria-label", state.isStopping ? "Stopping" : "Stop");
  box.placeholder =
    state.over === "question" || last?.kind === "question" ? "Write your answer…" : "Write a message…";
}

/**
 * Creates the function that renders the items. It reuses each item's element.
 * @type {(log: HTMLElement, onAnswer: (text: string) => void) => (state: State) => void}
 */
function createItems(log, onAnswer) {
  /** @type {Map<string, { view: import("./items.js").ItemView, item: Item, canAnswer: boolean, isLast: boolean }>} */
  let known = new Map();
  let taskId = "";
  return (state) => {
    if (state.taskId !== taskId && taskId !== "") known = new Map();
    taskId = state.taskId;
    const isFree = !isRunning(state) && state.sending === undefined && state.connection === "open";
    const open = isFree
      ? state.items.findLast(({ kind }) => kind === "question" || kind === "user")
      : undefined;
    const next = new Map(
      state.items.map((item, index) => {
        const old = known.get(item.key);
        const isLast = index === state.items.length - 1;
        const view = old?.view ?? createItem(item.kind);
        const canAnswer = item === open;
        const isSame = old?.item === item && old.canAnswer === canAnswer && old.isLast === isLast;
        if (!isSame) view.update(item, { onAnswer, canAnswer, isLast });
        return [item.key, { view, item, canAnswer, isLast }];
      }),
    );
    known = next;
    setChildren(
      log,
      [...next.values()].map(({ view }) => view.element),
    );
  };
}

/**
 * Scrolls to the end while items arrive, unless the user has scrolled up.
 * @type {(scroller: HTMLElement, latest: HTMLButtonElement) => (jump: boolean) => void}
 */
function createFollower(scroller, latest) {
  let isFollowing = true;
  const isAtEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 48;
  const toEnd = () => {
    scroller.scrollTop = scroller.scrollHeight;
  };
  const look = () => {
    isFollowing = isAtEnd();
    latest.hidden = isFollowing;
  };
  scroller.addEventListener("scroll", look, { passive: true });
  latest.addEventListener("click", () => {
    toEnd();
    scroller.focus({ preventScroll: true });
  });
  // Stays at the end when the size changes, such as when an on-screen keyboard opens.
  new ResizeObserver(() => isFollowing && toEnd()).observe(scroller);
  return (jump) => {
    if (jump || isFollowing) toEnd();
    latest.hidden = isAtEnd();
  };
}

/**
 * Returns true if an item itself shows that the agent is working.
 * @type {(item: Item) => boolean}
 */
function isMoving(item) {
  if (item.kind === "tool") return item.status === "writing" || item.status === "running";
  return "isPartial" in item && item.isPartial;
}

/** @type {(state: State) => string} */
function titleOf({ taskId, tasks, items }) {
  const entry = tasks.find((task) => task.taskId === taskId);
  const first = items.find((item) => item.kind === "user")?.text.slice(0, 80);
  return entry?.title || first || (taskId === "" ? "New conversation" : "Conversation");
}

/** @type {(element: HTMLElement, text: string) => void} */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
