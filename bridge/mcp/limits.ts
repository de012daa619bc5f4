// The sizes this surface works within.

/** One message from a client: an HTTP body, or a line of a stream. */
export const REQUEST_BODY_BYTES = 16 * 1024 * 1024;
/** The text block of an answer; what goes beyond is in the structured content only. */
export const TOOL_CONTENT_BYTES = 64 * 1024;
/** How long calls that are under way may still be answered after a client has sent its last line. */
export const LAST_ANSWERS_MS = 5_000;
