/**
 * @fileoverview The demo model's responses, selected by keywords in the user's message. The script is stateless, so
 * conversations continue after a restart.
 * @module examples/agent/script
 */
import { createScriptedModel, type ModelConversation, type ModelPort } from "@tenon/agent";

/** Creates the demo model. It works offline and writes at about reading speed. */
export function createDemoModel({ pieceChars = 5, delayMs = 20 } = {}): ModelPort {
  return createScriptedModel(answer, { pieceChars, delayMs });
}

/** Returns the model's next response in a conversation. */
export function answer({ messages }: ModelConversation): string {
  const last = messages.findLast(
    ({ role, content }) => role === "tool" || (role === "user" && content !== RESUMED),
  );
  const asked = messages.findLast(({ role }) => role === "assistant");
  if (last?.role === "tool") return sumUp(last.toolName, last.content);
  const text = last?.content ?? "";
  if (asked?.content.includes("<askFollowupQuestion>") === true) return thankFor(text);
  return BEGINNINGS.find(({ words }) => words.test(text))?.begin(text) ?? INTRODUCTION;
}

/** Sent to the model when a user resumes a conversation. The script skips it and repeats its last response. */
const RESUMED = "Continue where you left off.";

const BEGINNINGS: readonly { readonly words: RegExp; readonly begin: (text: string) => string }[] = [
  { words: /\bparts?\b/i, begin: () => PARTS },
  { words: /\b(list|which|what) .*notes?\b/i, begin: () => "Let me look.\n<list_notes></list_notes>" },
  { words: /\bdelete\b.*\bnotes?\b/i, begin: deleteNote },
  { words: /\bnotes?\b/i, begin: writeNote },
  { words: /\bcount/i, begin: countDown },
  { words: /\b(ask|question)\b/i, begin: () => QUESTION },
  { words: /-?\d+(\.\d+)?\s*[-+*/]\s*-?\d/, begin: calculate },
];

const INTRODUCTION = `Hello! I am this demo's **scripted model**: I work offline, cost nothing, and always give the same responses. Everything else is real: text streams as it is written, tool calls are parsed while they arrive, and the conversation is stored, so you can reload the page or stop me at any time.

Try one of these:

- \`write a note about oak\` fills in a tool card while I write
- \`count down from 5\` runs a slow tool that reports its progress
- \`ask me a question\` pauses until you answer
- \`do it in parts\` runs subtasks in parallel
- \`12 * 7\` calls the calculator
- \`delete the note about oak\` asks for your approval first

With \`OPENAI_API_KEY\` or \`OPENAI_BASE_URL\` set, a real model replaces me.`;

const QUESTION = `<think>I do not know which wood they have, so I should ask.</think>
<askFollowupQuestion>
<question>Which wood should I use for the joint?</question>
<suggestOptions><option>Oak</option><option>Ash</option><option>Any wood is fine</option></suggestOptions>
</askFollowupQuestion>`;

const PARTS = `These subtasks are independent, so I can run them in parallel.
<assignTasks>
<tasklist><task>Write a note about mortises</task><task>Count down from 3</task><task>What is 6 * 7?</task></tasklist>
</assignTasks>`;

function deleteNote(text: string): string {
  return `<delete_note><title>${subjectOf(text)}</title></delete_note>`;
}

function subjectOf(text: string): string {
  const [, subject = ""] = /\babout (.{1,80})/i.exec(text) ?? [];
  return subject.replace(/[.!?<>&]+.*$/s, "").trim() || "tenon joints";
}

function writeNote(text: string): string {
  const subject = subjectOf(text);
  return `<think>They want a note about ${subject}. A short one with the essentials is enough.</think>I will write that down.
<write_note>
<title>${subject}</title>
<text>What to know about ${subject}:

1. Mark the shoulders with a knife, not with a pencil. The scored line then guides the saw blade.
2. A third of the thickness is a good tongue: thinner breaks, thicker weakens the cheeks.
3. Saw on the waste side and pare to the line. Wood that is cut off cannot be replaced.
4. Try the joint dry. It should close by hand, and hold when lifted.
5. Glue sparingly, clamp square, and measure the diagonals.</text>
</write_note>`;
}

function countDown(text: string): string {
  const from = Math.min(60, Math.max(1, Number(/\d+/.exec(text)?.[0] ?? 5)));
  return `Here we go.\n<count_down><from>${from}</from></count_down>`;
}

function calculate(text: string): string {
  const [, left, operator, right] = /(-?\d+(?:\.\d+)?)\s*([-+*/])\s*(-?\d+(?:\.\d+)?)/.exec(text) ?? [];
  return `<calculate><left>${left}</left><operator>${operator}</operator><right>${right}</right></calculate>`;
}

function sumUp(toolName: string, content: string): string {
  const [said = ""] = content.split(/\.?\n|\.$/);
  switch (toolName) {
    case "write_note":
      return complete(`${said}. Ask me to list the notes to see all of them.`);
    case "count_down":
      return complete(
        said === "Zero!" ? "Zero! The countdown is over." : `The countdown ended early: ${said}`,
      );
    case "assignTasks":
      return complete(`${said}. Each part has its own conversation. Follow the links above to open them.`);
    default:
      return `${said}.`;
  }
}

function complete(result: string): string {
  return `<completionResult><result>${result}</result></completionResult>`;
}

function thankFor(text: string): string {
  return `Thank you. I will use **${text.slice(0, 200)}**.`;
}
