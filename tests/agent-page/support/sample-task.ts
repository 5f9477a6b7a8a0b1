/**
 * @fileoverview Conversation with every kind of message.
 * @module tests/agent-page/support/sample-task
 */
import { createPng } from "./png.js";
import type { StubServer } from "./stub-server.js";

/** Response with most constructs of Markdown. */
export const MARKDOWN = `Here is how the joints compare for **an oak table**.

## Strength and effort

| Joint | Strength | Effort |
| --- | ---: | --- |
| Mortise and tenon | 9 | high |
| Dowel | 6 | medium |
| Pocket screw | 4 | low |

1. Mark the shoulders
   - with a knife
   - on all four sides
2. Saw on the *waste* side
3. Try it dry, as [the guide](https://example.com/guide) shows

\`\`\`ts
const joint = createJoint({ wood: "oak", length: 40 });
await joint.glue();
\`\`\`

> Measure twice, cut once.

- [x] Choose the wood
- [ ] Order the glue
`;

const WOOD = [0xd9, 0xb0, 0x7c] as const;
const DARK_WOOD = [0xa8, 0x74, 0x3f] as const;
const PAPER = [0xf7, 0xf3, 0xea] as const;

/** Drawing of a mortise and tenon as base64. */
export const IMAGE = createPng(320, 180, (x, y) => {
  const isPost = x > 180 && x < 260 && y > 20 && y < 160;
  const isTenon = x > 180 && x < 260 && y > 75 && y < 105;
  const isRail = x > 40 && x <= 180 && y > 55 && y < 125;
  if (isTenon) return DARK_WOOD;
  return isPost || isRail ? WOOD : PAPER;
});

const TITLES = [
  "Joints for an oak table",
  "Price list for the spring fair",
  "Translate the manual of the planer",
  "Why is my glue joint weak?",
  "Order of operations for the cabinet",
  "Sharpening angles for chisels and plane irons of every width",
];

const HOURS = 3_600_000;

/** Adds conversations to the list. The first one is "joints". */
export function addTasks(stub: StubServer): void {
  TITLES.forEach((title, index) => {
    const updatedAt = new Date(Date.now() - index * 26 * HOURS).toISOString();
    stub.add({ taskId: index === 0 ? "joints" : `task-${index}`, title, updatedAt });
  });
}

/** Adds a conversation with every kind of message to the task "joints". */
export function addConversation(stub: StubServer): void {
  const emit = (type: string, data: Readonly<Record<string, unknown>>) => stub.emit("joints", type, data);
  emit("userSendMessage", {
    message: "Which joint should I use for an oak table?\nPlease save a note, too.",
  });
  emit("think", { message: "They want a comparison. A table is clearest." });
  emit("tool", {
    toolName: "search_library",
    params: { query: "oak joints", limit: 5 },
    message: "Found 5 documents",
    toolResult: { hits: 5 },
    status: "done",
  });
  emit("tool", {
    toolName: "write_note",
    params: { title: "Oak joints", text: "Mark the shoulders with a knife.\nTry it dry, then glue." },
    message: 'Saved "Oak joints"',
    toolResult: { title: "Oak joints", words: 11 },
    status: "done",
  });
  emit("message", { message: MARKDOWN });
  emit("userSendMessage", {
    message: "Draw it, then delete the old drafts.",
    files: [
      { mediaType: "image/png", data: IMAGE, name: "sketch.png" },
      { mediaType: "text/csv", data: "YSxi", name: "sizes.csv" },
    ],
  });
  emit("compaction", { summary: "The user builds **an oak table**." });
  emit("file", { mediaType: "image/png", data: IMAGE, name: "drawing.png" });
  emit("tool", {
    toolName: "assignTasks",
    params: { tasklist: ["Collect the drafts", "Check the archive"] },
    message: "2 subtasks",
    status: "done",
  });
  emit("assignTaskUpdated", { index: 0, taskId: "sub-0", parentTaskId: "joints", taskStatus: "completed" });
  emit("assignTaskUpdated", { index: 1, taskId: "sub-1", parentTaskId: "joints", taskStatus: "failed" });
  emit("tool", {
    toolName: "read_folder",
    params: { path: "archive" },
    message: "",
    error: "The folder does not exist.",
    status: "failed",
  });
  emit("alert", { message: "The archive is offline until noon.", severity: "warning" });
  emit("approval", {
    approvalId: "a0",
    toolName: "read_folder",
    status: "denied",
    decidedBy: "Ada",
    reason: "Private",
  });
}

/** Adds a call that waits for approval. */
export function addApproval(stub: StubServer): void {
  stub.emit("joints", "approval", {
    approvalId: "a1",
    toolName: "delete_files",
    status: "waiting",
    params: { folder: "drafts", pattern: "*.old" },
    updateTime: 77,
  });
  stub.end("joints", "approval");
}
