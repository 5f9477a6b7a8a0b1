/**
 * @fileoverview Attacks the memory of an agent server with clients that do not read, and with large messages.
 * @module tools/attack/scenarios/agent
 */
import { attackWithHalves, attackWithLargeMessages } from "../agent/large-messages.js";
import { attackWithPings } from "../agent/ping-flood.js";
import { attackWithSlowReaders, SLOW_READERS } from "../agent/slow-readers.js";
import type { AttackContext } from "../context.js";

/** Runs the attacks: one conversation, whose memory clients share, several ones, pings, and large messages. */
export async function agent({ figures }: AttackContext): Promise<void> {
  const same = await attackWithSlowReaders(1);
  figures.megabytes("growth of the memory, one conversation", same.growth, 150);
  figures.exactly("clients that share a conversation and are still served", same.connected, SLOW_READERS);
  const different = await attackWithSlowReaders(15);
  // The limit of 67 MB, and what loading a conversation of 12 MB takes: its file, its text, and its frame.
  figures.megabytes("growth of memory in use, 15 conversations", different.held, 130);
  // The C library keeps memory of freed buffers.
  figures.megabytes("growth of the memory, 15 conversations", different.growth, 280);
  figures.note("the same with garbage", `${Math.round(different.peak)} MB`);
  figures.megabytes("growth of the memory, unread pongs", await attackWithPings(), 100);
  const halves = await attackWithHalves();
  figures.megabytes("growth of memory in use, unfinished messages", halves.held, 100);
  figures.megabytes("growth of the memory, unfinished messages", halves.growth, 350);
  figures.atLeast("unfinished messages: connections of clients that were closed", halves.closed, 200);
  const large = await attackWithLargeMessages();
  figures.megabytes("growth of the memory, large messages", large.growth, 280);
  figures.atLeast("large messages: rejected", large.rejected, 1);
}
