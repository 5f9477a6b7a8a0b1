import { createScriptedModel, type ModelConversation, type ModelPort } from "@tenon/agent";

/** Creates a model that follows a script. It works offline, and costs nothing. */
export function createDemoModel(): ModelPort {
  return createScriptedModel(respond, { pieceChars: 5, delayMs: 20 });
}

/** First messages that the page suggests. The script knows them all. */
export const SUGGESTIONS = ["Which notes do I have?", "Save a note about oak"];

const INTRODUCTION = `I am a **scripted model**: I know only a few sentences. Everything else is real.

Try these messages:

- \`Which notes do I have?\` calls a tool.
- \`Save a note about oak\` calls a tool that asks for your approval first.

To talk to a real model, set \`OPENAI_API_KEY\` and restart.`;

/** Returns the response to the last message. Models write tool calls as XML tags or in their own format. */
function respond({ messages }: ModelConversation): string {
  const last = messages.findLast(({ role }) => role === "user" || role === "tool");
  const text = last?.content ?? "";
  if (last?.role === "tool") return summarize(last.toolName, text);
  const [, subject] = /\babout ([\w -]{1,60})/i.exec(text) ?? [];
  if (subject !== undefined && /\bsave\b/i.test(text)) return save(subject.trim());
  return /\bnotes?\b/i.test(text) ? "<list_notes></list_notes>" : INTRODUCTION;
}

function save(subject: string): string {
  return `I will write that down.
<save_note><title>${subject}</title><text>Find out more about ${subject}.</text></save_note>`;
}

function summarize(toolName: string, result: string): string {
  const [first = ""] = result.split("\n");
  const sentence = toolName === "list_notes" ? `Your notebook contains ${first}` : first;
  return sentence.endsWith(".") ? sentence : `${sentence}.`;
}
