// Parts of the console that are fetched when they are first looked at, so that the first ones are there sooner. Each is fetched once.
import type { Component } from 'svelte';

type Load<Props extends object> = () => Promise<{ default: Component<Props> }>;

/** The component, and one promise for it however often it is asked for. */
export function later<Props extends object = Record<string, never>>(load: Load<Props>): () => Promise<Component<Props>> {
  let loading: Promise<Component<Props>> | undefined;
  return () => (loading ??= load().then((module) => module.default));
}
