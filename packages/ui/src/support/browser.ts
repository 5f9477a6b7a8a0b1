/**
 * @fileoverview Functions of the browser that components share: the clipboard and downloads.
 * @module ui/support/browser
 */

/** Copies a text to the clipboard. Returns false if the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Contents and name of a file to save. */
export interface FileToSave {
  readonly name: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
}

/** Saves a file in the user's download folder. The type is opaque, so the browser never opens the file. */
export function saveFile({ name, content }: FileToSave): void {
  const url = URL.createObjectURL(new Blob([content], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = toFileName(name);
  link.click();
  // The browser has started the download. It needs the URL only until then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Returns a file name without folders, control characters, or characters that systems reject. */
export function toFileName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  // oxlint-disable-next-line no-control-regex
  const safe = last.replaceAll(/[\u0000-\u001f\u007f<>:"|?*\u202a-\u202e\u2066-\u2069]/g, "_").slice(0, 120);
  return /^[.\s]*$/.test(safe) ? "download" : safe;
}
