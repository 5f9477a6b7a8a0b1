/**
 * @fileoverview The smallest valid image and audio files.
 * @module examples/everything/media
 */

/** PNG of one red pixel, in base64. */
export const RED_PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/** WAV of one silent sample, in base64. */
export const SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQEAAACAAA==";
