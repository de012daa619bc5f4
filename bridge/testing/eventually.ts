// Waits for what another process or socket will do. The deadline only ends a test that would never end: it measures nothing.
import { expect } from 'vitest';

const DEADLINE_MS = 25_000;

/** Asserts on what the function answers once it holds. */
export const eventually = <Value>(look: () => Value) => expect.poll(look, { timeout: DEADLINE_MS });
