// The set-up text of one client for one project, as the bridge words it.
import type { z } from 'zod';
import type { clientKinds } from '#shared/contracts/owner.ts';
import type { Contracts } from '#shared/contracts.ts';
import type { Connect } from '../link/client.ts';
import { Known } from './known.svelte.ts';

export type ClientKind = (typeof clientKinds)[number];
export type SetupText = z.output<Contracts['client_setup']['output']>;

/** Names of products are the same in every language. */
export const clientNames: Record<ClientKind, string> = {
  'claude-code': 'Claude Code',
  'claude-desktop': 'Claude Desktop',
  cursor: 'Cursor',
  codex: 'Codex',
  vscode: 'VS Code',
  opencode: 'opencode',
  gemini: 'Gemini CLI',
};

export const isClientKind = (text: string | undefined): text is ClientKind => text !== undefined && text in clientNames;

export class Setup {
  /** Whether a set-up was copied since the page was opened. */
  wasCopied = $state(false);
  readonly #connect: Connect;
  readonly #known: Record<string, Known<SetupText>> = {};

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  of(client: ClientKind, projectId: string): Known<SetupText> {
    const key = `${client} ${projectId}`;
    return (this.#known[key] ??= new Known(() => this.#connect().client_setup({ client, projectId })));
  }
}
